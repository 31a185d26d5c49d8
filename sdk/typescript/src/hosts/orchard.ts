import { defaultOf, offerOf } from "../define/offer.ts";
import type { AnyPlugin } from "../define/plugin.ts";
import { type Session, Unconfigured } from "../define/session.ts";
import { utf8Text } from "../ipc/bytes.ts";
import { type FrameReader, frameReader } from "../ipc/framing.ts";
import { asFailure } from "../values/failure.ts";
import { parseJson, stringifyJson } from "../values/json.ts";
import { isUnfit, problemsText } from "../values/problem.ts";
import { isRecord, JSON_READING } from "../values/read.ts";
import { bytewise, type Declaration, type Declarations, holdsSecret, isOptional, typeText } from "../values/type.ts";
import { type RunningCall, RunningCalls } from "./calls.ts";
import type { Conversation, Goodbye, Output } from "./host.ts";
import { hideSecrets } from "./masking.ts";
import { printWarnings, runAction } from "./run.ts";

/** Names that scenarios use themselves. */
const RESERVED = [
  "provider",
  "depends_on",
  "lifecycle",
  "for_each",
  "count",
  "timeout",
  "retry",
  "idempotent",
  "assert",
];

const LARGEST_LINE = 16 * 1024 * 1024;

/** An error with one of Orchard's codes. */
class OrchardError extends Error {
  readonly code: string;
  readonly detail: string | undefined;

  constructor(code: string, message: string, detail?: string) {
    super(message);
    this.code = code;
    this.detail = detail;
  }
}

/** The schema that the `schema` subcommand prints. @throws {TypeError} Something in it is not possible. */
export function orchardSchema(plugin: AnyPlugin): Record<string, unknown> {
  const { parts } = plugin;
  offerOf(plugin);
  const actions: Record<string, unknown> = {};
  for (const name of [...parts.actions.keys()].sort()) {
    const one = parts.actions.get(name);
    if (one === undefined) continue;
    const attributes = one.body.attributes;
    const reserved = Object.keys(attributes).find((key) => RESERVED.includes(key));
    if (reserved !== undefined) {
      throw new TypeError(`action ${name}: scenarios use the name ${reserved} themselves; choose another one`);
    }
    const secrets = Object.values(one.outputs).some(holdsSecret);
    actions[name] = {
      description: one.description,
      attrs: orchardAttributes(`action ${name}`, attributes),
      outputs: {
        type: typeText({ kind: "object", attributes: sorted(one.outputs) }),
        required: false,
        ...(secrets ? { sensitive: true } : {}),
      },
      ...(one.isIdempotent ? { idempotent: true } : {}),
    };
  }
  return {
    name: plugin.name,
    version: plugin.version,
    protocol: "1",
    config: orchardAttributes("the configuration", parts.config.attributes),
    actions,
    ...(parts.maxInFlight === undefined ? {} : { max_in_flight: parts.maxInFlight }),
  };
}

function sorted(attributes: { readonly [name: string]: Declaration }): Record<string, Declaration> {
  return Object.fromEntries(Object.entries(attributes).sort(([a], [b]) => bytewise(a, b)));
}

function orchardAttributes(place: string, attributes: Declarations): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, one]) => [name, {
      type: one.idempotencyKey === true ? "any" : typeText(one.type),
      required: !(isOptional(one) || one.nullable === true || one.idempotencyKey === true),
      ...orchardDefault(`${place}, attribute ${name}`, one),
      ...(one.description === undefined || one.description === "" ? {} : { description: one.description }),
      ...(one.secret === true || one.writeOnly === true ? { sensitive: true } : {}),
      ...(one.idempotencyKey === true ? { idempotency_key: true } : {}),
    }]),
  );
}

function orchardDefault(place: string, one: Declaration): { default?: unknown } {
  const given = defaultOf(place, one);
  // A text in double quotes would be read as JSON once more.
  const isQuoted = typeof given.default === "string" && /^".*"$/s.test(given.default);
  return isQuoted ? { default: JSON.stringify(given.default) } : given;
}

interface Envelope {
  readonly id: unknown;
  readonly method: string;
  readonly params: Record<string, unknown>;
  readonly call: RunningCall;
}

const SMALLEST_ID = -(2n ** 63n);

function isOrchardId(id: unknown): boolean {
  if (typeof id === "number") return Number.isSafeInteger(id);
  return typeof id === "bigint" && id >= SMALLEST_ID && id < -SMALLEST_ID;
}

/** A plugin as a provider of scenarios. */
export class OrchardConversation implements Conversation {
  readonly #session: Session;
  readonly #output: Output;
  readonly #goodbye: Goodbye;
  readonly #lines: FrameReader = frameReader("lines", LARGEST_LINE, "host");
  readonly #calls: RunningCalls;
  readonly #waiting: Envelope[] = [];
  #running = 0;
  /** `configure` and `shutdown` run alone. */
  #isAlone = false;

  constructor(session: Session, output: Output, goodbye: Goodbye) {
    this.#session = session;
    this.#output = output;
    this.#calls = new RunningCalls(output);
    this.#goodbye = goodbye;
  }

  receive(chunk: Uint8Array): void {
    for (const line of this.#lines.push(chunk)) this.#line(line);
  }

  async finish(): Promise<void> {
    for (const line of this.#lines.finish()) this.#line(line);
    await this.#calls.finished();
  }

  #line(line: Uint8Array): void {
    let value: unknown;
    try {
      value = parseJson(utf8Text(line));
    } catch {
      return this.#fail(0, new OrchardError("invalid_request", "the line is not JSON"));
    }
    const { id, method, params } = isRecord(value) ? value : {};
    const known = isOrchardId(id) ? id : 0;
    if (!isRecord(value)) return this.#fail(0, new OrchardError("invalid_request", "the line is not an object"));
    // An answer, to a call that was never made, is ignored.
    if (method === undefined && ("result" in value || "error" in value)) return;
    if (id !== undefined && !isOrchardId(id)) {
      return this.#fail(0, new OrchardError("invalid_request", "`id` must be a whole number of 64 bits"));
    }
    if (typeof method !== "string" || method === "") {
      return this.#fail(known, new OrchardError("invalid_request", "the request has no method"));
    }
    if (id === undefined) return;
    if (!isRecord(params ?? {})) {
      return this.#fail(known, new OrchardError("invalid_request", "`params` must be an object"));
    }
    const call = this.#calls.begin(id, true);
    this.#waiting.push({ id, method, params: (params ?? {}) as Record<string, unknown>, call });
    this.#next();
  }

  /** Begins what may begin: `execute` up to the limit, everything else alone and in order. */
  #next(): void {
    const most = this.#session.parts.maxInFlight ?? 1;
    while (this.#waiting.length > 0 && !this.#isAlone) {
      const first = this.#waiting[0] as Envelope;
      const isAlone = first.method === "configure" || first.method === "shutdown";
      if (isAlone ? this.#running > 0 : this.#running >= most) return;
      this.#waiting.shift();
      this.#running += 1;
      this.#isAlone = isAlone;
      void this.#answer(first, isAlone);
    }
  }

  async #answer(envelope: Envelope, isAlone: boolean): Promise<void> {
    try {
      const result = await this.#result(envelope);
      this.#output.write(`${stringifyJson({ id: envelope.id, result })}\n`);
    } catch (error) {
      const known = error instanceof OrchardError
        ? error
        : new OrchardError("internal_error", (error as Error).message);
      const texts = hideSecrets(this.#session, { message: known.message, detail: known.detail }, envelope.params);
      this.#fail(envelope.id, new OrchardError(known.code, texts.message, texts.detail));
    }
    this.#calls.end(envelope.call);
    this.#running -= 1;
    if (isAlone) this.#isAlone = false;
    if (envelope.method === "shutdown") this.#goodbye();
    this.#next();
  }

  #fail(id: unknown, { code, message, detail }: OrchardError): void {
    const error = { code, message, ...(detail === undefined ? {} : { detail }) };
    this.#output.write(`${stringifyJson({ id, error })}\n`);
  }

  async #result({ method, params, call }: Envelope): Promise<unknown> {
    switch (method) {
      case "describe":
        return { schema: orchardSchema(this.#session.plugin) };
      case "configure":
        await this.#configure(params["config"]);
        return {};
      case "execute":
        return { outputs: await this.#execute(call, params["action"], params["attrs"]) };
      case "shutdown":
        await this.#session.shutDown();
        return {};
      default:
        throw new OrchardError("unknown_method", `unknown method \`${method}\``);
    }
  }

  async #configure(config: unknown): Promise<void> {
    if (!isRecord(config ?? {})) throw new OrchardError("invalid_request", "`config` must be an object");
    try {
      await this.#session.configure(config ?? {}, JSON_READING);
    } catch (error) {
      if (error instanceof Unconfigured) throw new OrchardError("invalid_request", error.message);
      if (isUnfit(error)) throw new OrchardError("configure_failed", problemsText(error.problems));
      throw orchardFailure(error, "configure_failed");
    }
  }

  async #execute(call: RunningCall, action: unknown, attrs: unknown): Promise<unknown> {
    if (typeof action !== "string") throw new OrchardError("invalid_request", "`action` must be a string");
    if (!isRecord(attrs ?? {})) throw new OrchardError("invalid_request", "`attrs` must be an object");
    const { actions } = this.#session.parts;
    const part = actions.get(action);
    if (part === undefined) {
      throw new OrchardError("unknown_action", this.#session.missing("action", action, actions.keys()));
    }
    if (this.#session.stage === "ended") throw new OrchardError("invalid_request", "the provider has been shut down");
    if (this.#session.stage !== "ready") {
      throw new OrchardError("invalid_request", "configure must succeed before execute is called");
    }
    try {
      return await runAction(this.#session, part, attrs ?? {}, JSON_READING, call, {});
    } catch (error) {
      if (isUnfit(error)) throw new OrchardError("validation_failed", problemsText(error.problems));
      throw orchardFailure(error, "execute_failed");
    } finally {
      printWarnings(this.#session, call, attrs);
    }
  }
}

function orchardFailure(error: unknown, otherwise: string): OrchardError {
  const { code, message, detail, path } = asFailure(error);
  const text = path === undefined || path.length === 0 ? message : `${path.join(".")}: ${message}`;
  return new OrchardError(code ?? otherwise, text, detail);
}
