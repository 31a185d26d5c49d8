"""Reads the planned values out of Terraform's plan file, and writes them as tenon-values does.

The file is a protobuf message (planfile.proto in Terraform) with msgpack in it, as docs/reference/values.md
has it. Only what such plans have in them is read.
"""

import json
import struct
import unicodedata
from decimal import Decimal


def planned(message):
    """The planned input of each `terraform_data`: its name and the value in words."""
    for number, change in fields(message):
        if number != 3:  # resource_changes
            continue
        change = dict(fields(change))
        values, paths = None, []
        for number, content in fields(change[9]):
            if number == 2:  # values
                values = dict(fields(content))[1]
            elif number == 4:  # after_sensitive_paths
                paths.append(path(content))
        pair = Reader(values).value()["input"]
        is_typed = isinstance(pair, list)
        ty, content = (json.loads(pair[0]), pair[1]) if is_typed else ("dynamic", pair)
        text = f"{shown(content, ty)} : {type_text(ty)}" + sensitive(sorted(paths))
        yield change[13].decode().removeprefix("terraform_data."), text


def sensitive(paths):
    if not paths:
        return ""
    # What is in a secret is one anyway.
    return ", sensitive" if "" in paths else ", sensitive at " + " and ".join(paths)


def path(message):
    text = ""
    for _, step in list(fields(message))[1:]:  # The first is always `input`.
        [(number, content)] = fields(step)
        if number == 1:
            name = content.decode()
            text += f".{name}" if is_identifier(name) else f"[{quoted(name)}]"
        else:
            key = Reader(dict(fields(content))[1]).value()
            key = key[1] if isinstance(key, list) else key
            text += f"[{quoted(key)}]" if isinstance(key, str) else f"[{key}]"
    return text


def fields(message):
    """The fields of a protobuf message: numbers and contents."""
    reader = Reader(message)
    while reader.at < len(message):
        key = reader.varint()
        yield key >> 3, reader.varint() if key & 7 == 0 else reader.take(reader.varint())


class Unknown:
    def __init__(self, refinements):
        self.refinements = refinements


class Reader:
    def __init__(self, content):
        self.content, self.at = content, 0

    def take(self, length):
        self.at += length
        return self.content[self.at - length : self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def number(self, form):
        return struct.unpack(">" + form, self.take(struct.calcsize(form)))[0]

    def value(self):
        """A msgpack value. Strings of bytes are types in JSON."""
        tag = self.take(1)[0]
        if tag < 0x80:
            return tag
        if tag < 0x90:
            return self.map(tag & 15)
        if tag < 0xA0:
            return self.list(tag & 15)
        if tag < 0xC0:
            return self.take(tag & 31).decode()
        if tag >= 0xE0:
            return tag - 256
        if tag in (0xC0, 0xC2, 0xC3):
            return {0xC0: None, 0xC2: False, 0xC3: True}[tag]
        if tag in (0xC4, 0xC5):
            return self.take(self.number("BH"[tag - 0xC4]))
        if tag in (0xC7, 0xC8) or 0xD4 <= tag <= 0xD8:
            length = 1 << tag - 0xD4 if tag >= 0xD4 else self.number("BH"[tag - 0xC7])
            kind, content = self.take(1)[0], self.take(length)
            return Unknown(Reader(content).value() if kind == 12 else {})
        if 0xCA <= tag <= 0xD3:
            return self.number("fdBHIQbhiq"[tag - 0xCA])
        if tag in (0xD9, 0xDA, 0xDB):
            return self.take(self.number("BHI"[tag - 0xD9])).decode()
        if tag in (0xDC, 0xDD):
            return self.list(self.number("HI"[tag - 0xDC]))
        return self.map(self.number("HI"[tag - 0xDE]))

    def list(self, length):
        return [self.value() for _ in range(length)]

    def map(self, length):
        return {self.value(): self.value() for _ in range(length)}


def shown(value, ty):
    kind, inner = (ty, None) if isinstance(ty, str) else ty
    if isinstance(value, Unknown):
        return f"(unknown {type_text(ty)}{refined(value.refinements)})"
    if kind == "dynamic" and isinstance(value, list):
        return shown(value[1], json.loads(value[0]))
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if kind == "number":
        return number_text(value)
    if isinstance(value, str):
        return quoted(value)
    if kind == "tuple":
        return "[" + ", ".join(shown(*pair) for pair in zip(value, inner)) + "]"
    if kind in ("list", "set"):
        text = "[" + ", ".join(shown(element, inner) for element in value) + "]"
        return f"toset({text})" if kind == "set" else text
    types = inner if kind == "object" else dict.fromkeys(value, inner)
    return braces(f"{name_text(key)} = {shown(value[key], types[key])}" for key in in_order(value))


def type_text(ty):
    if isinstance(ty, str):
        return "any" if ty == "dynamic" else ty
    kind, inner = ty[0], ty[1]
    if kind == "tuple":
        return "tuple([" + ", ".join(map(type_text, inner)) + "])"
    if kind == "object":
        entries = (f"{name_text(key)} = {type_text(inner[key])}" for key in in_order(inner))
        return f"object({braces(entries)})"
    return f"{kind}({type_text(inner)})"


def refined(refinements):
    text = ""
    if 1 in refinements:
        text += ", null" if refinements[1] else ", not null"
    if 2 in refinements:
        text += f", begins with {quoted(refinements[2])}"
    for key, sign in ((3, ">"), (4, "<")):
        if key in refinements:
            number, is_inclusive = refinements[key]
            text += f", {sign}{'=' if is_inclusive else ''} {number_text(number)}"
    shortest, longest = refinements.get(5, 0), refinements.get(6)
    if longest is None:
        return text + (f", length >= {shortest}" if shortest else "")
    return text + f", length {longest if shortest == longest else f'{shortest} to {longest}'}"


def number_text(number):
    if number in (float("inf"), float("-inf")):
        return "+Inf" if number > 0 else "-Inf"
    return number if isinstance(number, str) else format(Decimal(number), "f")


def braces(entries):
    text = ", ".join(entries)
    return f"{{ {text} }}" if text else "{}"


def in_order(names):
    return sorted(names, key=str.encode)


def name_text(name):
    return name if is_identifier(name) else quoted(name)


def is_identifier(name):
    return (name[:1].isalpha() or name[:1] == "_") and all(c.isalnum() or c in "_-" for c in name)


def quoted(text):
    """As Rust shows a string."""
    short = {"\t": "\\t", "\r": "\\r", "\n": "\\n", '"': '\\"', "\\": "\\\\", "\0": "\\0"}
    hidden = ("Cc", "Cf", "Cn", "Co", "Zl", "Zp", "Mn", "Me")

    def character(c):
        if c in short:
            return short[c]
        is_hidden = unicodedata.category(c) in hidden or c.isspace() and c != " "
        return f"\\u{{{ord(c):x}}}" if is_hidden else c

    return '"' + "".join(map(character, text)) + '"'
