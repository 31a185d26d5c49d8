"""Calls and what comes back, byte by byte."""

import asyncio
import json

from stage import ClientCase, both_clients

from tenon_ipc import InvalidMessage, ConnectionLost, MessageTooLarge, RequestTimeout, RpcError

#: Lines that are no messages.
GARBAGE = [
    b"Listening on port 8080",
    b'{"jsonrpc":"2.0","id":1,"result":"\xff\xfe"}',
    b'{"jsonrpc":"2.0","id":1,"result":NaN}',
    b'{"jsonrpc":"2.0","id":1,"result":[-Infinity]}',
    b'{"jsonrpc":"2.0","id":1,"result":1} {}',
    b"\xef\xbb\xbf{}",
    b"[" * 200_000,
    b"[]",
    b"5",
    b"{}",
]


@both_clients
class Requests(ClientCase):
    async def test_the_bytes_of_requests_and_notifications(self):
        client, peer = await self.connected()
        calls = [self.request(client, "m")]
        self.assertEqual(await peer.line(), b'{"jsonrpc":"2.0","id":1,"method":"m"}\n')
        calls.append(self.request(client, "größe", {"a": [1, 2**70, "é\n"]}))
        expected = '{"jsonrpc":"2.0","id":2,"method":"größe","params":{"a":[1,%d,"é\\n"]}}\n'
        self.assertEqual((await peer.line()).decode(), expected % 2**70)
        await client.notify("n", [None])
        self.assertEqual(await peer.line(), b'{"jsonrpc":"2.0","method":"n","params":[null]}\n')
        await peer.send(id=2, result=None)
        await peer.send(id=1, result=2**70)
        self.assertEqual(await asyncio.gather(*calls), [2**70, None])

    async def test_what_cannot_be_sent_is_refused_and_takes_no_number(self):
        client, peer = await self.connected(max_message_bytes=1000)
        for params in ([float("nan")], [object()], "\ud800"):
            with self.assertRaises(InvalidMessage):
                await client.request("m", params)
        with self.assertRaisesRegex(MessageTooLarge, "limit of 1000 bytes") as caught:
            await client.notify("m", "x" * 1000)
        self.assertEqual(caught.exception.code, "TOO_LARGE")
        call = self.request(client, "m")
        self.assertEqual((await peer.message())["id"], 1)
        await peer.send(id=1, result=True)
        self.assertTrue(await call)

    async def test_a_timeout_takes_the_call_back(self):
        client, peer = await self.connected()
        call = self.request(client, "slow", timeout=0.05)
        await peer.line()
        with self.assertRaisesRegex(TimeoutError, "'slow' within 0.05 s") as caught:
            await call
        self.assertIsInstance(caught.exception, RequestTimeout)
        self.assertEqual(caught.exception.code, "TIMEOUT")
        cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}}
        self.assertEqual(await peer.message(), cancel)
        await peer.send(id=1, result="late")
        call = self.request(client, "m")
        await peer.send(id=(await peer.message())["id"], result="in time")
        self.assertEqual(await call, "in time")
        self.assertEqual(self.errors, [])

    async def test_times_that_are_none(self):
        client, _ = await self.connected()
        for timeout in (-1, float("nan")):
            with self.assertRaisesRegex(ValueError, "a number of seconds"):
                await client.request("m", timeout=timeout)

    async def test_batches(self):
        client, peer = await self.connected()
        self.assertEqual(await client.batch([]), [])
        calls = [("a", None), ("b", [1]), ("c", None), ("d", None)]
        batch = asyncio.ensure_future(client.batch(calls, timeout=2))
        line = await peer.line()
        expected = [{"jsonrpc": "2.0", "id": n, "method": m} for n, m in enumerate("abcd", 1)]
        expected[1]["params"] = [1]
        self.assertEqual(json.loads(line), expected)
        error = {"code": 7, "message": "no", "data": [1]}
        await peer.write(
            json.dumps([{"id": 3, "result": "three"}, {"id": 1, "error": error}]).encode() + b"\n"
        )
        await peer.send(id=2, result=None)
        one, two, three, four = await batch
        self.assertEqual((one.code, one.message, one.data), (7, "no", [1]))
        self.assertEqual((two, three), (None, "three"))
        self.assertIsInstance(four, RequestTimeout)
        self.assertEqual((await peer.message())["params"], {"id": 4})


@both_clients
class Answers(ClientCase):
    async def test_any_pieces(self):
        client, peer = await self.connected()
        text = "aé€😀" * 3
        answer = '{"jsonrpc":"2.0","id":%d,"result":"' + text + '"}\r\n'
        cuts = range(1, len((answer % 10).encode()))
        for id, cut in enumerate(cuts, 1):
            call = self.request(client, "m")
            await peer.line()
            data = (answer % id).encode()
            await peer.write(data[:cut])
            await asyncio.sleep(0)
            await peer.write(data[cut:])
            self.assertEqual(await call, text, f"cut at {cut}")

    async def test_each_byte_alone(self):
        client, peer = await self.connected()
        call = self.request(client, "m")
        await peer.line()
        for byte in '\r\n\n  \n{"jsonrpc":"2.0","id":1,"result":"é😀"}\n'.encode():
            await peer.write(bytes([byte]))
            await asyncio.sleep(0.001)
        self.assertEqual(await call, "é😀")

    async def test_any_order(self):
        client, peer = await self.connected()
        calls = [self.request(client, "m", [n]) for n in range(50)]
        messages = [await peer.message() for _ in calls]
        for message in reversed(messages):
            await peer.send(id=message["id"], result=message["params"][0])
        self.assertEqual(await asyncio.gather(*calls), list(range(50)))

    async def test_answers_that_nobody_waits_for(self):
        client, peer = await self.connected()
        call = self.request(client, "m")
        await peer.line()
        for id in (99, "1", 1.0, -1, None):
            await peer.send(id=id, result="wrong")
        await peer.write(b'[{"jsonrpc":"2.0","id":1,"result":"right"}]\n')
        await peer.send(id=1, result="twice")
        self.assertEqual(await call, "right")
        call = self.request(client, "m")
        await peer.line()
        await peer.send(id=1, result="three times")
        await peer.send(id=2, result="next")
        self.assertEqual(await call, "next")
        self.assertEqual(self.errors, [])

    async def test_garbage_is_told_and_skipped(self):
        client, peer = await self.connected()
        call = self.request(client, "m")
        await peer.line()
        for count, line in enumerate(GARBAGE, 1):
            await peer.write(line + b"\n")
            await self.until(lambda count=count: len(self.errors) >= count)
            self.assertIsInstance(self.errors[-1], InvalidMessage, line[:40])
        await peer.send(id=1, result="still here")
        self.assertEqual(await call, "still here")
        self.assertEqual(len(self.errors), len(GARBAGE))
        self.assertIn("Listening on port 8080", str(self.errors[0]))

    async def test_errors(self):
        client, peer = await self.connected()
        call = self.request(client, "m")
        await peer.line()
        await peer.send(id=1, error={"code": -32001, "message": "no", "data": {"é": [1]}})
        with self.assertRaises(RpcError) as caught:
            await call
        error = caught.exception
        self.assertEqual((error.code, error.message, error.data), (-32001, "no", {"é": [1]}))
        await peer.send(id=None, error={"code": -32700, "message": "Parse error"})
        await self.until(lambda: self.errors)
        self.assertEqual(self.errors[0].code, -32700)

    async def test_answers_that_are_neither_result_nor_error(self):
        client, peer = await self.connected()
        call = self.request(client, "m")
        await peer.line()
        await peer.send(id=1, error="no")
        with self.assertRaisesRegex(InvalidMessage, "neither a result nor an error"):
            await call
        call = self.request(client, "m")
        await peer.line()
        # Some servers leave out a result that is undefined.
        await peer.send(id=2)
        self.assertIsNone(await call)

    async def test_a_line_that_is_too_long_ends_the_connection(self):
        client, peer = await self.connected()
        call = self.request(client, "m")
        await peer.line()
        data = b'{"jsonrpc":"2.0","id":1,"result":"' + b"x" * (20 * 2**20) + b'"}\n'
        # The client is gone before it is all written.
        peer.writer.write(data)
        with self.assertRaisesRegex(ConnectionLost, "max_message_bytes"):
            await call
        await self.until(lambda: self.errors)
        self.assertIsInstance(self.errors[0], MessageTooLarge)
        self.assertEqual(client.state, "disconnected")

    async def test_a_long_line_within_the_limit(self):
        client, peer = await self.connected(max_message_bytes=2**25)
        call = self.request(client, "m")
        await peer.line()
        await peer.send(id=1, result="é" * (2 * 2**20))
        self.assertEqual(len(await call), 2 * 2**20)

    async def test_headers(self):
        client, peer = await self.connected(framing="headers")
        call = self.request(client, "m", ["é"])
        body = '{"jsonrpc":"2.0","id":1,"method":"m","params":["é"]}'.encode()
        expected = b"Content-Length: %d\r\n\r\n" % len(body) + body
        self.assertEqual(await peer.reader.readexactly(len(expected)), expected)
        body = '{"jsonrpc":"2.0","id":1,"result":"é"}'.encode()
        for byte in b"content-length:%d\r\n\r\n" % len(body) + body:
            await peer.write(bytes([byte]))
            await asyncio.sleep(0)
        self.assertEqual(await call, "é")
        call = self.request(client, "m")
        await peer.reader.readuntil(b"}")
        await peer.write(b"Listening on port 8080\r\n")
        with self.assertRaisesRegex(ConnectionLost, "framing='lines'"):
            await call
