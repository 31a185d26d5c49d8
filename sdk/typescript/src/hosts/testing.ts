import { converse } from "./detect.ts";
import type { AnyPlugin } from "../define/plugin.ts";
import { Session } from "../define/session.ts";
import type { Diagnostic } from "../values/failure.ts";
import { Failure } from "../values/failure.ts";
import { CTY_READING, readObject, readValue } from "../values/read.ts";
import type { Declaration, Declarations } from "../values/type.ts";
import { parseJson, stringifyJson } from "../values/json.ts";
import { writeDeclared, writeObject } from "../values/write.ts";
import { MessageStream } from "../wire/unpack.ts";
import { pack } from "../wire/pack.ts";
import { plannedChange, type Whole } from "./seasonings_plan.ts";
import type { ResourcePart } from "../define/parts.ts";
import type { Conversation } from "./host.ts";
import {
  computed,
  type Members,
  packable,
  plain,
  plainSecrets,
  readState,
  relaxed,
  wholeOf,
  withDefaults,
  withoutDefaults,
} from "./testing_values.ts";

/** A resource in a test: its values, and what only the plugin sees. */
export interface TestedResource {
  readonly type: string;
  /** All its attributes, with its id. */
  readonly state: Members;
  /** @internal */
  readonly wire: Members;
  /** @internal */
  readonly private: Uint8Array | undefined;
}

/** A planned change in a test. */
export interface TestedPlan {
  readonly type: string;
  readonly action: "create" | "update" | "replace" | "none";
  /** The planned values; what is known after the apply is an `Unknown`. */
  readonly planned: Members;
  readonly warnings: readonly Diagnostic[];
  /** @internal */
  readonly wire: { prior: Members | null; config: Members; planned: Members; private: Uint8Array | undefined };
}

/**
 * A host in memory, for tests. Every call goes through the encoders and decoders of a real host.
 *
 * ```ts
 * const host = new Host(plugin);
 * assert.equal(await host.callFunction("greet", { name: "Ida" }), "hello, Ida");
 * await host.close();
 * ```
 */
export class Host {
  readonly #session: Session;
  readonly #seasonings: Conversation;
  readonly #orchard: Conversation;
  readonly #stream = new MessageStream();
  readonly #answers = new Map<number, { resolve: (result: Members) => void; reject: (error: Error) => void }>();
  #orchardText = "";
  #last = 0;
  #isBegun = false;
  /** What the plugin reported: progress and lines of its log. */
  readonly events: { method: string; params: Members }[] = [];
  /** The warnings of all calls so far. */
  readonly warnings: Diagnostic[] = [];

  /** `config` is the configuration of the plugin, if it has one. */
  constructor(plugin: AnyPlugin, config: Members = {}) {
    this.#session = new Session(plugin);
    const nothing = () => undefined;
    this.#seasonings = converse(
      "seasonings",
      this.#session,
      { write: (frame) => this.#received(frame as Uint8Array) },
      nothing,
    );
    this.#orchard = converse("orchard", this.#session, { write: (frame) => this.#line(String(frame)) }, nothing);
    this.#config = config;
  }

  readonly #config: Members;

  #received(frame: Uint8Array): void {
    for (const message of this.#stream.push(frame)) {
      const [kind, ...rest] = message as [number, ...unknown[]];
      if (kind === 2) {
        const [method, params] = rest as [string, [Members]];
        this.events.push({ method, params: params[0] });
        continue;
      }
      const [id, error, result] = rest as [number, unknown, Members];
      const waiting = this.#answers.get(id);
      this.#answers.delete(id);
      if (error === null) waiting?.resolve(result);
      else {
        const [code, message = "", data] = error as [number, string?, Members?];
        const argument = data?.["argument"];
        waiting?.reject(
          new Failure(message, { code: String(code), ...(typeof argument === "string" ? { path: [argument] } : {}) }),
        );
      }
    }
  }

  #line(text: string): void {
    this.#orchardText += text;
    if (!this.#orchardText.endsWith("\n")) return;
    const { id, error, result } = parseJson(this.#orchardText) as {
      id: number;
      error?: { code: string; message: string; detail?: string };
      result: Members;
    };
    this.#orchardText = "";
    const waiting = this.#answers.get(id);
    this.#answers.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Failure(error.message, { code: error.code, detail: error.detail }));
  }

  /** Calls a method of Seasonings as it is. @throws {Failure} The answer is an error; its `code` is the number of the protocol. */
  call(method: string, params: Members = {}): Promise<Members> {
    return this.#send((id) => this.#seasonings.receive(pack([0, id, method, [params]])));
  }

  #send(send: (id: number) => void): Promise<Members> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, { resolve, reject });
      send(id);
    });
  }

  /** Begins the conversation: the plugin is configured once. */
  async #begin(): Promise<void> {
    if (this.#isBegun) return;
    this.#isBegun = true;
    const { parts } = this.#session;
    await this.call("init", {
      protocol_version: 1,
      host: { name: "test", version: "1" },
      capabilities: [],
      config: {},
    });
    if (parts.configure === undefined) return;
    const config = writeObject(withDefaults(this.#config, parts.config.attributes), parts.config.attributes, "msgpack");
    this.#checked(await this.call("resources/configure", { config }));
  }

  /** The result of a call without its diagnostics. @throws {Failure} There is an error among them. */
  #checked(result: Members): Members {
    const found = (result["diagnostics"] ?? []) as Diagnostic[];
    this.warnings.push(...found.filter((one) => one.severity === "warning"));
    if (found.some((one) => one.severity === "error")) throw Failure.all(found);
    return result;
  }

  /** Calls a function with arguments by name. @throws {Failure} It failed; `path` is the argument that is at fault. */
  async callFunction(name: string, given: Members = {}): Promise<unknown> {
    await this.#begin();
    const part = this.#session.parts.functions.get(name);
    const list = part?.variadic === undefined
      ? {}
      : { [part.variadic.name]: { type: { kind: "list", element: part.variadic.element } } satisfies Declaration };
    const parameters: Declarations = { ...part?.body.attributes, ...list };
    const args: Members = {};
    for (const [key, value] of Object.entries(given)) {
      args[key] = parameters[key] === undefined ? value : writeDeclared(value, parameters[key], "msgpack");
    }
    const { result } = await this.call("functions/call", { name, arguments: args });
    return part === undefined ? result : readValue(result, { ...part.returns, nullable: true }, CTY_READING);
  }

  /** Runs an action, as a scenario does. @throws {Failure} It failed; `code` is Orchard's. */
  async runAction(name: string, given: Members = {}): Promise<unknown> {
    await this.#begin();
    const line = (id: number) =>
      new TextEncoder().encode(
        `${stringifyJson({ id, method: "execute", params: { action: name, attrs: plain(given) } })}\n`,
      );
    const { outputs } = await this.#send((id) => this.#orchard.receive(line(id)));
    return outputs;
  }

  #resource(type: string): ResourcePart {
    const part = this.#session.parts.resources.get(type);
    if (part === undefined) {
      throw new Failure(this.#session.missing("resource", type, this.#session.parts.resources.keys()));
    }
    return part;
  }

  /** Plans a resource: a new one, or a change of an existing one. */
  async plan(type: string, given: Members, existing?: TestedResource): Promise<TestedPlan> {
    await this.#begin();
    const part = this.#resource(type);
    const config = wholeOf(part, writeObject(withoutDefaults(given), relaxed(part.body.attributes), "msgpack"));
    const defaults = writeObject(withDefaults(given, part.body.attributes), part.body.attributes, "msgpack");
    const prior = existing?.wire ?? null;
    const proposed = wholeOf(part, { ...defaults, ...computed(part, prior) }, true);
    this.#checked(await this.call("resources/validate", { kind: "resource", type, config }));
    const whole: Whole = { part, prior, config };
    const answer = this.#checked(
      await this.call("resources/planChange", { type, prior, config, proposed, private: existing?.private ?? null }),
    );
    const planned = (answer["planned"] ?? plannedChange(whole, proposed)) as Members;
    const replaced = Array.isArray(answer["replace"]) ||
      prior !== null &&
        Object.entries(part.body.attributes).some(([name, one]) =>
          one.replaces === true && JSON.stringify(packable(prior[name])) !== JSON.stringify(packable(planned[name]))
        );
    const action = prior === null
      ? "create"
      : replaced
      ? "replace"
      : JSON.stringify(packable(prior)) === JSON.stringify(packable(planned))
      ? "none"
      : "update";
    const warnings = (answer["diagnostics"] ?? []) as Diagnostic[];
    const keep = answer["private"] instanceof Uint8Array ? answer["private"] : existing?.private;
    return {
      type,
      action,
      planned: readState(part, planned, true),
      warnings,
      wire: { prior, config, planned, private: keep },
    };
  }

  /** Plans and applies a resource. A replacement deletes the old one first. */
  async apply(type: string, given: Members, existing?: TestedResource): Promise<TestedResource> {
    const plan = await this.plan(type, given, existing);
    if (plan.action === "none" && existing !== undefined) return existing;
    if (plan.action === "replace" && existing !== undefined) {
      await this.destroy(existing);
      return this.apply(type, given);
    }
    const { prior, config, planned, private: kept } = plan.wire;
    const answer = this.#checked(
      await this.call("resources/applyChange", { type, prior, config, planned, private: kept ?? null }),
    );
    return this.#tested(type, answer["state"] as Members, answer["private"], kept);
  }

  /** Reads a resource again; `undefined` if it is gone. */
  async read(resource: TestedResource): Promise<TestedResource | undefined> {
    await this.#begin();
    const answer = this.#checked(
      await this.call("resources/read", {
        type: resource.type,
        state: resource.wire,
        private: resource.private ?? null,
      }),
    );
    return answer["state"] === null
      ? undefined
      : this.#tested(resource.type, answer["state"] as Members, answer["private"], resource.private);
  }

  /** Imports a resource by its id, and reads it. */
  async import(type: string, id: string): Promise<TestedResource | undefined> {
    await this.#begin();
    const part = this.#resource(type);
    const answer = this.#checked(await this.call("resources/import", { type, id }));
    const wire = wholeOf(part, answer["state"] as Members, true);
    return this.read({ type, state: {}, wire, private: answer["private"] as Uint8Array });
  }

  /** Deletes a resource. */
  async destroy(resource: TestedResource): Promise<void> {
    await this.#begin();
    this.#checked(
      await this.call("resources/applyChange", {
        type: resource.type,
        prior: resource.wire,
        planned: null,
        config: null,
        private: resource.private ?? null,
      }),
    );
  }

  /** Upgrades what an older version of the schema stored. */
  async upgrade(type: string, version: number, stored: Members): Promise<TestedResource> {
    await this.#begin();
    const answer = this.#checked(await this.call("resources/upgrade", { type, version, state: stored }));
    return this.#tested(type, answer["state"] as Members, undefined, undefined);
  }

  #tested(type: string, wire: Members, kept: unknown, before: Uint8Array | undefined): TestedResource {
    const data = kept instanceof Uint8Array ? kept : before;
    return {
      type,
      state: readState(this.#resource(type), wire, false),
      wire,
      private: data === undefined || data.length === 0 ? undefined : data,
    };
  }

  /** Reads a data source. */
  async readData(type: string, given: Members = {}): Promise<Members> {
    await this.#begin();
    const part = this.#session.parts.dataSources.get(type);
    const attributes = part?.body.attributes ?? {};
    const config = writeObject(withDefaults(given, attributes), attributes, "msgpack");
    const { state } = this.#checked(await this.call("resources/readData", { type, config }));
    return plainSecrets(readObject(state, part?.result ?? {}, { ...CTY_READING, ignoreExtra: true }));
  }

  /** Opens an ephemeral resource; `renew` and `close` belong to what was opened. */
  async open(
    type: string,
    given: Members = {},
  ): Promise<{ result: Members; renewAt?: Date; renew(): Promise<void>; close(): Promise<void> }> {
    await this.#begin();
    const part = this.#session.parts.ephemerals.get(type);
    const attributes = part?.body.attributes ?? {};
    const config = writeObject(withDefaults(given, attributes), attributes, "msgpack");
    const answer = this.#checked(await this.call("resources/open", { type, config }));
    let kept = answer["private"] ?? null;
    const result = plainSecrets(
      readObject(answer["result"], part?.result ?? {}, { ...CTY_READING, ignoreExtra: true }),
    );
    const renewAt = answer["renew_at"];
    return {
      result,
      ...(typeof renewAt === "string" ? { renewAt: new Date(renewAt) } : {}),
      renew: async () => {
        const renewed = this.#checked(await this.call("resources/renew", { type, private: kept }));
        kept = renewed["private"] ?? kept;
      },
      close: async () => void this.#checked(await this.call("resources/close", { type, private: kept })),
    };
  }

  /** Calls a hook: `postPlan`, `planStageCompleted`. */
  async hook(name: string, params: Members = {}): Promise<Members> {
    await this.#begin();
    return this.call(`middleware/${name}`, params);
  }

  /** Calls a method of the storage: `read`, `write`, `lock`. */
  async storage(name: string, params: Members = {}): Promise<Members> {
    await this.#begin();
    return this.call(`storage/${name}`, params);
  }

  /** Ends the plugin. */
  async close(): Promise<void> {
    await this.#seasonings.finish();
    await this.#session.shutDown();
  }
}
