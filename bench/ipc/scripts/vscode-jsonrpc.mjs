// The service with vscode-jsonrpc: `server unix PATH`, or `client CONTROL unix PATH`, which takes the
// tasks of the bench from the control socket as every library's own client does.

import { createRequire } from "node:module";
import net from "node:net";
import readline from "node:readline";

const { createMessageConnection, StreamMessageReader, StreamMessageWriter } =
  createRequire(`${process.env.NODE_MODULES_HERE}/`)("vscode-jsonrpc/node");

const tiny = { a: 1, b: 2, s: "hello" };

const texts = { tiny: "hello", kib: "k".repeat(1 << 10), mib: "m".repeat(1 << 20) };

function connectionOver(socket) {
  return createMessageConnection(new StreamMessageReader(socket), new StreamMessageWriter(socket));
}

// The largest queue that is still awaited all at once.
const PIECE = 64;

async function send(connections, count) {
  for (let sent = 0; sent < count; sent += PIECE) {
    const piece = Math.min(PIECE, count - sent);
    const written = [];
    for (let index = 0; index < piece; index += 1) {
      for (const connection of connections) written.push(connection.sendNotification("note", tiny));
    }
    await Promise.all(written);
  }
  return count;
}

function serve(path) {
  const everybody = new Set();
  net.createServer((socket) => {
    const connection = connectionOver(socket);
    everybody.add(connection);
    connection.onRequest("echo", (params) => params);
    connection.onNotification("note", () => {});
    connection.onRequest("stream", ({ count }) => send([connection], count));
    connection.onRequest("broadcast", ({ count }) => send(everybody, count));
    connection.onClose(() => everybody.delete(connection));
    connection.onError(() => {});
    connection.listen();
  }).listen({ path, backlog: 1024 });
}

async function connect(path) {
  const socket = net.connect(path);
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const connection = connectionOver(socket);
  const caller = { connection, notes: 0 };
  connection.onNotification("note", () => { caller.notes += 1; });
  connection.listen();
  return caller;
}

async function call({ connection }, echo) {
  const { s } = await connection.sendRequest("echo", echo);
  if (s !== echo.s) throw new Error(`sent ${echo.s.length} bytes of text, got ${s.length} back`);
}

const seconds = () => Number(process.hrtime.bigint()) / 1e9;

// Every loop ends by count or by time, and runs for a fifth of both before it is measured.
async function measure({ calls, millis }, loop) {
  let measured;
  for (const part of [5, 1]) {
    const start = seconds();
    const deadline = start + millis / part / 1e3;
    const count = await loop(Math.ceil(calls / part), () => seconds() < deadline);
    measured = { count, seconds: seconds() - start, p50_micros: null, p99_micros: null };
  }
  return measured;
}

async function sequential(caller, { size, bound }) {
  const echo = { ...tiny, s: texts[size] };
  let samples;
  const measured = await measure(bound, async (most, hasTime) => {
    samples = [];
    while (samples.length < most && hasTime()) {
      const before = seconds();
      await call(caller, echo);
      samples.push((seconds() - before) * 1e6);
    }
    return samples.length;
  });
  samples.sort((left, right) => left - right);
  const at = (share) => samples[Math.min(Math.floor(samples.length * share), samples.length - 1)] ?? null;
  return { ...measured, p50_micros: at(0.5), p99_micros: at(0.99) };
}

function inFlight(caller, { size, window, bound }) {
  const echo = { ...tiny, s: texts[size] };
  return measure(bound, async (most, hasTime) => {
    let begun = 0;
    const lane = async () => {
      while (begun < most && hasTime()) {
        begun += 1;
        await call(caller, echo);
      }
    };
    await Promise.all(Array.from({ length: window }, lane));
    return begun;
  });
}

function events(caller, { size, bound }) {
  const echo = { ...tiny, s: texts[size] };
  return measure(bound, async (most, hasTime) => {
    let count = 0;
    while (count < most && hasTime()) {
      const written = Array.from({ length: PIECE }, () => caller.connection.sendNotification("note", echo));
      await Promise.all(written);
      count += PIECE;
    }
    // Events are handled in order, so the answer says that all of them have been.
    await call(caller, echo);
    return count;
  });
}

const STREAM = 2000;

function streamed(caller, { bound }) {
  return measure(bound, async (most, hasTime) => {
    let count = 0;
    while (count < most && hasTime()) {
      const before = caller.notes;
      await caller.connection.sendRequest("stream", { count: STREAM });
      if (caller.notes - before !== STREAM) throw new Error(`${caller.notes - before} events came`);
      count += STREAM;
    }
    return count;
  });
}

async function park(path, { connections }, idle) {
  const start = seconds();
  for (let index = 0; index < connections; index += 1) {
    const caller = await connect(path);
    await call(caller, tiny);
    idle.push(caller);
  }
  return { count: connections, seconds: seconds() - start, p50_micros: null, p99_micros: null };
}

async function follow(control, path) {
  const socket = net.connect(control);
  const caller = await connect(path);
  const idle = [];
  const tasks = {
    sequential: (task) => sequential(caller, task),
    window: (task) => inFlight(caller, task),
    events: (task) => events(caller, task),
    stream: (task) => streamed(caller, task),
    idle: (task) => park(path, task, idle),
  };
  // Both sides run slowly until their code is compiled, which takes some thousand calls; that is not
  // the subject.
  const enough = { calls: 20_000, millis: 1_000 };
  await inFlight(caller, { size: "tiny", window: 64, bound: enough });
  for await (const line of readline.createInterface({ input: socket })) {
    const task = JSON.parse(line);
    const answer = await tasks[task.task](task).then(
      (measured) => ({ done: measured }),
      (error) => ({ failed: String(error) }),
    );
    socket.write(`${JSON.stringify(answer)}\n`);
  }
  process.exit(0);
}

const [side, ...words] = process.argv.slice(2);
if (side === "server") serve(words[1]);
else await follow(words[0], words[2]);
