// Made by bundle.mjs out of src/. Do not edit.
import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import { chmodSync, existsSync, lstatSync, mkdirSync, statSync, unlinkSync } from "node:fs";
import { connect, createServer } from "node:net";
import { dirname } from "node:path";
const { process } = globalThis;

// values/awaitable
function proceed(value, next) {
    return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}
function allOf(values) {
    return values.some(isPromise) ? Promise.all(values) : values;
}
function isPromise(value) {
    return typeof value === "object" && value !== null && typeof value.then === "function";
}

// ipc/errors
const ErrorCode = {
    ParseError: -32700,
    InvalidRequest: -32600,
    MethodNotFound: -32601,
    InvalidParams: -32602,
    InternalError: -32603,
    ServerError: -32000,
    RequestCancelled: -32800,
};
class IpcError extends Error {
}
class RpcError extends IpcError {
    name = "RpcError";
    code;
    data;
    constructor(code, message, data) {
        super(message);
        this.code = code;
        this.data = data;
    }
    toJSON() {
        const { code, message, data } = this;
        return data === undefined ? { code, message } : { code, message, data };
    }
}
class ConnectionError extends IpcError {
    name = "ConnectionError";
    code;
    constructor(code, message, options) {
        super(message, options);
        this.code = code;
    }
}
class ConnectionFailed extends ConnectionError {
    static code = "CONNECT_FAILED";
    name = "ConnectionFailed";
}
class ListenFailed extends ConnectionError {
    static code = "LISTEN_FAILED";
    name = "ListenFailed";
}
class NotConnected extends ConnectionError {
    static code = "NOT_CONNECTED";
    name = "NotConnected";
}
class ConnectionLost extends ConnectionError {
    static code = "DISCONNECTED";
    name = "ConnectionLost";
}
class Refused extends ConnectionLost {
    static code = "REFUSED";
    name = "Refused";
}
class RequestTimeout extends ConnectionError {
    static code = "TIMEOUT";
    name = "RequestTimeout";
}
class MessageTooLarge extends ConnectionError {
    static code = "TOO_LARGE";
    name = "MessageTooLarge";
}
class InvalidMessage extends ConnectionError {
    static code = "INVALID_MESSAGE";
    name = "InvalidMessage";
}
class Aborted extends ConnectionError {
    static code = "ABORTED";
    name = "Aborted";
}
class Overloaded extends ConnectionError {
    static code = "OVERLOADED";
    name = "Overloaded";
}
const CLASSES = {
    CONNECT_FAILED: ConnectionFailed,
    LISTEN_FAILED: ListenFailed,
    NOT_CONNECTED: NotConnected,
    DISCONNECTED: ConnectionLost,
    REFUSED: Refused,
    TIMEOUT: RequestTimeout,
    TOO_LARGE: MessageTooLarge,
    INVALID_MESSAGE: InvalidMessage,
    ABORTED: Aborted,
    OVERLOADED: Overloaded,
};
function connectionError(code, message, options) {
    return new CLASSES[code](code, message, options);
}

// ipc/calls
const MOST_CALLS = 65_536;
class Calls {
    #waiting = new Map();
    #onGivenUp;
    #lastId = 0;
    constructor(onGivenUp) {
        this.#onGivenUp = onGivenUp;
    }
    get size() {
        return this.#waiting.size;
    }
    check(count, signal) {
        if (signal?.aborted)
            throw aborted(signal);
        if (this.#waiting.size + count <= MOST_CALLS)
            return;
        const problem = `${this.#waiting.size} calls wait for an answer, of ${MOST_CALLS} at most`;
        throw connectionError("OVERLOADED", `${problem}; wait for some of them`);
    }
    open({ timeout, signal }) {
        this.#lastId += 1;
        const id = this.#lastId;
        const answer = new Promise((resolve, reject) => {
            const giveUp = (error) => {
                if (this.reject(id, error))
                    this.#onGivenUp(id);
            };
            const onAbort = () => giveUp(aborted(signal));
            const onTimeout = () => giveUp(connectionError("TIMEOUT", `Request timeout after ${timeout}ms`));
            const timer = timeout === Infinity ? undefined : setTimeout(onTimeout, timeout);
            signal?.addEventListener("abort", onAbort);
            const settled = () => {
                clearTimeout(timer);
                signal?.removeEventListener("abort", onAbort);
            };
            this.#waiting.set(id, {
                resolve: (result) => (settled(), resolve(result)),
                reject: (error) => (settled(), reject(error)),
            });
        });
        return { id, answer };
    }
    resolve(id, result) {
        return this.#take(id, (waiting) => waiting.resolve(result));
    }
    reject(id, error) {
        return this.#take(id, (waiting) => waiting.reject(error));
    }
    rejectAll(error) {
        for (const id of [...this.#waiting.keys()])
            this.reject(id, error);
    }
    #take(id, settle) {
        const waiting = this.#waiting.get(id);
        if (waiting === undefined)
            return false;
        this.#waiting.delete(id);
        settle(waiting);
        return true;
    }
}
function aborted(signal) {
    return connectionError("ABORTED", "Request aborted", { cause: signal?.reason });
}

// ipc/events
const Emitter = EventEmitter;
class Announcer extends Emitter {
    announce(event, ...args) {
        if (this.listenerCount(event) === 0)
            return;
        try {
            this.emit(event, ...args);
        }
        catch (error) {
            reportLater(error);
        }
    }
}
function reportLater(error) {
    queueMicrotask(() => {
        throw error;
    });
}

// ipc/bytes
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
function utf8Text(bytes) {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
    return text.includes("\ufffd") ? strictDecoder.decode(bytes) : text;
}
function wellFormed(json) {
    if (!json.includes("\\ud"))
        return json;
    return json.replace(/(\\\\)|\\ud[89a-f][0-9a-f]{2}/g, (_, backslash) => backslash ?? "\\ufffd");
}
const IDLE_SPACE = 64 * 1024;
class ByteQueue {
    #space = new Uint8Array(0);
    #start = 0;
    #end = 0;
    get length() {
        return this.#end - this.#start;
    }
    get view() {
        return this.#space.subarray(this.#start, this.#end);
    }
    push(chunk) {
        if (this.#space.length - this.#end < chunk.length)
            this.#makeRoom(chunk.length);
        this.#space.set(chunk, this.#end);
        this.#end += chunk.length;
    }
    drop(count) {
        this.#start += count;
        if (this.#start < this.#end)
            return;
        this.#start = 0;
        this.#end = 0;
        if (this.#space.length > IDLE_SPACE)
            this.#space = new Uint8Array(0);
    }
    #makeRoom(count) {
        const { view } = this;
        const needed = view.length + count;
        if (needed * 2 <= this.#space.length) {
            this.#space.copyWithin(0, this.#start, this.#end);
        }
        else {
            const larger = new Uint8Array(Math.max(needed, view.length * 2));
            larger.set(view);
            this.#space = larger;
        }
        this.#start = 0;
        this.#end = view.length;
    }
}

// ipc/message
function parse(frame) {
    try {
        return JSON.parse(utf8Text(frame));
    }
    catch (cause) {
        const start = new TextDecoder().decode(frame.subarray(0, 80));
        const rest = frame.length > 80 ? `... (${frame.length} bytes)` : "";
        const message = `Invalid JSON received: ${start}${rest}`;
        throw connectionError("INVALID_MESSAGE", message, { cause });
    }
}
function read(value) {
    const members = asObject(value);
    if (members === undefined)
        return malformed("request", undefined, "neither object nor batch");
    const { id, method, result, params } = members;
    const error = members["error"] ?? undefined;
    const isAnswer = method === undefined && (result !== undefined || error !== undefined);
    const of = isAnswer ? "response" : "request";
    if (!isId(id) && id !== undefined) {
        return malformed(of, undefined, "an id is a number, a text or null");
    }
    if ("jsonrpc" in members && members["jsonrpc"] !== "2.0") {
        return malformed(of, id, `jsonrpc must be "2.0"`);
    }
    if (isAnswer)
        return readAnswer(id, result, error);
    if (typeof method === "string" && method !== "") {
        return id === undefined
            ? { kind: "notification", method, params: params ?? undefined }
            : { kind: "request", id, method, params: params ?? undefined };
    }
    if (method !== undefined)
        return malformed("request", id, "a method is a text, and not empty");
    if (id !== undefined)
        return { kind: "bare", id };
    return malformed("request", undefined, "neither method nor id");
}
function readAnswer(id, result, error) {
    if (id === undefined)
        return malformed("response", id, "an answer without id");
    if (error === undefined)
        return { kind: "result", id, result };
    if ((result ?? undefined) !== undefined)
        return malformed("response", id, "result and error");
    const members = asObject(error);
    if (members === undefined || (members["code"] ?? members["message"]) === undefined) {
        return malformed("response", id, "an error has a code and a message");
    }
    return { kind: "error", id, error: readError(members) };
}
function readError({ code, message, data }) {
    const text = typeof message === "string" ? message : "(no message)";
    if (Number.isInteger(code))
        return new RpcError(code, text, data);
    const named = data === undefined && typeof code === "string" ? { code } : data;
    return new RpcError(ErrorCode.ServerError, text, named);
}
function textOf(message) {
    return wellFormed(JSON.stringify(message));
}
function requestText(id, method, params) {
    return textOf({ jsonrpc: "2.0", id, method, params: params ?? undefined });
}
function notificationText(method, params) {
    return textOf({ jsonrpc: "2.0", method, params: params ?? undefined });
}
function resultText(id, result) {
    return textOf({ jsonrpc: "2.0", id, result: result === undefined ? null : result });
}
function errorText(id, error) {
    return textOf({ jsonrpc: "2.0", id, error });
}
function batchText(texts) {
    return `[${texts.join(",")}]`;
}
function asObject(value) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? value : undefined;
}
function isId(value) {
    return value === null || typeof value === "string" || Number.isFinite(value);
}
function malformed(of, id, problem) {
    return { kind: "malformed", of, id, problem };
}

// ipc/handlers
const MOST_RUNNING = 1024;
class Handlers {
    #handlers = new Map();
    #running = new Map();
    #onFailure;
    constructor(onFailure) {
        this.#onFailure = onFailure;
    }
    set(method, handler) {
        this.#handlers.set(method, handler);
    }
    answer(id, method, params) {
        return proceed(this.#text(id, method, params), (text) => ({ id, text }));
    }
    #text(id, method, params) {
        const handler = this.#handlers.get(method);
        if (handler === undefined) {
            const error = new RpcError(ErrorCode.MethodNotFound, "Method not found", { method });
            return errorText(id, error);
        }
        if (this.#running.size >= MOST_RUNNING) {
            const problem = "too many requests are running already";
            return errorText(id, new RpcError(ErrorCode.ServerError, problem));
        }
        const controller = new AbortController();
        const { signal } = controller;
        this.#running.set(controller, id);
        const ended = (text) => {
            this.#running.delete(controller);
            try {
                return text();
            }
            catch (error) {
                return this.#failure(id, error, signal);
            }
        };
        const failed = (error) => ended(() => {
            throw error;
        });
        try {
            const result = handler(params, { method, signal });
            if (!isPromise(result))
                return ended(() => resultText(id, result));
            return Promise.resolve(result).then((value) => ended(() => resultText(id, value)), failed);
        }
        catch (error) {
            return failed(error);
        }
    }
    cancel(id) {
        for (const [controller, running] of this.#running) {
            if (running === id)
                controller.abort();
        }
    }
    cancelAll() {
        for (const controller of this.#running.keys())
            controller.abort();
    }
    #failure(id, error, signal) {
        if (error instanceof RpcError) {
            try {
                return errorText(id, error);
            }
            catch (unwritable) {
                return this.#failure(id, unwritable, signal);
            }
        }
        if (signal.aborted) {
            return errorText(id, new RpcError(ErrorCode.RequestCancelled, "Request cancelled"));
        }
        const failure = error instanceof Error ? error : new Error(String(error));
        this.#onFailure(failure);
        return errorText(id, new RpcError(ErrorCode.InternalError, "Internal error", failure.message));
    }
}

// ipc/headers
const LINE_FEED = 0x0a;
const LONGEST_HEADERS = 8 * 1024;
const ZERO = 0x30;
const PLAIN_HEADER = Uint8Array.from("Content-Length: ", (letter) => letter.charCodeAt(0));
const HEADER_END = [0x0d, 0x0a, 0x0d, 0x0a];
const LONGEST_PLAIN_HEADER = PLAIN_HEADER.length + 10;
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/;
const headerDecoder = new TextDecoder();
const CHARSET = /charset\s*=\s*"?([^";\s]*)/i;
class HeaderReader {
    #limit;
    #sender;
    #queue = new ByteQueue();
    #headers = 0;
    #length;
    #isBody = false;
    constructor(limit, sender) {
        this.#limit = limit;
        this.#sender = sender;
    }
    *push(chunk) {
        this.#queue.push(chunk);
        for (;;) {
            if (!this.#isBody && !this.#readPlainHeader() && !this.#readHeaders())
                return;
            const length = this.#length ?? 0;
            if (this.#queue.length < length)
                return;
            const body = this.#queue.view.subarray(0, length);
            this.#queue.drop(length);
            this.#headers = 0;
            this.#length = undefined;
            this.#isBody = false;
            yield body;
        }
    }
    *finish() {
        if (this.#queue.length > 0 || this.#headers > 0 || this.#isBody) {
            throw broken("the connection ended in the middle of a message");
        }
    }
    #readPlainHeader() {
        if (this.#headers > 0)
            return false;
        const { view } = this.#queue;
        for (let at = 0; at < PLAIN_HEADER.length; at += 1)
            if (view[at] !== PLAIN_HEADER[at])
                return false;
        let length = 0;
        let end = PLAIN_HEADER.length;
        for (; end < LONGEST_PLAIN_HEADER; end += 1) {
            const digit = (view[end] ?? 0) - ZERO;
            if (digit < 0 || digit > 9)
                break;
            length = length * 10 + digit;
        }
        const isPlain = end > PLAIN_HEADER.length && HEADER_END.every((byte, index) => view[end + index] === byte);
        if (!isPlain || length > this.#limit)
            return false;
        this.#queue.drop(end + HEADER_END.length);
        this.#length = length;
        this.#isBody = true;
        return true;
    }
    #readHeaders() {
        for (;;) {
            const { view } = this.#queue;
            const end = view.indexOf(LINE_FEED);
            const bytes = end < 0 ? view.length : end + 1;
            if (this.#headers + bytes > LONGEST_HEADERS) {
                throw broken(`headers of more than ${LONGEST_HEADERS} bytes`);
            }
            if (end < 0)
                return false;
            const line = headerDecoder.decode(view.subarray(0, end)).replace(/\r$/, "");
            this.#queue.drop(bytes);
            if (line !== "") {
                this.#headers += bytes;
                this.#readHeader(line);
            }
            else if (this.#headers > 0) {
                if (this.#length === undefined)
                    throw broken("headers without Content-Length");
                this.#isBody = true;
                return true;
            }
        }
    }
    #readHeader(line) {
        const [, name, value = ""] = HEADER.exec(line) ?? [];
        if (name === undefined) {
            const problem = `"${line.slice(0, 80)}" is not a header`;
            throw broken(this.#sender === "server" ? `${problem}; does the server speak lines? Then set framing to "lines"` : problem);
        }
        switch (name.toLowerCase()) {
            case "content-length":
                this.#length = this.#readLength(value);
                break;
            case "content-type": {
                const charset = CHARSET.exec(value)?.[1]?.toLowerCase() ?? "utf-8";
                if (charset !== "utf-8" && charset !== "utf8")
                    throw broken(`the charset ${charset}`);
                break;
            }
        }
    }
    #readLength(value) {
        if (!/^[0-9]+$/.test(value))
            throw broken(`"${value.slice(0, 80)}" is not a Content-Length`);
        const length = Number(value);
        if (length <= this.#limit)
            return length;
        const problem = `the ${this.#sender} announces ${value} bytes, and ${this.#limit} are taken at most`;
        const hint = this.#sender === "host" ? "" : "; raise maxMessageBytes to take them";
        throw connectionError("TOO_LARGE", problem + hint);
    }
}
function broken(problem) {
    return connectionError("INVALID_MESSAGE", `Invalid message received: ${problem}`);
}

// ipc/lines
const LINE_END = 0x0a;
const BLANKS = [0x20, 0x09, 0x0d];
class LineReader {
    #limit;
    #sender;
    #queue = new ByteQueue();
    #searched = 0;
    constructor(limit, sender) {
        this.#limit = limit;
        this.#sender = sender;
    }
    *push(chunk) {
        this.#queue.push(chunk);
        for (;;) {
            const { view } = this.#queue;
            const end = view.indexOf(LINE_END, this.#searched);
            this.#check(end < 0 ? view.length : end);
            if (end < 0) {
                this.#searched = view.length;
                return;
            }
            this.#queue.drop(end + 1);
            this.#searched = 0;
            const line = view.subarray(0, end);
            if (!isBlank(line))
                yield line;
        }
    }
    *finish() {
        const { view } = this.#queue;
        if (!isBlank(view))
            yield view;
    }
    #check(length) {
        if (length <= this.#limit)
            return;
        const problem = `the ${this.#sender} sent a line of more than ${this.#limit} bytes`;
        throw connectionError("TOO_LARGE", this.#sender === "host" ? problem : `${problem}; raise maxMessageBytes to take it`);
    }
}
function isBlank(line) {
    return line.every((byte) => BLANKS.includes(byte));
}

// ipc/framing
function frameReader(framing, limit, sender = "server") {
    return framing === "headers" ? new HeaderReader(limit, sender) : new LineReader(limit, sender);
}
function frame(framing, text) {
    if (framing === "lines")
        return Buffer.from(`${text}\n`);
    return Buffer.from(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

// ipc/connection
const FLUSH_TIMEOUT = 1000;
const MOST_UNREAD = 8 * 1024 * 1024;
class Connection {
    #socket;
    #settings;
    #listener;
    #reader;
    #peer;
    #isOpen = true;
    #isCorked = false;
    #flushed;
    #unsent = 0;
    #isFull = false;
    constructor(socket, settings, listener, sender = "server") {
        this.#socket = socket;
        this.#settings = settings;
        this.#listener = listener;
        this.#peer = sender;
        this.#reader = frameReader(settings.framing, settings.maxMessageBytes, sender);
        socket.on("data", (chunk) => this.#take(() => this.#reader.push(chunk)));
        socket.on("end", () => {
            this.#take(() => this.#reader.finish());
            if (this.#listener.ended === undefined)
                this.abandon(undefined);
            else
                this.#listener.ended();
        });
        socket.on("error", (cause) => {
            this.abandon(connectionError("DISCONNECTED", "Connection lost", { cause }));
        });
        socket.on("close", () => {
            this.abandon(undefined);
            this.#flushed?.();
        });
    }
    send(text) {
        if (!this.#isOpen)
            throw connectionError("NOT_CONNECTED", "Not connected");
        const bytes = this.#framed(text);
        if (this.#unsent + bytes.length > this.#settings.maxQueuedBytes) {
            const problem = `the ${this.#peer} does not read, and ${this.#unsent} bytes wait to be sent already`;
            throw connectionError("OVERLOADED", `${problem}; wait for answers before sending more`);
        }
        this.#write(bytes);
    }
    answer(text) {
        if (this.#isOpen)
            this.#write(this.#framed(text));
    }
    #framed(text) {
        const { framing, maxMessageBytes } = this.#settings;
        const bytes = frame(framing, text);
        if (bytes.length <= maxMessageBytes)
            return bytes;
        const problem = `the message has ${bytes.length} bytes, of ${maxMessageBytes} at most`;
        throw connectionError("TOO_LARGE", `${problem}; raise maxMessageBytes, there and here`);
    }
    #write(bytes) {
        this.#cork();
        this.#unsent += bytes.length;
        this.#socket.write(bytes, () => {
            this.#unsent -= bytes.length;
            this.#measure();
            if (this.#unsent === 0)
                this.#flushed?.();
        });
        this.#measure();
    }
    #measure() {
        const isFull = this.#peer === "client" && this.#unsent > MOST_UNREAD;
        if (isFull === this.#isFull)
            return;
        this.#isFull = isFull;
        if (isFull)
            this.#socket.pause();
        else
            this.#socket.resume();
    }
    async close() {
        this.#isOpen = false;
        if (this.#unsent > 0 && !this.#socket.destroyed) {
            let timer;
            await new Promise((resolve) => {
                this.#flushed = resolve;
                timer = setTimeout(resolve, FLUSH_TIMEOUT);
            });
            clearTimeout(timer);
        }
        this.#socket.destroy();
    }
    abandon(problem) {
        if (!this.#isOpen)
            return;
        this.#isOpen = false;
        this.#socket.destroy();
        this.#listener.lost(problem);
    }
    #cork() {
        if (this.#isCorked)
            return;
        this.#isCorked = true;
        this.#socket.cork();
        queueMicrotask(() => {
            this.#isCorked = false;
            this.#socket.uncork();
        });
    }
    #take(frames) {
        if (!this.#isOpen)
            return;
        try {
            for (const message of frames()) {
                this.#listener.received(message, this);
                if (!this.#isOpen)
                    return;
            }
        }
        catch (error) {
            this.abandon(error);
        }
    }
}

// ipc/socket_name
function socketAddress(name, platform = process.platform, folder = runtimeFolder(name)) {
    return socketAddresses(name, platform, folder)[0] ?? name;
}
function socketAddresses(name, platform = process.platform, folder = runtimeFolder(name)) {
    if (platform === "win32") {
        const path = /[:/\\]/.test(name) ? name : `\\\\.\\pipe\\${name}`;
        const problem = pipeProblem(path);
        if (problem !== undefined)
            throw new Error(`${name}: ${problem}`);
        return [path];
    }
    if (name.includes("/"))
        return [name];
    const file = name.endsWith(".sock") ? name : `${name}.sock`;
    const reference = `/tmp/${file}`;
    return folder === undefined ? [reference] : [`${folder}/${file}`, reference];
}
function pipeProblem(path) {
    const [, name] = /^\\\\[.?]\\pipe\\(.*)$/is.exec(path.replaceAll("/", "\\")) ?? [];
    if (name === undefined)
        return "this is not a pipe of this machine; use a name, or \\\\.\\pipe\\NAME";
    if (name.split("\\").some((part) => /^\.*$/.test(part)))
        return "a part of the name is empty, or has only dots";
    if (/[<>:"|?*\u0000-\u001f\u007f-\u009f]/.test(name)) {
        return 'the name has a character in it that Windows reserves: one of <>:"|?* or a control character';
    }
    if (/[ .]$/.test(name))
        return "the name ends with a space or a dot, which Windows drops";
    return path.length > 256 ? "the name is longer than 247 characters" : undefined;
}
function runtimeFolder(name = "") {
    if (process.platform === "win32" || name.includes("/"))
        return undefined;
    try {
        const folder = process.env["XDG_RUNTIME_DIR"];
        return folder?.startsWith("/") && existsSync(folder) ? folder : undefined;
    }
    catch {
        return undefined;
    }
}

// ipc/socket_place
const OPEN = 0o002;
const STICKY = 0o1000;
function checkPlace(address, allowUsers) {
    const own = process.getuid?.();
    if (own === undefined)
        return;
    const folder = dirname(address);
    const found = look(statSync, folder);
    if (found !== undefined && folder === runtimeFolder())
        checkRuntimeFolder(folder, found, own);
    if (allowUsers === "any")
        return;
    const isStranger = (user) => user !== own && user !== 0 && !allowUsers.includes(user);
    if (found !== undefined) {
        if (isStranger(found.uid))
            throw stranger(`the folder of the socket ${address}`, found.uid);
        if ((found.mode & OPEN) !== 0 && (found.mode & STICKY) === 0) {
            const problem = `all users can replace the socket ${address}`;
            throw refusal(`${problem}; make its folder private: chmod go-w ${folder}`);
        }
    }
    for (const file of [look(lstatSync, address), look(statSync, address)]) {
        if (file !== undefined && isStranger(file.uid)) {
            throw stranger(`the socket ${address}`, file.uid);
        }
    }
}
function checkRuntimeFolder(folder, found, own) {
    let problem;
    if (!found.isDirectory())
        problem = "it is not a folder";
    else if (found.uid !== own)
        problem = `it belongs to user ${found.uid}, not to us (user ${own})`;
    else if ((found.mode & 0o077) !== 0) {
        problem = `others have access to it (mode ${(found.mode & 0o777).toString(8)})`;
    }
    else
        return;
    const advice = "unset it, or give the socket as a path with a slash";
    throw refusal(`XDG_RUNTIME_DIR (${folder}) is not used: ${problem}; ${advice}`);
}
function look(stat, path) {
    try {
        return stat(path);
    }
    catch {
        return undefined;
    }
}
function stranger(what, user) {
    const problem = `${what} belongs to user ${user}, not to us or root`;
    return refusal(`${problem}; if they can be trusted, say allowUsers: [${user}]`);
}
function refusal(message) {
    return connectionError("CONNECT_FAILED", message);
}

// ipc/socket
async function openFirst(addresses, { timeout, signal, allowUsers }, dial) {
    let missing;
    for (const address of addresses) {
        try {
            checkPlace(address, allowUsers);
            return await openSocket(address, timeout, signal, dial);
        }
        catch (error) {
            if (signal.aborted || !isNobody(error))
                throw error;
            if (missing !== undefined)
                throw neither(addresses, missing);
            missing = error;
        }
    }
    throw missing ?? connectionError("CONNECT_FAILED", "there is no address to connect to");
}
function isNobody(error) {
    if (!(error instanceof ConnectionError))
        return false;
    const { code } = (error.cause ?? {});
    return code === "ENOENT" || code === "ECONNREFUSED";
}
function neither([first, second], error) {
    const { cause } = error;
    const message = cause.code === "ENOENT"
        ? `there is no such socket ${first}, nor ${second}; is the server running?`
        : `${error.message} No server listens at ${second} either`;
    return connectionError("CONNECT_FAILED", message, { cause });
}
function openSocket(address, timeout, signal, dial = (path) => connect({ path })) {
    return new Promise((resolve, reject) => {
        checkLength(address);
        const socket = start(dial, address);
        const fail = (error) => {
            settle();
            socket.on("error", () => { });
            socket.destroy();
            reject(error);
        };
        const onConnect = () => {
            settle();
            resolve(socket);
        };
        const onError = (error) => fail(explain(address, error));
        const onAbort = () => fail(signal.reason);
        const onTimeout = () => fail(connectionError("TIMEOUT", `Connection timeout after ${timeout}ms`));
        const timer = timeout === Infinity ? undefined : setTimeout(onTimeout, timeout);
        const settle = () => {
            clearTimeout(timer);
            signal.removeEventListener("abort", onAbort);
            socket.off("connect", onConnect);
            socket.off("error", onError);
        };
        socket.once("connect", onConnect);
        socket.once("error", onError);
        signal.addEventListener("abort", onAbort);
    });
}
function start(dial, address) {
    try {
        return dial(address);
    }
    catch (error) {
        throw explain(address, error);
    }
}
function checkLength(address) {
    const longest = process.platform === "linux" ? 107 : 103;
    const length = Buffer.byteLength(address);
    if (process.platform === "win32" || length <= longest)
        return;
    const problem = `the path ${address} has ${length} bytes, and sockets take ${longest}`;
    throw connectionError("CONNECT_FAILED", `${problem}; choose a shorter one`);
}
function explain(address, cause) {
    const message = problem(address, cause);
    return connectionError("CONNECT_FAILED", message, { cause });
}
function problem(address, error) {
    switch (error.code) {
        case "ENOENT":
            return `there is no such socket ${address}; is the server running?`;
        case "ECONNREFUSED":
            return `no server listens at ${address}; has the server ended?`;
        case "EACCES":
        case "EPERM":
            return (`permission denied: the socket ${address} is not open to this user; ` +
                `run as the user of the server, or start it with --mode and --allow-user`);
        case "ENOTSOCK":
            return `${address} is not a socket; is the path right?`;
        case "EAGAIN":
            return `the server at ${address} does not accept connections fast enough; try again later`;
        default:
            return `could not connect to ${address}: ${error.message}`;
    }
}

// ipc/link
const SHORTEST_STAY = 5000;
class Link {
    #settings;
    #listener;
    #dial;
    #state = "disconnected";
    #connection;
    #opening;
    #waiters = [];
    #since = 0;
    #timer;
    #attempts = 0;
    #isHeard = false;
    #complaint;
    #refusal;
    constructor(settings, listener, dial) {
        this.#settings = settings;
        this.#listener = listener;
        this.#dial = dial;
    }
    get state() {
        return this.#state;
    }
    async connect() {
        if (this.#state === "connected")
            return;
        if (this.#state === "connecting")
            return this.#waited();
        this.#stopTrying(connectionError("DISCONNECTED", "Replaced by another connect()"));
        this.#attempts = 0;
        this.#state = "connecting";
        const opening = new AbortController();
        try {
            await this.#open(opening);
        }
        catch (error) {
            if (!opening.signal.aborted)
                this.#giveUp(error);
            throw error;
        }
    }
    async disconnect() {
        if (this.#state === "disconnected")
            return;
        const error = connectionError("DISCONNECTED", "Client disconnected");
        const connection = this.#connection;
        this.#connection = undefined;
        this.#state = "disconnected";
        this.#stopTrying(error);
        this.#settle(error);
        const closed = connection?.close();
        if (connection !== undefined)
            this.#listener.disconnected(error);
        if (this.state === "disconnected")
            this.#listener.over();
        await closed;
    }
    get current() {
        return this.#connection;
    }
    get connection() {
        if (this.#connection !== undefined)
            return this.#connection;
        const refusal = this.#refusal;
        if (refusal === undefined)
            throw connectionError("NOT_CONNECTED", "Not connected");
        throw connectionError("REFUSED", refusal.message, { cause: refusal.cause });
    }
    async ready(timeout, signal) {
        if (this.#connection !== undefined || this.#state === "disconnected")
            return this.connection;
        let timer;
        let onAbort;
        const ended = new Promise((_, reject) => {
            const late = () => reject(connectionError("TIMEOUT", `Request timeout after ${timeout}ms: there was no connection, and nothing was sent`));
            if (timeout !== Infinity)
                timer = setTimeout(late, timeout);
            onAbort = () => reject(connectionError("ABORTED", "Request aborted", { cause: signal?.reason }));
            signal?.addEventListener("abort", onAbort);
        });
        try {
            await Promise.race([this.#waited(), ended]);
        }
        finally {
            clearTimeout(timer);
            if (onAbort !== undefined)
                signal?.removeEventListener("abort", onAbort);
        }
        return this.connection;
    }
    #waited() {
        return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
    }
    #settle(error) {
        for (const { resolve, reject } of this.#waiters.splice(0)) {
            if (error === undefined)
                resolve();
            else
                reject(error);
        }
    }
    async #open(opening) {
        const { socketPath, connectionTimeout, allowUsers } = this.#settings;
        this.#opening = opening;
        const addresses = socketAddresses(socketPath);
        const limits = { timeout: connectionTimeout, signal: opening.signal, allowUsers };
        const socket = await openFirst(addresses, limits, this.#dial);
        const connection = new Connection(socket, this.#settings, {
            received: (frame, from) => {
                this.#complaint = this.#listener.received(frame, from);
                if (this.#complaint !== undefined)
                    return;
                this.#isHeard = true;
                this.#attempts = 0;
            },
            lost: (problem) => this.#lost(problem),
        });
        if (opening.signal.aborted) {
            await connection.close();
            throw opening.signal.reason;
        }
        this.#opening = undefined;
        this.#connection = connection;
        this.#isHeard = false;
        this.#complaint = undefined;
        this.#refusal = undefined;
        this.#state = "connected";
        this.#since = Date.now();
        this.#settle();
        this.#listener.connected();
    }
    #lost(problem) {
        this.#connection = undefined;
        this.#state = this.#settings.autoReconnect ? "reconnecting" : "disconnected";
        if (problem !== undefined)
            this.#listener.failed(problem);
        const lost = this.#whyLost(problem);
        if (lost.code === "REFUSED")
            this.#refusal = lost;
        else if (Date.now() - this.#since > Math.max(this.#settings.maxReconnectDelay, SHORTEST_STAY))
            this.#attempts = 0;
        this.#listener.disconnected(lost);
        if (this.state === "reconnecting")
            this.#tryLater();
        else if (this.state === "disconnected")
            this.#listener.over();
    }
    #whyLost(problem) {
        const complaint = this.#complaint;
        if (complaint === undefined) {
            const cause = problem === undefined ? {} : { cause: problem };
            return connectionError("DISCONNECTED", "Connection lost", cause);
        }
        const { code, message } = complaint;
        const cause = { cause: complaint };
        if (this.#isHeard || code !== ErrorCode.ServerError) {
            return connectionError("DISCONNECTED", `Connection lost: ${message} (${code})`, cause);
        }
        return connectionError("REFUSED", `Refused by the server: ${message} (${code})`, cause);
    }
    #tryLater(lastProblem) {
        const { maxReconnectAttempts, reconnectDelay, maxReconnectDelay } = this.#settings;
        if (this.#attempts >= maxReconnectAttempts) {
            const message = `Could not reconnect in ${this.#attempts} attempts; call connect() for more`;
            const error = connectionError("CONNECT_FAILED", message, { cause: lastProblem });
            this.#giveUp(this.#refusal ?? error);
            this.#listener.failed(error);
            return;
        }
        const delay = pauseBefore(this.#attempts, reconnectDelay, maxReconnectDelay);
        this.#attempts += 1;
        this.#timer = setTimeout(() => void this.#tryNow(), delay);
        this.#listener.reconnecting(this.#attempts, delay);
    }
    async #tryNow() {
        const opening = new AbortController();
        try {
            await this.#open(opening);
        }
        catch (error) {
            if (!opening.signal.aborted)
                this.#tryLater(error);
        }
    }
    #stopTrying(reason) {
        clearTimeout(this.#timer);
        this.#opening?.abort(reason);
        this.#opening = undefined;
    }
    #giveUp(reason) {
        this.#opening = undefined;
        this.#state = "disconnected";
        this.#settle(reason);
        this.#listener.over();
    }
}
function pauseBefore(attempt, first, longest) {
    const whole = Math.min(longest, first * 2 ** Math.min(attempt, 30));
    return Math.round(whole / 2 + (Math.random() * whole) / 2);
}

// ipc/notifications
const CAPACITY = 1024;
class NotificationQueue {
    dropped = 0;
    #waiting = [];
    #readers = [];
    #isOver = false;
    #onOver;
    constructor(onOver) {
        this.#onOver = onOver;
    }
    next() {
        const value = this.#waiting.shift();
        if (value !== undefined)
            return Promise.resolve({ done: false, value });
        if (this.#isOver)
            return Promise.resolve({ done: true, value: undefined });
        return new Promise((resolve) => this.#readers.push(resolve));
    }
    return() {
        this.#waiting = [];
        this.end();
        return Promise.resolve({ done: true, value: undefined });
    }
    [Symbol.asyncIterator]() {
        return this;
    }
    push(notification) {
        const reader = this.#readers.shift();
        if (reader !== undefined)
            return reader({ done: false, value: notification });
        if (this.#waiting.length === CAPACITY) {
            this.#waiting.shift();
            this.dropped += 1;
        }
        this.#waiting.push(notification);
    }
    end() {
        if (this.#isOver)
            return;
        this.#isOver = true;
        this.#onOver();
        for (const reader of this.#readers.splice(0))
            reader({ done: true, value: undefined });
    }
}

// ipc/options
function settings(options) {
    const { socketPath, framing = "lines" } = options;
    if (typeof socketPath !== "string" || socketPath === "" || socketPath.includes("\0")) {
        throw new TypeError('socketPath has to name a socket, such as "myapp" or "/tmp/myapp.sock"');
    }
    if (framing !== "lines" && framing !== "headers") {
        throw new TypeError(`framing is "lines" or "headers", not ${JSON.stringify(framing)}`);
    }
    const { allowUsers = [] } = options;
    if (allowUsers !== "any" && !(Array.isArray(allowUsers) && allowUsers.every(Number.isInteger))) {
        throw new TypeError(`allowUsers is "any" or user ids, not ${JSON.stringify(allowUsers)}`);
    }
    const requestTimeout = options.requestTimeout ?? options.timeout ?? 30_000;
    return {
        socketPath,
        framing,
        allowUsers,
        connectionTimeout: milliseconds("connectionTimeout", options.connectionTimeout ?? 10_000),
        requestTimeout: milliseconds("requestTimeout", requestTimeout),
        debug: debugSink(options.debug),
        autoReconnect: options.autoReconnect ?? false,
        maxReconnectAttempts: count("maxReconnectAttempts", options.maxReconnectAttempts ?? Infinity),
        reconnectDelay: pause("reconnectDelay", options.reconnectDelay ?? 100),
        maxReconnectDelay: pause("maxReconnectDelay", options.maxReconnectDelay ?? 30_000),
        maxMessageBytes: count("maxMessageBytes", options.maxMessageBytes ?? 16 * 1024 * 1024),
        maxQueuedBytes: count("maxQueuedBytes", options.maxQueuedBytes ?? 64 * 1024 * 1024),
    };
}
const LONGEST_TIMER = 2 ** 31 - 1;
function milliseconds(name, value) {
    return value === Infinity ? value : pause(name, value);
}
function pause(name, value) {
    if (typeof value === "number" && value > 0 && value <= LONGEST_TIMER)
        return value;
    const problem = `${name} is a number of milliseconds from 1 to ${LONGEST_TIMER}`;
    throw new TypeError(`${problem}, not ${String(value)}`);
}
function count(name, value) {
    if (typeof value === "number" && value >= 1)
        return value;
    throw new TypeError(`${name} is a number from 1, not ${String(value)}`);
}
function debugSink(debug) {
    if (debug === undefined || debug === false)
        return () => { };
    const sink = debug === true ? (line) => console.error(`[ipc] ${line}`) : debug;
    return (line) => {
        try {
            sink(line);
        }
        catch (error) {
            reportLater(error);
        }
    };
}

// ipc/client
const CANCEL = "$/cancelRequest";
class Client extends Announcer {
    #settings;
    #link;
    #calls;
    #handlers;
    #streams = new Set();
    constructor(options) {
        super();
        this.#settings = settings(options);
        this.#calls = new Calls((id) => this.#takeBack(id));
        this.#handlers = new Handlers((error) => this.#fail(error));
        this.#link = new Link(this.#settings, {
            connected: () => {
                this.#debug(`connected to ${this.#settings.socketPath}`);
                this.announce("connect");
                this.announce("connected");
            },
            received: (frame, connection) => this.#receive(frame, connection),
            disconnected: (error) => {
                this.#debug(error.message);
                this.#calls.rejectAll(error);
                this.#handlers.cancelAll();
                this.announce("disconnect");
                this.announce("disconnected");
            },
            reconnecting: (attempt, delay) => {
                this.#debug(`attempt ${attempt} to reconnect, in ${delay}ms`);
                this.announce("reconnecting", attempt, delay);
            },
            failed: (error) => this.#fail(error),
            over: () => {
                for (const stream of this.#streams)
                    stream.end();
            },
        });
    }
    connect() {
        return this.#link.connect();
    }
    disconnect() {
        return this.#link.disconnect();
    }
    close() {
        return this.disconnect();
    }
    async request(method, params, options = {}) {
        let patience = this.#patience(options);
        checkMethod(method);
        this.#calls.check(1, options.signal);
        let { current: connection } = this.#link;
        if (connection === undefined)
            [connection, patience] = await this.#connected(patience);
        const { id, answer } = this.#calls.open(patience);
        try {
            connection.send(requestText(id, method, params));
            this.#debug(`-> request ${id} ${method}`);
        }
        catch (error) {
            this.#calls.reject(id, error);
        }
        return (await answer);
    }
    notify(method, params) {
        const { connection } = this.#link;
        checkMethod(method);
        connection.send(notificationText(method, params));
        this.#debug(`-> notification ${method}`);
    }
    async batch(calls, options = {}) {
        let patience = this.#patience(options);
        if (calls.length === 0)
            throw new TypeError("a batch has at least one call");
        for (const { method } of calls)
            checkMethod(method);
        this.#calls.check(calls.length, options.signal);
        let { current: connection } = this.#link;
        if (connection === undefined)
            [connection, patience] = await this.#connected(patience);
        const opened = calls.map(() => this.#calls.open(patience));
        const answers = Promise.allSettled(opened.map(({ answer }) => answer));
        try {
            const texts = calls.map(({ method, params }, index) => requestText(opened[index]?.id ?? null, method, params));
            connection.send(batchText(texts));
            this.#debug(`-> batch of ${calls.length}`);
        }
        catch (error) {
            for (const { id } of opened)
                this.#calls.reject(id, error);
        }
        return answers;
    }
    onRequest(method, handler) {
        checkMethod(method);
        this.#handlers.set(method, handler);
        return this;
    }
    notifications() {
        const stream = new NotificationQueue(() => this.#streams.delete(stream));
        this.#streams.add(stream);
        return stream;
    }
    getState() {
        return this.#link.state;
    }
    isConnected() {
        return this.#link.state === "connected";
    }
    getPendingRequestCount() {
        return this.#calls.size;
    }
    async #connected(patience) {
        const start = Date.now();
        const connection = await this.#link.ready(patience.timeout, patience.signal);
        return [connection, { ...patience, timeout: Math.max(1, patience.timeout - (Date.now() - start)) }];
    }
    #patience({ timeout, signal }) {
        return { timeout: milliseconds("timeout", timeout ?? this.#settings.requestTimeout), signal };
    }
    #receive(frame, connection) {
        let value;
        try {
            value = parse(frame);
        }
        catch (error) {
            this.#fail(error);
            return undefined;
        }
        const isBatch = Array.isArray(value) && value.length > 0;
        const messages = isBatch ? value : [value];
        const found = messages.map(read);
        const answers = found.flatMap((message) => this.#take(message) ?? []);
        if (answers.length > 0)
            void proceed(allOf(answers), (all) => this.#reply(all, isBatch, connection));
        const [only] = found;
        return only?.kind === "error" && only.id === null ? only.error : undefined;
    }
    #take(message) {
        switch (message.kind) {
            case "result":
                return this.#settled(message.id, this.#calls.resolve(message.id, message.result));
            case "bare":
                return this.#settled(message.id, this.#calls.resolve(message.id, null));
            case "error": {
                const { id, error } = message;
                if (id === null)
                    return void this.#fail(error);
                return this.#settled(id, this.#calls.reject(id, error));
            }
            case "notification":
                return void this.#hear(message.method, message.params);
            case "request":
                this.#debug(`<- request ${message.id} ${message.method}`);
                return this.#handlers.answer(message.id, message.method, message.params);
            case "malformed":
                return this.#refuse(message);
        }
    }
    #settled(id, isAwaited) {
        this.#debug(isAwaited ? `<- answer ${id}` : `<- answer ${id}, which nobody waits for`);
    }
    #hear(method, params) {
        this.#debug(`<- notification ${method}`);
        if (method === CANCEL)
            return this.#handlers.cancel(params?.id);
        for (const stream of this.#streams)
            stream.push({ method, params });
        this.announce("notification", method, params);
    }
    #refuse({ of, id, problem }) {
        const message = `Invalid message received: ${problem}`;
        const error = connectionError("INVALID_MESSAGE", message);
        if (of === "response" && id !== undefined && this.#calls.reject(id, error))
            return undefined;
        this.#fail(error);
        if (of === "response" || id === undefined || id === null)
            return undefined;
        const refusal = new RpcError(ErrorCode.InvalidRequest, "Invalid Request", problem);
        return { id, text: errorText(id, refusal) };
    }
    #reply(answers, isBatch, connection) {
        const send = (texts) => connection.send(isBatch ? batchText(texts) : texts.join());
        try {
            try {
                send(answers.map(({ text }) => text));
            }
            catch (error) {
                if (error.code !== "TOO_LARGE")
                    throw error;
                const refusal = new RpcError(ErrorCode.InternalError, "Internal error", "answer too large");
                send(answers.map(({ id }) => errorText(id, refusal)));
            }
        }
        catch (error) {
            connection.abandon(error);
        }
    }
    #takeBack(id) {
        try {
            this.#link.connection.send(notificationText(CANCEL, { id }));
        }
        catch (error) {
            this.#debug(`${CANCEL} ${id} was not sent: ${error.message}`);
        }
    }
    #fail(error) {
        this.#debug(`error: ${error.message}`);
        this.announce("error", error);
    }
    #debug(line) {
        this.#settings.debug(line);
    }
}
function checkMethod(method) {
    if (typeof method !== "string" || method === "") {
        throw new TypeError("a method is named by a text, and not by an empty one");
    }
}

// ipc/served_client
const LARGEST_BATCH = 1024;
const REQUEST_TIMEOUT = 30_000;
class ServedClient {
    id;
    #socket;
    #handlers;
    #events;
    #calls;
    #options;
    #connection;
    #running = 0;
    #isEnding = false;
    constructor(id, socket, methods, options) {
        this.id = id;
        this.#socket = socket;
        this.#options = options;
        this.#events = methods;
        this.#calls = new Calls((call) => this.notify("$/cancelRequest", { id: call }));
        this.#handlers = new Handlers((error) => options.onError?.(error));
        for (const [name, handler] of methods) {
            this.#handlers.set(name, (params, { method, signal }) => handler(params, this.#context(method, signal)));
        }
    }
    get hasBegun() {
        return this.#connection !== undefined;
    }
    begin(socket, options) {
        this.#connection = new Connection(socket, options, {
            received: (frame, connection) => this.#receive(frame, connection),
            ended: () => {
                this.#isEnding = true;
                this.#calls.rejectAll(connectionError("DISCONNECTED", "Connection lost"));
                if (this.#running === 0)
                    void this.close();
            },
            lost: (problem) => {
                if (problem === undefined)
                    return;
                this.#options.onError?.(problem);
                socket.destroy();
            },
        }, "client");
    }
    lost() {
        this.#handlers.cancelAll();
        this.#calls.rejectAll(connectionError("DISCONNECTED", "Connection lost"));
    }
    notify(method, params) {
        const text = notificationText(method, params);
        if (this.#connection === undefined)
            this.#socket.write(`${text}\n`);
        else
            this.#connection.send(text);
    }
    async request(method, params, options = {}) {
        const { timeout = REQUEST_TIMEOUT, signal } = options;
        this.#calls.check(1, signal);
        const { id, answer } = this.#calls.open({ timeout, signal });
        try {
            const text = requestText(id, method, params);
            if (this.#connection === undefined)
                this.#socket.write(`${text}\n`);
            else
                this.#connection.send(text);
        }
        catch (error) {
            this.#calls.reject(id, error);
        }
        return (await answer);
    }
    async close() {
        await this.#connection?.close();
        this.#socket.destroy();
    }
    #context(method, signal) {
        return {
            session: this,
            method,
            signal,
            get cancelled() {
                return signal.aborted;
            },
        };
    }
    #receive(frame, connection) {
        let value;
        try {
            value = parse(frame);
        }
        catch {
            return connection.answer(errorText(null, new RpcError(ErrorCode.ParseError, "Parse error")));
        }
        const isBatch = Array.isArray(value);
        const messages = isBatch ? value : [value];
        if (messages.length === 0 || messages.length > LARGEST_BATCH) {
            const problem = messages.length === 0
                ? "a batch must not be empty"
                : `a batch has at most ${LARGEST_BATCH} messages`;
            return connection.answer(errorText(null, new RpcError(ErrorCode.InvalidRequest, "Invalid Request", problem)));
        }
        const answers = messages.flatMap((one) => this.#take(read(one)) ?? []);
        if (answers.length === 0)
            return;
        this.#running += 1;
        void proceed(allOf(answers), (all) => {
            this.#running -= 1;
            this.#reply(all, isBatch, connection);
            if (this.#isEnding && this.#running === 0)
                void this.close();
        });
    }
    #reply(answers, isBatch, connection) {
        const send = (texts) => connection.answer(isBatch ? batchText(texts) : texts.join());
        try {
            send(answers.map(({ text }) => text));
        }
        catch (error) {
            this.#options.onError?.(error);
            const refusal = new RpcError(ErrorCode.InternalError, "Internal error", "the answer is too large");
            try {
                send(answers.map(({ id }) => errorText(id, refusal)));
            }
            catch {
                this.#socket.destroy();
            }
        }
    }
    #take(message) {
        switch (message.kind) {
            case "result":
                return void this.#calls.resolve(message.id, message.result);
            case "bare":
                if (this.#calls.resolve(message.id, null))
                    return undefined;
                return refused(message.id, "neither method nor result");
            case "error":
                return void (message.id === null || this.#calls.reject(message.id, message.error));
            case "request":
                return this.#handlers.answer(message.id, message.method, message.params);
            case "notification":
                return void this.#heard(message.method, message.params);
            case "malformed":
                if (message.of === "request")
                    return refused(message.id ?? null, message.problem);
                return void this.#calls.reject(message.id ?? null, connectionError("INVALID_MESSAGE", `Invalid message received: ${message.problem}`));
        }
    }
    #heard(method, params) {
        if (method === "$/cancelRequest")
            return this.#handlers.cancel(params?.id);
        const handler = this.#events.get(method);
        if (handler === undefined)
            return;
        const failed = (error) => this.#options.onError?.(error);
        try {
            void Promise.resolve(handler(params, this.#context(method, new AbortController().signal))).catch(failed);
        }
        catch (error) {
            failed(error);
        }
    }
}
function refused(id, problem) {
    return { id, text: errorText(id, new RpcError(ErrorCode.InvalidRequest, "Invalid Request", problem)) };
}

// ipc/server
class Server {
    address;
    #methods;
    #options;
    #clients = new Set();
    #server;
    #lastId = 0;
    constructor(name, methods, options = {}) {
        this.address = socketAddress(name);
        this.#methods = new Map(Object.entries(methods));
        this.#options = options;
    }
    async listen() {
        if (this.#server !== undefined)
            return;
        const { allowUsers = [], mode = 0o600 } = this.#options;
        const isFile = process.platform !== "win32";
        if (isFile) {
            mkdirSync(dirname(this.address), { recursive: true, mode: 0o700 });
            try {
                checkPlace(this.address, allowUsers);
            }
            catch (cause) {
                throw connectionError("LISTEN_FAILED", cause.message, { cause });
            }
            await removeDead(this.address);
        }
        const before = isFile ? process.umask(0o177) : 0;
        const server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
        this.#server = server;
        try {
            await new Promise((resolve, reject) => {
                server.once("error", (cause) => reject(connectionError("LISTEN_FAILED", `could not listen on ${this.address}: ${cause.message}`, { cause })));
                server.listen(this.address, resolve);
                if (isFile)
                    process.umask(before);
            });
        }
        catch (error) {
            this.#server = undefined;
            throw error;
        }
        if (isFile)
            chmodSync(this.address, mode);
    }
    broadcast(method, params) {
        for (const client of this.#clients) {
            try {
                client.notify(method, params);
            }
            catch (error) {
                this.#options.onError?.(error);
            }
        }
    }
    sessions() {
        return [...this.#clients];
    }
    async close() {
        const server = this.#server;
        this.#server = undefined;
        const closed = server === undefined ? undefined : new Promise((resolve) => server.close(() => resolve()));
        await Promise.all([...this.#clients].map((client) => client.close()));
        await closed;
    }
    #accept(socket) {
        const { maxClients = 4096, maxMessageBytes = 16 * 1024 * 1024 } = this.#options;
        socket.on("error", () => undefined);
        if (this.#clients.size >= maxClients) {
            const refusal = new RpcError(ErrorCode.ServerError, `too many clients: ${maxClients} are connected`);
            socket.end(`${errorText(null, refusal)}\n`);
            return;
        }
        this.#lastId += 1;
        const id = this.#lastId;
        socket.once("data", (first) => {
            const framing = first[0] === 0x43 || first[0] === 0x63 ? "headers" : "lines";
            client.begin(socket, settings({ socketPath: this.address, framing, maxMessageBytes }));
            socket.emit("data", first);
        });
        socket.once("end", () => (client.hasBegun ? undefined : socket.end()));
        socket.once("close", () => this.#gone(client));
        const client = new ServedClient(id, socket, this.#methods, this.#options);
        this.#clients.add(client);
        this.#options.onConnect?.(client);
    }
    #gone(client) {
        if (!this.#clients.delete(client))
            return;
        client.lost();
        this.#options.onDisconnect?.(client);
    }
}
async function removeDead(address) {
    let isSocket;
    try {
        isSocket = lstatSync(address).isSocket();
    }
    catch {
        return;
    }
    if (!isSocket) {
        throw connectionError("LISTEN_FAILED", `${address} exists and is not a socket; remove it, or choose another name`);
    }
    const isAlive = await new Promise((resolve) => {
        const socket = connect(address, () => {
            socket.destroy();
            resolve(true);
        });
        socket.on("error", (error) => resolve(error.code !== "ECONNREFUSED" && error.code !== "ENOENT"));
    });
    if (isAlive) {
        throw connectionError("LISTEN_FAILED", `a server already listens on ${address}; stop it, or choose another name`);
    }
    unlinkSync(address);
}

// ipc/mod


export {
  Aborted,
  Client,
  Client as JSONRPCClient,
  ConnectionError,
  ConnectionFailed,
  ConnectionLost,
  ErrorCode,
  InvalidMessage,
  IpcError,
  ListenFailed,
  MessageTooLarge,
  NotConnected,
  Overloaded,
  Refused,
  RequestTimeout,
  RpcError,
  RpcError as JSONRPCError,
  Server,
  socketAddress,
  socketAddresses,
};
