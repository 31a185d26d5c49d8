"""A plugin in Python with the package msgpack: msgpack-rpc on stdin and stdout.

    msgpack_plugin.py [bytewise]

With `bytewise` each byte is written by itself.
"""

import sys

import msgpack

REQUEST, RESPONSE, EVENT = 0, 1, 2


class Plugin:
    def __init__(self, bytewise):
        self.bytewise = bytewise
        self.held = []  # calls that wait until there are enough of them
        self.asked = {}  # id of a call of ours: id of the call that waits for its answer
        self.seen = []  # params of the events that came

    def send(self, *message):
        data = msgpack.packb(message)
        pieces = (data[at : at + 1] for at in range(len(data))) if self.bytewise else [data]
        for piece in pieces:
            sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()

    def hold(self, id, count, number):
        """Answers the calls in the opposite order, once there are as many as they say."""
        self.held.append((id, number))
        if len(self.held) == count:
            for id, number in reversed(self.held):
                self.send(RESPONSE, id, None, number)
            self.held.clear()

    def ask(self, id, method, params):
        """Calls the host back; its answer is the result."""
        # The largest ids there are.
        own = 2**32 - 1 - len(self.asked)
        self.asked[own] = id
        self.send(REQUEST, own, method, params)

    def request(self, id, method, params):
        if method == "echo":
            self.send(RESPONSE, id, None, params)
        elif method == "kinds":
            # What JSON has no form for: bytes, ext values and keys that are not texts.
            when = msgpack.Timestamp(1, 500)
            kinds = [b"\x00\xff", msgpack.ExtType(5, b"hi"), when, {1: "one"}, 2**64 - 1]
            self.send(RESPONSE, id, None, kinds)
        elif method == "type_of":
            self.send(RESPONSE, id, None, [type(param).__name__ for param in params])
        elif method == "hold":
            self.hold(id, *params)
        elif method == "emit":
            for number in range(params[0]):
                self.send(EVENT, "tick", [number])
            self.send(RESPONSE, id, None, params[0])
        elif method == "seen":
            self.send(RESPONSE, id, None, self.seen)
        elif method == "fail":
            # There is no rule for what an error is; each of these is in use somewhere.
            self.send(RESPONSE, id, params[0], None)
        elif method == "ask":
            self.ask(id, *params)
        else:
            self.send(RESPONSE, id, "what is " + method, None)

    def receive(self, kind, *rest):
        if kind == REQUEST:
            self.request(*rest)
        elif kind == EVENT:
            method, params = rest
            self.seen.append(params)
        else:
            id, error, result = rest
            self.send(RESPONSE, self.asked[id], error, result)


plugin = Plugin("bytewise" in sys.argv)
unpacker = msgpack.Unpacker(strict_map_key=False)
while data := sys.stdin.buffer.raw.read(65536):
    unpacker.feed(data)
    for message in unpacker:
        plugin.receive(*message)
