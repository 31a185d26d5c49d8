"""What comes unasked: notifications, callbacks, and calls from the server."""

import asyncio
import json
import logging
import threading

from stage import ClientCase, both_clients

from tenon_ipc import InvalidMessage, MessageTooLarge, RpcError
from tenon_ipc._handlers import LIMIT


@both_clients
class Notifications(ClientCase):
    async def test_in_their_order_until_the_end(self):
        client, peer = await self.connected()
        for number in range(100):
            await peer.send(method="tick", params=[number])
        await peer.send(method="tock")
        peer.writer.close()
        found = [item async for item in client.notifications()]
        expected = [("tick", [number]) for number in range(100)] + [("tock", None)]
        self.assertEqual(found, expected)

    async def test_nobody_is_waited_for_longer_than_asked(self):
        client, peer = await self.connected()
        call = self.request(client, "m")
        await peer.line()
        await peer.send(method="tick")
        await peer.send(id=1, result=None)
        await call
        found = [item async for item in client.notifications(timeout=0.05)]
        self.assertEqual(found, [("tick", None)])

    async def test_closing_ends_the_iteration(self):
        client, _ = await self.connected()

        async def collect():
            return [item async for item in client.notifications()]

        collected = asyncio.ensure_future(collect())
        await asyncio.sleep(0.02)
        await client.close()
        self.assertEqual(await collected, [])

    async def test_the_oldest_are_dropped_and_counted(self):
        client, peer = await self.connected()
        lines = b"".join(b'{"jsonrpc":"2.0","method":"n","params":[%d]}\n' % n for n in range(1500))
        await peer.write(lines)
        await self.until(lambda: client.dropped == 1500 - 1024)
        found = [params[0] async for _, params in client.notifications(timeout=0.05)]
        self.assertEqual(found, list(range(1500 - 1024, 1500)))

    async def test_a_callback_takes_them(self):
        found = []
        client, peer = await self.connected(on_notification=lambda *item: found.append(item))
        for number in range(100):
            await peer.send(method="tick", params=[number])
        await self.until(lambda: len(found) == 100)
        self.assertEqual(found, [("tick", [number]) for number in range(100)])
        with self.assertRaisesRegex(RuntimeError, "use one or the other"):
            async for _ in client.notifications():
                self.fail("both")

    async def test_a_callback_that_fails_is_told_and_ends_nothing(self):
        def fail(*_):
            raise LookupError("a mistake")

        client, peer = await self.connected(on_notification=fail, on_connect=fail)
        await peer.send(method="tick")
        await self.until(lambda: len(self.errors) == 2)
        self.assertIsInstance(self.errors[1], LookupError)
        self.assertEqual(client.state, "connected")

    async def test_on_error_may_fail_too(self):
        def fail(*_):
            raise LookupError("a mistake")

        with self.assertLogs("tenon_ipc", logging.ERROR) as logs:
            client, peer = await self.connected(on_error=fail)
            await peer.write(b"garbage\n")
            await self.until(lambda: logs.output)
        self.assertEqual(client.state, "connected")

    async def test_debug_shows_every_message(self):
        lines = []
        client, peer = await self.connected(debug=lines.append)
        call = self.request(client, "m", ["é"])
        await peer.line()
        await peer.send(id=1, result="x" * 2000)
        await call
        self.assertEqual(lines[0], '--> {"jsonrpc":"2.0","id":1,"method":"m","params":["é"]}')
        self.assertTrue(lines[1].startswith('<-- {"jsonrpc": "2.0", "id": 1'), lines[1])
        self.assertTrue(lines[1].endswith("xxx .."), "cut somewhere")


@both_clients
class CallsFromTheServer(ClientCase):
    async def answer(self, peer, **request):
        await peer.send(**request)
        return await peer.message()

    async def test_each_is_answered_once(self):
        client, peer = await self.connected(max_message_bytes=10_000)

        def refuse(params):
            raise RpcError(7, "not now", {"retry": True})

        def crash(params):
            raise LookupError("hunter2")

        client.on_request("twice", lambda params: params * 2)
        client.on_request("refuse", refuse)
        client.on_request("crash", crash)
        client.on_request("no_json", lambda params: object())
        client.on_request("long", lambda params: "x" * 20_000)
        found = await self.answer(peer, id="é", method="twice", params=[1])
        self.assertEqual(found, {"jsonrpc": "2.0", "id": "é", "result": [1, 1]})
        found = await self.answer(peer, id=None, method="twice", params="a")
        self.assertEqual(found, {"jsonrpc": "2.0", "id": None, "result": "aa"})
        found = await self.answer(peer, id=1.5, method="nope")
        error = {"code": -32601, "message": "Method not found", "data": {"method": "nope"}}
        self.assertEqual(found, {"jsonrpc": "2.0", "id": 1.5, "error": error})
        found = await self.answer(peer, id=2, method="refuse")
        self.assertEqual(found["error"], {"code": 7, "message": "not now", "data": {"retry": True}})
        self.assertEqual(self.errors, [])
        kinds = {"crash": LookupError, "no_json": InvalidMessage, "long": MessageTooLarge}
        for method, kind in kinds.items():
            found = await self.answer(peer, id=3, method=method)
            self.assertEqual(found["error"], {"code": -32603, "message": "Internal error"})
            await self.until(lambda: self.errors)
            self.assertIsInstance(self.errors.pop(), kind)
        found = await self.answer(peer, id=4, method=5)
        self.assertEqual(found["error"]["code"], -32600)

    async def test_cancelled_ones_are_answered_too(self):
        client, peer = await self.connected()
        release = threading.Event()
        self.addCleanup(release.set)

        def wait(params):
            if self.kind.__name__ == "AsyncClient":
                return asyncio.get_running_loop().create_future()
            release.wait()

        client.on_request("wait", wait)
        call = {"jsonrpc": "2.0", "id": 1, "method": "wait"}
        cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}}
        # In one piece: it is cancelled before it has begun.
        await peer.write(f"{json.dumps(call)}\n{json.dumps(cancel)}\n".encode())
        found = await peer.message()
        self.assertEqual((found["id"], found["error"]["code"]), (1, -32800))
        await peer.send(id=1, method="wait")
        for params in (None, {"id": "1"}, {"id": 1.0}, {"id": 2}):
            await peer.send(method="$/cancelRequest", params=params)
            for id in ("a", "b"):
                found = await self.answer(peer, id=id, method="nope")
                self.assertEqual(found["id"], id, f"cancelled by {params}")
        await peer.send(method="$/cancelRequest", params={"id": 1})
        self.assertEqual((await peer.message())["error"]["code"], -32800)
        release.set()

    async def test_no_more_than_the_limit_at_once(self):
        client, peer = await self.connected()
        release = threading.Event()
        self.addCleanup(release.set)
        waiting = []

        def wait(params):
            if self.kind.__name__ == "AsyncClient":
                waiting.append(asyncio.get_running_loop().create_future())
                return waiting[-1]
            release.wait()

        client.on_request("wait", wait)
        for id in range(LIMIT + 1):
            await peer.send(id=id, method="wait")
        found = await peer.message()
        self.assertEqual((found["id"], found["error"]["code"]), (LIMIT, -32000))
        release.set()
        for future in waiting:
            future.set_result(None)
        ids = {(await peer.message())["id"] for _ in range(LIMIT)}
        self.assertEqual(ids, set(range(LIMIT)))

    async def test_a_server_that_calls_and_does_not_read(self):
        client, peer = await self.connected()
        client.on_request("text", lambda params: "x" * 2000)
        peer.writer.transport.pause_reading()
        count = 3 * LIMIT
        for id in range(count):
            peer.writer.write(b'{"jsonrpc":"2.0","id":%d,"method":"text"}\n' % id)
        await asyncio.sleep(0.2)
        peer.writer.transport.resume_reading()
        answers = [await peer.message() for _ in range(count)]
        self.assertEqual({answer["id"] for answer in answers}, set(range(count)))
        refused = [answer for answer in answers if "error" in answer]
        self.assertEqual({answer["error"]["code"] for answer in refused}, {-32000})
