/**
 * Plugins in TypeScript that serve every host of Tenon: scenarios, Terraform and OpenTofu, agents, and any program that speaks
 * JSON-RPC.
 *
 * ```ts
 * import { Plugin, string } from "@tenon/sdk";
 *
 * await new Plugin({ name: "greeter", version: "1.0.0" })
 *   .function("greet", { parameters: { name: string("Whom to greet.") }, returns: string() }, ({ name }) => `hello, ${name}`)
 *   .serve();
 * ```
 */

export {
  any,
  Big,
  big,
  bigint,
  block,
  bool,
  Context,
  Failure,
  Field,
  hasUnknown,
  integer,
  isBig,
  isFailure,
  isSecret,
  isUnknown,
  list,
  map,
  MiddlewareServer,
  number,
  object,
  Plugin,
  PluginServer,
  Secret,
  set,
  StdioTransport,
  string,
  tuple,
  Typed,
  Unknown,
  unknown,
  WriteOnly,
} from "./core.ts";
export type {
  AnyField,
  AnyPlugin,
  BlockOptions,
  Bound,
  Change,
  ChangeAction,
  ChangeHandler,
  Decision,
  Diagnostic,
  EphemeralHandlers,
  Exact,
  Existing,
  FailureOptions,
  FieldOptions,
  Given,
  Infer,
  Level,
  Lock,
  MaybeUnknown,
  MaybeUnknownProps,
  Offer,
  Opened,
  Parameters,
  ParametersOf,
  Path,
  Plan,
  PluginInfo,
  Refinement,
  ResourceHandlers,
  ResourceHook,
  ResultOf,
  Returned,
  Shape,
  Stage,
  StageHandler,
  StageHook,
  StandardSchema,
  Storage,
  Verdict,
  WarningOptions,
} from "./core.ts";
