// A client as its server sees it.

export class Peer {
  #lines = [];
  #waiting = [];
  #rest = Buffer.alloc(0);

  constructor(socket) {
    this.socket = socket;
    this.bytes = 0;
    this.ended = new Promise((resolve) => socket.once("end", resolve));
    this.closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("data", (chunk) => this.#take(chunk));
  }

  // The next line, as it was sent.
  async text() {
    return this.#lines.shift() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  // The next line, as JSON.
  async message() {
    return JSON.parse(await this.text());
  }

  // Lines that came and were not asked for yet.
  get unread() {
    return this.#lines.length;
  }

  write(bytes) {
    this.socket.write(bytes);
  }

  // Sends values, each on a line.
  send(...values) {
    this.write(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
  }

  // Answers a request.
  result(id, result) {
    this.send({ jsonrpc: "2.0", id, result });
  }

  // Sends bytes in pieces that arrive one by one.
  async writeInPieces(bytes, size) {
    for (let start = 0; start < bytes.length; start += size) {
      this.write(bytes.subarray(start, start + size));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #take(chunk) {
    this.bytes += chunk.length;
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const end = this.#rest.indexOf(0x0a);
      if (end < 0) return;
      const line = this.#rest.subarray(0, end).toString();
      this.#rest = this.#rest.subarray(end + 1);
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#lines.push(line);
      else waiting(line);
    }
  }
}
