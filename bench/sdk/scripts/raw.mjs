// The limit in Node: reads messages, decodes them, and echoes their params. `raw.mjs lines` or `raw.mjs headers`.

import { writeSync } from "node:fs";

function answer(text) {
  const { id, params } = JSON.parse(text);
  return JSON.stringify({ jsonrpc: "2.0", id, result: params });
}

function lines(rest) {
  const whole = rest.toString().split("\n");
  const last = whole.pop();
  const answers = whole.map((line) => `${answer(line)}\n`);
  return [answers.join(""), Buffer.from(last)];
}

function headers(rest) {
  const answers = [];
  for (let end; (end = rest.indexOf("\r\n\r\n")) > 0;) {
    const length = Number(rest.latin1Slice(16, end));
    if (rest.length < end + 4 + length) break;
    const body = answer(rest.utf8Slice(end + 4, end + 4 + length));
    answers.push(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    rest = rest.subarray(end + 4 + length);
  }
  return [answers.join(""), rest];
}

const work = process.argv[2] === "lines" ? lines : headers;
let rest = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  let text;
  [text, rest] = work(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]));
  if (text !== "") writeSync(1, text);
});
