import type { Existing, ResourcePart } from "../define/parts.ts";
import { type Session, Unconfigured } from "../define/session.ts";
import { validated } from "../define/standard.ts";
import { type Diagnostic, Failure } from "../values/failure.ts";
import { CTY_READING, isRecord, PLAN_READING, readObject, type Wire } from "../values/read.ts";
import type { Declarations } from "../values/type.ts";
import { hasUnknown } from "../values/unknown.ts";
import { membersOf, Unwritable, writeObject } from "../values/write.ts";
import { readStored } from "./denobridge_values.ts";
import { FAILED, Fault, INVALID_PARAMS } from "./json_rpc.ts";
import { withContext, written } from "./run.ts";
import type { SeasoningsCall } from "./seasonings.ts";
import { seasoningsAnswer, subjectOf } from "./seasonings_answers.ts";
import { decided, filledIn, plannedChange, plannedProps, select, settled, type Whole, wholeState } from "./seasonings_plan.ts";

type Result = { result: Record<string, unknown>; diagnostics?: readonly Diagnostic[] };

/** The private data of a resource that was imported and has not been read since. */
const IMPORTED = new TextEncoder().encode("imported");
/** What the private data of authors begins with. */
const OF_AUTHOR = 1;

/** Managed resources, and the configuration of the plugin. */
export class SeasoningsResources {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The answer to a method; `undefined` if it is not one of these. */
  answer(name: string, call: SeasoningsCall): Promise<unknown> | undefined {
    switch (name) {
      case "configure":
        return seasoningsAnswer(call.running, () => this.#configure(call));
      case "validate":
        return seasoningsAnswer(call.running, () => this.#validate(call));
      case "planChange":
        return seasoningsAnswer(call.running, () => this.#plan(call));
      case "applyChange":
        return seasoningsAnswer(call.running, () => this.#apply(call));
      case "read":
        return seasoningsAnswer(call.running, () => this.#read(call));
      case "import":
        return seasoningsAnswer(call.running, () => this.#import(call));
      case "upgrade":
        return seasoningsAnswer(call.running, () => this.#upgrade(call));
      default:
        return undefined;
    }
  }

  #part({ given }: SeasoningsCall): ResourcePart {
    return subjectOf(this.#session, "resource", this.#session.parts.resources, given["type"]);
  }

  async #configure({ given }: SeasoningsCall): Promise<Result> {
    const { config } = given;
    if (hasUnknown(config)) {
      this.#session.defer();
      return { result: {} };
    }
    try {
      await this.#session.configure(config, { ...CTY_READING });
    } catch (error) {
      if (error instanceof Unconfigured) throw new Fault(FAILED, error.message);
      throw error;
    }
    return { result: {} };
  }

  async #validate(call: SeasoningsCall): Promise<Result> {
    const { parts } = this.#session;
    const { kind, config, type } = call.given;
    const body = kind === "provider"
      ? parts.config
      : kind === "resource"
      ? this.#part(call).body
      : kind === "data"
      ? subjectOf(this.#session, "data source", parts.dataSources, type).body
      : kind === "ephemeral"
      ? subjectOf(this.#session, "ephemeral resource", parts.ephemerals, type).body
      : undefined;
    if (body === undefined) {
      throw new Fault(INVALID_PARAMS, `kind in the params of resources/validate: ${JSON.stringify(kind)} is unknown`);
    }
    // What is unknown in part is checked later.
    if (!hasUnknown(config)) {
      await validated(body, readObject(select(config, body.attributes), body.attributes, CTY_READING));
    }
    return { result: {} };
  }

  /** The resource as it was last seen. */
  #existing(part: ResourcePart, prior: Wire): Existing<unknown, unknown> {
    const all = isRecord(prior) ? prior : {};
    const hasState = Object.entries(part.state).every(([name, one]) =>
      one.optional === true || one.secret === true || (all[name] ?? null) !== null
    );
    return {
      id: typeof all["id"] === "string" ? all["id"] : "",
      props: readStored(select(all, part.body.attributes), part.body.attributes, CTY_READING),
      ...(hasState ? { state: readStored(select(all, part.state), part.state, CTY_READING) } : {}),
    };
  }

  /** As it was last seen, for an update or a delete. Without an id it cannot be found. */
  #known(part: ResourcePart, prior: Wire): Existing<unknown, unknown> {
    const existing = this.#existing(part, prior);
    if (existing.id !== "") return existing;
    throw new Failure(
      "the resource has no id, because it is not known how its creation ended; find out whether it exists, delete it by hand, " +
        "and remove it with `terraform state rm`",
    );
  }

  async #plan(call: SeasoningsCall): Promise<Result> {
    const part = this.#part(call);
    const { prior = null, config = null, proposed = null } = call.given;
    if (!isRecord(proposed)) return { result: { planned: null } };
    const whole: Whole = { part, prior: isRecord(prior) ? prior : null, config: isRecord(config) ? config : null };
    const planned = plannedChange(whole, proposed);
    const { handlers } = part;
    // Without the configuration there is no one to ask. It is asked again before the apply.
    if (handlers.modifyPlan === undefined || this.#session.stage === "deferred") return { result: { planned } };
    const props = readObject(plannedProps(whole, planned), part.body.attributes, PLAN_READING);
    const plan = whole.prior === null
      ? { kind: "create" as const, props }
      : { kind: "update" as const, existing: this.#existing(part, whole.prior), props };
    return this.#calling(call, async (context) => {
      const decision = await handlers.modifyPlan?.(plan, context);
      return decided(whole, proposed, planned, decision);
    });
  }

  async #apply(call: SeasoningsCall): Promise<Result> {
    const part = this.#part(call);
    const { prior = null, config = null, planned = null } = call.given;
    const whole: Whole = { part, prior: isRecord(prior) ? prior : null, config: isRecord(config) ? config : null };
    const { handlers } = part;
    if (!isRecord(planned)) {
      const existing = this.#known(part, whole.prior);
      return this.#calling(call, async (context) => {
        await handlers.delete(existing, context);
        return { result: {} };
      });
    }
    const props = await validated(
      part.body,
      readObject(plannedProps(whole, planned), part.body.attributes, CTY_READING),
    );
    if (whole.prior !== null) {
      const existing = this.#known(part, whole.prior);
      return this.#calling(call, async (context) => {
        if (handlers.update === undefined) throw new Failure("the resource cannot be updated");
        const updated = await handlers.update(existing, props, context);
        const state = written("the state", () => writeObject(updated?.state, part.state, "msgpack"));
        return { result: { state: wholeState(part, existing.id, planned, state) } };
      });
    }
    return this.#calling(call, async (context) => {
      const created = await handlers.create(props, context);
      if (typeof created?.id !== "string" || created.id === "") {
        throw new Failure("create must return { id, state }; the id is missing");
      }
      return this.#created(part, created, planned);
    });
  }

  /** What was created is not forgotten because its state cannot be written. */
  #created(part: ResourcePart, { id, state }: { id: string; state?: unknown }, planned: Record<string, Wire>): Result {
    try {
      const known = writeObject(state, part.state, "msgpack");
      return { result: { state: wholeState(part, id, planned, known) } };
    } catch (error) {
      if (!(error instanceof Unwritable)) throw error;
      const detail = `the state does not match its declaration: ${error.message}`;
      const problem: Diagnostic = { severity: "error", summary: "the resource was created in part", detail };
      return { result: { state: wholeState(part, id, planned, {}) }, diagnostics: [problem] };
    }
  }

  async #read(call: SeasoningsCall): Promise<Result> {
    const part = this.#part(call);
    const { state: prior } = call.given;
    if (!isRecord(prior)) return { result: { state: null } };
    const existing = this.#existing(part, prior);
    // Without an id it cannot be looked for.
    if (existing.id === "") return { result: { state: prior } };
    const isImported = isSame(call.given["private"], IMPORTED);
    return this.#calling(call, async (context) => {
      const found = await part.handlers.read(existing.id, isImported ? undefined : existing.props, context);
      if (found === null || found === undefined) return { result: { state: null } };
      const state = written("the state", () => writeObject(found.state, part.state, "msgpack"));
      const props = written(
        "the props",
        () => writeObject(withoutWriteOnly(found.props, part.body.attributes), part.body.attributes, "msgpack"),
      );
      // An import has no earlier values: null is not a default that was left out.
      const given = isImported ? filledIn(part.body.attributes, props) : settled(part.body.attributes, prior, props);
      const known = { ...given, ...keptSecrets(part, prior, state) };
      return {
        result: {
          state: wholeState(part, existing.id, known, state),
          ...(isImported ? { private: new Uint8Array(0) } : {}),
        },
      };
    });
  }

  async #import(call: SeasoningsCall): Promise<Result> {
    const part = this.#part(call);
    const { id } = call.given;
    if (typeof id !== "string" || id === "") throw new Fault(FAILED, "the id is empty");
    const { handlers } = part;
    if (handlers.import === undefined) return { result: { state: { id }, private: IMPORTED } };
    return this.#calling(
      call,
      async (context) => ({ result: { state: { id: await handlers.import?.(id, context) ?? id }, private: IMPORTED } }),
    );
  }

  async #upgrade(call: SeasoningsCall): Promise<Result> {
    const part = this.#part(call);
    const { version, state: stored } = call.given;
    const { upgrade } = part.handlers;
    if (upgrade === undefined) {
      throw new Failure(
        `the plugin cannot upgrade a resource that was stored with version ${
          String(version)
        } of the schema to version ${part.version}`,
      );
    }
    const { id, props, state } = await upgrade.call(
      part.handlers,
      Number(version),
      (stored ?? {}) as Record<string, unknown>,
    );
    const known = written(
      "the props",
      () => writeObject(withoutWriteOnly(props, part.body.attributes), part.body.attributes, "msgpack"),
    );
    const returned = written("the state", () => writeObject(state, part.state, "msgpack"));
    return { result: { state: wholeState(part, id, known, returned) } };
  }

  /** Runs the author's function, and adds its warnings and its private data to the result. */
  async #calling(
    call: SeasoningsCall,
    work: (context: import("../define/context.ts").Context<unknown>) => Promise<Result>,
  ): Promise<Result> {
    const stored = call.given["private"];
    const ofAuthor = stored instanceof Uint8Array && stored[0] === OF_AUTHOR ? stored.subarray(1) : undefined;
    const { value, context } = await withContext(this.#session, call.running, call.reporter, work, ofAuthor);
    const result = { ...value.result };
    if (context.kept === null) result["private"] = new Uint8Array(0);
    else if (context.kept !== undefined) result["private"] = Uint8Array.from([OF_AUTHOR, ...context.kept]);
    return { ...value, result };
  }
}

function isSame(data: unknown, expected: Uint8Array): boolean {
  return data instanceof Uint8Array && data.length === expected.length &&
    data.every((byte, index) => byte === expected[index]);
}

/** Props that an author returns may have what it was given, but write-only values are never stored. */
function withoutWriteOnly(props: unknown, attributes: Declarations): Record<string, unknown> {
  return Object.fromEntries(Object.entries(membersOf(props)).filter(([name]) => attributes[name]?.writeOnly !== true));
}

/** The secrets of the state as they were, if none has a value now. */
function keptSecrets(
  part: ResourcePart,
  prior: Record<string, Wire>,
  state: Record<string, Wire>,
): Record<string, Wire> {
  const names = Object.keys(part.state).filter((name) => part.state[name]?.secret === true);
  const isKept = names.every((name) => (state[name] ?? null) === null);
  return isKept ? Object.fromEntries(names.map((name) => [name, prior[name] ?? null])) : {};
}
