"""Connections: made, lost, made again, closed."""

import asyncio
import os
import socket
import tempfile
import unittest
from unittest import mock

from stage import ClientCase, both_clients

from tenon_ipc import (
    ConnectionFailed,
    ConnectionLost,
    IpcError,
    NotConnected,
    Refused,
    RequestTimeout,
    _socket,
)
from tenon_ipc.names import socket_path, socket_paths


class Names(unittest.TestCase):
    def test_where_sockets_are(self):
        table = {
            "myapp": "myapp.sock",
            "myapp.sock": "myapp.sock",
            "my.app": "my.app.sock",
        }
        for folder in (tempfile.gettempdir(), None, "", "relative", "/nowhere/at/all"):
            variables = {} if folder is None else {"XDG_RUNTIME_DIR": folder}
            with mock.patch.dict(os.environ, variables):
                if folder is None:
                    os.environ.pop("XDG_RUNTIME_DIR", None)
                for name, file in table.items():
                    paths = [f"/tmp/{file}"]
                    if folder == tempfile.gettempdir():
                        paths.insert(0, f"{folder}/{file}")
                    self.assertEqual(socket_paths(name), paths)
                    self.assertEqual(socket_path(name), paths[0])
                for path in ("./myapp", "a/b", "/run/my.app"):
                    self.assertEqual(socket_paths(path), [path])
        for name in ("", "a\0b"):
            self.assertRaisesRegex(ValueError, "is not the name of a socket", socket_path, name)


@both_clients
class Connecting(ClientCase):
    async def refused(self, text, **words):
        client = self.client(**words)
        with self.assertRaisesRegex(ConnectionFailed, text) as caught:
            async with client:
                self.fail("connected")
        self.assertEqual(caught.exception.code, "CONNECT_FAILED")
        await client.close()

    async def test_there_is_no_server(self):
        await self.refused(f"no such socket {self.path}; is the server running")
        with open(self.path, "w"):
            pass
        await self.refused("is not a socket")
        os.unlink(self.path)
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(self.path)
        await self.refused("no server listens")
        self.path = "/tmp/" + "x" * 200
        await self.refused("shorter path")

    async def test_a_failed_attempt_can_be_made_again(self):
        client = self.client()
        self.addAsyncCleanup(client.close)
        for _ in range(2):
            attempts = [client.connect(), client.connect()]
            for outcome in await asyncio.gather(*attempts, return_exceptions=True):
                self.assertIsInstance(outcome, ConnectionFailed)
                self.assertIn("is the server running", str(outcome))
            self.assertEqual(client.state, "disconnected")
        with self.assertRaisesRegex(NotConnected, "connect\\(\\)") as caught:
            await client.request("m")
        self.assertEqual(caught.exception.code, "NOT_CONNECTED")
        server = await self.serve()
        await asyncio.gather(client.connect(), client.connect())
        await client.connect()
        self.assertEqual(client.state, "connected")
        await server.accept()
        self.assertTrue(server.accepted.empty(), "one connection is enough")

    async def test_a_server_that_does_not_accept(self):
        with socket.socket(socket.AF_UNIX) as busy, socket.socket(socket.AF_UNIX) as first:
            busy.bind(self.path)
            busy.listen(0)
            first.connect(self.path)
            await self.refused("accepted no connection within 0.2 s", connect_timeout=0.2)

    async def test_the_user_of_the_server(self):
        await self.serve()
        stranger = os.getuid() + 4711
        with mock.patch.object(_socket, "user_of", return_value=stranger):
            await self.refused(f"runs as user {stranger}.*allow_users=\\[{stranger}\\]")
            await self.refused(f"runs as user {stranger}", allow_users=[stranger + 1])
            for trusted in ([stranger], "any"):
                async with self.client(allow_users=trusted) as client:
                    self.assertEqual(client.state, "connected")
        with mock.patch.object(_socket, "user_of", return_value=0):
            async with self.client():
                pass

    async def test_the_folder_of_the_user_comes_first_and_tmp_second(self):
        name = f"tenon-test-python-{os.getpid()}"
        own, reference = f"{self.folder.name}/{name}.sock", f"/tmp/{name}.sock"
        with mock.patch.dict(os.environ, {"XDG_RUNTIME_DIR": self.folder.name}):
            self.path = name
            await self.refused(f"no such socket {own}, nor {reference}; is the server running")
            for path in (reference, own):
                self.path = path
                server = await self.serve()
                self.path = name
                async with self.client() as client:
                    await server.accept()
                    self.assertEqual(client.path, path)

    async def test_a_folder_of_the_user_that_is_not_theirs_alone(self):
        self.path = "myapp"
        with mock.patch.dict(os.environ, {"XDG_RUNTIME_DIR": self.folder.name}):
            os.chmod(self.folder.name, 0o755)
            await self.refused("others have access to it .mode 755.; unset it")
            os.chmod(self.folder.name, 0o700)
            with mock.patch("os.getuid", return_value=os.getuid() + 4711):
                await self.refused("XDG_RUNTIME_DIR .* is not used: it belongs to user")

    async def test_sockets_that_others_could_replace(self):
        await self.serve()
        os.chmod(self.folder.name, 0o777)
        await self.refused("all users can replace the socket")
        async with self.client(allow_users="any"):
            pass
        os.chmod(self.folder.name, 0o1777)
        async with self.client():
            pass
        if os.getuid() != 0:
            return
        os.lchown(self.path, 65534, -1)
        await self.refused("the socket .* belongs to user 65534.*allow_users=.65534.")
        async with self.client(allow_users=[65534]):
            pass
        os.lchown(self.path, 0, -1)
        os.chown(self.folder.name, 65534, -1)
        await self.refused("the folder of the socket .* belongs to user 65534")

    async def test_windows(self):
        with mock.patch("sys.platform", "win32"):
            await self.refused("named pipes")

    async def test_settings_that_make_no_sense(self):
        async def callback():
            pass

        for words in (
            {"framing": "xml"},
            {"allow_users": "root"},
            {"request_timeout": -1},
            {"max_message_bytes": 511},
        ):
            self.assertRaises(ValueError, self.client, **words)
        self.assertRaises(TypeError, self.client, on_connect=callback)


class Users(unittest.TestCase):
    @unittest.skipUnless(hasattr(socket, "SO_PEERCRED"), "this system does not tell")
    def test_the_kernel_says_who_it_is(self):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            self.assertEqual(_socket.user_of(ours), os.getuid())


@both_clients
class Losing(ClientCase):
    async def test_pending_calls_fail_at_once(self):
        told = []
        client, peer = await self.connected(on_disconnect=told.append)
        calls = [self.request(client, "m", timeout=float("inf")) for _ in range(10)]
        for _ in calls:
            await peer.line()
        peer.abort()
        for outcome in await asyncio.gather(*calls, return_exceptions=True):
            self.assertIsInstance(outcome, ConnectionLost)
            self.assertEqual(outcome.code, "DISCONNECTED")
        await client.wait_closed()
        await self.until(lambda: told)
        self.assertIsInstance(told[0], ConnectionLost)
        self.assertEqual(client.state, "disconnected")
        with self.assertRaisesRegex(NotConnected, "the server closed the connection"):
            await client.request("m")

    async def test_a_server_that_lets_nobody_in_says_why(self):
        client, peer = await self.connected()
        call = self.request(client, "m")
        await peer.line()
        error = {"code": -32000, "message": "this server has too many clients already"}
        await peer.send(id=None, error=error)
        peer.writer.close()
        with self.assertRaisesRegex(Refused, "too many clients already .-32000") as caught:
            await call
        self.assertEqual(caught.exception.code, "REFUSED")
        self.assertIsInstance(caught.exception, ConnectionLost)
        # Whoever calls later gets to know it as well.
        with self.assertRaisesRegex(NotConnected, "too many clients already"):
            await client.request("m")

    async def test_the_last_line_needs_no_newline(self):
        client, peer = await self.connected()
        call = self.request(client, "m")
        await peer.line()
        await peer.write(b'{"jsonrpc":"2.0","id":1,"result":"last"}')
        peer.writer.close()
        self.assertEqual(await call, "last")

    async def test_connecting_again_by_hand(self):
        server = await self.serve()
        async with self.client() as client:
            (await server.accept()).abort()
            await client.wait_closed()
            await client.connect()
            peer = await server.accept()
            call = self.request(client, "m")
            await peer.send(id=(await peer.message())["id"], result=1)
            self.assertEqual(await call, 1)

    async def test_closing(self):
        told = []
        client, peer = await self.connected(on_disconnect=told.append)
        call = self.request(client, "m")
        await peer.line()
        # More than the system buffers: the rest is still ours to write when it closes.
        await client.notify("bye", "x" * 1_000_000)
        await client.close()
        with self.assertRaisesRegex(ConnectionLost, "the client was closed"):
            await call
        self.assertEqual(len((await peer.message())["params"]), 1_000_000)
        self.assertEqual(await peer.line(), b"")
        await client.close()
        await client.wait_closed()
        self.assertEqual((client.state, told), ("closed", [None]))
        for refused in (client.connect(), client.request("m"), client.notify("m")):
            with self.assertRaisesRegex(NotConnected, "make a new one"):
                await refused

    async def test_a_server_that_does_not_read(self):
        client, peer = await self.connected()
        peer.writer.transport.pause_reading()
        with self.assertRaisesRegex(RequestTimeout, "does not read"):
            while True:
                await client.notify("m", "x" * 100_000, timeout=0.1)
        # Nor does closing wait for it.
        await client.close()


@both_clients
class Reconnecting(ClientCase):
    async def test_a_server_that_turns_clients_away_is_not_stormed(self):
        attempts = []
        server = await self.serve()
        client = self.client(
            reconnect=True,
            reconnect_delay=0.001,
            max_reconnect_attempts=3,
            on_reconnecting=lambda attempt, _: attempts.append(attempt),
        )
        self.addAsyncCleanup(client.close)
        await client.connect()
        for _ in range(4):
            peer = await server.accept()
            await peer.send(id=None, error={"code": -32000, "message": "no room"})
            peer.writer.close()
        await client.wait_closed()
        await self.until(lambda: len(attempts) == 3)
        self.assertEqual(attempts, [1, 2, 3])

    async def test_a_server_that_starts_again(self):
        events = []
        server = await self.serve()
        async with self.client(
            reconnect=True,
            reconnect_delay=0.01,
            on_connect=lambda: events.append("connect"),
            on_disconnect=lambda error: events.append(error and error.code),
            on_reconnecting=lambda attempt, delay: events.append((attempt, delay)),
        ) as client:
            peer = await server.accept()
            lost = self.request(client, "m")
            await peer.line()
            await server.stop()
            with self.assertRaises(ConnectionLost):
                await lost
            self.assertEqual(client.state, "reconnecting")
            # Made now, sent when the server is back.
            call = self.request(client, "m")
            await self.until(lambda: len(self.errors) >= 2)
            server = await self.serve()
            peer = await server.accept()
            message = await peer.message()
            self.assertEqual(message["id"], 2, "numbers go on, so that no late answer fits")
            await peer.send(id=2, result="back")
            self.assertEqual(await call, "back")
            await self.until(lambda: events.count("connect") == 2)
        attempts = [event for event in events if isinstance(event, tuple)]
        self.assertEqual([number for number, _ in attempts], list(range(1, len(attempts) + 1)))
        for number, delay in attempts:
            longest = 0.01 * 2 ** (number - 1)
            self.assertTrue(longest / 2 <= delay <= longest, (number, delay))
        words = [event for event in events if not isinstance(event, tuple)]
        self.assertEqual(words, ["connect", "DISCONNECTED", "connect", None])
        self.assertTrue(all(isinstance(error, ConnectionFailed) for error in self.errors))

    async def test_giving_up(self):
        server = await self.serve()
        client = self.client(reconnect=True, reconnect_delay=0.01, max_reconnect_attempts=3)
        async with client:
            await server.accept()
            await server.stop()
            await self.until(lambda: client.state != "connected")
            # Or NotConnected, if that was quick.
            with self.assertRaisesRegex(IpcError, "is the server running"):
                await client.request("m")
            await client.wait_closed()
            # The callbacks of a Client run in a thread of their own.
            await self.until(lambda: len(self.errors) == 3)
            self.assertEqual(client.state, "disconnected")

    async def test_a_call_that_cannot_wait_so_long(self):
        server = await self.serve()
        async with self.client(reconnect=True, reconnect_delay=60) as client:
            await server.accept()
            await server.stop()
            await self.until(lambda: client.state == "reconnecting")
            with self.assertRaisesRegex(RequestTimeout, "there is no connection"):
                await client.request("m", timeout=0.05)
            call = self.request(client, "m")
            await asyncio.sleep(0.05)
            await client.close()
            with self.assertRaisesRegex((ConnectionLost, NotConnected), "closed"):
                await call

    async def test_a_server_that_drops_everybody_is_not_back(self):
        attempts = []
        server = await self.serve()
        async with self.client(
            reconnect=True,
            reconnect_delay=0.01,
            max_reconnect_attempts=3,
            on_reconnecting=lambda attempt, delay: attempts.append(attempt),
        ) as client:
            while client.state != "disconnected":
                try:
                    (await asyncio.wait_for(server.accept(), 0.05)).abort()
                except asyncio.TimeoutError:
                    pass
        self.assertEqual(attempts, [1, 2, 3])
