//! An agent that counts the words of files and, if it may, writes the result beside them.

use std::process::ExitCode;

use tenon_acp::agent::acp::{
    ContentBlock, Diff, StopReason, ToolCall, ToolCallUpdate, ToolContent,
};
use tenon_acp::agent::acp::{ToolKind, ToolStatus};
use tenon_acp::agent::{About, Agent, AgentError, Settings, Store, Turn, serve_stdio};

struct Counter;

impl Agent for Counter {
    fn about(&self) -> About {
        About::new("counter", env!("CARGO_PKG_VERSION"))
    }

    async fn prompt(
        &self,
        turn: Turn,
        prompt: Vec<ContentBlock>,
    ) -> Result<StopReason, AgentError> {
        let texts = prompt.iter().filter_map(ContentBlock::as_text);
        for (number, name) in texts.flat_map(str::split_whitespace).enumerate() {
            let text = turn.read_file(name).await?;
            let count = format!("{} words\n", text.split_whitespace().count());
            turn.say(format!("{name}: {count}")).await?;

            let mut call = ToolCall::new(format!("write-{number}"), format!("Write {name}.count"));
            call.kind = Some(ToolKind::Edit);
            let path = turn.folder().join(format!("{name}.count"));
            call.content = Some(vec![ToolContent::Diff(Diff::new(
                path.to_string_lossy(),
                &*count,
            ))]);
            turn.tool_call(call.clone()).await?;

            let mut done = ToolCallUpdate::new(call.tool_call_id);
            (done.title, done.kind) = (Some(call.title), call.kind);
            let is_allowed = turn.is_allowed(done.clone()).await?;
            if is_allowed {
                turn.write_file(path, count).await?;
            }
            done.status = Some(if is_allowed {
                ToolStatus::Completed
            } else {
                ToolStatus::Failed
            });
            turn.tool_update(done).await?;
        }
        Ok(StopReason::EndTurn)
    }
}

fn main() -> ExitCode {
    // Sessions are kept in the folder that is given, if one is.
    let store = std::env::args_os()
        .nth(1)
        .map(|folder| Store::open(folder).expect("the folder"));
    serve_stdio(
        Counter,
        Settings {
            store,
            ..Settings::default()
        },
    )
}
