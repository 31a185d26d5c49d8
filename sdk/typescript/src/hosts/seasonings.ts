import { type Offer, offerOf } from "../define/offer.ts";
import type { Session } from "../define/session.ts";
import { Unconfigured } from "../define/session.ts";
import { RESOURCE_HOOKS, STAGE_HOOKS } from "../define/hooks.ts";
import { STORAGE_METHODS } from "../define/storage.ts";
import { asFailure, failureText } from "../values/failure.ts";
import { isUnfit, problemsText } from "../values/problem.ts";
import { isRecord, JSON_READING, plainText } from "../values/read.ts";
import { UnpackError } from "../wire/scanner.ts";
import { FlawedMessage, MessageStream } from "../wire/unpack.ts";
import { pack } from "../wire/pack.ts";
import { type RunningCall, RunningCalls } from "./calls.ts";
import type { Conversation, Goodbye, Output } from "./host.ts";
import { CANCELLED, FAILED, Fault, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND } from "./json_rpc.ts";
import { hideSecrets, withoutSecrets } from "./masking.ts";
import { printWarnings } from "./run.ts";
import { runHook, runStorage } from "./seasonings_around.ts";
import { seasoningsFunction } from "./seasonings_functions.ts";
import { SeasoningsResources } from "./seasonings_resources.ts";
import { SeasoningsData } from "./seasonings_data.ts";
import type { Reporter } from "../define/context.ts";

/** The version of the protocol. */
const PROTOCOL_VERSION = 1;

/** A call of the host that is being answered. */
export interface SeasoningsCall {
  readonly method: string;
  readonly given: Record<string, unknown>;
  readonly running: RunningCall;
  readonly reporter: Reporter;
}

/** The name that a method has on the wire: dotted names, `hooks`, bare and kebab-case hooks are accepted. */
export function canonicalMethod(method: string): string {
  if (method === "initialize") return "init";
  const [level = "", name] = method.replace(".", "/").split("/", 2);
  if (name === undefined) {
    const hook = camel(level);
    return HOOKS.includes(hook) ? `middleware/${hook}` : method;
  }
  return level === "hooks" || level === "middleware" ? `middleware/${camel(name)}` : `${level}/${name}`;
}

const HOOKS: readonly string[] = [...RESOURCE_HOOKS, ...STAGE_HOOKS];

function camel(name: string): string {
  const joined = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return joined.replace(/Stage(Complete|Fail)$/, (_, end: string) => `Stage${end === "Fail" ? "Failed" : "Completed"}`);
}

/** What changes nothing can be cancelled. Everything else runs to its end, because what it has done would be forgotten. */
function mayBeCancelled(method: string): boolean {
  return CANCELLABLE.includes(method) || method.startsWith("middleware/");
}

const CANCELLABLE: readonly string[] = [
  "functions/call",
  "resources/validate",
  "resources/planChange",
  "resources/read",
  "resources/import",
  "resources/upgrade",
  "resources/readData",
  "storage/read",
  "storage/list",
];

/** A plugin that speaks Seasonings: msgpack-rpc, for Terraform and OpenTofu. */
export class SeasoningsConversation implements Conversation {
  readonly #session: Session;
  readonly #output: Output;
  readonly #goodbye: Goodbye;
  readonly #messages = new MessageStream();
  readonly #calls: RunningCalls;
  readonly #resources: SeasoningsResources;
  readonly #data: SeasoningsData;
  #offer: Offer | undefined;

  constructor(session: Session, output: Output, goodbye: Goodbye) {
    this.#session = session;
    this.#output = output;
    this.#calls = new RunningCalls(output);
    this.#goodbye = goodbye;
    this.#resources = new SeasoningsResources(session);
    this.#data = new SeasoningsData(session);
  }

  receive(chunk: Uint8Array): void {
    for (const message of this.#messages.push(chunk)) this.#message(message);
  }

  async finish(): Promise<void> {
    if (this.#messages.isInside) throw new UnpackError("the input ended inside a message");
    await this.#calls.finished();
  }

  #send(...message: unknown[]): void {
    this.#output.write(pack(message));
  }

  #message(message: unknown): void {
    if (message instanceof FlawedMessage) return this.#refuse(message);
    if (!Array.isArray(message)) {
      throw new UnpackError("a message must be an array; something else was written to stdin");
    }
    const [kind, ...rest] = message as unknown[];
    if (kind === 0 && rest.length === 3 && isId(rest[0])) {
      const [id, method, params] = rest;
      const name = method instanceof Uint8Array ? plainText(method) : method;
      if (typeof name === "string") return void this.#answer(id, canonicalMethod(name), params);
    }
    if (kind === 2 && rest.length === 2 && typeof rest[0] === "string" && isParams(rest[1])) {
      return this.#event(canonicalMethod(rest[0]), rest[1]);
    }
    // An answer: this plugin calls nothing.
    if (kind === 1) return;
    const id = kind === 0 && isId(rest[0]) ? rest[0] : 0;
    this.#send(1, id, [INVALID_REQUEST, "the message is not a request, a response or an event"], null);
  }

  /** Answers a call whose params cannot be read. */
  #refuse({ start: [kind, id, method], problem }: FlawedMessage): void {
    if (kind === 1) return;
    if (kind === 0 && isId(id) && typeof method === "string") {
      this.#send(1, id, [INVALID_PARAMS, `the params of ${method} cannot be read: ${problem}`], null);
    } else this.#send(1, kind === 0 && isId(id) ? id : 0, [INVALID_REQUEST, `the message cannot be read: ${problem}`], null);
  }

  #event(method: string, params: unknown): void {
    const given = paramsOf(params);
    if (method === "$/cancel") this.#calls.cancel(given?.["id"]);
    if (method === "shutdown") this.#goodbye();
  }

  async #answer(id: unknown, method: string, params: unknown): Promise<void> {
    const call = this.#calls.begin(
      id,
      !mayBeCancelled(method),
      () => this.#send(1, id, [CANCELLED, "the call was cancelled"], null),
    );
    let error: unknown = null;
    let result: unknown = null;
    try {
      const given = paramsOf(params);
      if (given === undefined) throw new Fault(INVALID_REQUEST, `the params of ${method} must be a map`);
      result = await this.#result({ method, given, running: call, reporter: this.#reporter });
      if (method.startsWith("resources/")) result = withoutSecrets(this.#session, result, given);
    } catch (thrown) {
      // An error has no place for them.
      printWarnings(this.#session, call, params);
      error = hideSecrets(this.#session, faultOf(thrown), params);
    }
    this.#calls.end(call);
    if (!call.isCancelled) this.#respond(id, method, error, result);
    if (method === "shutdown") this.#goodbye();
  }

  #respond(id: unknown, method: string, error: unknown, result: unknown): void {
    try {
      this.#send(1, id, error, result);
    } catch (problem) {
      this.#send(1, id, [FAILED, `the result of ${method} cannot be written: ${(problem as Error).message}`], null);
    }
  }

  readonly #reporter: Reporter = {
    progress: (message, done, total) =>
      this.#send(2, "progress", [{
        message,
        ...(done === undefined ? {} : { done }),
        ...(total === undefined ? {} : { total }),
      }]),
    log: (level, message, fields) =>
      this.#send(2, "log", [{ level, message, ...(fields === undefined ? {} : { fields }) }]),
  };

  /** What the plugin offers. Something impossible in it is found here, by the first call. */
  #offered(): Offer {
    this.#offer ??= offerOf(this.#session.plugin);
    return this.#offer;
  }

  async #result(call: SeasoningsCall): Promise<unknown> {
    const { method } = call;
    switch (method) {
      case "init":
        return this.#init(call.given);
      case "ping":
        return { status: "ok" };
      case "shutdown":
        return {};
      case "functions/getSchema":
        return { functions: this.#offered().functions };
      case "functions/call":
        return seasoningsFunction(this.#session, call);
      case "resources/getSchema": {
        const { config, resources, data_sources, ephemeral } = this.#offered();
        const has = (one: object) => Object.keys(one).length > 0;
        return {
          ...(has(config.attributes) || config.blocks !== undefined ? { provider: config } : {}),
          ...(has(resources) ? { resources } : {}),
          ...(has(data_sources) ? { data_sources } : {}),
          ...(has(ephemeral) ? { ephemeral } : {}),
        };
      }
    }
    const [level, name = ""] = method.split("/");
    if (level === "resources") {
      const found = await this.#resources.answer(name, call) ?? await this.#data.answer(name, call);
      if (found !== undefined) return found;
    }
    if (level === "middleware") return runHook(this.#session, name, call);
    if (level === "storage" && (STORAGE_METHODS as readonly string[]).includes(name)) {
      return runStorage(this.#session, name, call);
    }
    throw new Fault(METHOD_NOT_FOUND, "Method not found", { method });
  }

  async #init(given: Record<string, unknown>): Promise<unknown> {
    const version = given["protocol_version"] ?? PROTOCOL_VERSION;
    if (String(version).split(".", 1)[0] !== String(PROTOCOL_VERSION)) {
      throw new Fault(
        FAILED,
        `the host speaks version ${
          String(version)
        } of the protocol, and this plugin speaks version ${PROTOCOL_VERSION}`,
      );
    }
    this.#offered();
    const { config } = given;
    if (isRecord(config) && Object.keys(config).length > 0) await this.#configure(config);
    const { plugin, parts } = this.#session;
    return {
      name: plugin.name,
      version: plugin.version,
      protocol_version: PROTOCOL_VERSION,
      capabilities: capabilities(this.#session),
      ...(parts.maxInFlight === undefined ? {} : { max_in_flight: parts.maxInFlight }),
    };
  }

  /** A host that calls no `resources/configure` gives the configuration in the first call. */
  async #configure(config: Record<string, unknown>): Promise<void> {
    try {
      await this.#session.configure(config, JSON_READING);
    } catch (error) {
      if (error instanceof Unconfigured) throw new Fault(FAILED, error.message);
      if (isUnfit(error)) throw new Fault(FAILED, `the configuration: ${problemsText(error.problems)}`);
      throw error;
    }
  }
}

/** What a plugin can be used for, by what it defines. */
function capabilities({ parts }: Session): string[] {
  const hasResources = parts.resources.size + parts.dataSources.size + parts.ephemerals.size > 0;
  const hasConfig = Object.keys(parts.config.attributes).length > 0;
  const found: string[] = [];
  if (parts.storage.size > 0) found.push("storage");
  if (parts.functions.size > 0) found.push("functions");
  // A provider of functions alone may have a configuration as well.
  if (hasResources || hasConfig && parts.functions.size > 0) found.push("resources");
  return [...found, ...[...parts.hooks.keys()].map((hook) => `hooks.${hook}`).sort()];
}

function isId(id: unknown): boolean {
  return typeof id === "number" && Number.isInteger(id) && id >= 0 && id < 2 ** 32;
}

function isParams(params: unknown): boolean {
  return params === null || Array.isArray(params) || isRecord(params);
}

/** The map of params; `undefined` if it is not one. */
function paramsOf(params: unknown): Record<string, unknown> | undefined {
  const given = Array.isArray(params) ? (params.length > 1 ? params : params[0]) : params;
  if (given === null || given === undefined) return {};
  return isRecord(given) ? given : undefined;
}

/** The error of an answer. */
function faultOf(thrown: unknown): unknown {
  if (thrown instanceof Fault) {
    return [thrown.code, thrown.message, ...(thrown.data === undefined ? [] : [thrown.data])];
  }
  if (thrown instanceof UnpackError) return [INTERNAL_ERROR, thrown.message];
  return [FAILED, failureText(asFailure(thrown))];
}
