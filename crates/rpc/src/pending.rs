//! Calls that wait for an answer. A plain table: no input, no output, nothing asynchronous.

use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;
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
