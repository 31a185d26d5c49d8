//! The loop of a run or a teardown: hands actions to providers as soon as they may go, a limited
//! number at a time, and takes in what comes back.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio_util::sync::CancellationToken;

use crate::event::{Event, Watch};
use crate::planning::declarations::DeclarationId;
use crate::planning::graph::NodeId;
use crate::planning::settings::Settings;
use crate::providers::failure::{FailureKind, ProviderFailure};
use crate::run::schedule::Schedule;
use crate::run::slots::Slots;
use crate::run::task::{Outcome, Task, Turn};

/// What the loop works for.
pub(crate) trait Work {
    /// Who does what a node is for, if a provider does.
    fn declaration(&self, id: NodeId) -> Option<DeclarationId>;
    /// A node may go: what is to be done?
    fn turn(&mut self, id: NodeId) -> Turn;
    /// A task is about to be handed over. Has to be on disk after `sync`.
    fn begun(&mut self, id: NodeId, task: &Task) -> io::Result<()>;
    /// Everything noted so far must be on disk.
    fn sync(&mut self) -> io::Result<()>;
    /// A task is over. Whether it was a success.
    fn finished(&mut self, id: NodeId, outcome: Outcome) -> io::Result<bool>;
    /// A node failed before it was handed over.
    fn failed(&mut self, id: NodeId, error: String);
    /// A node was left out because of another.
    fn skipped(&mut self, id: NodeId, because: NodeId);
}

/// How the loop went.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Ended {
    pub(crate) is_interrupted: bool,
    /// Some actions were still running when their time was over. Their providers are not waited for.
    pub(crate) is_cut_off: bool,
    /// What went wrong when the providers were ended.
    pub(crate) provider_errors: Vec<String>,
}

pub(crate) struct Engine<'a> {
    pub(crate) slots: &'a Slots,
    pub(crate) jobs: usize,
    /// Set by the first Ctrl-C: nothing new is begun.
    pub(crate) interrupt: &'a CancellationToken,
    /// How long running actions have after that.
    pub(crate) grace: Option<Duration>,
    pub(crate) watch: Watch<'a>,
    /// Something was not tried again because of the interrupt.
    pub(crate) has_cut_off: Cell<bool>,
}

impl Engine<'_> {
    /// Goes through a schedule.
    ///
    /// # Errors
    /// The journal cannot be written: nothing more is begun, because nothing would show later that it was.
    pub(crate) async fn run(
        &self,
        schedule: &mut Schedule,
        work: &mut dyn Work,
    ) -> io::Result<Ended> {
        let mut executing = FuturesUnordered::new();
        let mut queues = Queues::default();
        let mut deadline = None;
        let mut is_cut_off = false;
        loop {
            if !self.interrupt.is_cancelled() {
                let room = self.jobs - executing.len();
                for (id, task) in self.begin(room, schedule, work, &mut queues)? {
                    executing.push(self.execute(id, task));
                }
            }
            let next = match deadline {
                None => tokio::select! {
                    next = executing.next() => next,
                    () = self.interrupt.cancelled(), if !executing.is_empty() => {
                        (self.watch)(Event::Interrupted { running: executing.len() });
                        deadline = Some(self.grace.map(|grace| tokio::time::Instant::now() + grace));
                        continue;
                    }
                },
                Some(None) => executing.next().await,
                Some(Some(deadline)) => {
                    match tokio::time::timeout_at(deadline, executing.next()).await {
                        Ok(next) => next,
                        // Dropping them leaves them begun and not ended: outcome unknown.
                        Err(_) => {
                            is_cut_off = true;
                            break;
                        }
                    }
                }
            };
            let Some((id, declaration, outcome)) = next else {
                break;
            };
            queues.get(declaration).running -= 1;
            match work.finished(id, outcome)? {
                true => schedule.done(id.0),
                false => lose(id, schedule, work),
            }
        }
        work.sync()?;
        Ok(Ended {
            is_interrupted: self.interrupt.is_cancelled()
                && (!schedule.is_over() || self.has_cut_off.get()),
            is_cut_off,
            provider_errors: Vec::new(),
        })
    }

    /// The tasks to hand over now: as many as there is room for. One sync is for all that ended and
    /// all that begin.
    fn begin(
        &self,
        room: usize,
        schedule: &mut Schedule,
        work: &mut dyn Work,
        queues: &mut Queues,
    ) -> io::Result<Vec<(NodeId, Task)>> {
        let mut begun = Vec::new();
        loop {
            while let Some(index) = schedule.next() {
                match work.declaration(NodeId(index)) {
                    Some(declaration) => {
                        let place = Reverse((schedule.rank(index), index));
                        queues.get(declaration).waiting.push(place);
                    }
                    None => self.settle(NodeId(index), work.turn(NodeId(index)), schedule, work),
                }
            }
            if begun.len() >= room {
                break;
            }
            let Some((declaration, id)) = queues.take(|id| self.slots.limit(id)) else {
                break;
            };
            match work.turn(id) {
                Turn::Task(task) => {
                    queues.get(declaration).running += 1;
                    work.begun(id, &task)?;
                    begun.push((id, task));
                }
                turn => self.settle(id, turn, schedule, work),
            }
        }
        work.sync()?;
        Ok(begun)
    }

    /// A turn that ends immediately.
    fn settle(&self, id: NodeId, turn: Turn, schedule: &mut Schedule, work: &mut dyn Work) {
        match turn {
            Turn::Failed(error) => {
                work.failed(id, error);
                lose(id, schedule, work);
            }
            Turn::Done | Turn::Task(_) => schedule.done(id.0),
        }
    }

    async fn execute(&self, id: NodeId, task: Task) -> (NodeId, DeclarationId, Outcome) {
        let started = Instant::now();
        let mut attempts = 0;
        let mut may_be_done = false;
        let result = loop {
            attempts += 1;
            let attempt = self.slots.execute(&task).await;
            let result = attempt.result;
            let Err(failure) = &result else {
                // Its outputs may still turn out to be unusable.
                may_be_done = true;
                break result;
            };
            let is_unknown = attempt.was_sent && !failure.is_refusal();
            may_be_done |= is_unknown;
            // To try again what may have been done is to do it twice.
            let may_repeat = !is_unknown || task.settings.idempotent;
            let is_last = attempts >= task.settings.attempts;
            if is_last || !may_repeat || !is_worth_another(&task.settings, failure) {
                break result;
            }
            let delay = task.settings.delay_after(attempts);
            (self.watch)(Event::ActionRetried {
                action: task.address.to_string(),
                attempt: attempts,
                error: failure.message.clone(),
                delay_ms: delay.as_millis() as u64,
            });
            tokio::select! {
                () = tokio::time::sleep(delay) => {}
                () = self.interrupt.cancelled() => {
                    self.has_cut_off.set(true);
                    break result;
                }
            }
        };
        let outcome = Outcome {
            result,
            duration: started.elapsed(),
            attempts,
            may_be_done,
        };
        (id, task.declaration, outcome)
    }
}

/// Those that may go, by the provider that has to have room for them.
#[derive(Default)]
struct Queues(BTreeMap<DeclarationId, Queue>);

#[derive(Default)]
struct Queue {
    running: usize,
    waiting: BinaryHeap<Reverse<(usize, usize)>>,
}

impl Queues {
    fn get(&mut self, declaration: DeclarationId) -> &mut Queue {
        self.0.entry(declaration).or_default()
    }

    /// The first in the order whose provider has room.
    fn take(&mut self, limit: impl Fn(DeclarationId) -> usize) -> Option<(DeclarationId, NodeId)> {
        let has_room = |id: DeclarationId, queue: &Queue| queue.running < limit(id);
        let first = { self.0.iter() }
            .filter(|(id, queue)| has_room(**id, queue))
            .filter_map(|(id, queue)| Some((queue.waiting.peek()?.0, *id)))
            .min();
        let (_, declaration) = first?;
        let Reverse((_, index)) = self.get(declaration).waiting.pop()?;
        Some((declaration, NodeId(index)))
    }
}

/// Everything that depends on a node is left out.
fn lose(id: NodeId, schedule: &mut Schedule, work: &mut dyn Work) {
    for lost in schedule.failed(id.0) {
        work.skipped(NodeId(lost), id);
    }
}

fn is_worth_another(settings: &Settings, failure: &ProviderFailure) -> bool {
    let code = match (&failure.answered, failure.kind) {
        (Some(answered), _) => answered.code.as_str(),
        (None, FailureKind::TimedOut) => "timed_out",
        _ => return false,
    };
    match &settings.on {
        Some(codes) => codes.iter().any(|one| one == code),
        None => true,
    }
}

/// Ends the providers, and reports those that did not end as they should: what such a provider had not
/// written yet may be lost, so the run has failed. Those that are still running when their time is
/// over are killed.
pub(crate) async fn end(
    slots: Slots,
    mut ended: io::Result<Ended>,
    worst: &mut Option<FailureKind>,
    watch: Watch<'_>,
) -> io::Result<Ended> {
    match &mut ended {
        Ok(ended) if !ended.is_cut_off => {
            for failure in slots.stop().await {
                *worst = (*worst).max(Some(failure.kind));
                let message = failure.message;
                ended.provider_errors.push(message.clone());
                watch(Event::ProviderFailed { message });
            }
        }
        _ => drop(slots),
    }
    ended
}
