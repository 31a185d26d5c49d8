"""Names, and the one that was probably meant by a misspelt one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: No name this long is a spelling mistake.
_LONGEST = 200


def is_name(name: str) -> bool:
    """Whether users can write a name: letters, digits, ``_`` and ``-``, not beginning with a digit."""
    return bool(name) and name.replace("-", "_").isidentifier() and not name.startswith("-")


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that is most like a name, if one is: at most a third of its letters differ."""
    if len(name) > _LONGEST:
        return None
    most = max(len(name), 3) // 3
    close = [(_distance(name, one), one) for one in candidates]
    close = [one for one in close if one[0] <= most and one[0] < len(name)]
    return min(close)[1] if close else None


def _distance(a: str, b: str) -> int:
    """How many letters must be added, left out, changed or swapped with their neighbour."""
    before, last = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        row = [i] * (len(b) + 1)
        for j in range(1, len(b) + 1):
            row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                row[j] = min(row[j], before[j - 2] + 1)
        before, last = last, row
    return last[len(b)]


def listed(kinds: dict[str, list[str]]) -> str:
    """What a plugin offers, in one line: ``the actions add, fail and the function count``."""
    parts = [
        f"the {kind}{'' if len(names) == 1 else 's'} {', '.join(sorted(names))}"
        for kind, names in kinds.items()
        if names
    ]
    return " and ".join(parts) or "nothing"
