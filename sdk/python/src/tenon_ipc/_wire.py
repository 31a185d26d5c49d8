"""JSON-RPC 2.0 messages: reading and writing them as bytes. Does no input or output."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, NamedTuple, NoReturn, Union

from ._framing import quoted
from .errors import InvalidMessage, RpcError

METHOD_NOT_FOUND = -32601
INTERNAL_ERROR = -32603
INVALID_REQUEST = -32600
SERVER_ERROR = -32000
CANCELLED = -32800

#: The notification that cancels a call.
CANCEL = "$/cancelRequest"

#: The id of a call.
Id = Union[int, float, str, None]


class Request(NamedTuple):
    """A call from the server."""

    id: Id
    method: str
    params: Any


class Notification(NamedTuple):
    """A notification: it has no answer."""

    method: str
    params: Any


class Response(NamedTuple):
    """The answer to one of our calls."""

    id: Id
    #: The result, or an RpcError.
    outcome: Any


class Malformed(NamedTuple):
    """An invalid message. The messages after it can still be read."""

    #: What it most likely is: "stray" (not valid JSON), "request", "response", or "bare" (only an id:
    #: an answer without its result if a call with that id is pending, else a request without a method).
    kind: str
    #: The id, if one could be read.
    id: Id
    #: What is wrong.
    error: InvalidMessage


Message = Union[Request, Notification, Response, Malformed]


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not valid JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def encode(value: Any, what: str) -> bytes:
    """A value as JSON. ``what`` names it in the error if it has no JSON form."""
    try:
        # Half a surrogate pair is a character in Python, but has no UTF-8: that is a ValueError too.
        return _ENCODER.encode(value).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        problem = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InvalidMessage(
            f"{what} cannot be sent as JSON: {problem}. Send texts, numbers other than NaN and "
            "Infinity, True, False, None, lists and dicts"
        ) from None


def members(method: str, params: Any) -> bytes:
    """The members of a call or notification, without the id."""
    if not isinstance(method, str) or not method:
        raise InvalidMessage(f"the name of a method must be a non-empty string, not {method!r}")
    said = b'"method":%b' % encode(method, "the name of the method")
    if params is not None:
        said += b',"params":%b' % encode(params, f"the params of {method!r}")
    return said


def request(id: int, members: bytes) -> bytes:
    """A call, from what :func:`members` made."""
    return b'{"jsonrpc":"2.0","id":%d,%b}' % (id, members)


def notification(members: bytes) -> bytes:
    """A notification, from what :func:`members` made."""
    return b'{"jsonrpc":"2.0",%b}' % members


def cancellation(id: int) -> bytes:
    """The notification that cancels a call."""
    return notification(members(CANCEL, {"id": id}))


def answer(id: Id, outcome: Any) -> bytes:
    """The answer to a call from the server: a result, or an RpcError."""
    if not isinstance(outcome, RpcError):
        said = b'"result":%b' % encode(outcome, "the result")
    else:
        error = {"code": outcome.code, "message": outcome.message}
        if outcome.data is not None:
            error["data"] = outcome.data
        said = b'"error":%b' % encode(error, "the error")
    return b'{"jsonrpc":"2.0","id":%b,%b}' % (encode(id, "the id"), said)


def batch(messages: Iterable[bytes]) -> bytes:
    """Several messages as one."""
    return b"[%b]" % b",".join(messages)


def read(frame: bytes) -> list[Message]:
    """The messages in a frame: one, or those of a batch."""
    return read_batch(frame)[0]


def read_batch(frame: bytes) -> tuple[list[Message], bool]:
    """The messages in a frame, and whether they are a batch."""
    try:
        # Decoded here: given bytes, json would guess UTF-16 and accept invalid characters.
        value = _DECODER.decode(str(frame, "utf-8"))
    except (ValueError, RecursionError) as error:
        problem = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        return [_malformed("stray", None, f"not valid JSON ({problem})", frame)], False
    if isinstance(value, list) and value:
        return [_sort(item, frame) for item in value], True
    return [_sort(value, frame)], False


def _malformed(kind: str, id: Id, problem: str, frame: bytes) -> Malformed:
    return Malformed(kind, id, InvalidMessage(f"{problem}: {quoted(frame)}"))


def _sort(value: Any, frame: bytes) -> Message:
    """The message in a JSON value. Its members decide which kind it is."""
    if not isinstance(value, dict):
        return _malformed("request", None, "a message must be an object", frame)
    id: Id = value.get("id")
    # In Python, True is an int and equal to 1.
    if isinstance(id, (bool, list, dict)) or (isinstance(id, float) and not math.isfinite(id)):
        return _malformed("request", None, "the id must be a number or a string", frame)
    error = value.get("error")
    is_response = "method" not in value and ("result" in value or error is not None)
    if value.get("jsonrpc", "2.0") != "2.0":
        kind = "response" if is_response else "request"
        return _malformed(kind, id, "the version is not 2.0", frame)
    if "method" in value:
        method, params = value["method"], value.get("params")
        if not isinstance(method, str) or not method:
            return _malformed("request", id, "the method is not a non-empty string", frame)
        return Request(id, method, params) if "id" in value else Notification(method, params)
    if "id" not in value:
        return _malformed("request", None, "there is neither a method nor an id", frame)
    if not is_response:
        return _malformed("bare", id, "there is neither a method nor a result", frame)
    if error is None:
        return Response(id, value["result"])
    problem = _error(error)
    if problem is None or value.get("result") is not None:
        return _malformed("response", id, "the answer is neither a result nor an error", frame)
    return Response(id, problem)


def _error(error: Any) -> RpcError | None:
    """The error in an answer, with defaults for missing members; None if it is not an error."""
    if not isinstance(error, dict) or not ("code" in error or "message" in error):
        return None
    code, message = error.get("code"), error.get("message")
    if isinstance(code, bool) or not isinstance(code, (int, str)):
        code = SERVER_ERROR
    if not isinstance(message, str):
        message = "(no message)"
    return RpcError(code, message, error.get("data"))
