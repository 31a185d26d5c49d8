"""Who reads, and who runs what was read.

A call is run by the thread that read it: a hop to another thread would cost more than most calls. If
a call takes longer than a few milliseconds, another thread takes over reading, so that pings and
cancellations are answered. Calls run one at a time, unless the plugin has ``max_in_flight``; then
they run in threads of their own.
"""

from __future__ import annotations

from _thread import allocate_lock, get_ident, start_new_thread
from time import sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ._host import Job

#: How long a call may take until another thread reads.
PATIENCE = 0.005
#: How long the other thread looks at calls after the last one.
ATTENTION = 20
#: How many calls may wait. Then nothing is read until some have run.
MOST_WAITING = 1024


class Runner:
    """Reads until there is nothing more, and runs the jobs that reading puts into the queue."""

    def __init__(self, pump: Callable[[], bool], limit: int, is_ended: Callable[[], bool]) -> None:
        #: Reads a piece, and adds jobs. False at the end.
        self._pump = pump
        #: Whether a job has ended the conversation.
        self._is_ended = is_ended
        self._limit = limit
        #: A list, because importing deque takes longer than the few jobs in it would save.
        self.queue: list[Job] = []
        self._lock = allocate_lock()
        #: Which thread reads: the one that was given this number.
        self._generation = 0
        #: How many threads run jobs.
        self._active = 0
        self._started = 0
        self._is_over = False
        self._done = allocate_lock()
        self._done.acquire()
        self._room = allocate_lock()
        self._room.acquire()
        self._needs_room = False
        self._has_standby = False
        self._is_asleep = False
        self._wake = allocate_lock()
        self._wake.acquire()
        #: Set by a signal: nothing more is begun.
        self.is_stopped = False
        #: Whether the main thread may be interrupted by a signal: it runs nothing of the author's.
        self.is_idle = False
        self._main = 0
        #: What ends the process, such as ``sys.exit`` in a job of another thread.
        self._ending: BaseException | None = None

    def run(self) -> None:
        """Returns when everything has been read and run, or a job has ended the conversation."""
        self._main = get_ident()
        if self._limit > 1:
            # The main thread does not read: a job that ends the conversation could not wake it.
            start_new_thread(self._read, (1,))
        else:
            self._read(0)
        self.is_idle = True
        with self._lock:
            is_done = self._is_over and self._active == 0
        if not is_done and not self.is_stopped:
            self._done.acquire()
        self.is_idle = False
        if self._ending is not None:
            raise self._ending

    def _read(self, generation: int) -> None:
        pump, queue, is_alone = self._pump, self.queue, self._limit <= 1
        while not self.is_stopped:
            if not pump():
                break
            if not is_alone:
                self._spread()
            elif queue and not self._run_here(generation):
                return
            while self._active and len(queue) >= MOST_WAITING:
                self._needs_room = True
                # Checked again: a thread that took the last job before this was set does not release `_room`, and no other
                # thread would.
                if self._active and len(queue) >= MOST_WAITING:
                    self._room.acquire()
        if self._limit > 1:
            self._spread()
        elif not self._run_here(generation):
            # Whoever reads now sees the end.
            return
        with self._lock:
            self._is_over = True
            if self._active == 0:
                self._end()

    @property
    def is_running(self) -> bool:
        """Whether a job runs."""
        return self._active > 0

    def _give_room(self) -> None:
        if self._needs_room and self._room.locked():
            self._needs_room = False
            self._room.release()

    def _end(self) -> None:
        if self._done.locked():
            self._done.release()

    def _run_here(self, generation: int) -> bool:
        """Runs what waits, in this thread. False if another thread reads meanwhile."""
        queue = self.queue
        if not queue:
            return True
        if self._active:
            with self._lock:
                if self._active:
                    # A thread that has been overtaken runs what waits.
                    return True
        # Without the lock: only the thread that reads sets it.
        self._active = 1
        if self.is_stopped:
            queue.clear()
        if not self._has_standby:
            self._has_standby = True
            start_new_thread(self._stand_by, ())
        elif self._is_asleep:
            self._is_asleep = False
            if self._wake.locked():
                self._wake.release()
        try:
            while True:
                while queue:
                    # Others add jobs, and this thread alone takes them.
                    job = queue.pop(0)
                    if self._needs_room:
                        self._give_room()
                    self._started += 1
                    job.host.run(job)
                    if self.is_stopped:
                        queue.clear()
                with self._lock:
                    if queue:
                        continue
                    self._active = 0
                    is_reader = generation == self._generation
                    if not is_reader and (self._is_over or self._is_ended()):
                        self._end()
                    return is_reader
        except BaseException as error:
            self._fail(error)
            raise SystemExit from None

    def _fail(self, error: BaseException) -> None:
        """What a job does not turn into an answer ends the process, whichever thread it is in."""
        if get_ident() == self._main:
            raise error
        # In another thread it would end that thread alone, and the host would wait forever. The main thread waits
        # for the end whenever others run jobs.
        self._ending = error
        self.is_stopped = True
        self._end()

    def _stand_by(self) -> None:
        """Watches the thread that reads, and takes its place while it is busy."""
        quiet = 0
        while True:
            before = self._started
            sleep(PATIENCE)
            if self._active and self._started == before:
                with self._lock:
                    is_stuck = self._active == 1 and self._started == before and not self._is_over
                    self._generation += is_stuck
                    generation = self._generation
                if is_stuck:
                    # The next one watches this thread.
                    self._has_standby = False
                    self._read(generation)
                    return
            quiet = quiet + 1 if not self._active else 0
            if quiet >= ATTENTION:
                self._is_asleep = True
                if not self._active:
                    self._wake.acquire()
                self._is_asleep = False
                quiet = 0

    def _spread(self) -> None:
        """Starts threads for what waits."""
        with self._lock:
            while self.queue and self._active < self._limit:
                self._active += 1
                start_new_thread(self._work, (self.queue.pop(0),))

    def _work(self, job: Job) -> None:
        while True:
            try:
                job.host.run(job)
            except BaseException as error:
                self._fail(error)
                raise SystemExit from None
            with self._lock:
                if self.queue and not self.is_stopped:
                    job = self.queue.pop(0)
                    self._give_room()
                    continue
                self._active -= 1
                if (self._is_over or self._is_ended()) and self._active == 0:
                    self._end()
                return
