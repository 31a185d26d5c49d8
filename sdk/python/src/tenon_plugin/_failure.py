"""Why something could not be done."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


class Diagnostic:
    """An error or a warning for the user, which may name the attribute that it is about."""

    __slots__ = ("severity", "summary", "detail", "path")

    def __init__(
        self,
        severity: str,
        summary: str,
        detail: str = "",
        path: Sequence[str | int] | str | None = None,
    ) -> None:
        if severity not in ("error", "warning"):
            raise ValueError(f"severity is 'error' or 'warning', not {severity!r}")
        self.severity = severity
        self.summary = summary
        self.detail = detail
        self.path: list[str | int] | None = None
        if path is not None:
            self.path = [path] if isinstance(path, str) else list(path)

    def text(self) -> str:
        """The diagnostic in one line."""
        where = "" if self.path is None else ".".join(map(str, self.path)) + ": "
        return f"{where}{self.summary}" + (f": {self.detail}" if self.detail else "")

    def __repr__(self) -> str:
        return f"Diagnostic({self.severity!r}, {self.text()!r})"


class Failure(Exception):
    """Why something could not be done: a message for the user.

    Any other exception reaches the user as its message, too. A failure can say more: the ``path``
    of the attribute (or the parameter) that it is about, a ``detail`` of several lines, and a
    ``code`` for Orchard's hosts, whose scenarios can refer to it.
    """

    def __init__(
        self,
        message: str,
        *,
        path: Sequence[str | int] | str | None = None,
        detail: str = "",
        code: str | None = None,
        diagnostics: Iterable[Diagnostic] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.code = code
        self.diagnostics = list(diagnostics)
        if path is not None:
            self.diagnostics.insert(0, Diagnostic("error", message, detail, path))
        #: What a storage answers with: ``locked``, ``not_found`` or ``not_supported``.
        self.reason: str | None = None
        #: The lock that is held.
        self.held: Any = None

    @classmethod
    def diagnosed(cls, diagnostics: Iterable[Diagnostic]) -> Failure:
        """A failure with several errors, each at its attribute."""
        found = list(diagnostics)
        errors = [one for one in found if one.severity == "error"]
        if not errors:
            # Warnings alone would be a success to a host.
            errors = [Diagnostic("error", "the plugin failed", "no reason was given")]
            found += errors
        detail = "\n".join(one.text() for one in errors[1:])
        return cls(errors[0].text(), detail=detail, diagnostics=found)

    @classmethod
    def outcome_unknown(cls, message: str, *, detail: str = "") -> Failure:
        """A request was sent, and no answer says whether it took effect.

        Tenon does not repeat such an action, and undoes it in a teardown.
        """
        return cls(message, detail=detail, code="outcome_unknown")

    @classmethod
    def locked(cls, held: Any = None) -> Failure:
        """A state that another client has locked: the :class:`Lock` that is held, if there is one."""
        text = "the lock is no longer held" if held is None else "the state is locked by another client"
        failure = cls(text)
        failure.reason, failure.held = "locked", held
        return failure

    @classmethod
    def not_found(cls, message: str) -> Failure:
        """Something does not exist. Hosts that speak Seasonings get a code of its own for it (-32002)."""
        failure = cls(message)
        failure.reason = "not_found"
        return failure

    @classmethod
    def not_supported(cls, message: str) -> Failure:
        """The plugin cannot do this. Hosts that speak Seasonings get a code of its own for it (-32003)."""
        failure = cls(message)
        failure.reason = "not_supported"
        return failure

    def headline(self) -> str:
        """The message, behind the attribute that it is about: ``city: unknown city``."""
        for one in self.diagnostics:
            if one.severity == "error" and one.path and one.summary == self.message:
                return f"{'.'.join(map(str, one.path))}: {self.message}"
        return self.message

    @property
    def path(self) -> list[str | int] | None:
        """The path of the first error that has one."""
        found = (one.path for one in self.diagnostics if one.severity == "error" and one.path)
        return next(found, None)

    def text(self) -> str:
        """All of it, for a host that has one text."""
        return f"{self.headline()}\n{self.detail}" if self.detail else self.headline()


class Cancelled(Exception):
    """The host does not wait for the call any more."""

    def __init__(self) -> None:
        super().__init__("the call was cancelled")


class Unfit(Exception):
    """A value that does not fit its type: where, and why."""

    def __init__(self, problem: str, path: Sequence[str | int] = ()) -> None:
        super().__init__(problem, path)
        self.problem = problem
        self.path = list(path)
        #: Which of the values that a host sent: ``props``, ``state``, ``current``, ``private``.
        self.given = "props"

    def below(self, step: str | int) -> Unfit:
        """The same problem, one level further out."""
        self.path.insert(0, step)
        return self

    def steps(self) -> list[str | int]:
        """The path, also to an attribute that is missing or not supported."""
        if self.problem.startswith('the attribute "'):
            return [*self.path, self.problem.split('"')[1]]
        return self.path

    def place(self) -> str:
        """The path as users write it: ``.tags["a"][0]``."""
        return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)

    def __str__(self) -> str:
        return f"at {self.place()}: {self.problem}" if self.path else self.problem


def failure_of(error: BaseException) -> Failure:
    """Any exception as a failure: its message, and those of its causes as the detail."""
    if isinstance(error, Failure):
        return error
    text = str(error) or type(error).__name__
    if isinstance(error, KeyError) and error.args:
        # str() of it is the key alone.
        text = f"KeyError: {error.args[0]!r}"
    causes, seen, cause = [], text, error.__cause__
    while cause is not None:
        words = str(cause) or type(cause).__name__
        if words not in seen:
            causes.append(f"caused by: {words}")
            seen += "\n" + words
        cause = cause.__cause__
    return Failure(text, detail="\n".join(causes))


def readable(value: Any) -> Any:
    """A text, or texts in lists and dicts, as they can be sent: without halves of surrogates, which names of files have
    that are not UTF-8."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {name: readable(one) for name, one in value.items()}
    return [readable(one) for one in value] if isinstance(value, list) else value


def is_mistake(error: BaseException) -> bool:
    """Whether an exception is a mistake in the program, and does not say that something failed."""
    kinds = (TypeError, AttributeError, NameError, LookupError, AssertionError, ArithmeticError)
    return isinstance(error, kinds)
