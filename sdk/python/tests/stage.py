"""What the tests have in common: servers whose every byte is chosen, and both clients alike."""

import asyncio
import faulthandler
import json
import os
import sys
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tenon_ipc import AsyncClient, Client

#: No test takes longer; a thread that hangs cannot be stopped in another way.
WATCHDOG_SECONDS = 60

#: Methods of the client that wait.
WAITING = ("connect", "close", "request", "batch", "notify", "wait_closed")


class ThreadedClient:
    """A Client whose waiting is done in other threads, so that one test can drive both clients."""

    def __init__(self, *arguments, **words):
        self.client = Client(*arguments, **words)

    def __getattr__(self, name):
        attribute = getattr(self.client, name)
        if name not in WAITING:
            return attribute

        async def wait(*arguments, **words):
            return await asyncio.to_thread(attribute, *arguments, **words)

        return wait

    async def notifications(self, timeout=None):
        iterator = self.client.notifications(timeout)
        while True:
            found = await asyncio.to_thread(next, iterator, None)
            if found is None:
                return
            yield found

    async def __aenter__(self):
        await asyncio.to_thread(self.client.__enter__)
        return self

    async def __aexit__(self, *how):
        await asyncio.to_thread(self.client.__exit__, *how)


class Peer:
    """A connection, as the server has it."""

    def __init__(self, reader, writer):
        self.reader = reader
        self.writer = writer

    async def line(self):
        """The next line of the client, or b"" if it has closed."""
        return await self.reader.readline()

    async def message(self):
        """The next message of the client."""
        return json.loads(await self.line())

    async def write(self, data):
        self.writer.write(data)
        await self.writer.drain()

    async def send(self, **message):
        await self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def abort(self):
        self.writer.transport.abort()


class RawServer:
    """A server that says nothing by itself."""

    def __init__(self, path):
        self.path = path
        self.peers = []

    async def start(self):
        self.accepted = asyncio.Queue()
        # Long lines of the client are no concern of the tests' own reader.
        self.server = await asyncio.start_unix_server(self._accept, self.path, limit=2**26)

    def _accept(self, reader, writer):
        peer = Peer(reader, writer)
        self.peers.append(peer)
        self.accepted.put_nowait(peer)

    async def accept(self):
        return await self.accepted.get()

    async def stop(self):
        self.server.close()
        for peer in self.peers:
            peer.abort()
        if os.path.exists(self.path):
            os.unlink(self.path)
        # So that the peers are gone for the client, too.
        await asyncio.sleep(0)


class ClientCase(unittest.IsolatedAsyncioTestCase):
    """A test for either client, at a socket of its own."""

    kind = AsyncClient

    async def asyncSetUp(self):
        watch(self)
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(64))
        # How long a test takes is nobody's business here, and long lines do take time.
        loop.slow_callback_duration = WATCHDOG_SECONDS
        self.folder = tempfile.TemporaryDirectory()
        self.path = str(Path(self.folder.name) / "server.sock")
        self.errors = []
        # Cleanups run in the opposite order: this one after those of the test.
        self.addAsyncCleanup(self.nothing_is_left)

    async def nothing_is_left(self):
        await self.until(lambda: not client_threads())
        self.folder.cleanup()

    async def until(self, condition):
        """Waits for something that is bound to happen; the watchdog says for how long."""
        while not condition():
            await asyncio.sleep(0.005)

    def client(self, **words):
        words.setdefault("on_error", self.errors.append)
        return self.kind(self.path, **words)

    async def serve(self):
        server = RawServer(self.path)
        await server.start()
        self.addAsyncCleanup(server.stop)
        return server

    async def connected(self, **words):
        """A client and what the server has of it."""
        server = await self.serve()
        client = self.client(**words)
        self.addAsyncCleanup(client.close)
        await client.connect()
        return client, await server.accept()

    def request(self, client, *arguments, **words):
        """A call that goes on beside the test."""
        return asyncio.ensure_future(client.request(*arguments, **words))


def watch(test):
    """Ends everything, and shows where it hangs, if a test takes too long."""
    faulthandler.dump_traceback_later(WATCHDOG_SECONDS, exit=True)
    test.addCleanup(faulthandler.cancel_dump_traceback_later)


def client_threads():
    return [t.name for t in threading.enumerate() if t.name.startswith("tenon-ipc")]


def both_clients(cases):
    """Makes two test cases of one: for AsyncClient, and for Client."""
    module = sys.modules[cases.__module__]
    for kind in (AsyncClient, ThreadedClient):
        name = f"{cases.__name__}_{kind.__name__}"
        setattr(module, name, type(name, (cases,), {"kind": kind, "__module__": cases.__module__}))
