"""An agent that does what the prompt says. Each line of the prompt is one step:

say TEXT              a chunk of the answer
update JSON           a session/update
call METHOD JSON      calls the client, and says the answer as JSON
stderr TEXT           writes to stderr
raw TEXT              writes a line to stdout as it is
wait                  waits for session/cancel
sleep                 waits forever
exit CODE             ends the process

SESSION in a step stands for the session, CWD for its folder, and PID for the id of this process. The environment variables AGENT_NAME,
AGENT_VERSION and AGENT_CAPABILITIES say who it is; IGNORE_EOF=1 keeps it running when its input ends,
AGENT_IDS=text gives its calls ids that are texts, and AGENT_SESSIONS=uuid names its sessions by UUIDs.
"""
import json
import os
import sys
import threading
import time
import uuid

LOCK = threading.Lock()
PENDING = {}
CANCELLED = {}
FOLDERS = {}


def write(line):
    with LOCK:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def send(message):
    write(json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")))


def call(method, params):
    number = len(PENDING) + 1
    if os.environ.get("AGENT_IDS") == "text":
        number = f"call {number - 1}"
    arrived = threading.Event()
    PENDING[number] = [arrived, None]
    send({"id": number, "method": method, "params": params})
    arrived.wait()
    return PENDING[number][1]


def update(session, update):
    send({"method": "session/update", "params": {"sessionId": session, "update": update}})


def say(session, text):
    content = {"type": "text", "text": text}
    update(session, {"sessionUpdate": "agent_message_chunk", "content": content})


def turn(request):
    params = request["params"]
    session = params["sessionId"]
    CANCELLED[session] = threading.Event()
    reason = "end_turn"
    for line in params["prompt"][0]["text"].splitlines():
        line = line.replace("SESSION", session).replace("CWD", FOLDERS.get(session, ""))
        line = line.replace("PID", str(os.getpid()))
        step, _, rest = line.partition(" ")
        if step == "say":
            say(session, rest)
        elif step == "update":
            update(session, json.loads(rest))
        elif step == "call":
            method, _, text = rest.partition(" ")
            answer = call(method, {"sessionId": session, **json.loads(text)})
            say(session, json.dumps(answer, sort_keys=True))
        elif step == "stderr":
            print(rest, file=sys.stderr, flush=True)
        elif step == "raw":
            write(rest)
        elif step == "wait":
            CANCELLED[session].wait()
            reason = "cancelled"
        elif step == "sleep":
            time.sleep(3600)
        elif step == "exit":
            os._exit(int(rest))
    send({"id": request["id"], "result": {"stopReason": reason}})


def answer(request):
    method, params = request["method"], request.get("params", {})
    if method == "initialize":
        info = {
            "name": os.environ.get("AGENT_NAME", "script"),
            "version": os.environ.get("AGENT_VERSION", "1.0.0"),
        }
        capabilities = json.loads(os.environ.get("AGENT_CAPABILITIES", "{}"))
        return {"protocolVersion": 1, "agentCapabilities": capabilities, "agentInfo": info}
    if method in ("session/new", "session/load", "session/resume"):
        name = "session-%d" % (len(FOLDERS) + 1)
        if os.environ.get("AGENT_SESSIONS") == "uuid":
            name = str(uuid.uuid4())
        session = params.get("sessionId") or name
        FOLDERS[session] = params["cwd"]
        return {"sessionId": session} if method == "session/new" else {}
    return {}


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "method" not in message:
            arrived = PENDING[message["id"]]
            arrived[1] = message.get("result", message.get("error"))
            arrived[0].set()
        elif message["method"] == "session/cancel":
            CANCELLED[message["params"]["sessionId"]].set()
        elif message["method"] == "session/prompt":
            threading.Thread(target=turn, args=[message], daemon=True).start()
        elif "id" in message:
            send({"id": message["id"], "result": answer(message)})
    if os.environ.get("IGNORE_EOF"):
        time.sleep(3600)


main()
