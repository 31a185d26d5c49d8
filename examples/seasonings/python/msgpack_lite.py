"""MessagePack on streams, as much of it as Seasonings needs. Unknown values are UNKNOWN."""

import struct


class Unknown:
    def __repr__(self):
        return "UNKNOWN"


UNKNOWN = Unknown()
LENGTHS = {"B": 1, "H": 2, "I": 4}


def pack(value):
    if value is None:
        return b"\xc0"
    if value is UNKNOWN:
        return b"\xd4\x00\x00"
    if isinstance(value, bool):
        return b"\xc3" if value else b"\xc2"
    if isinstance(value, int):
        if -(2**63) <= value < 2**63:
            return b"\xd3" + struct.pack(">q", value)
        if 0 <= value < 2**64:
            return b"\xcf" + struct.pack(">Q", value)
        return pack(str(value))
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        data = value.encode()
        return b"\xdb" + struct.pack(">I", len(data)) + data
    if isinstance(value, bytes):
        return b"\xc6" + struct.pack(">I", len(value)) + value
    if isinstance(value, (list, tuple)):
        return b"\xdd" + struct.pack(">I", len(value)) + b"".join(map(pack, value))
    if isinstance(value, dict):
        items = b"".join(pack(str(key)) + pack(item) for key, item in value.items())
        return b"\xdf" + struct.pack(">I", len(value)) + items
    raise TypeError(f"no msgpack for {value!r}")


def unpack(read):
    """Reads one value; `read(n)` returns exactly n bytes, or raises EOFError."""
    code = read(1)[0]

    def number(kind):
        return struct.unpack(">" + kind, read(struct.calcsize(kind)))[0]

    def text(length):
        return read(length).decode()

    def array(length):
        return [unpack(read) for _ in range(length)]

    def mapping(length):
        return {unpack(read): unpack(read) for _ in range(length)}

    def extension(length):
        read(1 + length)
        return UNKNOWN

    if code < 0x80:
        return code
    if code >= 0xE0:
        return code - 0x100
    if code < 0x90:
        return mapping(code & 0x0F)
    if code < 0xA0:
        return array(code & 0x0F)
    if code < 0xC0:
        return text(code & 0x1F)
    if code in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[code]
    if code in range(0xD4, 0xD9):
        return extension(1 << (code - 0xD4))
    sized = {0xC4: (read, "BHI"), 0xC7: (extension, "BHI"), 0xD9: (text, "BHI"),
             0xDC: (array, "HI"), 0xDE: (mapping, "HI")}
    for first, (make, kinds) in sized.items():
        if first <= code < first + len(kinds):
            return make(number(kinds[code - first]))
    numbers = {0xCA: "f", 0xCB: "d", 0xCC: "B", 0xCD: "H", 0xCE: "I", 0xCF: "Q",
               0xD0: "b", 0xD1: "h", 0xD2: "i", 0xD3: "q"}
    return number(numbers[code])
