/** A host in memory, for the tests of a plugin. */

export { Host, memoryHost } from "./core.ts";
export type { TestedPlan, TestedResource } from "./core.ts";
