"""MessagePack: values to bytes and back, within limits."""

from __future__ import annotations

from ._unknown import Unknown, UnknownType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The most that one message may have.
MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 128
MAX_VALUES = 4_000_000
#: The longest map of what is known about an unknown value.
MAX_REFINEMENT = 1024

#: The members of a refinement by their keys on the wire.
_REFINEMENTS = {1: "null", 2: "prefix", 3: "min", 4: "max", 5: "min_length", 6: "max_length"}
_KEYS = {name: key for key, name in _REFINEMENTS.items()}

INTEGERS = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
#: How many bytes the length has.
TEXTS = {0xD9: 1, 0xDA: 2, 0xDB: 4}
BINARIES = {0xC4: 1, 0xC5: 2, 0xC6: 4}
ARRAYS = {0xDC: 2, 0xDD: 4}
MAPS = {0xDE: 2, 0xDF: 4}
EXTS = {0xC7: 1, 0xC8: 2, 0xC9: 4}
FIXED_EXTS = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}


class MsgpackError(ValueError):
    """Bytes that are not msgpack, or a value that has no form in it."""


class Incomplete(Exception):
    """The bytes end inside a value."""


def pack(value: Any) -> bytes:
    """The bytes of a value."""
    out: list[bytes] = []
    _pack(value, out.append, 0)
    return b"".join(out)


def _pack(value: Any, add: Any, depth: int) -> None:
    kind = type(value)
    if kind is str:
        add(_text(value))
    elif value is None:
        add(b"\xc0")
    elif kind is bool:
        add(b"\xc3" if value else b"\xc2")
    elif kind is int:
        add(_integer(value))
    elif kind is dict:
        if depth >= MAX_DEPTH:
            raise MsgpackError(f"the value is nested more than {MAX_DEPTH} levels deep")
        add(_header(len(value), 0x80, 15, b"\xde", b"\xdf"))
        for key, one in value.items():
            if not isinstance(key, str):
                raise MsgpackError(f"the key of a map is a string, not {type(key).__name__}")
            add(_text(key))
            _pack(one, add, depth + 1)
    elif kind is list or kind is tuple:
        if depth >= MAX_DEPTH:
            raise MsgpackError(f"the value is nested more than {MAX_DEPTH} levels deep")
        add(_header(len(value), 0x90, 15, b"\xdc", b"\xdd"))
        for one in value:
            _pack(one, add, depth + 1)
    elif kind is float:
        from struct import pack as pack_struct

        if value != value:
            raise MsgpackError("NaN is not a number that can be sent")
        add(pack_struct(">Bd", 0xCB, value))
    elif kind is bytes or kind is bytearray:
        add(_binary_header(len(value)) + bytes(value))
    elif isinstance(value, UnknownType):
        add(_unknown(value))
    elif isinstance(value, (str, bool, int, float, dict, list, tuple, bytes)):
        # A subclass, such as an IntEnum. What str() makes of a text that is an Enum is its name.
        if isinstance(value, str):
            add(_text(str.__str__(value)))
            return
        plain: Any
        for plain in (bool, int, float, dict, list, tuple, bytes):
            if isinstance(value, plain):
                _pack(plain(value), add, depth)
                return
    else:
        raise MsgpackError(f"a value of type {kind.__name__} cannot be sent")


def _text(text: str) -> bytes:
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise MsgpackError("the text has half a surrogate pair, which is not UTF-8") from error
    length = len(data)
    if length < 32:
        return bytes((0xA0 | length,)) + data
    if length < 256:
        return bytes((0xD9, length)) + data
    if length < 65536:
        return b"\xda" + length.to_bytes(2, "big") + data
    return b"\xdb" + length.to_bytes(4, "big") + data


def _integer(value: int) -> bytes:
    if 0 <= value < 128:
        return bytes((value,))
    if -32 <= value < 0:
        return bytes((256 + value,))
    if value >= 0:
        for code, size in ((b"\xcc", 1), (b"\xcd", 2), (b"\xce", 4), (b"\xcf", 8)):
            if value < 1 << (8 * size):
                return code + value.to_bytes(size, "big")
    else:
        for code, size in ((b"\xd0", 1), (b"\xd1", 2), (b"\xd2", 4), (b"\xd3", 8)):
            if value >= -(1 << (8 * size - 1)):
                return code + value.to_bytes(size, "big", signed=True)
    # Larger numbers are sent as text.
    return _text(str(value))


def _header(length: int, fixed: int, most: int, short: bytes, long: bytes) -> bytes:
    if length <= most:
        return bytes((fixed | length,))
    if length < 65536:
        return short + length.to_bytes(2, "big")
    return long + length.to_bytes(4, "big")


def _binary_header(length: int) -> bytes:
    if length < 256:
        return bytes((0xC4, length))
    if length < 65536:
        return b"\xc5" + length.to_bytes(2, "big")
    return b"\xc6" + length.to_bytes(4, "big")


def _unknown(value: UnknownType) -> bytes:
    if not value.refinement:
        return b"\xd4\x00\x00"
    members = sorted((_KEYS[name], one) for name, one in value.refinement.items())
    payload = bytes((0x80 | len(members),))
    payload += b"".join(bytes((key,)) + pack(one) for key, one in members)
    length = len(payload)
    for code, size in FIXED_EXTS.items():
        if size == length:
            return bytes((code, 12)) + payload
    if length < 256:
        return bytes((0xC7, length, 12)) + payload
    return b"\xc8" + length.to_bytes(2, "big") + b"\x0c" + payload


def unpack(data: bytes) -> Any:
    """The one value in these bytes."""
    try:
        value, end = Reader(data).value(0, 0)
    except Incomplete:
        raise MsgpackError("the bytes end inside a value") from None
    if end != len(data):
        raise MsgpackError("there is more behind the value")
    return value


class Reader:
    """Reads values from bytes that are all there."""

    __slots__ = ("data", "left")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.left = MAX_VALUES

    def value(self, at: int, depth: int) -> tuple[Any, int]:
        """The value at a position, and where it ends."""
        data = self.data
        try:
            first = data[at]
        except IndexError:
            raise Incomplete from None
        at += 1
        if first < 0x80:
            return first, at
        if 0xA0 <= first < 0xC0:
            return self._text(at, first & 31)
        if first < 0x90:
            return self._map(at, first & 15, depth)
        if first < 0xA0:
            return self._array(at, first & 15, depth)
        if first >= 0xE0:
            return first - 256, at
        if first == 0xC0:
            return None, at
        if first == 0xC2:
            return False, at
        if first == 0xC3:
            return True, at
        size = INTEGERS.get(first)
        if size is not None:
            return int.from_bytes(self._bytes(at, size), "big", signed=first >= 0xD0), at + size
        size = TEXTS.get(first)
        if size is not None:
            return self._text(at + size, self._length(at, size))
        if first in (0xCA, 0xCB):
            return self._float(at, first)
        size = BINARIES.get(first)
        if size is not None:
            length = self._length(at, size)
            return self._bytes(at + size, length), at + size + length
        size = ARRAYS.get(first)
        if size is not None:
            return self._array(at + size, self._length(at, size), depth)
        size = MAPS.get(first)
        if size is not None:
            return self._map(at + size, self._length(at, size), depth)
        size = FIXED_EXTS.get(first)
        if size is not None:
            return self._ext(at, size)
        size = EXTS.get(first)
        if size is not None:
            return self._ext(at + size, self._length(at, size))
        raise MsgpackError(f"0x{first:02x} does not begin a value of msgpack (at byte {at - 1})")

    def _length(self, at: int, size: int) -> int:
        return int.from_bytes(self._bytes(at, size), "big")

    def _bytes(self, at: int, length: int) -> bytes:
        found = self.data[at : at + length]
        if len(found) != length:
            if length > MAX_BYTES:
                raise MsgpackError(f"a value of {length} bytes is longer than the limit of {MAX_BYTES}")
            raise Incomplete
        return found

    def _text(self, at: int, length: int) -> tuple[str | bytes, int]:
        found = self._bytes(at, length)
        try:
            return found.decode(), at + length
        except UnicodeDecodeError:
            # The stream is sound. Where a text is needed, this is refused.
            return found, at + length

    def _float(self, at: int, first: int) -> tuple[float, int]:
        from struct import unpack as unpack_struct

        size = 4 if first == 0xCA else 8
        number: float = unpack_struct(">f" if size == 4 else ">d", self._bytes(at, size))[0]
        return number, at + size

    def _count(self, length: int, depth: int) -> None:
        self.left -= length
        if self.left < 0:
            raise MsgpackError(f"there are more than {MAX_VALUES} values in a message")
        if depth >= MAX_DEPTH:
            raise MsgpackError(f"the value is nested more than {MAX_DEPTH} levels deep")

    def _array(self, at: int, length: int, depth: int) -> tuple[list[Any], int]:
        self._count(length, depth)
        found = []
        for _ in range(length):
            one, at = self.value(at, depth + 1)
            found.append(one)
        return found, at

    def _map(self, at: int, length: int, depth: int) -> tuple[dict[Any, Any], int]:
        self._count(2 * length, depth)
        found: dict[Any, Any] = {}
        for _ in range(length):
            key, at = self.value(at, depth + 1)
            if type(key) is not str:
                key = _key(key)
            found[key], at = self.value(at, depth + 1)
        return found, at

    def _ext(self, at: int, length: int) -> tuple[UnknownType, int]:
        end = at + 1 + length
        code = self._bytes(at, 1)[0]
        payload = self._bytes(at + 1, length)
        return (_refined(payload) if code == 12 else Unknown), end


def _key(key: Any) -> Any:
    """A key that is not a text. Binary that is UTF-8 is read as one, as cty does."""
    if type(key) in (list, dict):
        raise MsgpackError("the key of a map is an array or a map")
    if type(key) is bytes:
        try:
            return key.decode()
        except UnicodeDecodeError:
            pass
    return key


def _refined(payload: bytes) -> UnknownType:
    """What is known of an unknown value: a map whose keys are integers."""
    if len(payload) > MAX_REFINEMENT:
        raise MsgpackError(f"a refinement has more than {MAX_REFINEMENT} bytes")
    reader, found = Reader(payload), {}
    try:
        first, at = payload[0], 1
        if first == 0xDE:
            count, at = reader._length(1, 2), 3
        elif 0x80 <= first < 0x90:
            count = first & 15
        else:
            raise MsgpackError("a refinement is not a map")
        for _ in range(count):
            key, at = reader.value(at, 0)
            one, at = reader.value(at, 0)
            name = _REFINEMENTS.get(key) if type(key) is int else None
            # What is not known to this version is ignored, as the specification says.
            if name == "prefix" and type(one) is bytes:
                one = _key(one)
                if type(one) is bytes:
                    raise MsgpackError("the prefix of an unknown text is not UTF-8")
            if name is not None:
                found[name] = tuple(one) if type(one) is list else one
    except (Incomplete, IndexError):
        raise MsgpackError("a refinement ends inside a value") from None
    return UnknownType(found)
