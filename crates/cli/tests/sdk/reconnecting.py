"""What the client of sdk/python does while it reconnects, and its errors, as JSON. reconnecting.mjs does the same.

    TENON=tenon python3 reconnecting.py SOCKET
"""

import asyncio
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../sdk/python/src"))

import tenon_ipc
from tenon_ipc import AsyncClient, ConnectionFailed, IpcError

SOCKET = sys.argv[1]


def serve():
    return subprocess.Popen([os.environ["TENON"], "echo", "--socket", SOCKET], stdin=subprocess.DEVNULL)


def end(server):
    server.kill()
    server.wait()


async def outcome(work):
    try:
        return await work
    except IpcError as error:
        return error.code


async def connected(client):
    while True:
        try:
            return await client.connect()
        except ConnectionFailed:
            await asyncio.sleep(0.01)


async def lost(client, server):
    """Ends the server, and waits until the client has seen it. What became of the call in progress."""
    call = asyncio.ensure_future(outcome(client.request("sleep", {"ms": 3_600_000}, timeout=600)))
    await client.request("add", [1, 2])
    end(server)
    return await call


async def main():
    found = {}
    client = AsyncClient(SOCKET, reconnect=True, reconnect_delay=0.01, max_reconnect_delay=0.05)
    found["a call before connect"] = await outcome(client.request("add", [1, 2]))
    found["connect without a server"] = await outcome(client.connect())
    server = serve()
    await connected(client)
    found["a call when the server ends"] = await lost(client, server)
    found["a call that cannot wait"] = await outcome(client.request("add", [1, 2], timeout=0.2))
    call = asyncio.ensure_future(outcome(client.request("add", [1, 2], timeout=600)))
    server = serve()
    found["a call that waits"] = await call
    await lost(client, server)
    call = asyncio.ensure_future(outcome(client.request("add", [1, 2], timeout=600)))
    await asyncio.sleep(0)
    await client.close()
    found["a call that waits when the client is closed"] = await call
    found["a call after close"] = await outcome(client.request("add", [1, 2]))

    server = serve()
    client = AsyncClient(SOCKET, reconnect=True, reconnect_delay=0.5, max_reconnect_attempts=2)
    await connected(client)
    await lost(client, server)
    found["a call that waits when it is given up"] = await outcome(client.request("add", [1, 2], timeout=600))
    found["a call after that"] = await outcome(client.request("add", [1, 2]))
    await client.close()

    kinds = [kind for kind in vars(tenon_ipc).values() if isinstance(kind, type) and issubclass(kind, IpcError)]
    errors = {kind.__name__: kind.code for kind in kinds if kind not in (IpcError, tenon_ipc.RpcError)}
    print(json.dumps({"errors": errors, "outcomes": found}))


asyncio.run(main())
