import type { Session } from "../define/session.ts";
import { ByteQueue } from "../ipc/bytes.ts";
import { parseJson } from "../values/json.ts";
import { isRecord } from "../values/read.ts";
import { answersDenobridge, DenobridgeMethods } from "./denobridge.ts";
import type { Conversation, Goodbye, Output } from "./host.ts";
import { JsonRpcConversation } from "./json_rpc.ts";
import { McpMethods } from "./mcp.ts";
import { OrchardConversation } from "./orchard.ts";
import { SeasoningsConversation } from "./seasonings.ts";
import { callable, ServiceMethods } from "./service.ts";

/** The program that calls a plugin. */
export type HostName = "orchard" | "denobridge" | "seasonings" | "mcp" | "service" | "service-headers";

const FIRST_LINE_END = 0x0a;
const FIRST_BLANKS: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];
/** More than the first line of any host. */
const LONGEST_FIRST_LINE = 64 * 1024 * 1024;
const LENGTH_HEADER = "content-length:";

/** Which host is calling, by its first bytes; `undefined` if more are needed. */
export function detectHost(bytes: Uint8Array, session: Session, isEnd = false): HostName | undefined {
  return new FirstMessage(session).push(bytes, isEnd);
}

/** The first bytes, until they say which host is calling. None is looked at or copied once for each chunk that follows it. */
class FirstMessage {
  readonly #session: Session;
  readonly #queue = new ByteQueue();
  /** Where the message begins, as far as that is known: blanks before it say nothing. */
  #start = 0;
  /** How many bytes are known not to end the first line. */
  #searched = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  get bytes(): Uint8Array {
    return this.#queue.view;
  }

  push(chunk: Uint8Array, isEnd: boolean): HostName | undefined {
    this.#queue.push(chunk);
    const bytes = this.#queue.view;
    while (this.#start < bytes.length && FIRST_BLANKS.includes(bytes[this.#start] as number)) this.#start += 1;
    const start = this.#start;
    const first = bytes[start];
    if (first === undefined) return undefined;
    if (first >= 0x90 && first <= 0x9f || first === 0xdc || first === 0xdd) return "seasonings";
    const head = new TextDecoder().decode(bytes.subarray(start, start + LENGTH_HEADER.length)).toLowerCase();
    if (LENGTH_HEADER.startsWith(head)) return head === LENGTH_HEADER || isEnd ? "service-headers" : undefined;
    const end = bytes.indexOf(FIRST_LINE_END, Math.max(start, this.#searched));
    this.#searched = bytes.length;
    if (end < 0 && !isEnd && bytes.length < LONGEST_FIRST_LINE) return undefined;
    return hostOfLine(new TextDecoder().decode(bytes.subarray(start, end < 0 ? undefined : end)), this.#session);
  }
}

function hostOfLine(line: string, session: Session): HostName {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch {
    // Answered with a parse error, in the words of the host whose messages begin like this.
    return line.startsWith("{") && !line.includes('"jsonrpc"') ? "orchard" : "service";
  }
  if (!isRecord(value)) return "service";
  if (!Object.hasOwn(value, "jsonrpc")) return "orchard";
  const { method, params } = value;
  if (method === "initialize" && isRecord(params) && typeof params["protocolVersion"] === "string") return "mcp";
  // Every host of denobridge begins with `health`.
  if (method === "health") return "denobridge";
  const isDenobridge = typeof method === "string" && callable(session, method) === undefined &&
    answersDenobridge(method, session.parts);
  return isDenobridge ? "denobridge" : "service";
}

/** A conversation with a host. */
export function converse(host: HostName, session: Session, output: Output, goodbye: Goodbye): Conversation {
  switch (host) {
    case "seasonings":
      return new SeasoningsConversation(session, output, goodbye);
    case "orchard":
      return new OrchardConversation(session, output, goodbye);
    case "denobridge":
      return new JsonRpcConversation(new DenobridgeMethods(session, goodbye), output);
    case "mcp":
      return new JsonRpcConversation(new McpMethods(session), output);
    case "service":
      return new JsonRpcConversation(new ServiceMethods(session), output);
    case "service-headers":
      return new JsonRpcConversation(new ServiceMethods(session), output, "headers");
  }
}

/** A conversation with whoever is calling, once the first message says who that is. */
export class AnyConversation implements Conversation {
  readonly #session: Session;
  readonly #output: Output;
  readonly #goodbye: Goodbye;
  #first: FirstMessage | undefined;
  #found: Conversation | undefined;

  constructor(session: Session, output: Output, goodbye: Goodbye) {
    this.#session = session;
    this.#output = output;
    this.#goodbye = goodbye;
    this.#first = new FirstMessage(session);
  }

  receive(chunk: Uint8Array): void {
    if (this.#found !== undefined) return this.#found.receive(chunk);
    this.#collect(chunk, false);
  }

  async finish(): Promise<void> {
    if (this.#found === undefined) this.#collect(new Uint8Array(0), true);
    await this.#found?.finish();
  }

  #collect(chunk: Uint8Array, isEnd: boolean): void {
    const first = this.#first;
    const host = first?.push(chunk, isEnd);
    if (first === undefined || host === undefined) return;
    this.#first = undefined;
    this.#found = converse(host, this.#session, this.#output, this.#goodbye);
    this.#found.receive(first.bytes);
  }
}
