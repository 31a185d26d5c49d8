"""Waiting until something has changed."""

from __future__ import annotations

import asyncio
import math


class Signal:
    """Wakes all waiting tasks. Each of them checks its own condition again.

    Unlike ``asyncio.Event`` it can be made before there is a loop (Python 3.9), and has a deadline.
    """

    def __init__(self) -> None:
        self._waiters: set[asyncio.Future[bool]] = set()

    def wake(self) -> None:
        """Wakes all tasks that are waiting now."""
        for waiter in self._waiters:
            _settle(waiter, True)

    async def wait(self, deadline: float) -> bool:
        """Waits for ``wake``. False if the deadline, in the loop's time, passed first."""
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[bool] = loop.create_future()
        self._waiters.add(waiter)
        timer = None
        if deadline < math.inf:
            timer = loop.call_at(deadline, _settle, waiter, False)
        try:
            return await waiter
        finally:
            if timer is not None:
                timer.cancel()
            self._waiters.discard(waiter)


def _settle(waiter: asyncio.Future[bool], value: bool) -> None:
    if not waiter.done():
        waiter.set_result(value)
