"""JSON, with exact numbers.

The C functions below the module ``json`` are used directly: importing ``json`` takes longer than
everything else that a small plugin needs. Where they are missing, ``json`` is used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: The deepest nesting that is read.
MAX_DEPTH = 128
_BLANK = " \t\r\n"


class JsonError(ValueError):
    """Text that is not JSON, or a value that has no form in it."""


def _fraction(text: str) -> Any:
    """A number with a fraction or an exponent: a float if that has the same shortest decimal."""
    close = float(text)
    if repr(close) == text:
        return close
    from decimal import Decimal, InvalidOperation

    try:
        exact = Decimal(text)
    except InvalidOperation:
        raise JsonError(f"the exponent of the number {text[:40]} is too large") from None
    if close in (float("inf"), float("-inf")):
        return exact
    return close if Decimal(repr(close)) == exact else exact


def _constant(text: str) -> Any:
    raise JsonError(f"{text} is not JSON")


class _Rules:
    """How texts are read; what the scanner asks for."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = staticmethod(_fraction)
    parse_int = int
    parse_constant = staticmethod(_constant)
    memo: dict[str, str] = {}


class _NeedsExactNumbers(Exception):
    """A value has something that only the slow way can write."""


def _other(value: Any) -> Any:
    raise _NeedsExactNumbers


def _functions() -> tuple[Callable[[str, int], tuple[Any, int]], Callable[[Any, int], Any]]:
    try:
        from _json import encode_basestring, make_encoder, make_scanner

        rules: Any = _Rules
        scan = make_scanner(rules)
        # Without a memory of what it is inside of: nothing empties that after an error, so that the same value could not
        # be written again. What contains itself is too deep instead.
        write = make_encoder(None, _other, encode_basestring, None, ":", ",", False, False, False)
        # Another version of Python may want other arguments.
        if scan('{"a":[1]}', 0)[0] == {"a": [1]} and "".join(write({"a": [1]}, 0)) == '{"a":[1]}':
            return scan, write
    except (ImportError, TypeError, AttributeError):
        pass
    import json

    decoder = json.JSONDecoder(parse_float=_fraction, parse_constant=_constant)
    encoder = json.JSONEncoder(
        ensure_ascii=False, allow_nan=False, check_circular=False, separators=(",", ":"), default=_other
    )
    return decoder.raw_decode, lambda value, _: (encoder.encode(value),)


_scan, _write = _functions()


def loads(text: str) -> Any:
    """The value in a text."""
    try:
        value, end = _scan(text, 0)
    except StopIteration as error:
        bare = text.lstrip(_BLANK)
        if bare != text:
            return loads(bare)
        raise JsonError(f"this is not JSON (at character {error.value})") from None
    except RecursionError:
        raise JsonError(f"the JSON is nested more than {MAX_DEPTH} levels deep") from None
    except ValueError as error:
        raise JsonError(str(error)) from None
    except SystemError:
        # Before Python 3.12 the scanner needs the exception of this module, and does not import it.
        import json.decoder  # noqa: F401

        return loads(text)
    if end != len(text) and text[end:].strip(_BLANK):
        raise JsonError(f"there is more behind the JSON (at character {end})")
    if end > 2 * MAX_DEPTH and text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(value, 0)
    return value


def _check_depth(value: Any, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise JsonError(f"the JSON is nested more than {MAX_DEPTH} levels deep")
    if type(value) is dict:
        for one in value.values():
            _check_depth(one, depth + 1)
    elif type(value) is list:
        for one in value:
            _check_depth(one, depth + 1)


def dumps(value: Any) -> bytes:
    """The text of a value, in UTF-8 and in one line."""
    try:
        try:
            text = "".join(_write(value, 0))
        except _NeedsExactNumbers:
            parts: list[str] = []
            _slowly(value, parts.append)
            text = "".join(parts)
    except RecursionError:
        raise JsonError("the value is nested too deep, or contains itself") from None
    except JsonError:
        raise
    except ValueError as error:
        is_range = "Out of range" in str(error)
        raise JsonError("an infinite number, or NaN, cannot be written as JSON" if is_range else str(error)) from None
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise JsonError("a text has half a surrogate pair, which is not UTF-8") from None


def has_form(value: Any) -> bool:
    """Whether a value can be written as JSON."""
    try:
        dumps(value)
    except JsonError:
        return False
    return True


def _slowly(value: Any, add: Callable[[str], None]) -> None:
    if isinstance(value, dict):
        add("{")
        for index, (key, one) in enumerate(value.items()):
            add("," if index else "")
            # As it is if it is a text: what str() makes of one that is an Enum is its name.
            add("".join(_write(key if isinstance(key, str) else str(key), 0)))
            add(":")
            _slowly(one, add)
        add("}")
    elif isinstance(value, (list, tuple)):
        add("[")
        for index, one in enumerate(value):
            add("," if index else "")
            _slowly(one, add)
        add("]")
    elif type(value).__name__ == "Decimal":
        if not value.is_finite():
            raise JsonError("an infinite number, or NaN, cannot be written as JSON")
        # The capital E of Decimal's exponents is JSON, too.
        add(str(value))
    else:
        try:
            add("".join(_write(value, 0)))
        except _NeedsExactNumbers:
            raise JsonError(f"a value of type {type(value).__name__} cannot be written as JSON") from None
