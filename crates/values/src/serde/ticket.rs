//! Handing a value out of our own deserializer as it is.
//!
//! A [`Value`] that is to be deserialized gets a ticket, which is a few bytes that serde carries
//! anywhere, also into what it keeps while it decides about an enum, and redeems it for the value.
//! Tickets are valid in one thread, for one call of `from_value`. If the type has no [`Value`] where
//! the input has something that serde cannot describe, the ticket is never redeemed, and that is the
//! error.

use std::cell::RefCell;
use std::hash::{BuildHasher, RandomState};
use std::mem;

use crate::error::{Error, Problem};
use crate::path::Step;
use crate::value::Value;

thread_local! {
    static TABLE: RefCell<Table> = const { RefCell::new(Table::new()) };
}

/// What a ticket is: a byte that no UTF-8 has, so that no string is mistaken for one; the seal of
/// the table; the number of the ticket.
const LENGTH: usize = 17;
const MARKER: u8 = 0xff;

/// A ticket, as serde carries it.
pub(super) type Ticket = [u8; LENGTH];

struct Table {
    /// Random, so that bytes that a type reads from elsewhere meanwhile cannot be a ticket.
    seal: u64,
    issued: Vec<Issued>,
}

struct Issued {
    value: Value,
    /// The error if the ticket is not redeemed.
    refusal: Option<Error>,
}

impl Table {
    const fn new() -> Table {
        Table {
            seal: 0,
            issued: Vec::new(),
        }
    }
}

/// The tickets of one call. Those of a call around it are put aside meanwhile.
pub(super) struct Tickets {
    outer: Table,
}

impl Tickets {
    pub(super) fn open() -> Tickets {
        Tickets {
            outer: TABLE.replace(Table::new()),
        }
    }

    /// The first ticket that was not redeemed, as an error.
    pub(super) fn refusal(&self) -> Option<Error> {
        TABLE.with_borrow(|table| {
            let mut refusals = table.issued.iter().map(|issued| &issued.refusal);
            refusals.find_map(Clone::clone)
        })
    }
}

impl Drop for Tickets {
    fn drop(&mut self) {
        TABLE.replace(mem::replace(&mut self.outer, Table::new()));
    }
}

/// A ticket for this value. If it is not redeemed, the call fails with `refusal`.
pub(super) fn issue(value: &Value, refusal: Option<Problem>) -> Ticket {
    TABLE.with_borrow_mut(|table| {
        if table.seal == 0 {
            table.seal = RandomState::new().hash_one(MARKER);
        }
        let number = table.issued.len();
        table.issued.push(Issued {
            value: value.clone(),
            refusal: refusal.map(Error::from),
        });
        ticket(table.seal, number)
    })
}

fn ticket(seal: u64, number: usize) -> Ticket {
    let mut ticket = [MARKER; LENGTH];
    ticket[1..9].copy_from_slice(&seal.to_le_bytes());
    ticket[9..].copy_from_slice(&(number as u64).to_le_bytes());
    ticket
}

/// The value of a ticket, if these bytes are one.
pub(super) fn redeem(bytes: &[u8]) -> Option<Value> {
    let number = bytes.get(9..)?.try_into().ok().map(u64::from_le_bytes)?;
    let number = usize::try_from(number).ok()?;
    TABLE.with_borrow_mut(|table| {
        if *bytes != ticket(table.seal, number) {
            return None;
        }
        let issued = table.issued.get_mut(number)?;
        issued.refusal = None;
        Some(issued.value.clone())
    })
}

/// How many tickets there are.
pub(super) fn count() -> usize {
    TABLE.with_borrow(|table| table.issued.len())
}

/// Takes back all tickets but the first ones.
pub(super) fn take_back(first: usize) {
    TABLE.with_borrow_mut(|table| table.issued.truncate(first));
}

/// The refusals of all tickets but the first ones, seen from one level further out.
pub(super) fn below(first: usize, step: impl Fn() -> Step) {
    TABLE.with_borrow_mut(|table| {
        for issued in table.issued.iter_mut().skip(first) {
            let refusal = issued.refusal.take();
            issued.refusal = refusal.map(|refusal| refusal.below(step()));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_good_for_one_call() {
        let outer = Tickets::open();
        let ticket = issue(&Value::TRUE, Some(Problem::Unknown));
        let inner = Tickets::open();
        assert_eq!(redeem(&ticket), None);
        assert_eq!(inner.refusal(), None);
        drop(inner);
        assert_eq!(outer.refusal(), Some(Problem::Unknown.into()));
        assert_eq!(redeem(&ticket), Some(Value::TRUE));
        assert_eq!(outer.refusal(), None);
        drop(outer);
        assert_eq!(redeem(&ticket), None);
    }

    #[test]
    fn other_bytes_are_not_tickets() {
        let _tickets = Tickets::open();
        let ticket = issue(&Value::TRUE, None);
        assert_eq!(redeem(&[]), None);
        assert_eq!(redeem(&ticket[..LENGTH - 1]), None);
        let mut other = ticket;
        other[1] ^= 1;
        assert_eq!(redeem(&other), None);
        assert!(std::str::from_utf8(&ticket).is_err());
    }
}
