"""What frames say: bytes to messages of JSON-RPC 2.0 and back, without input or output."""

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

#: The notification that takes a call back.
CANCEL = "$/cancelRequest"

#: What the other side may number its calls with.
Id = Union[int, float, str, None]


class Request(NamedTuple):
    """A call from the server."""

    id: Id
    method: str
    params: Any


class Notification(NamedTuple):
    """News that nobody answers."""

    method: str
    params: Any


class Response(NamedTuple):
    """The answer to a call of ours."""

    id: Id
    #: The result, or an RpcError.
    outcome: Any


class Malformed(NamedTuple):
    """Something that is no message, in a stream that is sound."""

    #: What it was meant to be: "stray" (not even JSON), "request", "response", or "bare" (an id
    #: alone: a result that was left out if a call waits for it, else a request without a method).
    kind: str
    #: The id, if one could be read.
    id: Id
    #: What is wrong.
    error: InvalidMessage


Message = Union[Request, Notification, Response, Malformed]


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def encode(value: Any, what: str) -> bytes:
    """A value as JSON. ``what`` it is goes into the error if it has no form there."""
    try:
        # Half a surrogate pair is a character for Python and none in UTF-8: a ValueError, too.
        return _ENCODER.encode(value).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        problem = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise InvalidMessage(
            f"{what} cannot be sent as JSON: {problem}. Send texts, numbers other than NaN and "
            "Infinity, True, False, None, lists and dicts"
        ) from None


def members(method: str, params: Any) -> bytes:
    """What a call or a notification says, without its id."""
    if not isinstance(method, str) or not method:
        raise InvalidMessage(f"{method!r} is no name of a method; give a text")
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
    """Tells the server that nobody waits for a call any more."""
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
        # Not bytes to the decoder: it would guess at UTF-16 and let broken characters through.
        value = _DECODER.decode(str(frame, "utf-8"))
    except (ValueError, RecursionError) as error:
        problem = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        return [_malformed("stray", None, f"this is no JSON ({problem})", frame)], False
    if isinstance(value, list) and value:
        return [_sort(item, frame) for item in value], True
    return [_sort(value, frame)], False


def _malformed(kind: str, id: Id, problem: str, frame: bytes) -> Malformed:
    return Malformed(kind, id, InvalidMessage(f"{problem}: {quoted(frame)}"))


def _sort(value: Any, frame: bytes) -> Message:
    """Looks at which members are there, then decides."""
    if not isinstance(value, dict):
        return _malformed("request", None, "a message must be an object", frame)
    id: Id = value.get("id")
    # True is an int for Python, and equal to 1.
    if isinstance(id, (bool, list, dict)) or (isinstance(id, float) and not math.isfinite(id)):
        return _malformed("request", None, "an id is a number or a text", frame)
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
    """The error in an answer, with what is missing made up; or None if it is no error at all."""
    if not isinstance(error, dict) or not ("code" in error or "message" in error):
        return None
    code, message = error.get("code"), error.get("message")
    if isinstance(code, bool) or not isinstance(code, (int, str)):
        code = SERVER_ERROR
    if not isinstance(message, str):
        message = "(no message)"
    return RpcError(code, message, error.get("data"))
