"""A client with the official SDK for Python: python client.py SETTINGS, with the settings and the output of client.mjs."""

import asyncio
import json
import os
import sys

import acp
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    CreateTerminalResponse,
    DeniedOutcome,
    FileSystemCapabilities,
    Implementation,
    ReadTextFileResponse,
    ReleaseTerminalResponse,
    RequestPermissionResponse,
    TerminalExitStatus,
    TerminalOutputResponse,
    WaitForTerminalExitResponse,
    WriteTextFileResponse,
)

SETTINGS = json.loads(sys.argv[1])
# A line of the wire may be longer than asyncio's default.
LINE_LIMIT = 64 * 1024 * 1024


def show(line):
    print(json.dumps(line), flush=True)


def observe(event):
    to = "client" if event.direction == acp.connection.StreamDirection.INCOMING else "agent"
    show({"to": to, "message": event.message})


class Peer:
    def __init__(self):
        self.terminals = {}
        self.cancel_at = None
        self.reached = asyncio.Event()
        self.sent = asyncio.Event()

    def on_connect(self, connection):
        pass

    async def session_update(self, session_id, update, **_):
        if update.session_update == self.cancel_at:
            self.reached.set()

    async def request_permission(self, session_id, tool_call, options, **_):
        if self.cancel_at == "permission":
            # The agent has to know first that the turn is cancelled, or it takes this for a rejection.
            self.reached.set()
            await self.sent.wait()
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        option = next(option for option in options if option.kind == SETTINGS["answer"])
        outcome = AllowedOutcome(outcome="selected", option_id=option.option_id)
        return RequestPermissionResponse(outcome=outcome)

    async def read_text_file(self, session_id, path, **_):
        if not os.path.exists(path):
            raise acp.RequestError.resource_not_found(path)
        with open(path, encoding="utf-8") as file:
            return ReadTextFileResponse(content=file.read())

    async def write_text_file(self, session_id, path, content, **_):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return WriteTextFileResponse()

    async def create_terminal(self, session_id, command, args=None, cwd=None, **_):
        process = await asyncio.create_subprocess_exec(
            command,
            *(args or []),
            cwd=cwd or SETTINGS["folder"],
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        terminal_id = f"terminal-{len(self.terminals)}"
        self.terminals[terminal_id] = process, asyncio.ensure_future(process.stdout.read())
        return CreateTerminalResponse(terminal_id=terminal_id)

    async def terminal_output(self, session_id, terminal_id, **_):
        process, output = self.terminals[terminal_id]
        text = output.result().decode() if output.done() else ""
        status = None
        if process.returncode is not None:
            status = TerminalExitStatus(exit_code=process.returncode)
        return TerminalOutputResponse(output=text, truncated=False, exit_status=status)

    async def wait_for_terminal_exit(self, session_id, terminal_id, **_):
        process, output = self.terminals[terminal_id]
        await output
        return WaitForTerminalExitResponse(exit_code=await process.wait())

    async def release_terminal(self, session_id, terminal_id, **_):
        process, _output = self.terminals[terminal_id]
        if process.returncode is None:
            process.kill()
        return ReleaseTerminalResponse()


async def prompt(connection, peer, session_id, step):
    peer.cancel_at = step.get("cancel")
    peer.reached.clear()
    peer.sent.clear()
    blocks = [acp.text_block(step["prompt"])]
    answer = asyncio.ensure_future(connection.prompt(session_id=session_id, prompt=blocks))
    if peer.cancel_at:
        reached = asyncio.ensure_future(peer.reached.wait())
        await asyncio.wait([reached, answer], return_when=asyncio.FIRST_COMPLETED)
        reached.cancel()
        await connection.cancel(session_id=session_id)
        peer.sent.set()
    await answer


async def drive(connection, peer):
    capabilities = ClientCapabilities(
        fs=FileSystemCapabilities(read_text_file=True, write_text_file=True), terminal=True
    )
    await connection.initialize(
        protocol_version=acp.PROTOCOL_VERSION,
        client_capabilities=capabilities,
        client_info=Implementation(name="peer", version="1.0.0"),
    )
    session_id = None
    for step in SETTINGS["steps"]:
        place = {"cwd": SETTINGS["folder"], "mcp_servers": []}
        try:
            if step == "new":
                session_id = (await connection.new_session(**place)).session_id
            elif step == "load":
                await connection.load_session(session_id=session_id, **place)
            elif "prompt" in step:
                await prompt(connection, peer, session_id, step)
            else:
                # The SDK has a function for each method; extensions are the way to name one.
                params = {"sessionId": session_id, **step.get("params", {})}
                await connection._conn.send_request(step["call"], params)
        except acp.RequestError:
            pass  # An error is an answer as well: the test finds it among the messages.


async def main():
    peer = Peer()
    started = acp.spawn_agent_process(
        peer,
        *SETTINGS["agent"],
        env=dict(os.environ),
        cwd=SETTINGS["folder"],
        transport_kwargs={"stderr": None, "limit": LINE_LIMIT, "shutdown_timeout": 30.0},
        use_unstable_protocol=True,
        observers=[observe],
    )
    async with started as (connection, process):
        await drive(connection, peer)
    show({"exit": process.returncode})


asyncio.run(main())
