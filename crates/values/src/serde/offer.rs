//! Handing a value to our own serializer as it is.
//!
//! A value that is asked to serialize itself does not know by whom. It puts itself on offer in
//! this thread and makes a call that other formats take for a plain newtype; our serializer knows
//! the name, takes what is on offer and never looks inside.

use std::cell::RefCell;

use crate::value::Value;

thread_local! {
    static OFFERED: RefCell<Option<Value>> = const { RefCell::new(None) };
}

/// Calls `serialize` with the value on offer.
pub(super) fn offer<R>(value: Value, serialize: impl FnOnce() -> R) -> R {
    /// Ends the offer, also when a serializer panics.
    struct End;

    impl Drop for End {
        fn drop(&mut self) {
            take();
        }
    }

    OFFERED.set(Some(value));
    let _end = End;
    serialize()
}

/// The value on offer, which is no longer on offer then.
pub(super) fn take() -> Option<Value> {
    OFFERED.take()
}
