//! An agent that does what its prompts say.

use tenon_acp::agent::acp::{
    AgentAuth, AuthMethod, BooleanOption, Choice, Command, ConfigOption, ContentBlock, ContentItem,
    ElicitationParams, ElicitationResult, Failure, FormElicitation, Mode, Model, Notice,
    NoticeSeverity, PlanEntry, PlanPriority, PlanStatus, Raw, SelectOption, SessionUpdate,
    StopReason, ToolCall, ToolCallUpdate, ToolContent, ToolKind, ToolStatus,
};
use tenon_acp::agent::{About, Agent, AgentError, Change, Opening, Session, Setup, Turn};

use serde_json::json;

/// Each word of a prompt is something to do.
pub(crate) struct Actor;

impl Agent for Actor {
    fn about(&self) -> About {
        let mut about = About::new("actor", "1.0.0");
        about.auth_methods = vec![AuthMethod::Agent(AgentAuth::new("key", "With a key"))];
        about
    }

    async fn open(&self, session: &Session, opening: Opening) -> Result<Setup, AgentError> {
        if session.folder().ends_with("refused") {
            return Err(AgentError::failure(
                Failure::PermissionDenied,
                json!({ "path": "refused" }),
            ));
        }
        if session.folder().ends_with("panic") {
            panic!("/etc/shadow: hunter2");
        }
        if session.folder().ends_with("login") {
            return Err(AgentError::authentication_required());
        }
        if opening.is_new && session.folder().ends_with("plain") {
            return Ok(Setup::default());
        }
        let choice = |value: &str| {
            let mut choice = Choice::new(value.to_uppercase());
            choice.value = Some(value.into());
            choice
        };
        let effort = SelectOption::new(
            "effort",
            "Effort",
            "low",
            vec![choice("low"), choice("high")],
        );
        Ok(Setup {
            modes: vec![Mode::new("ask", "Ask"), Mode::new("plan", "Plan")],
            models: vec![Model::new("small", "Small"), Model::new("large", "Large")],
            options: vec![
                ConfigOption::Select(effort),
                ConfigOption::Boolean(BooleanOption::new("web", "Web", false)),
            ],
            commands: vec![Command::new("say", "Says something")],
        })
    }

    async fn change(&self, _session: &Session, change: &Change) -> Result<(), AgentError> {
        match change {
            Change::Option(id, _) if id == "effort" => Ok(()),
            Change::Option(..) => Err(AgentError::text("the network is not available")),
            _ => Ok(()),
        }
    }

    async fn authenticate(&self, _method: &AuthMethod) -> Result<(), AgentError> {
        Ok(())
    }

    async fn extension(&self, method: &str, params: Option<Raw>) -> Result<Raw, AgentError> {
        match (method, params) {
            ("_echo", Some(params)) => Ok(params),
            _ => Err(AgentError::failure(
                Failure::MethodNotFound,
                json!({ "method": method }),
            )),
        }
    }

    async fn prompt(
        &self,
        turn: Turn,
        prompt: Vec<ContentBlock>,
    ) -> Result<StopReason, AgentError> {
        for word in prompt
            .iter()
            .filter_map(ContentBlock::as_text)
            .flat_map(str::split_whitespace)
        {
            if let Some(reason) = act(&turn, word).await? {
                return Ok(reason);
            }
        }
        Ok(StopReason::EndTurn)
    }
}

async fn act(turn: &Turn, word: &str) -> Result<Option<StopReason>, AgentError> {
    let (word, rest) = word.split_once(':').unwrap_or((word, ""));
    let call = |kind| {
        let mut call = ToolCallUpdate::new("t1");
        call.title = Some("Do it".into());
        call.kind = Some(kind);
        call
    };
    match word {
        "say" => turn.say(rest).await?,
        "think" => turn.think(rest).await?,
        "flood" => {
            for number in 0..rest.parse::<usize>()? {
                turn.say(format!("{number};")).await?;
            }
        }
        "large" => turn.say("ä".repeat(rest.parse()?)).await?,
        "null" => turn.say("a\0b").await?,
        "tool" => {
            let mut call = ToolCall::new("t1", "Do it");
            call.kind = Some(ToolKind::Execute);
            turn.tool_call(call).await?;
        }
        "done" => {
            let mut done = call(ToolKind::Execute);
            done.status = Some(ToolStatus::Completed);
            turn.tool_update(done).await?;
        }
        "output" => {
            let mut done = call(ToolKind::Execute);
            done.status = Some(ToolStatus::Completed);
            let text = ContentBlock::text("\u{1}".repeat(rest.parse()?));
            done.content = Some(vec![ToolContent::Content(ContentItem::new(text))]);
            turn.tool_update(done).await?;
        }
        "plan" => {
            let entry = PlanEntry::new("first", PlanPriority::High, PlanStatus::Pending);
            turn.plan(vec![entry]).await?;
        }
        "title" => turn.set_title(rest).await?,
        "mode" => turn.change(Change::Mode(rest.into())).await?,
        "notice" => {
            let notice = Notice::new(NoticeSeverity::Info, "look");
            turn.update(SessionUpdate::Notice(notice)).await?;
        }
        "ask" => {
            let is_allowed = turn.is_allowed(call(ToolKind::Execute)).await?;
            turn.say(format!("allowed={is_allowed}")).await?;
        }
        "read" => {
            let text = turn.read_file(rest).await?;
            turn.say(text).await?;
        }
        "write" => turn.write_file(rest, "written\n").await?,
        "huge" => {
            turn.write_file("huge", "x".repeat(11 * 1024 * 1024))
                .await?;
        }
        "run" => {
            let terminal = turn.run("echo", [rest]).await?;
            let status = terminal.wait().await?;
            let output = terminal.output().await?;
            turn.say(format!("{:?} {}", status.exit_code, output.output))
                .await?;
            terminal.release().await?;
        }
        "leave" => drop(turn.run("sleep", ["1000"]).await?),
        "elicit" => {
            let schema = Raw::of(&json!({ "type": "object", "properties": {} }))?;
            let form = FormElicitation::new("which?", schema);
            let answer = turn.elicit(ElicitationParams::Form(form)).await?;
            let is_accepted = matches!(answer, ElicitationResult::Accept(_));
            turn.say(format!("accepted={is_accepted}")).await?;
        }
        "supports" => turn.say(turn.supports(rest).to_string()).await?,
        "wait" => {
            turn.cancelled().cancelled().await;
            turn.say("stopping").await?;
        }
        "ignore" => std::future::pending().await,
        "fail" => Err(std::io::Error::other("/etc/shadow: hunter2"))?,
        "explain" => return Err(AgentError::text("the disk is full")),
        "panic" => panic!("/etc/shadow: hunter2"),
        "refuse" => return Ok(Some(StopReason::Refusal)),
        other => return Err(AgentError::text(format!("what is {other}?"))),
    }
    Ok(None)
}
