"""The notes of the examples on the `msgpack` library: a second implementation of the plugin side."""

import os
import sys

import msgpack

sys.path.insert(0, os.environ["EXAMPLES"])
from msgpack_lite import UNKNOWN  # noqa: E402
from notes import Failed, Notes  # noqa: E402


def main():
    notes, stdout = Notes(), sys.stdout.buffer
    # Any ext is an unknown value: its refinements are of no use here.
    unpacker = msgpack.Unpacker(strict_map_key=False, ext_hook=lambda code, data: UNKNOWN)
    packer = msgpack.Packer(default=lambda value: msgpack.ExtType(0, b"\0"))
    while data := os.read(0, 65536):
        unpacker.feed(data)
        for message in unpacker:
            if message[0] != 0:
                continue
            _, number, method, params = message
            handler = getattr(notes, method.replace("/", "_"), None)
            error = result = None
            try:
                if method == "shutdown":
                    result = {}
                elif handler:
                    result = handler(params[0] if params else {})
                else:
                    error = [-32601, "no such method"]
            except Failed as failed:
                error = failed.answer
            stdout.write(packer.pack([1, number, error, result]))
            stdout.flush()
            if method == "shutdown":
                return


main()
