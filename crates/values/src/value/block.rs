//! A type and what has it, in one piece of memory.

use triomphe::ThinArc;

use crate::types::Type;

/// A collection's type and what is in it, shared. One allocation and one step to get there, where
/// an `Arc` of a `Vec` takes two.
pub(crate) struct Block<T>(ThinArc<Type, T>);

impl<T> Block<T> {
    pub(crate) fn new<I>(ty: Type, items: I) -> Block<T>
    where
        I: IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
    {
        Block(ThinArc::from_header_and_iter(ty, items.into_iter()))
    }

    #[inline]
    pub(crate) fn ty(&self) -> &Type {
        &self.0.header.header
    }

    #[inline]
    pub(crate) fn items(&self) -> &[T] {
        &self.0.slice
    }

    /// Both are the same piece of memory.
    pub(crate) fn is_same(&self, other: &Block<T>) -> bool {
        std::ptr::eq(self.items(), other.items())
    }
}

impl<T> Clone for Block<T> {
    fn clone(&self) -> Block<T> {
        Block(self.0.clone())
    }
}
