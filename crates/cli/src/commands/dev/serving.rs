//! The plugin on a local socket, so that it can be called while it is written.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tenon_host::Start;
use tenon_ipc::{CallHook, Relay, RelaySettings, socket_path};
use tenon_protocols::Protocol;

use super::{Project, checks};
use crate::args::DevArgs;
use crate::output;
use crate::output::dev::{Outcome, Reporter, Step};

/// How long running calls may take when the code has changed.
const GRACE: Duration = Duration::from_millis(500);

/// A plugin that can be called.
pub(super) struct Serving(Relay);

impl Serving {
    /// Offers the plugin. That it cannot be offered is printed, and the rest of the work continues.
    pub(super) async fn start(
        args: &DevArgs,
        project: &Project,
        reporter: Reporter,
        secret: BTreeSet<String>,
    ) -> Option<Serving> {
        let name = args.socket.as_ref().unwrap_or(&project.name);
        let began = std::time::Instant::now();
        let print = |outcome| {
            reporter.step(&Step {
                name: "socket",
                outcome,
                elapsed: began.elapsed(),
            });
        };
        let path = match socket_path(name) {
            Ok(path) => path,
            Err(error) => {
                print(Outcome::Failed(error.to_string()));
                return None;
            }
        };
        let command = checks::plugin(project).on_stderr(move |line| reporter.plugin_says(line));
        let hook: CallHook = Arc::new(move |done| {
            let is_secret = secret.contains(done.method.as_str());
            reporter.called(&done, is_secret);
        });
        let settings = RelaySettings {
            on_call: Some(hook),
            ..RelaySettings::default()
        };
        // So that the plugin gets the cancellations of clients.
        let protocol = Protocol::Ipc;
        let mut start = Start::new(protocol.dialect());
        start.options = protocol.host_options();
        match Relay::start_at(path, command, start, Some(protocol), settings).await {
            Ok(relay) => {
                let name = output::on_one_line(name);
                print(Outcome::Ok(format!(
                    "tenon call METHOD PARAMS --socket {name}"
                )));
                Some(Serving(relay))
            }
            Err(error) => {
                print(Outcome::Failed(format!(
                    "{error}\n  hint: choose another socket with --socket NAME"
                )));
                None
            }
        }
    }

    pub(super) async fn stop(self) {
        self.0.stop(GRACE).await;
    }
}
