"""A plugin in plain Python: a message on each line, in JSON-RPC or in Orchard's envelope.

    lines_plugin.py json-rpc|orchard
"""

import json
import sys


class Plugin:
    def __init__(self, dialect):
        self.is_orchard = dialect == "orchard"
        self.held = []  # calls that wait until there are enough of them
        self.asked = {}  # id of a call of ours: id of the call that waits for its answer
        self.seen = []  # params of the events that came

    def send(self, **message):
        if not self.is_orchard:
            message["jsonrpc"] = "2.0"
        # json writes everything beyond ASCII as \u escapes, which no Rust library does.
        print(json.dumps(message), flush=True)

    def fail(self, id, code, message, data):
        if self.is_orchard:
            self.send(id=id, error={"code": code, "message": message, "detail": data})
        else:
            self.send(id=id, error={"code": 7, "message": message, "data": data})

    def hold(self, id, params):
        """Answers the calls in the opposite order, once there are as many as they say."""
        self.held.append((id, params))
        if len(self.held) == params["count"]:
            for id, params in reversed(self.held):
                self.send(id=id, result=params["number"])
            self.held.clear()

    def ask(self, id, params):
        """Calls the host back; its answer is the result."""
        # JSON-RPC's ids may be texts, and Orchard's may be negative.
        own = -len(self.asked) - 1 if self.is_orchard else f"call {len(self.asked)}"
        self.asked[own] = id
        self.send(id=own, method=params["method"], params=params["params"])

    def request(self, id, method, params):
        if method == "echo":
            self.send(id=id, result=params)
        elif method == "hold":
            self.hold(id, params)
        elif method == "emit":
            for number in range(params["count"]):
                self.send(method="tick", params={"number": number})
            self.send(id=id, result=params["count"])
        elif method == "seen":
            self.send(id=id, result=self.seen)
        elif method == "fail":
            self.fail(id, "execute_failed", "no\nway", "because é")
        elif method == "ask":
            self.ask(id, params)
        elif method == "not_a_number":
            # Python's json writes NaN, which is not JSON.
            self.send(id=id, result=float("nan"))
        elif method == "print":
            print("debug: I forgot that stdout is taken", flush=True)
            self.send(id=id, result=None)
        else:
            self.fail(id, "unknown_method", "what is " + method, None)

    def receive(self, message):
        if "method" in message and "id" in message:
            self.request(message["id"], message["method"], message.get("params"))
        elif "method" in message:
            self.seen.append(message.get("params"))
        else:
            waiting = self.asked[message["id"]]
            if "error" in message:
                self.send(id=waiting, error=message["error"])
            else:
                self.send(id=waiting, result=message["result"])


plugin = Plugin(sys.argv[1])
for line in sys.stdin:
    plugin.receive(json.loads(line))
