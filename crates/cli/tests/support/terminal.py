"""Runs a program on a pseudo-terminal, types into it, and prints what it wrote.

    terminal.py STEPS COMMAND...

STEPS is a JSON array of ["expect", TEXT], which waits until the text has been printed after what
was expected before it, ["expect", [TEXT, ...]], which waits for several in any order, ["send", TEXT],
which types, and ["open", FIFO], which opens a FIFO that a program waits for. The output is JSON: the exit code, all bytes as text, and the same without escape sequences.
"""

import json, os, pty, re, select, signal, sys, time

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()][A-Z0-9]|\x1b[=>78]")
LIMIT = 50

steps, command = json.loads(sys.argv[1]), sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    # The tests may run under nohup, which ignores it, and children inherit that.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    os.execvp(command[0], command)

screen, place, raw = "", 0, b""
deadline = time.monotonic() + LIMIT


def read():
    """Reads what is there; false at the end."""
    global screen, raw
    left = deadline - time.monotonic()
    if left <= 0 or not select.select([terminal], [], [], left)[0]:
        os.kill(child, 9)
        sys.exit(f"took longer than {LIMIT} seconds at {steps[:1]}: {screen!r}")
    try:
        data = os.read(terminal, 65536)
    except OSError:  # What Linux reports when the other side is closed.
        data = b""
    raw += data
    screen = ESCAPES.sub("", raw.decode(errors="replace"))
    return bool(data)


while steps:
    kind, text = steps[0]
    if kind == "send":
        os.write(terminal, text.encode())
    elif kind == "open":
        open(text, "w").close()
    else:
        ends = []
        for wanted in [text] if isinstance(text, str) else text:
            while (found := screen.find(wanted, place)) < 0:
                if not read():
                    os.waitpid(child, 0)
                    sys.exit(f"ended before {wanted!r}: {screen!r}")
            ends.append(found + len(wanted))
        place = max(ends)
    steps.pop(0)
while read():
    pass
_, status = os.waitpid(child, 0)
code, raw = os.waitstatus_to_exitcode(status), raw.decode(errors="replace")
print(json.dumps({"code": code, "raw": raw, "screen": screen}))
