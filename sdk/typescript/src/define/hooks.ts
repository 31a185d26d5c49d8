import type { Context } from "./context.ts";

/** What happens to a resource. */
export type ChangeAction = "Create" | "Read" | "Update" | "Replace" | "Delete" | "NoOp" | "Forget";

/** A resource, and what happens to it. Names are those of the protocol. */
export interface Change {
  /** The whole address, such as `module.a.aws_instance.b[0]`. */
  address: string;
  provider: string;
  resource_type: string;
  resource_name: string;
  resource_mode: "managed" | "data";
  module?: string;
  index?: string | number;
  planned_action?: ChangeAction;
  applied_action?: ChangeAction;
  /** Its values before; null if it is created. */
  // it has the schema of another provider
  before: any;
  /** Its values after; null if it is deleted. What is known only after apply is an `Unknown`. */
  // it has the schema of another provider
  after: any;
  /** Constants of its configuration, and `Unknown` where there is an expression. */
  // it has the schema of another provider
  config: any;
  /** This resource alone. */
  resources: Change[];
  /** Where values are null because they are sensitive. */
  sensitive_paths: (string | number)[][];
  /** What earlier plugins noted, by their names. */
  metadata: Record<string, unknown>;
}

/** A part of a command, with all its resources. */
export interface Stage {
  stage: string;
  resources: Change[];
  summary: { add: number; change: number; destroy: number; import: number };
  /** What went wrong, after a failure. */
  errors?: string[];
  plan_sha256?: string;
}

/** What a plugin thinks of a change or a stage. Nothing at all is a success. */
export type Verdict = void | undefined | null | {
  status?: "success" | "pass" | "ok" | "warning" | "warn" | "fail";
  message?: string;
  warnings?: string[];
  /** Notes about the resource, for later plugins. */
  metadata?: Record<string, unknown>;
};

/** A hook that is called for each resource. */
export type ChangeHandler<State> = (change: Change, context: Context<State>) => Verdict | Promise<Verdict>;

/** A hook that is called once for a part of a command. */
export type StageHandler<State> = (stage: Stage, context: Context<State>) => Verdict | Promise<Verdict>;

export const RESOURCE_HOOKS = ["prePlan", "postPlan", "preApply", "postApply", "preRefresh", "postRefresh"] as const;
export const STAGE_HOOKS = [
  "initStageStart",
  "initStageCompleted",
  "initStageFailed",
  "planStageStart",
  "planStageCompleted",
  "planStageFailed",
  "applyStageStart",
  "applyStageCompleted",
  "applyStageFailed",
] as const;

export type ResourceHook = (typeof RESOURCE_HOOKS)[number];
export type StageHook = (typeof STAGE_HOOKS)[number];
