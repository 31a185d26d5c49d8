"""A client of `tenon echo` in plain Python: a message on each line, or behind a header.

    lines_client.py json-rpc|json-rpc-headers|orchard socket PATH
    lines_client.py json-rpc|json-rpc-headers|orchard pipe [ARGUMENT OF tenon echo]...
"""

import json
import os
import socket
import subprocess
import sys


class Pipe:
    def __init__(self, arguments):
        command = [os.environ["TENON"], "echo", *arguments]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = self.child.stdout

    def write(self, data):
        self.child.stdin.write(data)
        self.child.stdin.flush()

    def end(self):
        self.child.stdin.close()

    def ended(self):
        assert self.child.wait(10) == 0, self.child.returncode


class Socket:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")

    def write(self, data):
        self.socket.sendall(data)

    def end(self):
        self.socket.shutdown(socket.SHUT_WR)

    def ended(self):
        self.socket.close()


class Client:
    def __init__(self, dialect, wire):
        self.is_orchard = dialect == "orchard"
        self.has_headers = dialect == "json-rpc-headers"
        self.wire = wire

    def frame(self, text):
        body = text.encode()
        if self.has_headers:
            return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        return body + b"\n"

    def next_frame(self):
        line = self.wire.lines.readline()
        if not self.has_headers:
            assert line.endswith(b"\n"), line
            return line
        name, length = line.split(b":")
        assert (name, self.wire.lines.readline()) == (b"Content-Length", b"\r\n"), line
        return self.wire.lines.read(int(length))

    def bytes(self, **message):
        if not self.is_orchard:
            message["jsonrpc"] = "2.0"
        # A length counts bytes, not characters: there have to be some of more than one.
        return self.frame(json.dumps(message, ensure_ascii=not self.has_headers))

    def send(self, **message):
        self.wire.write(self.bytes(**message))

    def receive(self):
        frame = self.next_frame()
        message = json.loads(frame)
        assert message.pop("jsonrpc", None) == (None if self.is_orchard else "2.0"), frame
        return message

    def call(self, id, method, params=None):
        self.send(id=id, method=method, **({} if params is None else {"params": params}))
        return self.receive()

    def code(self, number, name):
        return name if self.is_orchard else number


def values_come_back(client):
    for value in [{"a": [1, -1.5, None, True]}, ["é", "😀", '"\\\n\u0000'], [2**64, -(2**63)]]:
        assert client.call(1, "echo", value) == {"id": 1, "result": value}
    assert client.call(2, "echo") == {"id": 2, "result": None}
    assert client.call(3, "add", [2, 3]) == {"id": 3, "result": 5}


def ids_come_back(client):
    ids = [0, -1, 2**31, 2**53 + 1, 2**63 - 1]
    if not client.is_orchard:
        ids += [2**64 - 1, "", "text é", '"quoted"', 1.5]
    for id in ids:
        assert client.call(id, "echo", [1]) == {"id": id, "result": [1]}


def errors(client):
    answer = client.call(4, "nope")
    assert answer["id"] == 4
    assert answer["error"]["code"] == client.code(-32601, "unknown_method"), answer
    answer = client.call(5, "fail", {"code": 12, "message": "as asked", "data": [1]})
    assert answer["error"]["code"] == client.code(12, "12"), answer
    assert answer["error"]["message"] == "as asked", answer
    if client.is_orchard:
        assert answer["error"]["detail"] == "[1]", "Orchard's detail is a text"
    else:
        assert answer["error"]["data"] == [1], answer
    answer = client.call(6, "panic")
    assert answer["error"]["code"] == client.code(-32603, "internal_error"), answer
    client.wire.write(client.frame("this is not a message"))
    answer = client.receive()
    assert answer["id"] == (0 if client.is_orchard else None), answer
    assert answer["error"]["code"] == client.code(-32700, "invalid_request"), answer
    assert client.call(7, "echo", [7])["result"] == [7], "the connection goes on"


def answers_do_not_wait_for_each_other(client):
    client.send(id=8, method="sleep", params={"ms": 300})
    assert client.call(9, "echo", [9]) == {"id": 9, "result": [9]}
    assert client.receive() == {"id": 8, "result": None}


def events_both_ways(client):
    for number in range(1000):
        client.send(method="tick", params={"number": number})
    result = client.call(10, "ticks")["result"]
    assert result == {"count": 1000, "in_order": True}, result
    client.send(id=11, method="emit", params={"count": 1000})
    for number in range(1000):
        assert client.receive() == {"method": "tick", "params": {"number": number}}
    assert client.receive() == {"id": 11, "result": 1000}


def calls_back(client):
    client.send(id=12, method="call_back", params={"method": "ask", "params": {"é": 1}})
    request = client.receive()
    assert (request["method"], request["params"]) == ("ask", {"é": 1}), request
    # It is still there for us while it waits.
    assert client.call(13, "add", [1, 1])["result"] == 2
    client.send(id=request["id"], result={"answer": 42})
    assert client.receive() == {"id": 12, "result": {"answer": 42}}
    client.send(id=14, method="call_back", params={"method": "ask"})
    error = {"code": client.code(9, "busy"), "message": "not now"}
    client.send(id=client.receive()["id"], error=error)
    assert client.receive() == {"id": 14, "error": error}


def batches(client):
    requests = [{"jsonrpc": "2.0", "id": n, "method": "add", "params": [n, n]} for n in range(3)]
    event = {"jsonrpc": "2.0", "method": "tick", "params": {"number": 0}}
    client.wire.write(client.frame(json.dumps([requests[0], event, *requests[1:], 5])))
    answers = json.loads(client.next_frame())
    results = {answer["id"]: answer.get("result") for answer in answers}
    assert results == {0: 0, 1: 2, 2: 4, None: None}, answers


def any_pieces(client):
    for byte in client.bytes(id=15, method="echo", params=["piece by piece", "é"]):
        client.wire.write(bytes([byte]))
    assert client.receive()["result"] == ["piece by piece", "é"]
    together = [client.bytes(id=n, method="echo", params=[n]) for n in range(100)]
    client.wire.write(b"\r\n".join(together))
    answers = [client.receive() for _ in together]
    assert sorted(answer["id"] for answer in answers) == list(range(100))
    text = "x" * 1_000_000
    assert client.call(16, "echo", [text])["result"] == [text]


def the_end_waits_for_what_runs(client):
    client.send(id=17, method="sleep", params={"ms": 100})
    client.wire.end()
    assert client.receive() == {"id": 17, "result": None}
    assert client.wire.lines.read() == b""
    client.wire.ended()


dialect, kind, *rest = sys.argv[1:]
client = Client(dialect, Socket(rest[0]) if kind == "socket" else Pipe(rest))
values_come_back(client)
ids_come_back(client)
errors(client)
answers_do_not_wait_for_each_other(client)
events_both_ways(client)
calls_back(client)
if not client.is_orchard:
    batches(client)
any_pieces(client)
the_end_waits_for_what_runs(client)
