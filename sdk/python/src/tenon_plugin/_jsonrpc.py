"""JSON-RPC 2.0: what denobridge, MCP and services have in common."""

from __future__ import annotations

from . import _text
from ._failure import readable
from ._host import Host, Refused
from ._lines import Headers, Lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
FAILED, CANCELLED = -32000, -32800
#: The most messages in a batch.
MOST_IN_BATCH = 1024
_IDS = (int, str)
#: Ids that are seldom: fractions, and null, which is not the same as none.
_OTHER_IDS = ("float", "Decimal", "NoneType")


class JsonRpc(Host):
    """Reads and writes messages; subclasses know the methods."""

    def __init__(self, *arguments: Any, framing: str = "lines") -> None:
        super().__init__(*arguments)
        self._framing: Any = Headers() if framing == "headers" else Lines()
        self._frame: Callable[[bytes], bytes] = self._framing.frame
        #: The answers of batches that are not complete yet, by the ids of their requests.
        self._batches: list[_Batch] = []

    def feed(self, data: bytes) -> None:
        for frame in self._framing.feed(data):
            self._take(frame)

    def finish(self) -> None:
        for frame in self._framing.finish():
            self._take(frame)

    def _take(self, frame: bytes) -> None:
        try:
            message = _text.loads(frame.decode())
        except ValueError as error:
            self.refuse(None, Refused(PARSE_ERROR, "Parse error", str(error)))
            return
        if message.__class__ is dict:
            # A request, as almost always; what else it may be is looked at below.
            get = message.get
            method, id = get("method"), get("id")
            if method.__class__ is str and method and id.__class__ in _IDS and get("jsonrpc") == "2.0" and _is_id(id):
                self.request(id, method, get("params"))
                return
        if message.__class__ is list:
            self._take_batch(message)
        else:
            self._take_one(message)

    def _take_batch(self, messages: list[Any]) -> None:
        if not messages or len(messages) > MOST_IN_BATCH:
            self.refuse(None, Refused(INVALID_REQUEST, "Invalid Request", f"a batch has 1 to {MOST_IN_BATCH} messages"))
            return
        batch = _Batch(self, messages)
        self._batches.append(batch)
        for message in messages:
            self._take_one(message)
        batch.has_begun = True
        batch.send_if_complete()

    def _take_one(self, message: Any) -> None:
        if type(message) is not dict:
            self.refuse(None, Refused(INVALID_REQUEST, "Invalid Request", "a message is an object"))
            return
        method, id = message.get("method"), message.get("id")
        if "method" not in message and ("result" in message or message.get("error") is not None):
            # An answer that nobody waits for.
            return
        if not _is_id(id):
            self.refuse(None, Refused(INVALID_REQUEST, "Invalid Request", "the id is a number or a string"))
        elif type(method) is not str or not method or message.get("jsonrpc", "2.0") != "2.0":
            self.refuse(id, Refused(INVALID_REQUEST, "Invalid Request", "a request has a method"))
        elif "id" in message:
            self.request(id, method, message.get("params"))
        else:
            self.event(method, message.get("params"))

    def request(self, id: Any, method: str, params: Any) -> None:
        """A call."""
        raise NotImplementedError

    def event(self, method: str, params: Any) -> None:
        """A notification."""

    def cancelled(self, id: Any) -> None:
        """The host does not wait for a call any more: it is answered at once."""
        job = self.cancel(id)
        if job is not None:
            self.refuse(job.id, Refused(CANCELLED, "the call was cancelled"))

    def notify(self, method: str, params: Any) -> None:
        """Sends a notification."""
        self._send(self._frame(_text.dumps({"jsonrpc": "2.0", "method": method, "params": params})))

    def respond(self, id: Any, result: Any) -> None:
        # By parts, because writing the whole object takes longer.
        written = b"%d" % id if id.__class__ is int else _text.dumps(id)
        message = b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (written, _text.dumps(result))
        if self._batches:
            self._reply(id, message)
        else:
            self._send(self._frame(message))

    def refuse(self, id: Any, error: Refused) -> None:
        code = error.code if type(error.code) is int else FAILED
        body: dict[str, Any] = {"code": code, "message": readable(error.message)}
        if error.data is not None:
            body["data"] = readable(error.data)
        self._reply(id, _text.dumps({"jsonrpc": "2.0", "id": id, "error": body}))

    def _reply(self, id: Any, message: bytes) -> None:
        if self._batches:
            for batch in self._batches:
                if batch.takes(id, message):
                    return
        self._send(self._frame(message))

    def send_batch(self, batch: _Batch, messages: list[bytes]) -> None:
        """Sends the answers of a batch in one message."""
        self._batches.remove(batch)
        if messages:
            self._send(self._frame(b"[" + b",".join(messages) + b"]"))


def _is_id(id: Any) -> bool:
    if type(id) is str:
        # A text with half a surrogate cannot be sent back.
        return id.isascii() or readable(id) == id
    return type(id) is int or type(id).__name__ in _OTHER_IDS


class _Batch:
    """The answers to a batch, which are sent in one message."""

    def __init__(self, host: JsonRpc, messages: list[Any]) -> None:
        self._host = host
        # Everything with an id is answered, and everything that is not a message.
        wants = [one for one in messages if type(one) is not dict or "id" in one or "method" not in one]
        ids = [one.get("id") if type(one) is dict else None for one in wants]
        self._ids = [one if _is_id(one) else None for one in ids]
        self._answers: list[bytes] = []
        self.has_begun = False

    def takes(self, id: Any, message: bytes) -> bool:
        """Whether an answer belongs to this batch."""
        if id not in self._ids and (self.has_begun or id is not None):
            return False
        if id in self._ids:
            self._ids.remove(id)
        self._answers.append(message)
        self.send_if_complete()
        return True

    def send_if_complete(self) -> None:
        if self.has_begun and not self._ids and self in self._host._batches:
            self._host.send_batch(self, self._answers)
