//! Buffers that a thread lends to its connections, so that an idle connection holds none.

use std::cell::Cell;

use bytes::BytesMut;

/// Large enough that a turn of small messages fits, small enough that a payload that keeps one
/// alive does little harm.
const SIZE: usize = 32 * 1024;

/// A buffer that has grown past this is given back to the system. Fresh memory costs more than
/// what is done with it, so messages of a megabyte should find theirs here.
pub(crate) const KEEP: usize = 2 * 1024 * 1024;

/// How many spare buffers a thread keeps: one is being read into while others are written.
const SPARE: usize = 4;

/// From this size on, a message that still grows continues in the buffer of the last large one.
const GROWN: usize = 128 * 1024;

/// A larger buffer is never kept.
const MOST: usize = 32 * 1024 * 1024;

/// The buffer of a large message is released after this many messages that did not need it.
const UNUSED: u32 = 1024;

thread_local! {
    static POOL: Cell<Vec<BytesMut>> = const { Cell::new(Vec::new()) };
    static LARGE: Cell<Option<Large>> = const { Cell::new(None) };
}

/// The buffer of the last large message. New memory for ten megabytes takes longer than reading them, and messages
/// of that size seldom come alone.
struct Large {
    buffer: BytesMut,
    /// The size of the whole buffer, of which `buffer` may be only the end.
    size: usize,
    unused: u32,
}

/// An empty buffer.
pub(crate) fn take() -> BytesMut {
    let mut pool = POOL.take();
    let mut buffer = pool.pop().unwrap_or_default();
    POOL.set(pool);
    if let Some(mut large) = LARGE.take() {
        large.unused += 1;
        LARGE.set(Some(large).filter(|large| large.unused < UNUSED));
    }
    // Reuses the whole buffer if no slice of it is left, else allocates a new one.
    buffer.reserve(SIZE);
    buffer
}

/// Gives a buffer back.
pub(crate) fn give(mut buffer: BytesMut) {
    buffer.clear();
    if buffer.capacity() == 0 || buffer.capacity() > KEEP {
        return;
    }
    let mut pool = POOL.take();
    if pool.len() < SPARE {
        pool.push(buffer);
    }
    POOL.set(pool);
}

/// Makes room for `more` bytes behind those in the buffer.
pub(crate) fn grow(buffer: &mut BytesMut, more: usize) {
    if buffer.len() >= GROWN
        && let Some(mut large) = LARGE.take()
    {
        large.buffer.clear();
        // Not if the last message is still being used.
        if large.size >= buffer.len() + more && large.buffer.try_reclaim(large.size) {
            large.buffer.extend_from_slice(buffer);
            give(std::mem::replace(buffer, large.buffer));
            return;
        }
        LARGE.set(Some(large));
    }
    buffer.reserve(more);
}

/// Gives back what is left of a buffer that has grown to `size`.
pub(crate) fn give_large(buffer: BytesMut, size: usize) {
    let kept = LARGE.take();
    let is_better = kept.as_ref().is_none_or(|kept| kept.size <= size);
    LARGE.set(match is_better && size <= MOST {
        true => Some(Large {
            buffer,
            size,
            unused: 0,
        }),
        false => kept,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    /// A buffer of a message of `bytes` bytes, and its address.
    fn read(bytes: usize) -> (BytesMut, *const u8) {
        let mut buffer = take();
        while buffer.len() < bytes {
            if buffer.capacity() == buffer.len() {
                let more = buffer.len();
                grow(&mut buffer, more);
            }
            let count = (bytes - buffer.len()).min(buffer.capacity() - buffer.len());
            buffer.resize(buffer.len() + count, 1);
        }
        let place = buffer.as_ptr();
        (buffer, place)
    }

    fn done(mut buffer: BytesMut) -> bytes::Bytes {
        let size = buffer.capacity();
        let message = buffer.split().freeze();
        give_large(buffer, size);
        message
    }

    #[test]
    fn large_messages_share_their_memory_one_after_the_other() {
        let (first, place) = read(10 * MIB);
        drop(done(first));
        let (second, again) = read(10 * MIB);
        assert_eq!(place, again);
        let held = done(second);
        let (third, other) = read(10 * MIB);
        assert_ne!(other, place, "the second one is still there");
        drop((held, third));
    }

    #[test]
    fn memory_that_is_not_used_is_given_back() {
        let (first, _) = read(10 * MIB);
        drop(done(first));
        for _ in 0..UNUSED {
            give(take());
        }
        assert!(LARGE.take().is_none());
        let (huge, _) = read(MOST + 1);
        drop(done(huge));
        assert!(LARGE.take().is_none());
    }
}
