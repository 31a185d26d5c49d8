//! The process of an agent, which belongs to a task: calls that fail ask it why, and it ends them when the process does.

use tenon_host::{Plugin, PluginError, Stopped};
use tenon_rpc::{CallError, CloseReason};
use tokio::sync::{mpsc, oneshot};

/// A handle to the task. When the last one is dropped, the process is killed.
#[derive(Debug)]
pub(super) struct Attendant {
    orders: mpsc::Sender<Order>,
}

enum Order {
    Explain(CallError, oneshot::Sender<PluginError>),
    Stop(oneshot::Sender<Stopped>),
}

impl Attendant {
    pub(super) fn new(plugin: Plugin) -> Attendant {
        let (orders, received) = mpsc::channel(16);
        tokio::spawn(attend(plugin, received));
        Attendant { orders }
    }

    /// What the process printed and how it ended; nothing if it was stopped.
    pub(super) async fn explain(&self, error: CallError) -> Option<PluginError> {
        let (answer, answered) = oneshot::channel();
        self.orders.send(Order::Explain(error, answer)).await.ok()?;
        answered.await.ok()
    }

    /// Ends the process; nothing if it was stopped before.
    pub(super) async fn stop(&self) -> Option<Stopped> {
        let (answer, answered) = oneshot::channel();
        self.orders.send(Order::Stop(answer)).await.ok()?;
        answered.await.ok()
    }
}

async fn attend(mut plugin: Plugin, mut orders: mpsc::Receiver<Order>) {
    let mut has_exited = false;
    loop {
        let order = tokio::select! {
            order = orders.recv() => order,
            // A descendant that holds the pipe open would keep calls waiting: this ends them.
            _ = plugin.exited(), if !has_exited => {
                has_exited = true;
                continue;
            }
        };
        match order {
            Some(Order::Explain(error, answer)) => {
                // It was this side that closed the connection, but only because the process had ended.
                let error = match error {
                    CallError::Closed(CloseReason::ClosedHere) if has_exited => {
                        CallError::Closed(CloseReason::PeerClosed)
                    }
                    error => error,
                };
                let _nobody_waits = answer.send(plugin.explain(error).await);
            }
            Some(Order::Stop(answer)) => {
                let _nobody_waits = answer.send(plugin.stop(|_| async {}).await);
                return;
            }
            None => return,
        }
    }
}
