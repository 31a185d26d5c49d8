//! The use of a process for one call.

use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use super::Pool;
use super::table::{Member, Taken};
use crate::plugin::Plugin;

/// The use of a process of a [`Pool`] for one call.
///
/// [`Lease::release`] it when the call is over. Dropping it instead means that the process may
/// still be working on the call: it gets no other, and is ended.
#[must_use = "dropping a lease ends its process"]
pub struct Lease<K, T>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    T: Send + Sync + 'static,
{
    pool: Pool<K, T>,
    /// None for a process that has this one call only.
    key: Option<K>,
    member: Option<Arc<Member<T>>>,
    calls: u64,
    was_idle: bool,
    is_over: bool,
}

impl<K, T> Lease<K, T>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    T: Send + Sync + 'static,
{
    pub(super) fn new(pool: Pool<K, T>, key: Option<K>, taken: Taken<T>) -> Lease<K, T> {
        Lease {
            pool,
            key,
            member: Some(taken.member),
            calls: taken.calls,
            was_idle: taken.was_idle,
            is_over: false,
        }
    }

    fn member(&self) -> &Member<T> {
        let member = self.member.as_deref();
        member.expect("it is given back only when the lease is dropped")
    }

    /// The process.
    pub fn plugin(&self) -> &Plugin {
        &self.member().plugin
    }

    /// Data that belongs to the process.
    pub fn extra(&self) -> &T {
        &self.member().extra
    }

    /// How many calls the process had before this one.
    pub fn calls_before(&self) -> u64 {
        self.calls - 1
    }

    /// How many other calls the process has right now.
    pub fn others(&self) -> usize {
        self.now().map_or(0, |(_, in_flight)| in_flight - 1)
    }

    /// Whether the process has had no other call at any time since this lease was taken.
    pub fn was_alone(&self) -> bool {
        self.was_idle && self.now().is_none_or(|(calls, _)| calls == self.calls)
    }

    fn now(&self) -> Option<(u64, usize)> {
        let key = self.key.as_ref()?;
        self.pool.table().calls(key, self.member().id)
    }

    /// The call is over: the process may have another.
    pub fn release(mut self) {
        self.is_over = true;
    }
}

impl<K, T> Drop for Lease<K, T>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    T: Send + Sync + 'static,
{
    fn drop(&mut self) {
        let Some(member) = self.member.take() else {
            return;
        };
        let unwanted = match &self.key {
            Some(key) => self.pool.table().give_back(key, member, self.is_over),
            None => {
                self.pool.table().count -= 1;
                vec![member]
            }
        };
        self.pool.stop_all(unwanted);
        self.pool.0.changed.notify_waiters();
    }
}

impl<K, T> fmt::Debug for Lease<K, T>
where
    K: Clone + Eq + Hash + Send + Sync + 'static,
    T: Send + Sync + 'static,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lease({})", self.plugin().process().id())
    }
}
