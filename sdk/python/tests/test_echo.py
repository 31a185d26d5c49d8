"""Both clients with the real server."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from echo_server import EchoServer
from stage import ClientCase, both_clients

from tenon_ipc import ConnectionLost, MessageTooLarge, RequestTimeout, RpcError

EXAMPLE = Path(__file__).parents[1] / "examples" / "echo.py"


@both_clients
class Echo(ClientCase):
    async def asyncSetUp(self):
        await super().asyncSetUp()
        self.server = EchoServer.start(self)
        self.path = self.server.path

    async def test_values_come_back(self):
        for framing in ("lines", "headers"):
            async with self.client(framing=framing) as client:
                for value in (
                    [1, -1.5, None, True, {"": {}}],
                    [2**64, -(2**63), 10**40],
                    ["é", "😀", '"\\\n\0\u2028'],
                    ["x" * 1_000_000],
                ):
                    self.assertEqual(await client.request("echo", value), value)
                self.assertIsNone(await client.request("echo"))
                self.assertEqual(await client.request("text", {"length": 10**7}), "x" * 10**7)
        self.assertEqual(self.errors, [])

    async def test_errors(self):
        async with self.client() as client:
            params = {"code": 12, "message": "as asked é", "data": [1]}
            with self.assertRaises(RpcError) as caught:
                await client.request("fail", params)
            error = caught.exception
            self.assertEqual((error.code, error.message, error.data), (12, "as asked é", [1]))
            with self.assertRaises(RpcError) as caught:
                await client.request("nope")
            self.assertEqual(caught.exception.code, -32601)
            self.assertEqual(caught.exception.data, {"method": "nope"})

    async def test_many_at_once(self):
        async with self.client() as client:
            slow = self.request(client, "sleep", {"ms": 300})
            calls = [self.request(client, "add", [n, n]) for n in range(200)]
            self.assertEqual(await asyncio.gather(*calls), [2 * n for n in range(200)])
            self.assertIsNone(await slow)

    async def test_batches(self):
        async with self.client() as client:
            sum, unknown, echo = await client.batch([("add", [1, 2]), ("nope", None), ("echo", [])])
        self.assertEqual((sum, unknown.code, echo), (3, -32601, []))

    async def test_events_both_ways(self):
        async with self.client() as client:
            self.assertEqual(await client.request("emit", {"count": 1000}), 1000)
            numbers = [p["number"] async for _, p in client.notifications(timeout=0.1)]
            self.assertEqual(numbers, list(range(1000)))
            for number in range(1000):
                await client.notify("tick", {"number": number})
            ticks = await client.request("ticks")
            self.assertEqual(ticks, {"count": 1000, "in_order": True})

    async def test_it_calls_back(self):
        async with self.client() as client:
            client.on_request("ask", lambda params: {"asked": params})
            result = await client.request("call_back", {"method": "ask", "params": {"é": 1}})
            self.assertEqual(result, {"asked": {"é": 1}})
            with self.assertRaises(RpcError) as caught:
                await client.request("call_back", {"method": "nobody"})
            self.assertEqual(caught.exception.code, -32601)

    async def test_timeouts(self):
        async with self.client(request_timeout=0.1) as client:
            with self.assertRaises(RequestTimeout):
                await client.request("sleep", {"ms": 60_000})
            self.assertEqual(await client.request("add", [1, 2], timeout=30), 3)

    async def test_limits(self):
        async with self.client(max_message_bytes=1000) as client:
            with self.assertRaises(MessageTooLarge):
                await client.request("echo", ["x" * 1000])
            with self.assertRaises(ConnectionLost):
                await client.request("text", {"length": 1000})

    async def test_it_is_killed_and_comes_back(self):
        async with self.client(reconnect=True, reconnect_delay=0.01) as client:
            # The event shows that the server has the calls: killed before, it would not lose them,
            # since the client keeps what it has not sent.
            calls = [("emit", {"count": 1}), ("sleep", {"ms": 60_000})]
            pending = asyncio.ensure_future(client.batch(calls, timeout=50))
            await anext(client.notifications())
            self.server.kill()
            self.assertIsInstance((await pending)[-1], ConnectionLost)
            call = self.request(client, "add", [3, 4])
            await asyncio.to_thread(self.server.run)
            self.assertEqual(await call, 7)
        self.assertTrue(all(error.code == "CONNECT_FAILED" for error in self.errors))


class Example(ClientCase):
    async def test_the_example_runs(self):
        server = EchoServer.start(self)
        found = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, str(EXAMPLE), server.path],
            env=os.environ,
            capture_output=True,
            text=True,
            timeout=50,
        )
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertEqual(found.stdout.splitlines().count("1 + 2 = 3"), 2, found.stdout)
