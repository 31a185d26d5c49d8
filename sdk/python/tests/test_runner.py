"""Who reads and who runs, where the two meet."""

from __future__ import annotations

import threading
import unittest
from typing import Any

from stage import watch

from tenon_plugin._runner import MOST_WAITING, Runner


class Emptied(list[Any]):
    """A queue that is full when it is measured for the first time, and empty right after: others have run all of it."""

    def __init__(self, empty: Any) -> None:
        super().__init__()
        self._empty = empty

    def __bool__(self) -> bool:
        return False

    def __len__(self) -> int:
        if self._empty is None:
            return 0
        empty, self._empty = self._empty, None
        empty()
        return MOST_WAITING


class Room(unittest.TestCase):
    def test_a_reader_does_not_wait_for_room_that_is_there_already(self) -> None:
        watch(self)
        pieces = iter([True, False])
        runner = Runner(lambda: next(pieces), 2, lambda: False)

        def empty() -> None:
            # The last job was taken before the reader said that it needs room, and has ended.
            runner._active = 0

        runner._active = 2
        runner.queue = Emptied(empty)
        reader = threading.Thread(target=runner._read, args=(1,))
        reader.start()
        # Without an end, the watchdog shows where it waits.
        reader.join()


if __name__ == "__main__":
    unittest.main()
