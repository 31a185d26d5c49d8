import type { EphemeralPart } from "../define/parts.ts";
import type { Session } from "../define/session.ts";
import { validated } from "../define/standard.ts";
import type { Diagnostic } from "../values/failure.ts";
import { CTY_READING, readObject, readValue, type Wire } from "../values/read.ts";
import type { Declaration, Declarations } from "../values/type.ts";
import { writeDeclared, writeObject } from "../values/write.ts";
import { unpack } from "../wire/unpack.ts";
import { pack } from "../wire/pack.ts";
import { Fault, METHOD_NOT_FOUND } from "./json_rpc.ts";
import { withContext, written } from "./run.ts";
import type { SeasoningsCall } from "./seasonings.ts";
import { seasoningsAnswer, subjectOf } from "./seasonings_answers.ts";
import { select } from "./seasonings_plan.ts";

type Result = { result: Record<string, unknown>; diagnostics?: readonly Diagnostic[] };

const ANY: Declaration = { type: { kind: "any" }, nullable: true };

/** Data sources and ephemeral resources. */
export class SeasoningsData {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The answer to a method; `undefined` if it is not one of these. */
  answer(name: string, call: SeasoningsCall): Promise<unknown> | undefined {
    switch (name) {
      case "readData":
        return seasoningsAnswer(call.running, () => this.#read(call));
      case "open":
        return seasoningsAnswer(call.running, () => this.#open(call));
      case "renew":
      case "close":
        return seasoningsAnswer(call.running, () => this.#later(name, call));
      default:
        return undefined;
    }
  }

  async #read(call: SeasoningsCall): Promise<Result> {
    const { given, running, reporter } = call;
    const part = subjectOf(this.#session, "data source", this.#session.parts.dataSources, given["type"]);
    const props = await validated(
      part.body,
      readObject(select(given["config"], part.body.attributes), part.body.attributes, CTY_READING),
    );
    const { value } = await withContext(this.#session, running, reporter, (it) => part.read(props, it));
    return { result: { state: returnedValues(value, part.result, part.body.attributes) } };
  }

  #ephemeral({ given }: SeasoningsCall): EphemeralPart {
    return subjectOf(this.#session, "ephemeral resource", this.#session.parts.ephemerals, given["type"]);
  }

  async #open(call: SeasoningsCall): Promise<Result> {
    const part = this.#ephemeral(call);
    const { given, running, reporter } = call;
    const props = await validated(
      part.body,
      readObject(select(given["config"], part.body.attributes), part.body.attributes, CTY_READING),
    );
    const { value } = await withContext(
      this.#session,
      running,
      reporter,
      (it) => part.handlers.open(props, it),
    );
    const result = { result: returnedValues(value.result, part.result, part.body.attributes), ...renewal(value) };
    return { result };
  }

  async #later(name: "renew" | "close", call: SeasoningsCall): Promise<Result> {
    const { handlers } = this.#ephemeral(call);
    const handler = handlers[name];
    if (handler === undefined) throw new Fault(METHOD_NOT_FOUND, "Method not found", { method: call.method });
    const stored = call.given["private"];
    const kept = stored instanceof Uint8Array && stored.length > 0
      ? readValue(unpack(stored), ANY, CTY_READING)
      : undefined;
    const { value } = await withContext(
      this.#session,
      call.running,
      call.reporter,
      (it) => handler.call(handlers, kept ?? undefined, it),
    );
    const renewed = (value ?? {}) as { renewAt?: Date; private?: unknown };
    return { result: name === "close" ? {} : renewal(renewed) };
  }
}

/** What is needed to renew and close it. Private data is a value with its type. */
function renewal(opened: { renewAt?: Date | undefined; private?: unknown }): Record<string, unknown> {
  return {
    ...(opened.renewAt === undefined ? {} : { renew_at: opened.renewAt.toISOString().replace(".000Z", "Z") }),
    ...("private" in opened
      ? { private: pack(written("the private data", () => writeDeclared(opened.private, ANY, "msgpack"))) }
      : {}),
  };
}

/** What the plugin returned. What was configured and is not returned is left out: the host has it. */
function returnedValues(value: unknown, returned: Declarations, given: Declarations): Record<string, Wire> {
  const all = written("the result", () => writeObject(value, returned, "msgpack"));
  return Object.fromEntries(Object.entries(all).filter(([name, one]) => one !== null || given[name] === undefined));
}
