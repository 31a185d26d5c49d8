"""MessagePack on streams, as much of it as Seasonings needs. Unknown values are UNKNOWN."""

from struct import Struct


class Unknown:
    def __repr__(self):
        return "UNKNOWN"


UNKNOWN = Unknown()

UINT32, UINT64, INT64, FLOAT64 = Struct(">I"), Struct(">Q"), Struct(">q"), Struct(">d")


def pack(value):
    parts = []
    write(value, parts.append)
    # Joined once, so that a large state is copied once.
    return b"".join(parts)


def write(value, add):
    if isinstance(value, str):
        data = value.encode()
        add(b"\xdb" + UINT32.pack(len(data)) + data)
    elif value is None:
        add(b"\xc0")
    elif value is UNKNOWN:
        add(b"\xd4\x00\x00")
    elif isinstance(value, dict):
        add(b"\xdf" + UINT32.pack(len(value)))
        for key, item in value.items():
            write(str(key), add)
            write(item, add)
    elif isinstance(value, (list, tuple)):
        add(b"\xdd" + UINT32.pack(len(value)))
        for item in value:
            write(item, add)
    elif isinstance(value, bool):
        add(b"\xc3" if value else b"\xc2")
    elif isinstance(value, int):
        if -(2**63) <= value < 2**63:
            add(b"\xd3" + INT64.pack(value))
        elif 0 <= value < 2**64:
            add(b"\xcf" + UINT64.pack(value))
        else:
            write(str(value), add)
    elif isinstance(value, float):
        add(b"\xcb" + FLOAT64.pack(value))
    elif isinstance(value, bytes):
        add(b"\xc6" + UINT32.pack(len(value)))
        add(value)
    else:
        raise TypeError(f"no msgpack for {value!r}")


def unpack(read):
    """Reads one value; `read(n)` returns exactly n bytes, or raises EOFError."""
    code = read(1)[0]
    if 0xA0 <= code < 0xC0:  # A short text: what most values are, so it comes first.
        return read(code & 0x1F).decode()
    if code < 0x80:
        return code
    if code < 0x90:
        return mapping(read, code & 0x0F)
    if code < 0xA0:
        return array(read, code & 0x0F)
    if code >= 0xE0:
        return code - 0x100
    return READERS[code](read)


def mapping(read, length):
    return {unpack(read): unpack(read) for _ in range(length)}


def array(read, length):
    return [unpack(read) for _ in range(length)]


def text(read, length):
    return read(length).decode()


def binary(read, length):
    return read(length)


def extension(read, length):
    read(1 + length)
    return UNKNOWN


def number(kind):
    form = Struct(">" + kind)
    return lambda read: form.unpack(read(form.size))[0]


def sized(kind, make):
    length = number(kind)
    return lambda read: make(read, length(read))


def constant(value):
    return lambda read: value


def extension_of(length):
    return lambda read: extension(read, length)


READERS = {0xC0: constant(None), 0xC2: constant(False), 0xC3: constant(True)}
READERS |= {0xC4 + i: sized(kind, binary) for i, kind in enumerate("BHI")}
READERS |= {0xC7 + i: sized(kind, extension) for i, kind in enumerate("BHI")}
READERS |= {0xCA + i: number(kind) for i, kind in enumerate("fdBHIQbhiq")}
READERS |= {0xD4 + i: extension_of(1 << i) for i in range(5)}
READERS |= {0xD9 + i: sized(kind, text) for i, kind in enumerate("BHI")}
READERS |= {0xDC + i: sized(kind, array) for i, kind in enumerate("HI")}
READERS |= {0xDE + i: sized(kind, mapping) for i, kind in enumerate("HI")}
