"""A script that says its secrets in every spelling that Python has: on stderr, on stdout, in errors
and in diagnostics. The spellings are kept in spellings.json, for the test to look for."""

import base64
import html
import json
import os
import shlex
import sys
import urllib.parse

sys.stdout.reconfigure(encoding="utf-8")
sys.stderr.reconfigure(encoding="utf-8")


def spellings(secret):
    data = secret.encode()
    pair = f"user:{secret}".encode()
    yield secret
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield json.dumps(json.dumps({"secret": secret}))
    yield repr(secret)[1:-1]
    yield ascii(secret)[1:-1]
    yield repr(data)[2:-1]
    yield shlex.quote(secret)
    yield html.escape(secret)
    yield urllib.parse.quote(secret, safe="")
    yield urllib.parse.quote(secret)
    yield urllib.parse.quote_plus(secret)
    yield data.hex()
    yield data.hex().upper()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        yield encode(data).decode()
        yield encode(data).decode().rstrip("=")
        yield encode(pair).decode()


def blab(secrets, how):
    said = [spelling for secret in secrets for spelling in spellings(secret)]
    with open("spellings.json", "w", encoding="utf-8") as file:
        json.dump(said, file)
    for spelling in said:
        print("[WARN] it is", spelling, file=sys.stderr, flush=True)
        # The last of these are cut when they are quoted.
        for length in (0, 100, 110):
            print("x" * length, spelling, flush=True)
    if how == "exit":
        os._exit(3)
    return " ".join(said)


def answer(method, params):
    if method == "health":
        return {"result": {"ok": True}}
    if method == "create":
        how = params["props"]["how"]
        given = params["writeOnlyProps"]
        token = given["header"].removeprefix("Bearer ")
        said = blab([given["secret"], token], how)
        if how == "error":
            return {"error": {"code": -32000, "message": "refused: " + said}}
        warning = {"severity": "warning", "summary": "Said", "detail": said}
        return {"result": {"id": "a", "state": {}, "diagnostics": [warning]}}
    if method == "read":
        return {"result": {"props": {"how": "answer"}, "state": {}}}
    return {"result": {"done": True}}


for line in sys.stdin:
    request = json.loads(line)
    if request["method"] == "shutdown":
        break
    answered = answer(request["method"], request.get("params", {}))
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answered}), flush=True)
