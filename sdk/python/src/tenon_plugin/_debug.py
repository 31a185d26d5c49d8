"""The log of frames that TENON_DEBUG asks for: ``1`` on stderr, otherwise in the file of that name."""

from __future__ import annotations

import json
import os

from ._masking import MASK, sensitive_names
from ._stream import Unpacker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ._plugin import Plugin

_HEADER = b"content-length:"


class FrameLog:
    """Shows each frame on a line. Values of sensitive attributes are masked, by the names of their members."""

    def __init__(self, place: str, plugin: Plugin) -> None:
        self._file = 2 if place == "1" else os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._masked = _hidden_names(plugin)
        calls = {**plugin.functions, **plugin.actions}
        self._secret_calls = {name for name, call in calls.items() if _has_secret(call.body)}
        self._waiting: dict[str, bytes] = {}
        self._unpackers: dict[str, Unpacker] = {}

    def __call__(self, direction: str, data: bytes) -> None:
        for text in self._texts(direction, data):
            try:
                os.write(self._file, f"{direction} {text}\n".encode("utf-8", "backslashreplace"))
            except OSError:
                return

    def _texts(self, direction: str, data: bytes) -> Iterator[str]:
        unpacker = self._unpackers.get(direction)
        if unpacker is None and direction not in self._waiting and data[:1] >= b"\x80":
            unpacker = self._unpackers[direction] = Unpacker()
        if unpacker is not None:
            try:
                for message in unpacker.feed(data):
                    yield repr(self._hidden(message))
            except ValueError as error:
                yield f"bytes that are not msgpack: {error}"
            return
        frames, self._waiting[direction] = _split(self._waiting.get(direction, b"") + data)
        for frame in frames:
            yield self._json(frame)

    def _json(self, frame: bytes) -> str:
        text = frame.decode("utf-8", "backslashreplace").strip()
        try:
            # Numbers keep their digits.
            message = json.loads(text, parse_float=_Digits, parse_int=_Digits)
        except (ValueError, RecursionError):
            # It may be a part of anything.
            return f"{len(frame)} bytes that are not JSON" if self._masked else text
        hidden = self._hidden(message)
        if isinstance(message, dict) and isinstance(message.get("params"), list):
            if message.get("method") in self._secret_calls:
                # By position, they have no names.
                hidden["params"] = MASK
        return text if hidden == message else _written(hidden)

    def _hidden(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {
                name: MASK if name in self._masked and inner is not None else self._hidden(inner)
                for name, inner in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self._hidden(inner) for inner in value]
        return value


class _Digits(str):
    """A number as it is written."""


def _written(value: Any) -> str:
    """JSON with the numbers as they came."""
    if isinstance(value, _Digits):
        return str(value)
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_written(name)}: {_written(inner)}' for name, inner in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _split(data: bytes) -> tuple[list[bytes], bytes]:
    """The whole frames, in lines or behind headers, and what is left."""
    frames = []
    while data:
        if data[: len(_HEADER)].lower() == _HEADER:
            head, end, body = data.partition(b"\r\n\r\n")
            length = head[len(_HEADER) :].split(b"\r\n")[0].strip()
            if not end or not length.isdigit() or len(body) < int(length):
                break
            frames.append(body[: int(length)])
            data = body[int(length) :]
        else:
            line, end, rest = data.partition(b"\n")
            if not end:
                break
            if line.strip():
                frames.append(line)
            data = rest
    return frames, data


def _hidden_names(plugin: Plugin) -> set[str]:
    """The names of secrets, and of the members in which a protocol has values without names."""
    names = sensitive_names(plugin)
    calls = [*plugin.functions.values(), *plugin.actions.values()]
    for call in calls:
        shape = call.answer
        if shape is not None and (shape.is_secret or (shape.body is not None and shape.body.has_secret)):
            # Wherever a protocol has results.
            names.update(("outputs", "result", "structuredContent", "text"))
    if any(_has_secret(call.body) for call in calls):
        names.add("arguments")
    return names


def _has_secret(body: Any) -> bool:
    return any(entry.is_sensitive or entry.is_write_only for entry in body.entries.values())
