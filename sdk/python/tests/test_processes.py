"""Plugins as programs: each host's conversation, and how a program behaves on its pipes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

from program import PLUGINS, WATCHDOG_SECONDS, Program, call

from tenon_plugin import Cancelled, Context
from tenon_plugin._loop import Loop


class Orchard(unittest.TestCase):
    def test_a_conversation(self) -> None:
        with Program("everything") as program:
            program.send(
                {"id": 1, "method": "describe"},
                {"id": 2, "method": "execute", "params": {"action": "greet", "attrs": {"name": "you"}}},
                {"id": 3, "method": "configure", "params": {"config": {"greeting": "hi"}}},
                {"id": 4, "method": "configure", "params": {"config": {"greeting": "hi"}}},
                {"id": 5, "method": "execute", "params": {"action": "greet", "attrs": {"name": "you", "times": 2}}},
                {"id": 6, "method": "shutdown"},
            )
            answers = {one["id"]: one for one in (program.line() for _ in range(6))}
            self.assertEqual(answers[1]["result"]["schema"]["name"], "everything")
            self.assertEqual(answers[2]["error"]["code"], "invalid_request")
            self.assertEqual(answers[3]["result"], {})
            self.assertEqual(answers[4]["error"]["code"], "invalid_request")
            self.assertEqual(answers[5]["result"], {"outputs": {"text": "hi, you hi, you"}})
            self.assertEqual(answers[6]["result"], {})
            # It ends by itself, although stdin is open.
            self.assertEqual(program.process.wait(), 0)

    def test_error_codes(self) -> None:
        with Program("everything") as program:
            program.send({"id": 1, "method": "configure", "params": {"config": {"greeting": "bad"}}})
            error = program.line()["error"]
            self.assertEqual(error, {"code": "configure_failed", "message": "greeting: the greeting is bad"})
            program.send({"id": 2, "method": "configure", "params": {}})
            program.line()
            for how, code, message in [
                ("failure", "broken", "how: it is broken"),
                ("unknown", "outcome_unknown", "no answer"),
                ("os", "execute_failed", "the disk is full"),
                ("bug", "outcome_unknown", "list index out of range"),
                ("type", "outcome_unknown", "the action was run, but the outputs cannot be written"),
            ]:
                program.send({"id": 3, "method": "execute", "params": {"action": "fail", "attrs": {"how": how}}})
                error = program.line()["error"]
                self.assertEqual(error["code"], code)
                self.assertIn(message, error["message"])
            for sent, code in [
                ({"id": 4, "method": "destroy"}, "unknown_method"),
                ({"id": 4, "method": "execute", "params": {"action": "gret", "attrs": {}}}, "unknown_action"),
                ({"id": 4, "method": "execute", "params": {"action": "greet", "attrs": {}}}, "validation_failed"),
                ({"id": 4, "method": "execute", "params": [1]}, "invalid_request"),
                ({"id": "4", "method": "execute"}, "invalid_request"),
            ]:
                program.send(sent)
                self.assertEqual(program.line()["error"]["code"], code)
            # The author sees where the mistake is.
            self.assertIn("IndexError: list index out of range", program.end()[1])

    def test_the_schema_subcommand(self) -> None:
        with Program("everything", "schema") as program:
            assert program.process.stdin is not None
            self.assertEqual(program.line()["protocol"], "1")
            self.assertEqual(program.end()[0], 0)
        with Program("everything", "nonsense") as program:
            code, stderr = program.end()
            self.assertEqual(code, 2)
            self.assertIn("usage: everything", stderr)


class JsonRpc(unittest.TestCase):
    def test_a_service(self) -> None:
        with Program("everything") as program:
            program.send(call(1, "echo", {"value": {"a": [1, None, "é"]}}), call(2, "add", [1, 2, 3]), call(3, "ad"))
            answers = {one["id"]: one for one in (program.line() for _ in range(3))}
            self.assertEqual(answers[1]["result"], {"a": [1, None, "é"]})
            self.assertEqual(answers[2]["result"], 6)
            self.assertEqual(answers[3]["error"], {"code": -32601, "message": "unknown method `ad`; did you mean `add`?"})
            program.send(call(4, "fail", {"how": "failure"}))
            data = {"path": ["how"], "code": "broken", "detail": "very"}
            self.assertEqual(program.line()["error"], {"code": -32000, "message": "how: it is broken", "data": data})
            self.assertEqual(program.end()[0], 0)

    def test_numbers_keep_their_digits(self) -> None:
        number = "1234567890123456789012345678901234567890.123456789"
        with Program("everything") as program:
            assert program.process.stdin is not None and program.process.stdout is not None
            request = f'{{"jsonrpc":"2.0","id":1,"method":"exact","params":[{number}]}}\n'
            program.process.stdin.write(request.encode())
            program.process.stdin.flush()
            self.assertIn(number.encode(), program.process.stdout.readline())

    def test_headers(self) -> None:
        body = json.dumps(call(1, "add", [2, 3])).encode()
        with Program("everything") as program:
            assert program.process.stdin is not None and program.process.stdout is not None
            program.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            program.process.stdin.flush()
            header = program.process.stdout.readline() + program.process.stdout.readline()
            self.assertRegex(header, rb"Content-Length: \d+\r\n\r\n")

    def test_batches_and_messages_that_are_none(self) -> None:
        with Program("everything") as program:
            assert program.process.stdin is not None and program.process.stdout is not None
            program.send(call(0, "add", []))
            program.line()
            batch = json.dumps([call(1, "add", [1]), call(2, "nothing"), {"jsonrpc": "2.0", "method": "event"}])
            program.process.stdin.write(batch.encode() + b"\n[]\nno json\n" + b"[" * 1000 + b"\n")
            program.process.stdin.flush()
            found = [program.line() for _ in range(4)]
            batches = [one for one in found if isinstance(one, list)]
            self.assertEqual(sorted(one["id"] for one in batches[0]), [1, 2])
            codes = sorted(one["error"]["code"] for one in found if isinstance(one, dict))
            self.assertEqual(codes, [-32700, -32700, -32600])

    def test_mcp(self) -> None:
        with Program("everything") as program:
            program.send(call(0, "initialize", {"protocolVersion": "1999-01-01", "capabilities": {}}))
            self.assertEqual(program.line()["result"]["protocolVersion"], "2025-11-25")
            program.send({"jsonrpc": "2.0", "method": "notifications/initialized"}, call(1, "tools/list"))
            tools = {one["name"]: one for one in program.line()["result"]["tools"]}
            self.assertEqual(tools["add"]["inputSchema"]["properties"]["numbers"]["type"], "array")
            self.assertNotIn("outputSchema", tools["noise"])
            program.send(
                call(2, "tools/call", {"name": "add", "arguments": {"numbers": [1, 2]}}),
                call(3, "tools/call", {"name": "greet", "arguments": {"name": "x"}, "_meta": {"progressToken": 7}}),
                call(4, "tools/call", {"name": "greet", "arguments": {"name": 5}}),
                call(5, "tools/call", {"name": "fail", "arguments": {"how": "os"}}),
                call(6, "ping"),
            )
            found = [program.line() for _ in range(6)]
            answers = {one.get("id"): one for one in found}
            self.assertEqual(answers[2]["result"]["structuredContent"], {"result": 3})
            progress = {"progressToken": 7, "progress": 1, "total": 2, "message": "greeting"}
            self.assertEqual(answers[None]["params"], progress)
            self.assertEqual(answers[3]["result"]["structuredContent"], {"text": "hello, x"})
            self.assertEqual(answers[4]["error"]["code"], -32602)
            self.assertEqual(answers[5]["result"]["content"][0]["text"], "the disk is full")
            self.assertTrue(answers[5]["result"]["isError"])
            self.assertEqual(answers[6]["result"], {})

    def test_denobridge(self) -> None:
        with tempfile.TemporaryDirectory() as folder, Program("files") as program:
            path = os.path.join(folder, "a")
            program.send(call(0, "health"), call(1, "create", {"props": {"path": path}}))
            self.assertEqual(program.line()["result"], {"ok": True})
            self.assertEqual(program.line()["result"], {"id": path, "state": None})
            wrong = {"severity": "error", "summary": "invalid `props`", "propPath": ["props", "path"]}
            program.send(call(2, "create", {"props": {"path": 1}}))
            found = program.line()["result"]["diagnostics"][0]
            self.assertEqual({key: found[key] for key in wrong}, wrong)
            update = {"planType": "update", "id": path, "nextProps": {"path": "b"}, "currentProps": {"path": path}}
            program.send(call(3, "modifyPlan", update), call(4, "delete", {"id": path, "props": {"path": path}}))
            self.assertEqual(program.line()["result"], {"requiresReplacement": True})
            self.assertEqual(program.line()["result"], {"done": True})
            program.send(call(5, "open", {"props": {}}), {"jsonrpc": "2.0", "method": "shutdown"})
            self.assertIn("has no ephemeral resource", program.line()["error"]["message"])
            self.assertEqual(program.process.wait(), 0)

    def test_a_denobridge_resource_is_read_as_the_user_has_written_it(self) -> None:
        given = {"name": "a", "ports": [{"number": 80}, {"number": 81, "protocol": "udp"}]}
        completed = {"name": "a", "size": 3, "label": None, "ports": []}
        with Program("boxes") as program:
            for id, props, found in (
                ("a", given, given),
                ("a", {**given, "size": 3, "label": None}, {**given, "size": 3, "label": None}),
                ("changed", given, {**given, "label": "theirs"}),
                # An import has no props.
                ("a", None, completed),
            ):
                program.send(call(1, "read", {"id": id, "props": props}))
                self.assertEqual(program.line()["result"]["props"], found)


class Seasonings(unittest.TestCase):
    def test_a_conversation(self) -> None:
        with Program("everything") as program:
            program.send([0, 1, "init", [{"protocol_version": 1}]])
            welcome = program.message()[3]
            self.assertEqual(welcome["capabilities"], ["functions", "resources"])
            program.send([0, 2, "functions.call", {"name": "add", "arguments": {"numbers": [1, "2"]}}])
            self.assertEqual(program.message(), [1, 2, None, {"result": 3}])
            program.send([0, 3, "functions/call", [{"name": "add", "arguments": {"numbers": ["x"]}}]])
            self.assertEqual(program.message()[2][2], {"argument": "numbers"})
            program.send([0, 4, "nothing", []], [0, 5, "init", [{"protocol_version": 2}]])
            self.assertEqual(program.message()[2][0], -32601)
            self.assertIn("version 2", program.message()[2][1])
            program.send([0, 6, "shutdown", []])
            self.assertEqual(program.message(), [1, 6, None, {}])
            self.assertEqual(program.process.wait(), 0)

    def test_bytes_that_are_no_messages_end_it(self) -> None:
        with Program("everything") as program:
            program.send([0, 1, "ping", []])
            program.message()
            assert program.process.stdin is not None
            program.process.stdin.write(b"\xc1")
            program.process.stdin.flush()
            code, stderr = program.end()
            self.assertEqual(code, 1)
            self.assertIn("cannot be read", stderr)


class Calls(unittest.TestCase):
    def test_a_call_that_waits_does_not_stop_the_protocol(self) -> None:
        with tempfile.TemporaryDirectory() as folder, Program("everything") as program:
            file = os.path.join(folder, "file")
            program.send([0, 1, "functions/call", {"name": "wait_for_file", "arguments": {"path": file}}])
            program.send([0, 2, "functions/call", {"name": "add", "arguments": {"numbers": [1]}}])
            for id in range(3, 20):
                program.send([0, id, "ping", []])
                self.assertEqual(program.message(), [1, id, None, {"status": "ok"}])
            Path(file).touch()
            self.assertEqual(program.message(), [1, 1, None, {"result": "found"}])
            self.assertEqual(program.message(), [1, 2, None, {"result": 1}])
            program.send([0, 30, "functions/call", {"name": "add", "arguments": {"numbers": [5]}}])
            self.assertEqual(program.message(), [1, 30, None, {"result": 5}])
            self.assertEqual(program.end()[0], 0)

    def test_cancellation(self) -> None:
        for name, arguments in [("wait_for_file", {"path": "/nothing/here"}), ("slowly", {"seconds": 3600})]:
            with Program("everything") as program:
                call = {"name": name, "arguments": arguments}
                program.send([0, 1, "functions/call", call], [0, 2, "ping", []])
                self.assertEqual(program.message()[1], 2)
                program.send([2, "$/cancel", [{"id": 1}]])
                self.assertEqual(program.message(), [1, 1, [-32800, "the call was cancelled"], None])
                # The next call can run.
                program.send([0, 3, "functions/call", {"name": "add", "arguments": {"numbers": [5]}}])
                self.assertEqual(program.message(), [1, 3, None, {"result": 5}])
                self.assertEqual(program.end()[0], 0)

    def test_a_cancellation_that_comes_before_the_coroutine_stops_it(self) -> None:
        context = Context("test")
        context.cancel()
        with self.assertRaises(Cancelled):
            Loop().run(asyncio.sleep(3600), context)

    def test_calls_run_in_parallel_if_the_plugin_allows_it(self) -> None:
        with tempfile.TemporaryDirectory() as folder, Program("parallel") as program:
            files = [os.path.join(folder, str(number)) for number in range(4)]
            for number, file in enumerate(files):
                program.send(call(number, "wait_for_file", [file]))
            for number, file in reversed(list(enumerate(files))):
                Path(file).touch()
                self.assertEqual(program.line(), {"jsonrpc": "2.0", "id": number, "result": "found"})
            self.assertEqual(program.end()[0], 0)

    def test_an_exit_ends_the_process_in_whichever_thread_it_is(self) -> None:
        for name in ("everything", "parallel"):
            for method in ("leave", "leave_later"):
                for is_overtaken in (False, True):
                    with self.subTest(name, method=method, is_overtaken=is_overtaken), Program(name) as program:
                        if is_overtaken:
                            # It takes so long that another thread reads, and runs what comes next.
                            program.send(call(1, "slowly", [0.1]))
                            self.assertEqual(program.line()["result"], "done")
                        program.send(call(2, method, [3]))
                        # Without an end of stdin.
                        self.assertEqual(program.process.wait(WATCHDOG_SECONDS), 3)
                        assert program.process.stderr is not None
                        hint = f"{name}: a call ended the plugin with sys.exit(3); raise Failure to report an error"
                        self.assertIn(hint.replace("parallel:", "everything:"), program.process.stderr.read().decode())

    def test_what_changes_something_is_finished_at_the_end_of_stdin(self) -> None:
        with tempfile.TemporaryDirectory() as folder, Program("everything") as program:
            begin, done = os.path.join(folder, "begin"), os.path.join(folder, "done")
            program.send(call(1, "change", [begin, done]))
            assert program.process.stdin is not None and program.process.stderr is not None
            self.assertIn(b"begun", program.process.stderr.readline())
            program.process.stdin.close()
            Path(begin).touch()
            self.assertEqual(program.line()["result"], {"text": "changed"})
            self.assertEqual(program.process.wait(), 0)
            self.assertTrue(os.path.exists(done))

    def test_signals_end_it(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            with Program("everything") as program:
                program.send(call(1, "greet", ["x"]))
                program.line()
                program.process.send_signal(number)
                assert program.process.stderr is not None
                self.assertEqual(program.process.wait(WATCHDOG_SECONDS), 0)
                stderr = program.process.stderr.read().decode()
                self.assertIn("shut down", stderr)
                self.assertNotIn("Traceback", stderr)

    def test_ctrl_break_of_windows_ends_it(self) -> None:
        # Another signal takes its place here.
        code = (
            "import _signal, runpy, sys\n"
            "_signal.SIGBREAK = _signal.SIGUSR1\n"
            "sys.argv = sys.argv[1:]\n"
            "runpy.run_path(sys.argv[0], run_name='__main__')\n"
        )
        with Program(code, str(PLUGINS), "everything") as program:
            program.send(call(1, "greet", ["x"]))
            program.line()
            program.process.send_signal(signal.SIGUSR1)
            assert program.process.stderr is not None
            self.assertIn("shut down", program.process.stderr.read().decode())
            self.assertEqual(program.process.wait(WATCHDOG_SECONDS), 0)

    def test_a_signal_that_does_not_interrupt_the_read_ends_it(self) -> None:
        # As one that comes in the instant before the read: Python has noted it, and the main thread waits for stdin.
        for name in ("everything", "parallel"):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder, Program(name) as program:
                file = os.path.join(folder, "file")
                program.send(call(1, "signal_elsewhere", [file]))
                self.assertEqual(program.line()["result"], "begun")
                Path(file).touch()
                self.assertEqual(program.process.wait(WATCHDOG_SECONDS), 0)

    def test_a_signal_waits_for_what_changes_something(self) -> None:
        with tempfile.TemporaryDirectory() as folder, Program("everything") as program:
            begin, done = os.path.join(folder, "begin"), os.path.join(folder, "done")
            program.send(call(1, "change", [begin, done]))
            assert program.process.stderr is not None
            self.assertIn(b"begun", program.process.stderr.readline())
            program.process.send_signal(signal.SIGTERM)
            Path(begin).touch()
            self.assertEqual(program.line()["result"], {"text": "changed"})
            self.assertEqual(program.process.wait(), 0)


class Pipes(unittest.TestCase):
    def test_stdout_belongs_to_the_protocol(self) -> None:
        with Program("everything") as program:
            program.send(call(1, "noise", {}))
            self.assertEqual(program.line(), {"jsonrpc": "2.0", "id": 1, "result": None})
            code, stderr = program.end()
            self.assertEqual(code, 0)
            for text in ("printed", "written", "by descriptor", "by a child"):
                self.assertIn(text, stderr)

    def test_a_host_that_does_not_read_slows_it_down(self) -> None:
        text = "x" * 10_000
        with Program("everything") as program:
            def write() -> None:
                program.send(*(call(id, "echo", [text]) for id in range(300)))

            writer = threading.Thread(target=write)
            writer.start()
            answers = [program.line() for _ in range(300)]
            writer.join()
            self.assertEqual([one["id"] for one in answers], list(range(300)))

    def test_a_host_that_is_gone(self) -> None:
        with Program("everything") as program:
            assert program.process.stdout is not None
            program.process.stdout.close()
            program.send(call(1, "add", [1]))
            self.assertEqual(program.process.wait(), 0)

    def test_the_debug_log(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            with Program("everything", TENON_DEBUG=log) as program:
                program.send([0, 1, "ping", []])
                program.message()
                program.end()
            text = Path(log).read_text()
            self.assertIn("<-- [0, 1, 'ping', []]", text)
            self.assertIn("--> [1, 1, None, {'status': 'ok'}]", text)

    def test_the_debug_log_masks_secrets(self) -> None:
        params = {"user": "ada", "password": "hunter2", "more": [1.50]}
        body = json.dumps(call(3, "log_in", {"user": "ada", "password": "hunter2"})).encode()
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            for messages in (
                [call(1, "log_in", params), call(2, "log_in", ["ada", "hunter2"])],
                [[0, 1, "functions/call", [{"name": "log_in", "arguments": ["ada", "hunter2"]}]]],
            ):
                with Program("everything", TENON_DEBUG=log) as program:
                    program.send(*messages)
                    program.end()
            with Program("everything", TENON_DEBUG=log) as program:
                assert program.process.stdin is not None
                program.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                program.end()
            text = Path(log).read_text()
            self.assertEqual(os.stat(log).st_mode & 0o777, 0o600)
        self.assertNotIn("hunter2", text)
        self.assertIn('"user": "ada", "password": "(sensitive)"', text)
        self.assertIn("'arguments': '(sensitive)'", text)

    def test_errors_do_not_quote_secrets(self) -> None:
        secrets = ["hunt\"er2", "line one\nline two", "t0ken"]
        given = {"user": "ada", "password": secrets[0], "tokens": secrets[1:]}
        called = {"name": "refuse_login", "arguments": given}
        start = call(0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})
        for messages in (
            [call(1, "refuse_login", given)],
            [call(1, "refuse_login", ["ada", *secrets])],
            [start, call(1, "tools/call", called)],
            [[0, 1, "functions/call", [called]]],
        ):
            with self.subTest(messages), Program("everything") as program:
                program.send(*messages)
                assert program.process.stdin is not None and program.process.stdout is not None
                program.process.stdin.close()
                text = program.process.stdout.read().decode(errors="replace")
                self.assertIn("ada cannot log in with", text)
                self.assertIn("(sensitive)", text)
                for secret in ("hunt", "er2", "line one", "line two", "t0ken"):
                    self.assertNotIn(secret, text)

    def test_nothing_at_all(self) -> None:
        with Program("everything") as program:
            self.assertEqual(program.end()[0], 0)


if __name__ == "__main__":
    unittest.main()
