"""The limit in Python: reads messages, decodes them, and echoes their params. `raw.py lines` or `raw.py headers`."""

import json
import os
import sys

decode = json.JSONDecoder().decode
encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def answer(message):
    request = decode(message.decode())
    return encode({"jsonrpc": "2.0", "id": request["id"], "result": request["params"]}).encode()


def lines():
    rest = b""
    while data := os.read(0, 65536):
        *whole, rest = (rest + data).split(b"\n")
        os.write(1, b"".join([answer(line) + b"\n" for line in whole]))


def headers():
    rest = b""
    while data := os.read(0, 65536):
        rest += data
        answers = []
        while (end := rest.find(b"\r\n\r\n")) > 0:
            length = int(rest[16:end])
            if len(rest) < end + 4 + length:
                break
            body = answer(rest[end + 4 : end + 4 + length])
            answers.append(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            rest = rest[end + 4 + length :]
        os.write(1, b"".join(answers))


lines() if sys.argv[1] == "lines" else headers()
