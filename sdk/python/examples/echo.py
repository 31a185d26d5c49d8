#!/usr/bin/env python3
"""Both clients, with a server to try them on.

tenon echo --socket /tmp/echo.sock &
python3 examples/echo.py echo
"""

import asyncio
import sys

from tenon_ipc import AsyncClient, Client, RpcError


def without_asyncio(name):
    with Client(name) as client:
        print("1 + 2 =", client.request("add", [1, 2], timeout=5))
        try:
            client.request("fail", {"code": 7, "message": "as asked", "data": ["why"]})
        except RpcError as error:
            print(f"refused: {error.message}, {error.code}, {error.data}")
        client.request("emit", {"count": 3})
        for method, params in client.notifications(timeout=0.1):
            print("told:", method, params)


async def with_asyncio(name):
    async with AsyncClient(name) as client:
        print("1 + 2 =", await client.request("add", [1, 2], timeout=5))
        client.on_request("ask", lambda params: f"you asked {params}")
        print(await client.request("call_back", {"method": "ask", "params": ["me"]}))
        sums = await client.batch([("add", [n, n]) for n in range(3)])
        print("in one message:", sums)


if __name__ == "__main__":
    socket_name = sys.argv[1] if len(sys.argv) > 1 else "echo"
    without_asyncio(socket_name)
    asyncio.run(with_asyncio(socket_name))
