"""Plugins that the tests start as programs: ``python3 plugins.py NAME``."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from decimal import Decimal
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../src"))

from tenon_plugin import Attributes, Context, Created, Existing, Failure, Found, Plugin, Secret


class Outputs(Attributes):
    text: str


def everything(max_in_flight: int | None = None) -> Plugin:
    """A plugin with functions and actions that work, wait, fail and print."""
    plugin = Plugin("everything", "1.2.3", max_in_flight=max_in_flight)

    @plugin.configure
    def configure(greeting: str = "hello") -> str:
        if greeting == "bad":
            raise Failure("the greeting is bad", path="greeting")
        return greeting

    @plugin.shutdown
    def shutdown() -> None:
        print("shut down", file=sys.stderr)

    @plugin.function
    def echo(value: Any) -> Any:
        """Returns its argument."""
        return value

    @plugin.function
    def exact(number: Decimal) -> Decimal:
        return number

    @plugin.function
    def add(*numbers: int) -> int:
        return sum(numbers)

    @plugin.function
    async def slowly(seconds: float, context: Context) -> str:
        await asyncio.sleep(seconds)
        return "done"

    @plugin.function
    def log_in(user: str, password: Secret[str]) -> str:
        return f"{user} is in"

    @plugin.function
    def refuse_login(user: str, password: Secret[str], *tokens: Secret[str]) -> str:
        given = [password.reveal(), *(token.reveal() for token in tokens)]
        raise Failure(f"{user} cannot log in with {given!r}", detail="\n".join(given), path="user")

    @plugin.function
    def leave(code: int) -> str:
        sys.exit(code)

    @plugin.function
    async def leave_later(code: int) -> str:
        await asyncio.sleep(0)
        sys.exit(code)

    @plugin.function
    def wait_for_file(path: str, context: Context) -> str:
        """Waits until a file exists, or the call is cancelled."""
        while not os.path.exists(path):
            context.raise_if_cancelled()
            time.sleep(0.005)
        return "found"

    @plugin.function
    def signal_elsewhere(path: str) -> str:
        """Gets a signal in a thread other than the main one, once a file exists."""

        def send() -> None:
            while not os.path.exists(path):
                time.sleep(0.005)
            signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

        threading.Thread(target=send, daemon=True).start()
        return "begun"

    @plugin.action
    def change(path: str, done: str, context: Context) -> Outputs:
        """Waits for a file, cancelled or not, and writes another."""
        context.log("begun", seconds=1)
        while not os.path.exists(path):
            time.sleep(0.005)
        with open(done, "w", encoding="utf-8") as file:
            file.write("changed")
        return Outputs(text="changed")

    @plugin.action
    def greet(name: str, context: Context, times: int = 1) -> Outputs:
        context.progress("greeting", 1, 2)
        return Outputs(text=" ".join([f"{context.state}, {name}"] * times))

    @plugin.action
    def noise() -> None:
        """Prints to stdout in every way there is."""
        print("printed")
        sys.stdout.write("written\n")
        os.write(1, b"by descriptor\n")
        subprocess.run(["echo", "by a child"], check=True)

    @plugin.action
    def fail(how: str) -> Outputs:
        if how == "failure":
            raise Failure("it is broken", path="how", detail="very", code="broken")
        if how == "unknown":
            raise Failure.outcome_unknown("no answer")
        if how == "os":
            raise OSError("the disk is full")
        if how == "bug":
            return [][0]
        return 5  # type: ignore[return-value]

    return plugin


def files() -> Plugin:
    """A plugin with a resource."""
    plugin = Plugin("files", "1.0.0")

    @plugin.resource("file")
    class File:
        class Props(Attributes):
            path: str

        def create(self, props: Props) -> Created[None]:
            with open(props.path, "w", encoding="utf-8"):
                pass
            return Created(props.path)

        def delete(self, existing: Existing[Props, None]) -> None:
            os.remove(existing.id)

    return plugin


class Port(Attributes):
    number: int
    protocol: str = "tcp"


def boxes() -> Plugin:
    """A plugin with a resource that has defaults and optional attributes."""
    plugin = Plugin("boxes", "1.0.0")

    @plugin.resource("box")
    class Box:
        class Props(Attributes):
            name: str
            size: int = 3
            label: str | None = None
            ports: list[Port] = []

        def create(self, props: Props) -> Created[None]:
            return Created(props.name)

        def read(self, id: str, props: Props | None) -> Found[Props, None] | None:
            if props is None:
                return Found(Box.Props(name=id))
            # The user's label was changed by somebody.
            changed = {"label": "theirs"} if id == "changed" else {}
            return Found(Box.Props(**{**vars(props), **changed}))

        def delete(self, existing: Existing[Props, None]) -> None:
            pass

    return plugin


if __name__ == "__main__":
    name, *rest = sys.argv[1:]
    made = files() if name == "files" else boxes() if name == "boxes" else everything(4 if name == "parallel" else None)
    made.serve(rest)
