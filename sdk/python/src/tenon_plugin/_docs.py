"""What docstrings say."""

from __future__ import annotations

_SECTIONS = ("args:", "arguments:", "attributes:", "parameters:")


def first_paragraph(doc: str | None, kind: type | None = None) -> str:
    """What a docstring says first, in one line."""
    if not doc or (kind is not None and doc.startswith(f"{kind.__name__}(")):
        # What dataclasses and named tuples write themselves.
        return ""
    lines: list[str] = []
    for line in doc.strip().splitlines():
        text = line.strip()
        if not text or text.lower() in (*_SECTIONS, "returns:"):
            break
        if text.startswith(":param"):
            break
        lines.append(text)
    return " ".join(lines)


def documented_members(doc: str | None) -> dict[str, str]:
    """The descriptions in a docstring: ``Args:`` and ``Attributes:`` sections, ``:param x:`` lines."""
    found: dict[str, str] = {}
    section, last, indent = False, "", -1
    for line in (doc or "").splitlines():
        text = line.strip()
        if text.startswith(":param "):
            head, _, rest = text[7:].partition(":")
            found[head.split()[-1]] = rest.strip()
        elif text.lower() in _SECTIONS:
            section, last, indent = True, "", -1
        elif section and not text:
            last = ""
        elif section and text.endswith(":") and " " not in text:
            section = False
        elif section:
            depth = len(line) - len(line.lstrip())
            indent = depth if indent < 0 else indent
            head, colon, rest = text.partition(":")
            if depth <= indent and colon and head.split(" (")[0].isidentifier():
                last = head.split(" (")[0]
                found[last] = rest.strip()
            elif last:
                found[last] += f" {text}"
    return found
