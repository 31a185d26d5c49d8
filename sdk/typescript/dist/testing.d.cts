// Made by bundle.mjs out of src/. Do not edit.
export {
  Host,
  TestedPlan,
  TestedResource,
  memoryHost,
} from "./core.cjs";
