"""A client of `tenon echo` in Python with the package msgpack.

    msgpack_client.py socket PATH
    msgpack_client.py pipe [ARGUMENT OF tenon echo]...
"""

import os
import socket
import subprocess
import sys

import msgpack

REQUEST, RESPONSE, EVENT = 0, 1, 2


class Pipe:
    def __init__(self, arguments):
        command = [os.environ["TENON"], "echo", *arguments]
        self.child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def write(self, data):
        while data:
            data = data[self.child.stdin.write(data) :]

    def read(self):
        return self.child.stdout.read(65536)

    def end(self):
        self.child.stdin.close()

    def ended(self):
        assert self.child.wait(10) == 0, self.child.returncode


class Socket:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)

    def write(self, data):
        self.socket.sendall(data)

    def read(self):
        return self.socket.recv(65536)

    def end(self):
        self.socket.shutdown(socket.SHUT_WR)

    def ended(self):
        self.socket.close()


class Client:
    def __init__(self, wire):
        self.wire = wire
        self.unpacker = msgpack.Unpacker(strict_map_key=False)

    def send(self, *message):
        self.wire.write(msgpack.packb(message))

    def receive(self):
        while True:
            for message in self.unpacker:
                return message
            data = self.wire.read()
            assert data, "the stream ended"
            self.unpacker.feed(data)

    def call(self, id, method, *params):
        self.send(REQUEST, id, method, params)
        return self.receive()


def values_come_back(client):
    when = msgpack.Timestamp(1700000000, 5)
    kinds = [b"\x00\xff" * 200, msgpack.ExtType(5, b"hi"), msgpack.ExtType(127, b"x" * 300), when]
    values = [None, True, -(2**63), 2**64 - 1, 1.5, "é😀", {1: {b"k": [None]}}, *kinds]
    for value in [*values, values]:
        assert client.call(1, "echo", value) == [RESPONSE, 1, None, [value]]
    # Each way to write a value comes back as it was written.
    long_forms = b"\x94\x00\xcd\x00\x02\xd9\x04echo\xdc\x00\x02\xd3\x00\x00\x00\x00\x00\x00\x00\x01\xc7\x01\x05a"
    client.wire.write(long_forms)
    assert client.receive() == [RESPONSE, 2, None, [1, msgpack.ExtType(5, b"a")]]
    assert client.call(3, "add", 2, 3) == [RESPONSE, 3, None, 5]


def ids_come_back(client):
    for id in [0, 127, 128, 2**16, 2**31, 2**32 - 1]:
        assert client.call(id, "echo", id) == [RESPONSE, id, None, [id]]


def params_of_other_forms(client):
    client.send(REQUEST, 4, "text", {"length": 3})
    assert client.receive() == [RESPONSE, 4, None, "xxx"], "a map as params"
    assert client.call(5, "text", {"length": 3}) == [RESPONSE, 5, None, "xxx"], "a map in them"
    client.send(REQUEST, 6, "ticks", None)
    assert client.receive()[2] is None, "nil as params"
    client.send(REQUEST, 7, b"add", [1, 1])
    assert client.receive() == [RESPONSE, 7, None, 2], "a method in bytes"


def errors(client):
    assert client.call(8, "nope")[2][:2] == [-32601, "Method not found"]
    asked = {"code": 12, "message": "as asked", "data": {"a": 1}}
    assert client.call(9, "fail", asked) == [RESPONSE, 9, [12, "as asked", {"a": 1}], None]
    client.send(REQUEST, 10, "echo", "params that are no array")
    kind, id, error, result = client.receive()
    assert (kind, id, error[0], result) == (RESPONSE, 10, -32600, None), error
    assert client.call(11, "echo", 11)[3] == [11], "the connection goes on"


def answers_do_not_wait_for_each_other(client):
    client.send(REQUEST, 12, "sleep", [{"ms": 300}])
    assert client.call(13, "echo", 13) == [RESPONSE, 13, None, [13]]
    assert client.receive() == [RESPONSE, 12, None, None]


def events_both_ways(client):
    for number in range(1000):
        client.send(EVENT, "tick", [{"number": number}])
    assert client.call(14, "ticks")[3] == {"count": 1000, "in_order": True}
    client.send(REQUEST, 15, "emit", [{"count": 1000}])
    for number in range(1000):
        kind, method, params = client.receive()
        assert (kind, method) == (EVENT, "tick") and params == {"number": number}, params
    assert client.receive() == [RESPONSE, 15, None, 1000]


def calls_back(client):
    client.send(REQUEST, 16, "call_back", [{"method": "ask", "params": [1, "é"]}])
    kind, id, method, params = client.receive()
    assert (kind, method, params) == (REQUEST, "ask", [1, "é"])
    # It is still there for us while it waits.
    assert client.call(17, "add", 1, 1)[3] == 2
    client.send(RESPONSE, id, None, {"answer": 42})
    assert client.receive() == [RESPONSE, 16, None, {"answer": 42}]
    client.send(REQUEST, 18, "call_back", [{"method": "ask"}])
    client.send(RESPONSE, client.receive()[1], "just a text", None)
    assert client.receive()[2][1] == "just a text"


def any_pieces(client):
    value = ["piece by piece", b"\x00", msgpack.ExtType(5, b"hi")]
    for byte in msgpack.packb([REQUEST, 19, "echo", value]):
        client.wire.write(bytes([byte]))
    assert client.receive() == [RESPONSE, 19, None, value]
    together = [msgpack.packb([REQUEST, n, "echo", [n]]) for n in range(100)]
    client.wire.write(b"".join(together))
    assert sorted(client.receive()[1] for _ in together) == list(range(100))
    large = b"\x90" * 1_000_000
    assert client.call(20, "echo", large)[3] == [large]


def the_end_waits_for_what_runs(client):
    client.send(REQUEST, 21, "sleep", [{"ms": 100}])
    client.wire.end()
    assert client.receive() == [RESPONSE, 21, None, None]
    assert client.wire.read() == b""
    client.wire.ended()


kind, *rest = sys.argv[1:]
client = Client(Socket(rest[0]) if kind == "socket" else Pipe(rest))
values_come_back(client)
ids_come_back(client)
params_of_other_forms(client)
errors(client)
answers_do_not_wait_for_each_other(client)
events_both_ways(client)
calls_back(client)
any_pieces(client)
the_end_waits_for_what_runs(client)
