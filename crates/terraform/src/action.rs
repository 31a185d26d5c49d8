//! Actions, which tell how far they have come.

use std::pin::Pin;
use std::sync::Arc;

use tenon_protocols::denobridge::Props;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt};
use tonic::Status;

use crate::bridge::{self, Bridge};
use crate::diagnostic::{self, Diagnostics};
use crate::proto::tfplugin6::Diagnostic;
use crate::proto::tfplugin6::invoke_action::event::{Completed, Progress, Type};
use crate::proto::tfplugin6::invoke_action::{Event, Request};
use crate::schema::{ACTION, ACTION_SHAPE, check_name};
use crate::wire;

/// What Terraform hears of an action while it runs.
pub(crate) type Events = Pin<Box<dyn Stream<Item = Result<Event, Status>> + Send>>;

/// How much progress may wait to be shown.
const WAITING: usize = 1024;

pub(crate) fn invoke(bridge: Arc<Bridge>, request: Request) -> Events {
    let (progress, heard) = mpsc::channel(WAITING);
    let secrets = bridge.scripts.secrets.clone();
    let (done, result) = mpsc::channel(1);
    tokio::spawn(async move {
        let diagnostics = match run(&bridge, &request, progress).await {
            Ok(diagnostics) => diagnostics,
            Err(error) => vec![error],
        };
        // Terraform shows the block of an action, but no line of it.
        let diagnostics = { diagnostics.into_iter() }
            .map(diagnostic::spelled_out)
            .collect();
        // Nobody listens any more if Terraform has gone.
        let _gone = done.send(diagnostics).await;
    });
    let told = ReceiverStream::new(heard).map(move |message: String| {
        // Each is shown as a line of its own.
        let message = secrets.hide(message.trim_end_matches(['\r', '\n']));
        let message = tenon_text::lines(&message).into_owned();
        Type::Progress(Progress { message })
    });
    let completed =
        ReceiverStream::new(result).map(|diagnostics| Type::Completed(Completed { diagnostics }));
    let events = told.chain(completed);
    Box::pin(events.map(|event| {
        Ok(Event {
            r#type: Some(event),
        })
    }))
}

async fn run(
    bridge: &Bridge,
    request: &Request,
    progress: mpsc::Sender<String>,
) -> Result<Diagnostics, Diagnostic> {
    check_name(&request.action_type, ACTION)?;
    let config = wire::decode(request.config.as_ref(), &ACTION_SHAPE.ty)?;
    let launch = bridge.launch(&config)?;
    let places = bridge.places(&config).in_words();
    let props = Props {
        props: bridge::to_json(&wire::part(&config, "props"))?,
    };
    let answer = bridge.scripts.invoke(&launch, props, progress).await;
    let answer = answer.map_err(|failure| failure.show(&places))?;
    let answer = answer.unwrap_or_default();
    let is_done = answer.is_done();
    let mut diagnostics = places.show_all(answer.diagnostics);
    if !is_done && !diagnostic::has_errors(&diagnostics) {
        diagnostics.push(diagnostic::error(
            "Failed to complete action",
            format!("{} did not answer {{\"done\": true}}.", launch.name),
        ));
    }
    Ok(diagnostics)
}
