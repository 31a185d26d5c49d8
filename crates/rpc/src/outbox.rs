//! Frames that wait to be written, already encoded: everything queued goes out in one write.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use bytes::{Bytes, BytesMut};
use tokio::sync::Semaphore;

use crate::buffers;
use crate::connection::Options;
use crate::dialect::Dialect;
use crate::message::{Event, Message, Response};
use crate::payload::PayloadError;
use crate::tap::{Direction, Said, Sent};

/// Room is counted in units of this many bytes; every frame takes at least one.
const UNIT: usize = 8 * 1024;

/// The queue between all senders and the one task that writes.
pub(crate) struct Outbox {
    queue: Mutex<Queue>,
    /// Closed with the queue.
    room: Semaphore,
    capacity: u32,
    /// Whether copies are kept for the tap.
    is_tapped: bool,
    error_names: &'static [(i64, &'static str)],
    /// The dialect that is written. Changes under the queue's lock, and is read without it.
    dialect: AtomicU8,
}

struct Queue {
    taken: Taken,
    /// What the tap has not been shown yet.
    sent: Vec<Sent>,
    /// The writing task, while it sleeps. While it is awake it need not be woken: it checks the
    /// queue once more before it goes to sleep.
    sleeper: Option<Waker>,
}

/// Payloads of at least this many bytes are written from where they are. Copying them would need as much
/// new memory, which costs more than the copy.
const LARGE: usize = 64 * 1024;

/// Frames on their way out.
#[derive(Default)]
pub(crate) struct Taken {
    pub(crate) bytes: BytesMut,
    /// Large payloads, each with how many of the bytes come before it.
    pub(crate) payloads: VecDeque<(usize, Bytes)>,
    /// How many there are.
    pub(crate) frames: usize,
    /// Units of room that they take.
    pub(crate) units: usize,
}

impl Taken {
    /// How many bytes there are to write.
    pub(crate) fn size(&self) -> usize {
        let payloads = self.payloads.iter().map(|(_, payload)| payload.len());
        self.bytes.len() + payloads.sum::<usize>()
    }
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
                taken: Taken::default(),
                sent: Vec::new(),
                sleeper: None,
            }),
            room: Semaphore::new(capacity as usize),
            capacity,
            is_tapped: { options.tap.as_ref() }.is_some_and(|tap| tap.watches(Direction::Out)),
            error_names: options.error_names,
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

    /// Waits for room for a frame of about `bytes` bytes: a peer that reads slowly slows the senders
    /// down.
    pub(crate) async fn reserve(&self, bytes: usize) -> Result<Room, Ended> {
        if let Some(room) = self.try_reserve(bytes) {
            return Ok(room);
        }
        let units = self.units(bytes);
        let permit = self.room.acquire_many(units).await.map_err(|_| Ended)?;
        permit.forget();
        Ok(Room(units))
    }

    /// For a frame that is sent whether there is room or not; there are only few of these.
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
        // The tap is shown whole frames.
        let large = if self.is_tapped { usize::MAX } else { LARGE };
        self.append(
            room,
            |dialect, frames| dialect.encode_around(message, frames, large),
            || Said::Message(message.clone()),
        )
    }

    /// Queues the answers to a batch.
    pub(crate) fn push_batch(
        &self,
        room: Room,
        responses: Vec<Response>,
    ) -> Result<(), QueueError> {
        let shown = self.is_tapped.then(|| responses.clone());
        self.append(
            room,
            |dialect, frames| dialect.encode_batch(responses, frames).map(|()| None),
            || Said::Answers(shown.unwrap_or_default()),
        )
    }

    /// Queues calls and events as one batch.
    pub(crate) fn push_calls(&self, room: Room, messages: &[Message]) -> Result<(), QueueError> {
        self.append(
            room,
            |dialect, frames| {
                let messages = messages.iter().cloned();
                dialect.encode_calls(messages, frames).map(|()| None)
            },
            || Said::Calls(messages.to_vec()),
        )
    }

    /// Queues an event that is encoded already.
    pub(crate) fn push_encoded(
        &self,
        room: Room,
        frame: &[u8],
        event: &Event,
    ) -> Result<(), Ended> {
        let encode = |_, frames: &mut BytesMut| {
            frames.extend_from_slice(frame);
            Ok(None)
        };
        let said = || Said::Message(Message::Event(event.clone()));
        // An encoded frame cannot fail to be encoded.
        self.append(room, encode, said).map_err(|_| Ended)
    }

    /// Queues what `encode` appends, and the payload that it returns at the place that it returns.
    fn append(
        &self,
        room: Room,
        encode: impl FnOnce(Dialect, &mut BytesMut) -> Result<Option<(usize, Bytes)>, PayloadError>,
        said: impl FnOnce() -> Said,
    ) -> Result<(), QueueError> {
        let mut queue = self.queue();
        if self.room.is_closed() {
            return Err(QueueError::Ended);
        }
        let (dialect, taken) = (self.dialect(), &mut queue.taken);
        if taken.bytes.capacity() == 0 {
            taken.bytes = buffers::take();
        }
        let start = taken.bytes.len();
        match encode(dialect, &mut taken.bytes) {
            Ok(None) => {}
            Ok(Some(payload)) => taken.payloads.push_back(payload),
            Err(error) => {
                drop(queue);
                self.release(room);
                return Err(QueueError::Unsendable(error));
            }
        }
        taken.frames += 1;
        taken.units += room.0 as usize;
        if self.is_tapped {
            let bytes = Bytes::copy_from_slice(&taken.bytes[start..]);
            let said = said();
            queue.sent.push(Sent {
                dialect,
                bytes,
                said,
            });
        }
        let sleeper = queue.sleeper.take();
        drop(queue);
        if let Some(sleeper) = sleeper {
            sleeper.wake();
        }
        Ok(())
    }

    /// Takes everything that is queued.
    pub(crate) fn take(&self) -> Option<Taken> {
        let mut queue = self.queue();
        match queue.taken.bytes.is_empty() {
            true => None,
            false => Some(std::mem::take(&mut queue.taken)),
        }
    }

    /// Takes the copies of what has been queued since the last time.
    pub(crate) fn take_sent(&self) -> Vec<Sent> {
        std::mem::take(&mut self.queue().sent)
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

    /// The writing task goes to sleep, unless there is something new to do for it: a frame that can
    /// be written, or a connection that is no longer what it was.
    pub(crate) fn sleep(
        &self,
        waker: &Waker,
        can_write: bool,
        is_unchanged: impl FnOnce() -> bool,
    ) -> bool {
        let mut queue = self.queue();
        // Other tasks make their change first, and then take the lock to wake the sleeper.
        if !is_unchanged() || can_write && !queue.taken.bytes.is_empty() {
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
        self.queue().taken.bytes.is_empty()
    }

    /// How many frames wait, and their bytes.
    pub(crate) fn depth(&self) -> (usize, usize) {
        let taken = &self.queue().taken;
        (taken.frames, taken.size())
    }

    /// Closes the queue: frames in it are dropped, and senders are refused.
    pub(crate) fn close(&self) {
        {
            let mut queue = self.queue();
            queue.taken = Taken::default();
            self.room.close();
        }
        self.wake();
    }

    pub(crate) fn dialect(&self) -> Dialect {
        Dialect::ALL[usize::from(self.dialect.load(Ordering::Acquire))]
    }

    /// The peer has shown which dialect it speaks.
    pub(crate) fn set_dialect(&self, dialect: Dialect) {
        let _queue = self.queue();
        self.dialect.store(dialect as u8, Ordering::Release);
    }
}
