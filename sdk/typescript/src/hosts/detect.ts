import type { Session } from "../define/session.ts";
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
/** More than the first line of any host. */
const LONGEST_FIRST_LINE = 64 * 1024 * 1024;
const LENGTH_HEADER = "content-length:";

/** Which host is calling, by its first bytes; `undefined` if more are needed. */
export function detectHost(bytes: Uint8Array, session: Session, isEnd = false): HostName | undefined {
  let start = 0;
  while (start < bytes.length && [0x20, 0x09, 0x0a, 0x0d].includes(bytes[start] as number)) start += 1;
  const first = bytes[start];
  if (first === undefined) return undefined;
  if (first >= 0x90 && first <= 0x9f || first === 0xdc || first === 0xdd) return "seasonings";
  const head = new TextDecoder().decode(bytes.subarray(start, start + LENGTH_HEADER.length)).toLowerCase();
  if (LENGTH_HEADER.startsWith(head)) return head === LENGTH_HEADER || isEnd ? "service-headers" : undefined;
  const end = bytes.indexOf(FIRST_LINE_END, start);
  if (end < 0 && !isEnd && bytes.length < LONGEST_FIRST_LINE) return undefined;
  return hostOfLine(new TextDecoder().decode(bytes.subarray(start, end < 0 ? undefined : end)), session);
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
  #first: Uint8Array = new Uint8Array(0);
  #found: Conversation | undefined;

  constructor(session: Session, output: Output, goodbye: Goodbye) {
    this.#session = session;
    this.#output = output;
    this.#goodbye = goodbye;
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
    let bytes = chunk;
    if (this.#first.length > 0) {
      bytes = new Uint8Array(this.#first.length + chunk.length);
      bytes.set(this.#first);
      bytes.set(chunk, this.#first.length);
    }
    const host = detectHost(bytes, this.#session, isEnd);
    if (host === undefined) {
      this.#first = bytes.slice();
      return;
    }
    this.#found = converse(host, this.#session, this.#output, this.#goodbye);
    this.#found.receive(bytes);
  }
}
