"""What only one of the two clients can do: threads here, tasks there."""

import asyncio
import math
import signal
import threading
import unittest

from echo_server import EchoServer
from stage import ClientCase, client_threads, watch

from tenon_ipc import Client, NotConnected


class Tasks(ClientCase):
    async def test_cancelling_the_task_takes_the_call_back(self):
        client, peer = await self.connected()
        call = self.request(client, "m")
        await peer.line()
        call.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await call
        message = await peer.message()
        self.assertEqual((message["method"], message["params"]), ("$/cancelRequest", {"id": 1}))

    async def test_a_call_cancelled_before_it_was_sent_is_not_taken_back(self):
        client, peer = await self.connected()
        call = self.request(client, "m")
        call.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await call
        await client.notify("next")
        self.assertEqual((await peer.message())["method"], "next")

    async def test_coroutines_answer_the_server(self):
        client, peer = await self.connected()

        async def nested(params):
            return await client.request("ask", params)

        client.on_request("nested", nested)
        await peer.send(id="a", method="nested", params=[1])
        request = await peer.message()
        self.assertEqual(request["method"], "ask")
        await peer.send(id=request["id"], result="yes")
        self.assertEqual(await peer.message(), {"jsonrpc": "2.0", "id": "a", "result": "yes"})


class Threads(unittest.TestCase):
    def setUp(self):
        watch(self)
        self.server = EchoServer.start(self)

    def tearDown(self):
        for thread in threading.enumerate():
            if thread.name.startswith("tenon-ipc"):
                thread.join(10)
        self.assertEqual(client_threads(), [])

    def test_many_threads_share_one_client(self):
        wrong = []

        def work(client, number):
            for count in range(20):
                result = client.request("add", [number, count])
                if result != number + count:
                    wrong.append(result)

        with Client(self.server.path) as client:
            threads = [threading.Thread(target=work, args=(client, n)) for n in range(16)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(30)
        self.assertEqual(wrong, [])

    def test_callbacks_and_handlers_may_make_calls(self):
        sums = []
        done = threading.Event()

        def told(method, params):
            sums.append(client.request("add", [params["number"], 100]))
            if len(sums) == 10:
                done.set()

        with Client(self.server.path, on_notification=told) as client:
            client.on_request("ask", lambda params: client.request("add", params))
            result = client.request("call_back", {"method": "ask", "params": [2, 3]})
            self.assertEqual(result, 5)
            client.request("emit", {"count": 10})
            self.assertTrue(done.wait(30))
        self.assertEqual(sums, list(range(100, 110)))

    def test_a_callback_may_close_its_client(self):
        closed = threading.Event()

        def told(method, params):
            client.close()
            closed.set()

        with Client(self.server.path, on_notification=told) as client:
            client.request("emit", {"count": 1})
            self.assertTrue(closed.wait(30))
            self.assertEqual(client.state, "closed")

    def test_an_interrupt_takes_the_call_back(self):
        # Whoever runs the tests in the background may have Ctrl-C ignored.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        main = threading.main_thread().ident
        timer = threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT))
        lines = []

        def shown(line):
            lines.append(line)
            if '"sleep"' in line:
                timer.start()

        with Client(self.server.path, debug=shown) as client:
            with self.assertRaises(KeyboardInterrupt):
                client.request("sleep", {"ms": 600_000}, timeout=math.inf)
            timer.join()
            # The answer to another call: by then the loop has done what it was told before.
            self.assertEqual(client.request("add", [1, 2]), 3)
        self.assertTrue(any("$/cancelRequest" in line for line in lines), lines)

    def test_a_client_that_never_connected_leaves_nothing(self):
        client = Client(self.server.path)
        self.assertRaises(NotConnected, client.request, "m")
        self.assertEqual(list(client.notifications()), [])
        client.wait_closed()
        self.assertEqual(client_threads(), [])
        client.close()
        client.close()
        self.assertEqual(client.state, "closed")
