import type { AnyPlugin } from "../define/plugin.ts";
import { Session } from "../define/session.ts";
import { converse, type HostName } from "./detect.ts";

/** A conversation with a plugin in memory, byte by byte: what a host writes, and what it reads. */
export function memoryHost(
  plugin: AnyPlugin,
  host: HostName,
): { send(bytes: Uint8Array | string): void; readonly received: (Uint8Array | string)[]; end(): Promise<void> } {
  const session = new Session(plugin);
  const received: (Uint8Array | string)[] = [];
  const conversation = converse(host, session, { write: (frame) => received.push(frame) }, () => undefined);
  return {
    received,
    send: (bytes) => conversation.receive(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes),
    end: async () => {
      await conversation.finish();
      await session.abandon();
    },
  };
}
