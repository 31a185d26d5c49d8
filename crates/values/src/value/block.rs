//! A type and what has it, in one piece of memory.

use std::sync::atomic::{AtomicU64, Ordering};

use triomphe::ThinArc;

use crate::size::Size;
use crate::types::Type;

/// A collection's type and what is in it, shared. One allocation and one step to get there, where
/// an `Arc` of a `Vec` takes two.
pub(crate) struct Block<T>(ThinArc<Header, T>);

struct Header {
    ty: Type,
    /// The size of what is inside, packed; 0 until it is first needed.
    size: AtomicU64,
}

impl<T> Block<T> {
    pub(crate) fn new<I>(ty: Type, items: I) -> Block<T>
    where
        I: IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
    {
        let header = Header {
            ty,
            size: AtomicU64::new(0),
        };
        Block(ThinArc::from_header_and_iter(header, items.into_iter()))
    }

    #[inline]
    pub(crate) fn ty(&self) -> &Type {
        &self.0.header.header.ty
    }

    #[inline]
    pub(crate) fn items(&self) -> &[T] {
        &self.0.slice
    }

    /// Both are the same piece of memory.
    pub(crate) fn is_same(&self, other: &Block<T>) -> bool {
        std::ptr::eq(self.items(), other.items())
    }

    /// The size of what is inside, which `count` finds out the first time. What is shared is
    /// counted once and remembered: otherwise counting would take as long as visiting everything.
    pub(crate) fn size(&self, count: impl FnOnce(&Type, &[T]) -> Size) -> Size {
        let known = &self.0.header.header.size;
        match known.load(Ordering::Relaxed) {
            0 => {
                let size = count(self.ty(), self.items());
                known.store(size.packed(), Ordering::Relaxed);
                size
            }
            packed => Size::unpacked(packed),
        }
    }
}

impl<T> Clone for Block<T> {
    fn clone(&self) -> Block<T> {
        Block(self.0.clone())
    }
}
