//! Frames that wait to be written, already encoded: everything queued goes out in one write.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use bytes::BytesMut;
use tokio::sync::Semaphore;

use crate::buffers;
use crate::connection::Options;
use crate::dialect::Dialect;
use crate::message::{Event, Message, Response};
use crate::payload::PayloadError;
use crate::tap::{Content, Direction, Seen, Tap};

/// Room is counted in units of this many bytes; every frame takes at least one.
const UNIT: usize = 8 * 1024;

/// The queue between everybody who sends and the one task that writes.
pub(crate) struct Outbox {
    queue: Mutex<Queue>,
    room: Semaphore,
    capacity: u32,
    tap: Option<Arc<dyn Tap>>,
    error_names: &'static [(i64, &'static str)],
    /// Copies of what is in the queue, to be read without its lock.
    state: AtomicU8,
    dialect: AtomicU8,
}

struct Queue {
    frames: BytesMut,
    /// Units taken by `frames`.
    units: usize,
    dialect: Dialect,
    /// The writing task, while it sleeps. While it is awake nobody has to wake it: it looks at
    /// the queue once more before it goes to sleep.
    sleeper: Option<Waker>,
    state: State,
}

/// How far the end has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Open,
    /// Finish what runs, then say that nothing more comes, and wait for the peer to end as well.
    Finishing,
    /// Finish what runs, then end.
    Closing,
    /// Nothing more goes out.
    Closed,
}

impl State {
    /// In the order of their numbers.
    const ALL: [State; 4] = [State::Open, State::Finishing, State::Closing, State::Closed];
}

/// Room in the queue for one frame.
#[must_use]
#[derive(Clone, Copy)]
pub(crate) struct Room(u32);

/// The connection has ended.
#[derive(Debug)]
pub(crate) struct Ended;

/// Why a frame could not be queued.
#[derive(Debug)]
pub(crate) enum QueueError {
    Ended,
    Unsendable(PayloadError),
}

impl Outbox {
    /// A queue for [`Options::queue`] small frames, or as many large ones as take the same room.
    pub(crate) fn new(dialect: Dialect, options: &Options) -> Outbox {
        let capacity = options.queue.max(1);
        Outbox {
            queue: Mutex::new(Queue {
                frames: BytesMut::new(),
                units: 0,
                dialect,
                sleeper: None,
                state: State::Open,
            }),
            room: Semaphore::new(capacity as usize),
            capacity,
            tap: options.tap.clone(),
            error_names: options.error_names,
            state: AtomicU8::new(State::Open as u8),
            dialect: AtomicU8::new(dialect as u8),
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Nothing but encoding happens under the lock, and that leaves the queue whole.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn units(&self, bytes: usize) -> u32 {
        let units = u32::try_from(bytes / UNIT).unwrap_or(u32::MAX);
        units.saturating_add(1).min(self.capacity)
    }

    /// Takes room for a frame of about `bytes` bytes, if there is some.
    pub(crate) fn try_reserve(&self, bytes: usize) -> Option<Room> {
        let units = self.units(bytes);
        let permit = self.room.try_acquire_many(units).ok()?;
        permit.forget();
        Some(Room(units))
    }

    /// Waits for room for a frame of about `bytes` bytes: a peer that reads slowly slows down
    /// those who send.
    pub(crate) async fn reserve(&self, bytes: usize) -> Result<Room, Ended> {
        if let Some(room) = self.try_reserve(bytes) {
            return Ok(room);
        }
        let units = self.units(bytes);
        let permit = self.room.acquire_many(units).await.map_err(|_| Ended)?;
        permit.forget();
        Ok(Room(units))
    }

    /// A frame that has to go out whether there is room or not; there are only few of these.
    pub(crate) fn no_room_needed(&self) -> Room {
        Room(0)
    }

    /// Gives back room that was not used.
    pub(crate) fn release(&self, Room(units): Room) {
        self.room.add_permits(units as usize);
    }

    /// Gives the code of an answer's error the form that the dialect has.
    pub(crate) fn reword(&self, answer: &mut Response) {
        if let Err(error) = &mut answer.result {
            let wanted = self.dialect().envelope().codes;
            error.code.reword(wanted, self.error_names);
        }
    }

    /// Queues a message in the room taken for it.
    pub(crate) fn push(&self, room: Room, message: &Message) -> Result<(), QueueError> {
        self.append(room, |queue| {
            queue.dialect.encode(message, &mut queue.frames)?;
            Ok(Content::Outbound(message))
        })
    }

    /// Queues the answers to a batch.
    pub(crate) fn push_batch(
        &self,
        room: Room,
        responses: Vec<Response>,
    ) -> Result<(), QueueError> {
        let shown = self.tap.is_some().then(|| responses.clone());
        self.append(room, |queue| {
            queue.dialect.encode_batch(responses, &mut queue.frames)?;
            Ok(Content::Answers(shown.as_deref().unwrap_or_default()))
        })
    }

    /// Queues calls and events as one batch.
    pub(crate) fn push_calls(&self, room: Room, messages: &[Message]) -> Result<(), QueueError> {
        self.append(room, |queue| {
            let messages_to_encode = messages.iter().cloned();
            queue
                .dialect
                .encode_calls(messages_to_encode, &mut queue.frames)?;
            Ok(Content::Calls(messages))
        })
    }

    /// Queues an event that is encoded already.
    pub(crate) fn push_encoded(
        &self,
        room: Room,
        frame: &[u8],
        event: &Event,
    ) -> Result<(), Ended> {
        let shown = self.tap.is_some().then(|| Message::Event(event.clone()));
        let appended = self.append(room, |queue| {
            queue.frames.extend_from_slice(frame);
            Ok(shown
                .as_ref()
                .map_or(Content::Answers(&[]), Content::Outbound))
        });
        // What is encoded already cannot fail to be.
        appended.map_err(|_| Ended)
    }

    fn append<'a>(
        &self,
        room: Room,
        encode: impl FnOnce(&mut Queue) -> Result<Content<'a>, PayloadError>,
    ) -> Result<(), QueueError> {
        let mut queue = self.queue();
        if queue.state == State::Closed {
            return Err(QueueError::Ended);
        }
        if queue.frames.capacity() == 0 {
            queue.frames = buffers::take();
        }
        let start = queue.frames.len();
        let content = match encode(&mut queue) {
            Ok(content) => content,
            Err(error) => {
                drop(queue);
                self.release(room);
                return Err(QueueError::Unsendable(error));
            }
        };
        queue.units += room.0 as usize;
        if let Some(tap) = &self.tap {
            tap.see(Seen {
                direction: Direction::Out,
                dialect: queue.dialect,
                bytes: &queue.frames[start..],
                content,
            });
        }
        let sleeper = queue.sleeper.take();
        drop(queue);
        if let Some(sleeper) = sleeper {
            sleeper.wake();
        }
        Ok(())
    }

    /// Takes everything that is queued, with the units it takes up.
    pub(crate) fn take(&self) -> Option<(BytesMut, usize)> {
        let mut queue = self.queue();
        if queue.frames.is_empty() {
            return None;
        }
        let units = std::mem::take(&mut queue.units);
        Some((std::mem::take(&mut queue.frames), units))
    }

    /// The frames that took up these units have been written.
    pub(crate) fn written(&self, units: usize) {
        if units > 0 {
            self.room.add_permits(units);
        }
    }

    /// The writing task is awake.
    pub(crate) fn awake(&self) {
        self.queue().sleeper = None;
    }

    /// The writing task goes to sleep, unless there is something new to do for it.
    pub(crate) fn sleep(&self, waker: &Waker, known: State, can_write: bool) -> bool {
        let mut queue = self.queue();
        if queue.state != known || can_write && !queue.frames.is_empty() {
            return false;
        }
        queue.sleeper = Some(waker.clone());
        true
    }

    /// Wakes the writing task for a reason other than a new frame.
    pub(crate) fn wake(&self) {
        let sleeper = self.queue().sleeper.take();
        if let Some(sleeper) = sleeper {
            sleeper.wake();
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue().frames.is_empty()
    }

    pub(crate) fn state(&self) -> State {
        State::ALL[usize::from(self.state.load(Ordering::Acquire))]
    }

    /// Goes on towards the end; there is no way back.
    pub(crate) fn set_state(&self, state: State) {
        {
            let mut queue = self.queue();
            if queue.state == State::Closed {
                return;
            }
            queue.state = state;
            self.state.store(state as u8, Ordering::Release);
            if state == State::Closed {
                queue.frames = BytesMut::new();
                self.room.close();
            }
        }
        self.wake();
    }

    pub(crate) fn dialect(&self) -> Dialect {
        Dialect::ALL[usize::from(self.dialect.load(Ordering::Acquire))]
    }

    /// The peer has shown which dialect it speaks.
    pub(crate) fn set_dialect(&self, dialect: Dialect) {
        self.queue().dialect = dialect;
        self.dialect.store(dialect as u8, Ordering::Release);
    }
}
