"""The event loop of coroutines, in a thread of its own: the protocol does not wait for it."""

from __future__ import annotations

import asyncio
import threading

from ._failure import Cancelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._context import Context


class Loop:
    """One event loop for all coroutines, so that they can share connections."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="tenon-asyncio", daemon=True).start()

    def run(self, work: Any, context: Context) -> Any:
        """Runs a coroutine to its end, from another thread."""

        async def whole() -> Any:
            try:
                return await work, None
            except (SystemExit, KeyboardInterrupt) as error:
                # It would end the loop, and every later coroutine would wait forever. It is for the process.
                return None, error

        future = asyncio.run_coroutine_threadsafe(whole(), self._loop)
        context._cancel += (future.cancel,)
        if context._is_stopped:
            # Before it could be told.
            future.cancel()
        try:
            result, ending = future.result()
        except (asyncio.CancelledError, TimeoutError) as error:
            if context.cancelled:
                raise Cancelled from None
            if isinstance(error, TimeoutError):
                raise
            raise RuntimeError("the handler was cancelled by itself") from None
        except Exception as error:
            if context.cancelled and type(error).__name__ == "CancelledError":
                # concurrent.futures has an exception of its own.
                raise Cancelled from None
            raise
        finally:
            context._cancel = tuple(one for one in context._cancel if one != future.cancel)
        if ending is not None:
            raise ending
        return result
