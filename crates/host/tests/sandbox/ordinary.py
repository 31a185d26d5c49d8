"""Does what an ordinary plugin does, within what it is allowed."""

import json
import os
import socket
import ssl  # reads certificates and their configuration
import subprocess
import tempfile
import threading

import beside  # a module in the same folder

DATA = os.environ["DATA"]
OUT = os.environ["OUT"]

assert beside.VALUE == 42
assert ssl.create_default_context() is not None
assert json.load(open(os.path.join(DATA, "in.json"))) == {"a": 1}
assert os.listdir(DATA) == ["in.json"]
assert os.environ["ALLOWED"] == "yes" and "UNLISTED" not in os.environ

# A file is written beside, and moved to its name.
os.makedirs(os.path.join(OUT, "inner"))
with tempfile.NamedTemporaryFile("w", dir=OUT, delete=False) as file:
    file.write("done")
os.replace(file.name, os.path.join(OUT, "inner", "result"))
open("/dev/null", "w").write("nothing")

with socket.create_connection(("127.0.0.1", int(os.environ["PORT"]))) as connection:
    assert connection.recv(5) == b"hello"
try:
    socket.create_connection(("127.0.0.1", int(os.environ["OTHER_PORT"])))
except PermissionError:
    pass
else:
    raise AssertionError("another port can be connected to")

assert subprocess.check_output(["cat", os.path.join(DATA, "in.json")]) == b'{"a": 1}'
try:
    subprocess.check_output(["ls"])
except PermissionError:
    pass
else:
    raise AssertionError("another program can be started")

threads = [threading.Thread(target=os.urandom, args=(8,)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
one, other = socket.socketpair()
one.sendall(b"x")
assert other.recv(1) == b"x"
assert open("/proc/self/status").read()
print("fine")
