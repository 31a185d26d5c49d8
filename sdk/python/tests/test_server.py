"""The server, with both clients, with ``tenon call``, and with bytes that are chosen."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from tenon_ipc import AsyncClient, Client, ConnectionLost, IpcError, ListenFailed, RpcError, Server, Session

WATCHDOG_SECONDS = 60


def methods(server: Server) -> None:
    @server.method("add")
    def add(params: Any) -> Any:
        return sum(params)

    @server.method("whoami")
    async def whoami(params: Any, session: Session) -> Any:
        return {"id": session.id, "user": session.user}

    @server.method("ask_back")
    async def ask_back(params: Any, session: Session) -> Any:
        return await session.request("ask", params)

    @server.method("sleep")
    async def sleep(params: Any) -> Any:
        await asyncio.sleep(params)

    @server.method("fail")
    async def fail(params: Any) -> Any:
        if params == "known":
            raise RpcError(7, "as asked", {"a": 1})
        raise ValueError("a secret")


class Servers(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = str(Path(folder.name) / "s.sock")
        self.errors: list[Exception] = []
        self.heard: list[Any] = []
        self.server = Server(
            self.path,
            on_error=self.errors.append,
            on_notification=lambda session, method, params: self.heard.append((method, params)),
        )
        methods(self.server)
        await self.server.start()
        self.addAsyncCleanup(self.server.close)

    async def raw(self, sent: bytes, is_ended: bool = True) -> bytes:
        reader, writer = await asyncio.open_unix_connection(self.path)
        writer.write(sent)
        if is_ended:
            writer.write_eof()
        found = await asyncio.wait_for(reader.read(), WATCHDOG_SECONDS)
        writer.close()
        await writer.wait_closed()
        return found

    async def test_calls(self) -> None:
        async with AsyncClient(self.path) as client:
            self.assertEqual(await client.request("add", [1, 2]), 3)
            self.assertEqual((await client.request("whoami"))["user"], os.getuid())
            with self.assertRaises(RpcError) as caught:
                await client.request("fail", "known")
            self.assertEqual((caught.exception.code, caught.exception.data), (7, {"a": 1}))
            with self.assertRaises(RpcError) as caught:
                await client.request("fail", "unknown")
            self.assertNotIn("secret", str(caught.exception))
            self.assertEqual(str(self.errors[0]), "a secret")
            with self.assertRaises(RpcError) as caught:
                await client.request("nothing")
            self.assertEqual(caught.exception.code, -32601)
            self.assertEqual(await client.batch([("add", [1]), ("add", [2, 3])]), [1, 5])

    async def test_calls_in_both_directions(self) -> None:
        async with AsyncClient(self.path, framing="headers") as client:
            client.on_request("ask", lambda params: {"asked": params})
            self.assertEqual(await client.request("ask_back", [5]), {"asked": [5]})
            self.assertEqual(self.server.broadcast("news", {"page": 3}), 1)
            async for method, params in client.notifications(timeout=WATCHDOG_SECONDS):
                self.assertEqual((method, params), ("news", {"page": 3}))
                break
            await client.notify("seen", [1])
            await client.request("add", [])
            self.assertEqual(self.heard, [("seen", [1])])

    async def test_calls_of_a_client_that_does_not_read_wait(self) -> None:
        states: list[str] = []

        class Transport(asyncio.Transport):
            def get_extra_info(self, name: str, default: Any = None) -> Any:
                return None

            def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
                states.append(f"limit {high}")

            def pause_reading(self) -> None:
                states.append("paused")

            def resume_reading(self) -> None:
                states.append("reads")

            def is_closing(self) -> bool:
                return False

            def write(self, data: Any) -> None:
                states.append("answer")

        session = Session(self.server, 99)
        session.connection_made(Transport())
        session.pause_writing()
        session.data_received(b'{"jsonrpc":"2.0","id":1,"method":"whoami"}\n')
        (task,) = session._running
        await task
        await asyncio.sleep(0)
        session.resume_writing()
        session.connection_lost(None)
        self.assertEqual(states, ["limit 8388608", "paused", "paused", "answer", "paused", "reads"])

    async def test_a_client_that_reads_late_gets_all_answers(self) -> None:
        @self.server.method("blob")
        async def blob(params: Any) -> Any:
            return "x" * 2**20

        count = 40
        calls = [b'{"jsonrpc":"2.0","id":%d,"method":"blob"}\n' % id for id in range(count)]
        reader, writer = await asyncio.open_unix_connection(self.path, limit=2**22)
        for call in calls:
            writer.write(call)
            await writer.drain()
        found = {json.loads(await reader.readline())["id"] for _ in range(count)}
        self.assertEqual(found, set(range(count)))
        writer.close()
        await writer.wait_closed()

    async def test_a_call_can_be_cancelled(self) -> None:
        sent = b'{"jsonrpc":"2.0","id":1,"method":"sleep","params":3600}\n'
        sent += b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}\n'
        answer = json.loads(await self.raw(sent))
        self.assertEqual((answer["id"], answer["error"]["code"]), (1, -32800))

    async def test_what_is_not_a_message(self) -> None:
        for sent, code, id in [
            (b"no json\n", -32700, None),
            (b'"text"\n', -32600, None),
            (b'{"jsonrpc":"2.0","id":4,"method":5}\n', -32600, 4),
            (b"[]\n", -32600, None),
            (b"Content-Length: no\r\n\r\n", -32600, None),
        ]:
            with self.subTest(sent=sent):
                found = await self.raw(sent)
                answer = json.loads(found[found.index(b"{") :])
                self.assertEqual((answer["error"]["code"], answer["id"]), (code, id))

    async def test_what_was_asked_before_the_end_is_answered(self) -> None:
        found = await self.raw(b'{"jsonrpc":"2.0","id":1,"method":"sleep","params":0.01}\n')
        self.assertEqual(json.loads(found), {"jsonrpc": "2.0", "id": 1, "result": None})

    async def test_a_client_that_is_gone_is_forgotten(self) -> None:
        client = AsyncClient(self.path)
        await client.connect()
        await client.request("add", [])
        session = self.server.sessions[0]
        await client.close()
        while self.server.sessions:
            await asyncio.sleep(0.001)
        self.assertFalse(session.is_open)
        self.assertFalse(session.notify("x"))
        with self.assertRaises(ConnectionLost):
            await session.request("x")

    async def test_too_many_clients(self) -> None:
        self.server.max_clients = 1
        async with AsyncClient(self.path) as first, AsyncClient(self.path) as second:
            await first.request("add", [])
            # As NotConnected, if the client has noticed it before the call.
            with self.assertRaises(IpcError) as caught:
                await second.request("add", [])
            self.assertIn("too many clients", str(caught.exception))

    async def test_other_users_are_refused(self) -> None:
        from unittest import mock

        with mock.patch("tenon_ipc.session.user_of", return_value=os.getuid() + 1):
            async with AsyncClient(self.path) as client:
                with self.assertRaises(IpcError) as caught:
                    await client.request("add", [])
                self.assertIn("may not use this server", str(caught.exception))

    async def test_the_socket_is_private_and_removed_at_the_end(self) -> None:
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)
        await self.server.close()
        self.assertFalse(os.path.exists(self.path))

    async def test_a_live_server_is_not_replaced(self) -> None:
        with self.assertRaisesRegex(ListenFailed, "already listening"):
            await Server(self.path).start()
        file = self.path + "2"
        Path(file).touch()
        with self.assertRaisesRegex(ListenFailed, "not a socket"):
            await Server(file).start()

    async def test_the_socket_of_a_dead_server_is_replaced(self) -> None:
        path = self.path + "3"
        dead = socket.socket(socket.AF_UNIX)
        dead.bind(path)
        dead.close()
        async with Server(path, {"add": lambda params: sum(params)}), AsyncClient(path) as client:
            self.assertEqual(await client.request("add", [4]), 4)

    async def test_the_client_without_asyncio(self) -> None:
        def use() -> Any:
            with Client(self.path) as client:
                return client.request("add", [1, 2, 3])

        self.assertEqual(await asyncio.to_thread(use), 6)

    async def test_a_new_connect_does_not_wait_for_the_pause(self) -> None:
        client = AsyncClient(self.path, reconnect=True, reconnect_delay=3600, max_reconnect_delay=3600)
        await client.connect()
        await client.request("add", [])
        self.server.sessions[0].close()
        while client.state != "reconnecting":
            await asyncio.sleep(0.001)
        await asyncio.wait_for(client.connect(), WATCHDOG_SECONDS)
        self.assertEqual(await client.request("add", [1]), 1)
        await client.close()


class Commands(unittest.IsolatedAsyncioTestCase):
    async def test_tenon_call(self) -> None:
        if "TENON" not in os.environ:
            self.skipTest("the variable TENON has to name the command tenon")
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "s.sock")
            async with Server(path, {"add": lambda params: sum(params)}):
                command = [os.environ["TENON"], "call", "add", "[1,2]", "--socket", path]
                done = await asyncio.to_thread(
                    subprocess.run, command, capture_output=True, timeout=WATCHDOG_SECONDS
                )
                self.assertEqual(done.stdout, b"3\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
