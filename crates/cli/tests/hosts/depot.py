"""What ``conformance/depot`` is played against. ``crates/plugin/examples/depot.rs`` has the same plugin in Rust."""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import datetime, timezone
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../sdk/python/src"))

from tenon_plugin import (
    Attributes,
    Change,
    Context,
    Created,
    Existing,
    Failure,
    Found,
    Lock,
    Opened,
    Plugin,
    Renewed,
    Secret,
    Stage,
    Verdict,
    attribute,
)

plugin = Plugin("depot", "1.0.0", max_in_flight=2)


@plugin.function
async def hold(key: str, context: Context) -> str:
    """Holds something, without an end.

    Args:
        key: What is held.
    """
    context.progress(f"holding {key}")
    await asyncio.Event().wait()
    return key


@plugin.function
def token() -> Secret[str]:
    """A secret."""
    return Secret("t0")


BOXES: dict[str, Any] = {}


@plugin.resource("box")
class Box:
    """A box."""

    version = 1

    class Props(Attributes):
        label: str = attribute("What is written on it.", replaces=True)
        amount: int = attribute("How many things are in it.", default=1)

    class State(Attributes):
        weight: int = attribute("In kilograms.")

    @classmethod
    def state(cls, props: Props) -> State:
        return cls.State(weight=props.amount * 2)

    def create(self, props: Props) -> Created[State]:
        id = f"box-{props.label}"
        BOXES[id] = props
        return Created(id, self.state(props))

    def read(self, id: str, props: Props | None) -> Found[Props, State] | None:
        found = BOXES.get(id)
        return None if found is None else Found(found, self.state(found))

    def update(self, existing: Existing[Props, State], props: Props) -> State:
        BOXES[existing.id] = props
        return self.state(props)

    def delete(self, existing: Existing[Props, State]) -> None:
        BOXES.pop(existing.id, None)

    @staticmethod
    def upgrade(version: int, stored: dict[str, Any]) -> Existing[Box.Props, Box.State]:
        props = Box.Props(label=stored["name"], amount=1)
        return Existing(stored["id"], props, Box.state(props))


class Seen(Attributes):
    is_there: bool


@plugin.data_source
def look(label: str, context: Context) -> Seen:
    """Whether there is a box.

    Args:
        label: What is on the label.
    """
    context.progress("looking", 1, 2)
    return Seen(is_there=any(one.label == label for one in BOXES.values()))


class Leased(Attributes):
    token: Secret[str]


@plugin.ephemeral("lease")
class Leases:
    """A lease."""

    class Props(Attributes):
        seconds: int = attribute("How long it lasts.", default=60)

    def open(self, props: Props) -> Opened[Leased]:
        renew_at = datetime.fromtimestamp(props.seconds, timezone.utc)
        return Opened(Leased(token=Secret("t0")), renew_at=renew_at, private={"renewals": 0})

    def renew(self, private: dict[str, int]) -> Renewed:
        return Renewed(private={"renewals": private["renewals"] + 1})

    def close(self, private: dict[str, int], context: Context) -> None:
        context.warn(f"renewed {private['renewals']} times")


@plugin.pre_apply
def weigh(change: Change) -> Verdict | None:
    return Verdict.warn(f"{change.address} is heavy") if change.resource_type == "depot_box" else None


@plugin.init_stage_start
def begin(stage: Stage) -> None:
    return None


@plugin.plan_stage_completed
def count(stage: Stage) -> Verdict | None:
    return Verdict.fail(f"{stage.add} boxes are too many") if stage.add > 1 else None


@plugin.apply_stage_failed
def complain(stage: Stage) -> Verdict:
    return Verdict.warn("; ".join(stage.errors))


@plugin.storage
class States:
    def __init__(self) -> None:
        self.states: dict[str, bytes] = {}
        self.locks: dict[str, Lock] = {}

    def read(self, path: str) -> bytes | None:
        return self.states.get(path)

    def write(self, path: str, state: bytes, lock_id: str | None) -> None:
        Lock.check(self.locks.get(path), lock_id)
        self.states[path] = state

    def lock(self, path: str, wanted: Lock) -> str:
        held = self.locks.setdefault(path, wanted)
        if held.id != wanted.id:
            raise Failure.locked(held)
        return held.id

    def unlock(self, path: str, lock_id: str | None) -> None:
        held = self.locks.get(path)
        if held is not None and lock_id is not None and held.id != lock_id:
            raise Failure.locked(held)
        self.locks.pop(path, None)

    def list(self, prefix: str) -> list[str]:
        return sorted(path for path in self.states if path.startswith(prefix))

    def delete(self, path: str, lock_id: str | None) -> None:
        Lock.check(self.locks.get(path), lock_id)
        self.states.pop(path, None)


if __name__ == "__main__":
    plugin.serve()
