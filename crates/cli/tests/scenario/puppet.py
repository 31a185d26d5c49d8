"""A provider that follows orders, so that a test can make it misbehave at any step.

This is the puppet of Orchard. That of denobridge, crates/terraform/tests/puppet.py, has other methods,
another envelope and other faults to play; both share only a few lines, so each stays one file that a test
copies into its folder.

Next to it are, under its own name with an ending: `.json`, its orders; `.heard`, every byte it has
read; `.rows`, a SQLite database with a row for each thing it has put. All providers of a test
write what they begin and end into one `diary`.

Orders are lists of moves for a step: a method, `execute NAME`, or `execute NAME ATTEMPT`. A step
without orders is done as it should be.
"""

import base64
import html
import json
import os
import shlex
import signal
import sqlite3
import sys
import threading
import time
import urllib.parse

PROGRAM = os.path.abspath(__file__)
FOLDER, NAME = os.path.split(PROGRAM)
with open(PROGRAM + ".json", encoding="utf-8") as file:
    ORDERS = json.load(file)

SCHEMA = {
    "name": "puppet",
    "version": "1.0.0",
    "protocol": "1",
    "config": {
        "greeting": {"type": "string"},
        "password": {"type": "string", "sensitive": True},
    },
    "actions": {
        "put": {
            "attrs": {
                "name": {"type": "string", "required": True},
                "is_removed": {"type": "bool", "default": False},
                "input": {"type": "any"},
                "secret": {"type": "string", "sensitive": True},
            },
            "outputs": {"type": "object({name=string})"},
        }
    },
    **ORDERS.get("schema", {}),
}

# No test waits longer, and no puppet outlives its test.
PATIENCE = 50


def append(path, text):
    """One write, so that lines of several writers do not mix."""
    with open(path, "ab", buffering=0) as file:
        file.write(text)


def wait_for(condition):
    """Whether it came true in time."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def attempt(name):
    """The number of this attempt, counted across restarts."""
    path = f"{PROGRAM}.{name}.attempts"
    append(path, b".")
    return os.path.getsize(path)


def put(attrs):
    """Puts a row into the database, or takes it out."""
    with sqlite3.connect(PROGRAM + ".rows", timeout=PATIENCE) as rows:
        rows.execute("CREATE TABLE IF NOT EXISTS things (name TEXT)")
        if attrs.get("is_removed"):
            rows.execute("DELETE FROM things WHERE name = ?", (attrs["name"],))
        else:
            rows.execute("INSERT INTO things VALUES (?)", (attrs["name"],))
    rows.close()


class Step:
    """One call, and what is made of it."""

    def __init__(self, request):
        self.id = request.get("id", 0)
        self.method = request.get("method", "schema")
        self.params = request.get("params") or {}
        self.attrs = self.params.get("attrs") or {}

    def moves(self):
        name = self.attrs.get("name")
        usual = ["work", "answer"]
        if self.method == "shutdown":
            usual.append(["exit", 0])
        if name is None:
            return ORDERS.get(self.method, usual)
        steps = [f"execute {name} {attempt(name)}", f"execute {name}", "execute"]
        return next((ORDERS[step] for step in steps if step in ORDERS), usual)

    def run(self):
        for move in self.moves():
            kind, *words = [move] if isinstance(move, str) else move
            getattr(self, kind)(*words)

    def result(self):
        if self.method == "describe":
            return {"schema": SCHEMA}
        if self.method == "execute":
            return {"outputs": {"name": self.attrs["name"]}}
        return {}

    # The moves.

    def work(self):
        if self.method == "execute":
            self.note("begin")
            put(self.attrs)
            self.note("end")

    def note(self, what):
        verb = what + (" removing" if self.attrs.get("is_removed") else "")
        append(f"{FOLDER}/diary", f"{verb} {self.attrs['name']}\n".encode())

    def answer(self, result=None):
        self.frame({"id": self.id, "result": self.result() if result is None else result})

    def error(self, error):
        self.frame({"id": self.id, "error": error})

    def frame(self, message):
        self.print(json.dumps(message, separators=(",", ":")) + "\n")

    def print(self, text):
        """Every letter is a byte, so that orders can have any."""
        sys.stdout.buffer.write(text.replace("$ID", str(self.id)).encode("latin-1"))
        sys.stdout.buffer.flush()

    def echo(self):
        """What it was asked, which is no answer."""
        self.print("heard " + json.dumps(self.params) + "\n")

    def echo_after(self, count):
        """The same, with so many letters before it."""
        self.print("x" * count + self.secrets() + "\n")

    def secrets(self):
        """All texts it was given, in one."""
        config = self.params.get("config") or {}
        values = (config | self.attrs).values()
        return " ".join(value if isinstance(value, str) else json.dumps(value) for value in values)

    def confess(self):
        self.say("I was told " + self.secrets())

    def complain(self):
        secrets = self.secrets()
        self.error({"code": "execute_failed", "message": secrets, "detail": "so: " + secrets})

    def spellings(self):
        """The secret attribute in every spelling that Python has. They are kept for the test."""
        secret = self.attrs["secret"]
        secret = secret.removeprefix("Bearer ")
        data, pair = secret.encode(), f"user:{secret}".encode()
        spelled = [
            secret,
            json.dumps(secret)[1:-1],
            json.dumps(secret, ensure_ascii=False)[1:-1],
            json.dumps(json.dumps({"secret": secret})),
            repr(secret)[1:-1],
            ascii(secret)[1:-1],
            repr(data)[2:-1],
            shlex.quote(secret),
            html.escape(secret),
            urllib.parse.quote(secret, safe=""),
            urllib.parse.quote_plus(secret),
            data.hex(),
            base64.b64encode(data).decode(),
            base64.urlsafe_b64encode(data).decode(),
            base64.b64encode(pair).decode(),
        ]
        with open(f"{FOLDER}/spellings.json", "w", encoding="utf-8") as file:
            json.dump(spelled, file)
        return spelled

    def mutter(self):
        sys.stderr.reconfigure(encoding="utf-8")
        for spelling in self.spellings():
            self.say("it is " + spelling)

    def blab(self, number):
        """Prints one of them, which is cut when it is quoted."""
        line = "x" * 110 + " " + self.spellings()[number] + "\n"
        sys.stdout.buffer.write(line.encode())
        sys.stdout.buffer.flush()

    def refuse(self):
        said = " ".join(self.spellings())
        self.error({"code": "execute_failed", "message": "no: " + said, "detail": said})

    def hand_back_spellings(self):
        self.answer({"outputs": {"name": " ".join(self.spellings())}})

    def hand_back(self, form="text"):
        secret = self.attrs.get("secret")
        outputs = {"name": "n", "secret": secret} if form == "text" else {"name": [secret]}
        self.answer({"outputs": outputs})

    def huge(self, size):
        self.answer({"outputs": {"name": "x" * size}})

    def deep(self, depth):
        outputs = '{"name":' + "[" * depth + "]" * depth + "}"
        self.print('{"id":$ID,"result":{"outputs":' + outputs + "}}\n")

    def say(self, text):
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def flood(self, lines):
        for number in range(lines):
            sys.stderr.write(f"line {number} {'x' * 20}\n")

    def gate(self, name):
        """Waits here until the test lets it on."""
        append(f"{PROGRAM}.{name}.reached", b".")
        if not wait_for(lambda: os.path.exists(f"{PROGRAM}.{name}.open")):
            sys.exit(f"nobody opened the gate {name}")

    def meet(self, count):
        """Goes on when so many are here at the same time."""
        append(f"{FOLDER}/meeting", b".")
        if not wait_for(lambda: os.path.getsize(f"{FOLDER}/meeting") >= count):
            sys.exit("nobody came")

    def hang(self):
        time.sleep(PATIENCE)

    def sleep(self, seconds):
        time.sleep(seconds)

    def exit(self, status):
        os._exit(status)

    def once(self):
        """Goes on in the first process and ends every other."""
        if os.path.getsize(f"{PROGRAM}.started") > 1:
            sys.exit("once is enough")

    def kill(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def close(self):
        os.close(1)

    def stubborn(self):
        """Minds no signal, and has a child that does not either."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if os.fork() == 0:
            os.setsid()
            time.sleep(PATIENCE)
            os._exit(0)


def main():
    if sys.argv[1:] == ["schema"]:
        usual = [["frame", SCHEMA]]
        for move in ORDERS.get("schema step", usual):
            kind, *words = [move] if isinstance(move, str) else move
            getattr(Step({}), kind)(*words)
        return
    append(f"{PROGRAM}.started", b".")
    for line in sys.stdin.buffer:
        append(PROGRAM + ".heard", line)
        step = Step(json.loads(line))
        if SCHEMA.get("max_in_flight", 1) > 1 and step.method == "execute":
            threading.Thread(target=step.run, daemon=True).start()
        else:
            step.run()


main()
