#!/usr/bin/env python3
"""An action of Terraform in Python, without any library: posts messages to a webhook.

While it runs it reports its progress, in events, which have no answer. It handles one action
after the other, so that what it tells is never about another one.

Try it:

    echo '{"jsonrpc":"2.0","id":1,"method":"invoke","params":{"props":{"url":"http://localhost:8000","messages":["hi"]}}}' | ./notify.py
"""

import json
import sys
import urllib.request

wire = sys.stdout
# From here on a stray print goes to stderr instead of breaking the protocol.
sys.stdout = sys.stderr


def send(message):
    """One line, without line breaks inside, and flushed: the provider waits for it."""
    wire.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    wire.flush()


def problem(props):
    """What is wrong with the props, and where, if something is."""
    if not isinstance(props.get("url"), str) or not props["url"].startswith(("http://", "https://")):
        return "a URL that begins with http:// or https:// is required", ["props", "url"]
    messages = props.get("messages")
    if not isinstance(messages, list):
        return "a list of messages is required", ["props", "messages"]
    for index, message in enumerate(messages):
        if not isinstance(message, str):
            return "a string is required", ["props", "messages", str(index)]
    return None


def invoke(params):
    props = params["props"]
    wrong = problem(props)
    if wrong:
        detail, path = wrong
        diagnostic = {
            "severity": "error",
            "summary": "wrong props",
            "detail": detail,
            "propPath": path,
        }
        return {"diagnostics": [diagnostic]}
    messages = props["messages"]
    for number, message in enumerate(messages, start=1):
        told = {"message": f"sending {number} of {len(messages)}"}
        send({"method": "invokeProgress", "params": told})
        request = urllib.request.Request(
            props["url"],
            data=json.dumps({"text": message}).encode(),
            headers={"Content-Type": "application/json"},
        )
        # Without a limit, a server that does not answer would keep Terraform waiting.
        with urllib.request.urlopen(request, timeout=10) as response:
            response.read()
    return {"done": True}


METHODS = {
    "health": lambda params: {"ok": True},
    "invoke": invoke,
    "shutdown": lambda params: {},
}


def answer(request):
    """What to answer: a result, or an error."""
    method = METHODS.get(request["method"])
    if method is None:
        return {"error": {"code": -32601, "message": "Method not found"}}
    try:
        return {"result": method(request.get("params") or {})}
    except Exception as error:  # A fault in one call must not end the others.
        return {"error": {"code": -32000, "message": str(error) or repr(error)}}


def main():
    for line in sys.stdin.buffer:  # Ends when the provider closes our stdin.
        if not line.strip():
            continue
        request = json.loads(line)
        response = answer(request)
        # An event has no id and gets no answer.
        if "id" in request:
            send({"id": request["id"], **response})
        if request["method"] == "shutdown":
            break


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        pass  # The provider is gone.
