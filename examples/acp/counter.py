"""An agent with the official SDK for Python, which counts the words of the files that a prompt names.

pip install agent-client-protocol
tenon acp chat --prompt README.md -- tenon acp guard -- python3 counter.py
"""

import asyncio
import os
import uuid

import acp
from acp.schema import AgentCapabilities, Implementation, InitializeResponse, NewSessionResponse, PromptResponse


class Counter:
    def __init__(self):
        self.folders = {}

    def on_connect(self, connection):
        self.editor = connection

    async def initialize(self, protocol_version, **_):
        return InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_info=Implementation(name="counter", version="1.0.0"),
            agent_capabilities=AgentCapabilities(),
        )

    async def new_session(self, cwd, **_):
        session = str(uuid.uuid4())
        self.folders[session] = cwd
        return NewSessionResponse(session_id=session)

    async def prompt(self, session_id, prompt, **_):
        for name in " ".join(getattr(block, "text", "") for block in prompt).split():
            # The editor reads the file, with what is not saved yet, and the guard sees it.
            read = await self.editor.read_text_file(session_id, os.path.join(self.folders[session_id], name))
            text = f"{name}: {len(read.content.split())} words\n"
            await self.editor.session_update(session_id, acp.update_agent_message_text(text))
        return PromptResponse(stop_reason="end_turn")


asyncio.run(acp.run_agent(Counter()))
