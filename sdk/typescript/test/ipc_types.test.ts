// What the compiler has to accept and to refuse. Nothing here is run: `tsc --project test` tests it.

import {
  type BatchCall,
  Client,
  type ClientEvents,
  type ClientOptions,
  ConnectionError,
  type ConnectionErrorCode,
  type ConnectionState,
  ErrorCode,
  type Framing,
  type Handler,
  type HandlerContext,
  type Id,
  JSONRPCClient,
  JSONRPCError,
  type Notification,
  type NotificationStream,
  type RequestOptions,
  RpcError,
  socketAddress,
  socketAddresses,
} from "../build/ipc/mod.js";

type Is<A> = <T>() => T extends A ? 1 : 2;
type Same<A, B> = Is<A> extends Is<B> ? true : false;

function holds<_Statement extends true>(): void {}

// 1. A name is all that options need.
const least: ClientOptions = { socketPath: "app" };
// @ts-expect-error socketPath is missing
const none: ClientOptions = {};

// 2. All options.
const all: Required<ClientOptions> = {
  socketPath: "app",
  allowUsers: "any",
  connectionTimeout: 1,
  requestTimeout: 1,
  timeout: 1,
  debug: (line: string) => void line,
  autoReconnect: true,
  maxReconnectAttempts: 1,
  reconnectDelay: 1,
  maxReconnectDelay: 1,
  framing: "headers",
  maxMessageBytes: 1,
  maxQueuedBytes: 1,
};

// 3. Options that may be undefined, as they are when they are passed on.
const passedOn: ClientOptions = { socketPath: "app", timeout: undefined, debug: undefined };

// 4. Options of the wrong type.
// @ts-expect-error a time is a number
const text: ClientOptions = { socketPath: "app", timeout: "1s" };
// @ts-expect-error there are two framings
const framing: Framing = "xml";

// 5. Nobody knows an option like this.
// @ts-expect-error it is misspelt
const misspelt: ClientOptions = { socketPath: "app", autoreconnect: true };

const client = new Client(least);

// 6. The names of the reference are types as well.
const byOtherName: JSONRPCClient = client;
const errorByOtherName: JSONRPCError = new RpcError(1, "no");

// 7. States.
holds<Same<ConnectionState, "disconnected" | "connecting" | "connected" | "reconnecting">>();
holds<Same<ReturnType<Client["getState"]>, ConnectionState>>();
holds<Same<ReturnType<Client["isConnected"]>, boolean>>();
holds<Same<ReturnType<Client["getPendingRequestCount"]>, number>>();

// 8. Connecting and disconnecting are waited for.
holds<Same<ReturnType<Client["connect"]>, Promise<void>>>();
holds<Same<ReturnType<Client["disconnect"]>, Promise<void>>>();

// 9. A result is unknown unless the caller says what it is.
const unknown = client.request("m");
holds<Same<typeof unknown, Promise<unknown>>>();
const known = client.request<{ sum: number }>("add", [1, 2]);
holds<Same<typeof known, Promise<{ sum: number }>>>();

// 10. Params are anything, and may be left out.
void client.request("m", { a: 1 });
void client.request("m", "text");
// @ts-expect-error a method is a text
void client.request(5);

// 11. One call's own options.
const requestOptions: RequestOptions = { timeout: 5, signal: new AbortController().signal };
void client.request("m", [], requestOptions);
// @ts-expect-error a signal is no boolean
void client.request("m", [], { signal: true });

// 12. A notification gives nothing back.
holds<Same<ReturnType<Client["notify"]>, void>>();
client.notify("m", { a: 1 });

// 13. Batches.
const calls: readonly BatchCall[] = [{ method: "a" }, { method: "b", params: [1] }];
const outcomes = client.batch(calls);
holds<Same<typeof outcomes, Promise<PromiseSettledResult<unknown>[]>>>();
// @ts-expect-error a call has a method
void client.batch([{ params: [] }]);

// 14. Handlers.
const handler: Handler = (params: unknown, { method, signal }: HandlerContext) => {
  holds<Same<[typeof method, typeof signal], [string, AbortSignal]>>();
  return params;
};
const chained: Client = client.onRequest("m", handler).onRequest("n", async () => 5);
// @ts-expect-error params are unknown until somebody looks at them
client.onRequest("m", (params) => params.name);

// 15. Events and their arguments.
client.on("connect", () => {}).once("connected", () => {});
client.off("disconnect", () => {}).on("disconnected", () => {});
client.on("notification", (method, params) => {
  holds<Same<typeof method, string>>();
  holds<Same<typeof params, unknown>>();
});
client.on("error", (error) => holds<Same<typeof error, Error>>());
client.on("reconnecting", (attempt, delay) => {
  holds<Same<[typeof attempt, typeof delay], [number, number]>>();
});
holds<Same<ClientEvents["connect"], []>>();
// @ts-expect-error there is no such event
client.on("conected", () => {});

// 16. Streams of notifications.
const stream: NotificationStream = client.notifications();
holds<Same<typeof stream.dropped, number>>();
async function readAll(): Promise<void> {
  for await (const notification of stream) holds<Same<typeof notification, Notification>>();
}

// 17. Errors.
const rpcError = new RpcError(ErrorCode.MethodNotFound, "no", { a: 1 });
holds<Same<typeof rpcError.code, number>>();
holds<Same<typeof rpcError.data, unknown>>();
const failure: Error = rpcError;
function code(error: unknown): number | ConnectionErrorCode | undefined {
  if (error instanceof RpcError) return error.code;
  if (error instanceof ConnectionError) return error.code === "TIMEOUT" ? 0 : error.code;
  return undefined;
}
// @ts-expect-error there is no such code
new ConnectionError("LATE", "no");
// @ts-expect-error a code is a number
new RpcError("1", "no");

// 18. The rest.
holds<Same<Id, number | string | null>>();
const address: string = socketAddress("app", "linux");
const addresses: string[] = socketAddresses("app", "linux", "/run/user/1000");
