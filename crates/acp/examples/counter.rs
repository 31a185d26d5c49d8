//! An agent that counts the words of files and, if it may, writes the result beside them.

use std::process::ExitCode;

use tenon_acp::agent::acp::{ContentBlock, Diff, StopReason, ToolCall, ToolCallUpdate};
use tenon_acp::agent::acp::{ToolContent, ToolKind, ToolStatus};
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

            let path = turn.folder().join(format!("{name}.count"));
            let diff = Diff::new(path.to_string_lossy(), &*count);
            let mut call = ToolCall::new(format!("write-{number}"), format!("Write {name}.count"));
            call.kind = Some(ToolKind::Edit);
            call.content = Some(vec![ToolContent::Diff(diff)]);
            turn.tool_call(call.clone()).await?;

            let mut status = ToolStatus::Failed;
            if turn.is_allowed(ToolCallUpdate::from(&call)).await? {
                turn.write_file(path, count).await?;
                status = ToolStatus::Completed;
            }
            let mut done = ToolCallUpdate::new(call.tool_call_id);
            done.status = Some(status);
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
