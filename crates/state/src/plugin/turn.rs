//! Whose turn it is: a process of the plugin has as many calls as it takes, and others wait.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_rpc::Peer;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// One process of the plugin, and the calls that it has.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) peer: Peer,
    places: Arc<Semaphore>,
    work: Mutex<Work>,
}

#[derive(Debug, Default)]
struct Work {
    calls: usize,
    /// A call was given up: the process may hang, so it gets no more of them.
    is_given_up: bool,
}

impl Process {
    /// A process that takes so many calls at the same time.
    pub(super) fn new(peer: Peer, capacity: usize) -> Process {
        Process {
            peer,
            places: Arc::new(Semaphore::new(capacity.clamp(1, Semaphore::MAX_PERMITS))),
            work: Mutex::default(),
        }
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn. `None` if the process has ended before, or ends because a call was given up.
    pub(super) async fn turn(self: Arc<Process>) -> Option<Turn> {
        let Ok(place) = Arc::clone(&self.places).acquire_owned().await else {
            // Others may still be under way.
            self.peer.closed().await;
            return None;
        };
        {
            let mut work = self.work();
            if work.is_given_up || self.peer.is_closed() {
                return None;
            }
            work.calls += 1;
        }
        Some(Turn {
            process: self,
            is_answered: false,
            _place: place,
        })
    }
}

/// A call that the plugin works on.
#[derive(Debug)]
pub(super) struct Turn {
    process: Arc<Process>,
    is_answered: bool,
    _place: OwnedSemaphorePermit,
}

impl Turn {
    pub(super) fn peer(&self) -> &Peer {
        &self.process.peer
    }

    /// The call has come to its end.
    pub(super) fn answered(mut self) {
        self.is_answered = true;
    }
}

impl Drop for Turn {
    /// A plugin that does not answer would let all later calls wait as well, so it is closed, and the supervisor starts
    /// it again. Before that, the calls that it got from others come to their ends: one may be a write.
    fn drop(&mut self) {
        let mut work = self.process.work();
        work.calls -= 1;
        if !self.is_answered {
            work.is_given_up = true;
            self.process.places.close();
        }
        if work.is_given_up && work.calls == 0 {
            self.process.peer.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use tenon_protocols::Protocol;
    use tenon_rpc::{Connection, Io, Router};

    use super::*;

    fn process(capacity: usize) -> (Connection, Arc<Process>, Io) {
        let (here, there) = Io::pair();
        let protocol = Protocol::Seasonings;
        let connection = Connection::start_with(
            here,
            protocol.dialect(),
            Arc::new(Router::new(())),
            protocol.host_options(),
        );
        let process = Arc::new(Process::new(connection.peer(), capacity));
        (connection, process, there)
    }

    #[tokio::test]
    async fn a_call_waits_until_another_is_answered() {
        let (_connection, process, _plugin) = process(1);
        let first = Arc::clone(&process).turn().await.unwrap();
        let mut second = Box::pin(Arc::clone(&process).turn());
        let waits = std::future::poll_fn(|context| {
            std::task::Poll::Ready(second.as_mut().poll(context).is_pending())
        });
        assert!(waits.await);
        first.answered();
        second.await.unwrap().answered();
        assert!(!process.peer.is_closed());
    }

    #[tokio::test]
    async fn a_process_that_is_given_up_finishes_its_other_calls() {
        let (_connection, process, _plugin) = process(2);
        let hanging = Arc::clone(&process).turn().await.unwrap();
        let writing = Arc::clone(&process).turn().await.unwrap();
        let waiting = tokio::spawn(Arc::clone(&process).turn());
        drop(hanging);
        assert!(!process.peer.is_closed(), "a write is under way");
        writing.answered();
        process.peer.closed().await;
        // It gets its turn in the next process.
        assert!(waiting.await.unwrap().is_none());
        assert!(process.turn().await.is_none());
    }
}
