"""An agent with the official SDK for Python, which does the same as agent.mjs."""

import asyncio
import os
import uuid

import acp
from acp.schema import (
    AgentCapabilities,
    Implementation,
    InitializeResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PermissionOption,
    PromptResponse,
    SessionCapabilities,
    SessionCloseCapabilities,
    ToolCallLocation,
    ToolCallUpdate,
)

OPTIONS = [
    PermissionOption(option_id="yes", name="Allow", kind="allow_once"),
    PermissionOption(option_id="no", name="Reject", kind="reject_once"),
]


class Session:
    def __init__(self, folder):
        self.id = str(uuid.uuid4())
        self.folder = folder
        self.said = []
        self.cancelled = asyncio.Event()


class Everything:
    def __init__(self):
        self.sessions = {}

    def on_connect(self, connection):
        self.client = connection

    async def initialize(self, protocol_version, **_):
        capabilities = AgentCapabilities(
            load_session=True,
            session_capabilities=SessionCapabilities(close=SessionCloseCapabilities()),
        )
        return InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_info=Implementation(name="everything", version="1.0.0"),
            agent_capabilities=capabilities,
        )

    async def new_session(self, cwd, **_):
        session = Session(cwd)
        self.sessions[session.id] = session
        return NewSessionResponse(session_id=session.id)

    async def load_session(self, cwd, session_id, **_):
        for words in self.session(session_id).said:
            await self.client.session_update(session_id, acp.update_agent_message_text(words))
        return LoadSessionResponse()

    async def close_session(self, session_id, **_):
        self.sessions.pop(session_id, None)

    async def cancel(self, session_id, **_):
        self.session(session_id).cancelled.set()

    async def prompt(self, session_id, prompt, **_):
        words = "".join(getattr(block, "text", "") for block in prompt)
        session = self.session(session_id)
        stop = await (self.wait(session) if "wait" in words else self.everything(session))
        return PromptResponse(stop_reason=stop)

    def session(self, session_id):
        if session_id not in self.sessions:
            raise acp.RequestError.resource_not_found(session_id)
        return self.sessions[session_id]

    async def everything(self, session):
        thought = acp.update_agent_thought_text("Where are the notes?")
        await self.client.session_update(session.id, thought)
        await self.plan(session, "in_progress")
        await self.say(session, "I read ")
        await self.say(session, "the notes. ")
        notes = os.path.join(session.folder, "notes.txt")
        content = await self.read(session, notes)
        await self.edit(session, notes, content, content + "changed by the agent\n")
        await self.run(session, "wc", ["-l", "notes.txt"])
        await self.plan(session, "completed")
        await self.say(session, "Done.")
        return "end_turn"

    async def wait(self, session):
        session.cancelled.clear()
        await self.say(session, "Waiting. ")
        await session.cancelled.wait()
        return "cancelled"

    async def say(self, session, words):
        session.said.append(words)
        await self.client.session_update(session.id, acp.update_agent_message_text(words))

    async def plan(self, session, status):
        entry = acp.plan_entry("Change the notes", priority="high", status=status)
        await self.client.session_update(session.id, acp.update_plan([entry]))

    async def step(self, session, call, **fields):
        await self.client.session_update(session.id, acp.update_tool_call(call, **fields))

    async def may_i(self, session, call, **fields):
        """Shows a call of a tool, and asks whether it may be made."""
        shown = acp.start_tool_call(call, **fields, status="pending")
        await self.client.session_update(session.id, shown)
        update = ToolCallUpdate(tool_call_id=call, **fields)
        answer = await self.client.request_permission(session.id, update, OPTIONS)
        if getattr(answer.outcome, "option_id", None) == "yes":
            return True
        await self.step(session, call, status="failed")
        return False

    async def read(self, session, path):
        location = ToolCallLocation(path=path)
        shown = acp.start_tool_call(
            "read-1", "Read the notes", kind="read", locations=[location], status="in_progress"
        )
        await self.client.session_update(session.id, shown)
        read = await self.client.read_text_file(session.id, path)
        content = [acp.tool_content(acp.text_block(read.content))]
        await self.step(session, "read-1", status="completed", content=content)
        return read.content

    async def edit(self, session, path, old_text, new_text):
        allowed = await self.may_i(
            session,
            "edit-1",
            title="Change the notes",
            kind="edit",
            locations=[ToolCallLocation(path=path)],
            content=[acp.tool_diff_content(path, new_text, old_text)],
        )
        if allowed:
            await self.client.write_text_file(session.id, path, new_text)
            await self.step(session, "edit-1", status="completed")

    async def run(self, session, command, args):
        line = " ".join([command, *args])
        allowed = await self.may_i(
            session, "run-1", title="Count the notes", kind="execute", raw_input={"command": line}
        )
        if not allowed:
            return
        created = await self.client.create_terminal(
            session.id, command, args=args, cwd=session.folder, output_byte_limit=1000
        )
        terminal = created.terminal_id
        shown = [acp.tool_terminal_ref(terminal)]
        await self.step(session, "run-1", status="in_progress", content=shown)
        ended = await self.client.wait_for_terminal_exit(session.id, terminal)
        output = await self.client.terminal_output(session.id, terminal)
        await self.client.release_terminal(session.id, terminal)
        result = {"exitCode": ended.exit_code, "output": output.output}
        await self.step(session, "run-1", status="completed", raw_output=result)


# `session/close` is behind this switch.
asyncio.run(acp.run_agent(Everything(), use_unstable_protocol=True))
