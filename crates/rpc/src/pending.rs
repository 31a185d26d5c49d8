//! Calls that wait for an answer. A plain table: no input, no output, nothing asynchronous.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;
use std::ops::RangeInclusive;
use std::task::Waker;

use crate::error::{CallError, CloseReason};
use crate::message::Id;
use crate::payload::Payload;
use crate::spread::Spread;

/// The outcome of a call.
pub(crate) type Outcome = Result<Payload, CallError>;

/// The calls that wait, by the number of their request.
#[derive(Debug)]
pub(crate) struct Pending {
    waiting: HashMap<u32, Waiter, BuildHasherDefault<Spread>>,
    last: u32,
    limit: usize,
    /// The last calls that their callers dropped: their answers may still come.
    forgotten: VecDeque<u32>,
    /// The calls of the last batch, from the first to the last.
    batch: RangeInclusive<u32>,
    /// Whether new calls are refused, because no answer could come.
    is_refusing: bool,
}

/// Why a call was not entered.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unopened {
    /// The connection is ending. Its state knows why.
    Refused,
    /// So many calls wait already.
    TooMany(usize),
}

/// How many dropped calls are remembered.
const REMEMBERED: usize = 1024;

#[derive(Debug)]
enum Waiter {
    Waiting(Option<Waker>),
    Done(Outcome),
}

/// What happened to an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    Delivered,
    /// The caller has dropped the call.
    Late,
    /// No call waits for it: it is the second one, or there was no such call.
    Unknown,
}

impl Pending {
    pub(crate) fn new(limit: usize) -> Pending {
        Pending {
            waiting: HashMap::default(),
            last: 0,
            limit,
            forgotten: VecDeque::new(),
            batch: RangeInclusive::new(1, 0),
            is_refusing: false,
        }
    }

    /// Takes a number for a new call. Numbers start at 1 and go up; after 2^32 calls they start
    /// again, and skip those that still wait.
    pub(crate) fn open(&mut self) -> Result<u32, Unopened> {
        if self.is_refusing {
            return Err(Unopened::Refused);
        }
        if self.waiting.len() >= self.limit {
            return Err(Unopened::TooMany(self.waiting.len()));
        }
        loop {
            self.last = self.last.wrapping_add(1);
            if self.last != 0 && !self.waiting.contains_key(&self.last) {
                break;
            }
        }
        self.waiting.insert(self.last, Waiter::Waiting(None));
        Ok(self.last)
    }

    /// The outcome if it is there; else `waker` is called when it is.
    pub(crate) fn poll(&mut self, number: u32, waker: &Waker) -> Option<Outcome> {
        match self.waiting.get_mut(&number)? {
            Waiter::Waiting(Some(known)) if known.will_wake(waker) => None,
            Waiter::Waiting(slot) => {
                *slot = Some(waker.clone());
                None
            }
            Waiter::Done(_) => match self.waiting.remove(&number)? {
                Waiter::Done(outcome) => Some(outcome),
                Waiter::Waiting(_) => None,
            },
        }
    }

    /// Delivers an answer to the call that waits for it.
    pub(crate) fn answer(&mut self, id: &Id, outcome: Outcome) -> Delivery {
        let Id::Number(number) = id else {
            return Delivery::Unknown;
        };
        let Ok(number) = u32::try_from(*number) else {
            return Delivery::Unknown;
        };
        match self.waiting.get_mut(&number) {
            Some(waiter @ Waiter::Waiting(_)) => {
                if let Waiter::Waiting(Some(waker)) =
                    std::mem::replace(waiter, Waiter::Done(outcome))
                {
                    waker.wake();
                }
                Delivery::Delivered
            }
            Some(Waiter::Done(_)) => Delivery::Unknown,
            None => match self.forgotten.iter().position(|late| *late == number) {
                Some(position) => {
                    self.forgotten.remove(position);
                    Delivery::Late
                }
                None => Delivery::Unknown,
            },
        }
    }

    /// Forgets a call; `true` if it was still waiting for its answer.
    pub(crate) fn forget(&mut self, number: u32) -> bool {
        let is_given_up = matches!(self.waiting.remove(&number), Some(Waiter::Waiting(_)));
        if is_given_up {
            if self.forgotten.len() == REMEMBERED {
                self.forgotten.pop_front();
            }
            self.forgotten.push_back(number);
        }
        is_given_up
    }

    /// Whether a call waits for an answer with this id.
    pub(crate) fn expects(&self, id: &Id) -> bool {
        let Id::Number(number) = id else {
            return false;
        };
        u32::try_from(*number)
            .is_ok_and(|number| matches!(self.waiting.get(&number), Some(Waiter::Waiting(_))))
    }

    /// Remembers that these calls were sent in one frame.
    pub(crate) fn join(&mut self, batch: RangeInclusive<u32>) {
        self.batch = batch;
    }

    /// The calls that an answer with a wrong id must be meant for. If the id is the number of a call in
    /// another form (`"1"`, `1.0`), that call; if it is null, the only call that waits, or all of a batch
    /// if no other call waits. None for any other id: a plugin may print messages that are not for us.
    pub(crate) fn meant(&self, id: &Id) -> Vec<u32> {
        match id {
            Id::Number(_) => return Vec::new(),
            Id::Text(text) | Id::Verbatim(text) => {
                let is_same = |number: &u32| text.as_str().parse() == Ok(f64::from(*number));
                let waiting = self.waiting().filter(is_same);
                return waiting.collect();
            }
            Id::Null => {}
        }
        let waiting: Vec<u32> = self.waiting().collect();
        match waiting.len() == 1 || waiting.iter().all(|call| self.batch.contains(call)) {
            true => waiting,
            false => Vec::new(),
        }
    }

    /// The numbers of the calls that wait for an answer.
    fn waiting(&self) -> impl Iterator<Item = u32> {
        let is_waiting = |waiter: &Waiter| matches!(waiter, Waiter::Waiting(_));
        let waiting = self.waiting.iter();
        waiting.filter_map(move |(number, waiter)| is_waiting(waiter).then_some(*number))
    }

    /// How many calls wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Whether no call is waiting.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Refuses calls from now on; those that wait may still be answered.
    pub(crate) fn refuse(&mut self) {
        self.is_refusing = true;
    }

    /// Fails all waiting calls, and refuses new ones.
    pub(crate) fn close(&mut self, reason: &CloseReason) {
        self.refuse();
        for waiter in self.waiting.values_mut() {
            if let Waiter::Waiting(waker) = waiter {
                let waker = waker.take();
                *waiter = Waiter::Done(Err(CallError::Closed(reason.clone())));
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::Format;

    fn null() -> Outcome {
        Ok(Payload::null(Format::Json))
    }

    #[test]
    fn an_answer_finds_its_call_once() {
        let mut pending = Pending::new(10);
        let (one, two) = (pending.open().unwrap(), pending.open().unwrap());
        assert_eq!((one, two), (1, 2));
        assert!(pending.expects(&Id::from(2)));
        assert_eq!(pending.answer(&Id::from(2), null()), Delivery::Delivered);
        assert_eq!(pending.answer(&Id::from(2), null()), Delivery::Unknown);
        assert_eq!(pending.answer(&Id::from(9), null()), Delivery::Unknown);
        assert_eq!(pending.answer(&Id::from("1"), null()), Delivery::Unknown);
        assert!(pending.poll(two, Waker::noop()).is_some());
        assert!(pending.poll(two, Waker::noop()).is_none());
        assert!(pending.forget(one), "it had not been answered");
        assert!(!pending.forget(two));
    }

    #[test]
    fn a_wrong_id_is_meant_for_the_call_or_batch_that_it_can_be_meant_for() {
        let mut pending = Pending::new(10);
        assert!(pending.meant(&Id::Null).is_empty());
        let one = pending.open().unwrap();
        assert_eq!(pending.meant(&Id::Null), [one]);
        for foreign in [Id::from("x"), Id::from(99), Id::Number(-1)] {
            assert!(pending.meant(&foreign).is_empty(), "{foreign}");
        }
        let two = pending.open().unwrap();
        assert!(pending.meant(&Id::Null).is_empty());
        // Another form of the number is unambiguous, however many calls wait.
        let forms = [Id::from("2"), Id::Verbatim("2.0".into())];
        assert!(forms.iter().all(|id| pending.meant(id) == [two]));
        assert_eq!(pending.answer(&Id::from(2), null()), Delivery::Delivered);
        for second in [Id::from(2), Id::from("2")] {
            assert!(pending.meant(&second).is_empty(), "a second answer");
        }
        assert_eq!(pending.meant(&Id::Null), [one]);
        let batch = [pending.open().unwrap(), pending.open().unwrap()];
        pending.join(batch[0]..=batch[1]);
        assert!(pending.meant(&Id::Null).is_empty(), "or the first call");
        assert!(pending.forget(one));
        let mut meant = pending.meant(&Id::Null);
        meant.sort_unstable();
        assert_eq!(meant, batch);
    }

    #[test]
    fn a_vanished_peer_wakes_all_and_refuses_more() {
        let mut pending = Pending::new(10);
        let numbers: Vec<u32> = (0..3).map(|_| pending.open().unwrap()).collect();
        pending.close(&CloseReason::PeerClosed);
        for number in numbers {
            let outcome = pending.poll(number, Waker::noop()).unwrap();
            assert!(matches!(outcome, Err(CallError::Closed(_))));
        }
        assert_eq!(pending.open(), Err(Unopened::Refused));
    }

    #[test]
    fn the_table_is_bounded_and_numbers_in_use_are_skipped() {
        let mut pending = Pending::new(2);
        let first = pending.open().unwrap();
        pending.last = u32::MAX;
        assert_eq!(pending.open().unwrap(), first + 1, "0 and 1 are skipped");
        assert_eq!(pending.open(), Err(Unopened::TooMany(2)));
    }
}
