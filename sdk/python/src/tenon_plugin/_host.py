"""What all hosts have in common: requests become jobs, and each is answered once."""

from __future__ import annotations

import sys

from ._context import Context
from ._failure import Cancelled, Failure, Unfit, failure_of, is_mistake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._session import Session


class Job:
    """A request that the author's code answers."""

    __slots__ = ("host", "id", "method", "params", "context", "may_cancel", "part")

    def __init__(self, host: Host, id: Any, method: str, params: Any, may_cancel: bool, part: Any = None) -> None:
        self.host = host
        self.id = id
        self.method = method
        self.params = params
        self.context = Context(host.name)
        self.may_cancel = may_cancel
        #: The function or action that is called, if the method is its name.
        self.part = part


class Refused(Exception):
    """A request that is answered with this error."""

    def __init__(self, code: int | str, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Host:
    """A conversation with a host. Subclasses read frames and know the methods."""

    name = ""

    def __init__(self, session: Session, send: Callable[[bytes], None], begin: Callable[[Job], None]) -> None:
        self.session = session
        self.plugin = session.plugin
        self._send = send
        self._begin = begin
        self._running: dict[Job, bool] = {}
        #: The jobs whose answers are being written.
        self._answering: dict[Job, bool] = {}
        #: Whether the host has said goodbye.
        self.is_over = False

    def feed(self, data: bytes) -> None:
        """Takes bytes of the host."""
        raise NotImplementedError

    def finish(self) -> None:
        """The host sends nothing more."""

    @property
    def is_waiting(self) -> bool:
        """Whether an answer is outstanding."""
        return bool(self._running or self._answering)

    def handle(self, job: Job) -> Any:
        """The result of a request. May raise anything."""
        raise NotImplementedError

    def respond(self, id: Any, result: Any) -> None:
        """Sends a result."""
        raise NotImplementedError

    def refuse(self, id: Any, error: Refused) -> None:
        """Sends an error."""
        raise NotImplementedError

    def explain(self, job: Job, error: Exception) -> Refused:
        """The error of a request that failed."""
        raise NotImplementedError

    def hide(self, job: Job, value: Any) -> Any:
        """The texts of an error or a warning, without the secrets that the host has sent."""
        from ._masking import Masking

        params = job.params
        if isinstance(params, list) and job.part is not None:
            entries = list(job.part.body.entries)
            variadic = job.part.variadic
            params = [dict(zip(entries, params)), {variadic.name: params[len(entries) :]} if variadic else None]
        return Masking(self.plugin, params, self.session.config).hide(value)

    def tell_warnings(self, job: Job) -> None:
        """Writes the warnings to stderr, where a protocol has no place for them: beside a result, or beside an error."""
        warnings, job.context._warnings = job.context._warnings, ()
        for warning in warnings:
            try:
                print(f"[WARN] {self.hide(job, warning.text())}", file=sys.stderr, flush=True)
            except (OSError, ValueError):
                # stderr is closed. That must not fail the call.
                return

    def start(self, id: Any, method: str, params: Any, may_cancel: bool = False, part: Any = None) -> None:
        """Puts a request into the queue."""
        job = Job(self, id, method, params, may_cancel, part)
        self._running[job] = True
        self._begin(job)

    def run(self, job: Job) -> None:
        """Runs a request, and answers it unless it has been cancelled."""
        if job not in self._running:
            return
        error: Refused | None = None
        result: Any = None
        try:
            result = self.handle(job)
        except Refused as refused:
            error = refused
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as raised:
            # CancelledError of asyncio is not an Exception, and ends only the call.
            failed = raised if isinstance(raised, Exception) else RuntimeError(f"{type(raised).__name__} was raised")
            if is_mistake(failed):
                # The user sees the message, and the author where it is.
                from traceback import print_exc

                print_exc()
            try:
                error = self.explain(job, failed)
            except Exception as broken:
                error = Refused(-32603, failure_of(broken).text())
        finally:
            # Progress after the answer would be shown as that of the next call.
            context = job.context
            context._say = context._log = None
        if error is not None and job.context._warnings:
            self.tell_warnings(job)
        self._answering[job] = True
        try:
            if self._running.pop(job, False):
                self._answer(job, result, error)
        finally:
            del self._answering[job]

    def _answer(self, job: Job, result: Any, error: Refused | None) -> None:
        if error is None:
            try:
                self.respond(job.id, result)
                return
            except Exception as unwritable:
                error = self.explain(job, Unwritable(f"the result cannot be written: {unwritable}"))
                # If they were in the result, they are lost with it.
                self.tell_warnings(job)
        try:
            error.message, error.data = self.hide(job, [error.message, error.data])
            self.refuse(job.id, error)
        except Exception as broken:
            self.refuse(job.id, Refused(-32603, f"the error cannot be written: {type(broken).__name__}"))

    def _claim(self, job: Job) -> bool:
        """Whether the request has not been answered yet. Two threads may ask."""
        return self._running.pop(job, False)

    def cancel(self, id: Any) -> Job | None:
        """The host does not wait for a request any more. Returns it if it is answered at once."""
        for job in list(self._running):
            if job.id == id and type(job.id) is type(id):
                # Before its coroutine is stopped: the thread that waits for that would answer it.
                is_claimed = job.may_cancel and self._claim(job)
                job.context.cancel(job.may_cancel)
                return job if is_claimed else None
        return None


class Unwritable(Failure):
    """What the author returned does not fit its type: the work was done all the same."""


def written(write: Callable[[Any], Any], value: Any, what: str) -> Any:
    """A value of the author in its plain form."""
    try:
        return write(value)
    except Unfit as error:
        raise Unwritable(f"the {what} cannot be written: {error}") from None


def member(params: dict[str, Any], name: str, kind: Any, words: str) -> Any:
    """A member of params, which may be missing."""
    found = params.get(name)
    if found is not None and not isinstance(found, kind):
        raise Refused(-32602, f"`{name}` must be {words}")
    return found


__all__ = ["Cancelled", "Host", "Job", "Refused", "Unwritable", "member", "written"]
