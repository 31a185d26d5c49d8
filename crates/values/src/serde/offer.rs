//! Handing a value to our own serializer as it is.
//!
//! A value does not know which serializer it is given to. It stores itself in a thread-local variable
//! and makes a call that other formats treat as a plain newtype. Our serializer recognises the name,
//! takes the stored value and never looks inside.

use std::cell::RefCell;

use crate::value::Value;

thread_local! {
    static OFFERED: RefCell<Option<Value>> = const { RefCell::new(None) };
}

/// Calls `serialize` while the value is stored.
pub(super) fn offer<R>(value: Value, serialize: impl FnOnce() -> R) -> R {
    /// Removes the value, also when a serializer panics.
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

/// Removes the stored value and returns it.
pub(super) fn take() -> Option<Value> {
    OFFERED.take()
}
