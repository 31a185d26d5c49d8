//! Which threads search for what plugins have left behind.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Mutex;
use std::thread;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

static THREADS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Notes the thread of every event about a process that was found.
pub(crate) struct Searching;

impl Searching {
    pub(crate) fn record() -> Searching {
        // Another test may have set the same one.
        let _set_already = tracing::subscriber::set_global_default(Searching);
        Searching
    }

    /// The names of the threads that have found somebody.
    pub(crate) fn threads(&self) -> Vec<String> {
        THREADS.lock().unwrap().iter().cloned().collect()
    }
}

impl Subscriber for Searching {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("tenon_host")
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn event(&self, event: &Event<'_>) {
        let mut found = Found(false);
        event.record(&mut found);
        if found.0 {
            let name = thread::current().name().unwrap_or_default().to_owned();
            THREADS.lock().unwrap().insert(name);
        }
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// Whether an event says that a process was found.
struct Found(bool);

impl Visit for Found {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0 |= field.name() == "message" && format!("{value:?}").contains("left behind");
    }
}
