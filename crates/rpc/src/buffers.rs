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

thread_local! {
    static POOL: Cell<Vec<BytesMut>> = const { Cell::new(Vec::new()) };
}

/// An empty buffer.
pub(crate) fn take() -> BytesMut {
    let mut pool = POOL.take();
    let mut buffer = pool.pop().unwrap_or_default();
    POOL.set(pool);
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
