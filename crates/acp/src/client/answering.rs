//! What the agent calls: files and terminals are served here, [permissions and questions](super::deciding) elsewhere.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tenon_protocols::acp::{
    CreateElicitation, CreateTerminal, CreateTerminalParams, CreateTerminalResult, Diff,
    ElicitationComplete, ElicitationCompleteParams, Empty, Failure, KillTerminal, Profile,
    ReadTextFile, ReadTextFileParams, ReadTextFileResult, ReleaseTerminal, RequestPermission,
    TerminalOutputs, TerminalParams, ToolContent, ToolKind, Update, UpdateParams, WaitForExit,
    WriteTextFile, WriteTextFileParams,
};
use tenon_rpc::{Event, EventContext, EventKind, Method, Router, RpcError};

use super::session_state::State;
use super::state::Shared;
use super::terminals::Terminal;
use crate::facts::{Facts, variables};
use crate::paths::{Access, PathError};
use crate::quirks::Quirk;

/// Everything that an agent may call.
pub(super) fn router(shared: &Arc<Shared>) -> Router<Arc<Shared>> {
    let offered = &shared.setup.offered;
    let mut router = Router::new(shared.clone())
        .event_fallback(|context, event| receive(&context, event))
        .on(RequestPermission, |context, params| async move {
            context.state.permission(params).await
        });
    if offered.reads_files {
        router = router.on(ReadTextFile, |context, params| async move {
            context.state.read(params).await
        });
    }
    // Some agents send this whatever the client has stated; then it is refused as an unknown method.
    if offered.writes_files {
        router = router.on(WriteTextFile, |context, params| async move {
            context.state.write(params).await
        });
    }
    if offered.terminals.is_some() {
        router = terminals(router);
    }
    if offered.forms || offered.pages {
        router = router.on(CreateElicitation, |context, params| async move {
            context.state.elicitation(params).await
        });
    }
    router
}

fn terminals(router: Router<Arc<Shared>>) -> Router<Arc<Shared>> {
    router
        .on(CreateTerminal, |context, params| async move {
            context.state.create_terminal(params).await
        })
        .on(TerminalOutputs, |context, params| async move {
            let (_, terminal) = context.state.terminal(&params).await?;
            Ok(terminal.output())
        })
        .on(WaitForExit, |context, params| async move {
            let (session, terminal) = context.state.terminal(&params).await?;
            let _silent_meanwhile = session.waiting();
            Ok(terminal.exited().await)
        })
        .on(KillTerminal, |context, params| async move {
            let (_, terminal) = context.state.terminal(&params).await?;
            terminal.kill().await;
            Ok(Empty::default())
        })
        .on(ReleaseTerminal, |context, params| async move {
            let session = context.state.session(&params.session_id).await?;
            session.terminals.release(&params.terminal_id).await?;
            Ok(Empty::default())
        })
}

/// Events are handled in the order in which they arrive, before anything that came after them.
fn receive(context: &EventContext<'_, Arc<Shared>>, event: Event) {
    let Some(params) = event.params else {
        return;
    };
    let size = params.bytes().len();
    let outcome = match &*event.method {
        Update::NAME => params.decode_private::<UpdateParams>().map(|params| {
            let UpdateParams {
                session_id, update, ..
            } = params;
            context.state.update(session_id, update, size, context.peer);
        }),
        ElicitationComplete::NAME => {
            let params = params.decode_private::<ElicitationCompleteParams>();
            params.map(|params| {
                let user = &context.state.setup.user;
                user.elicitation_complete(&params.elicitation_id);
            })
        }
        // An unknown event is ignored, as JSON-RPC wants it.
        _ => Ok(()),
    };
    if let Err(error) = outcome {
        tracing::warn!(method = ?event.method, %error, "an event of the agent could not be read");
    }
}

impl Shared {
    pub(super) async fn session(&self, id: &str) -> Result<Arc<State>, RpcError> {
        let session = self.find_soon(id).await.ok_or_else(|| {
            Failure::SessionNotFound.error(Profile::V1, json!({ "sessionId": id }))
        })?;
        session.touch();
        Ok(session)
    }

    async fn read(&self, params: ReadTextFileParams) -> Result<ReadTextFileResult, RpcError> {
        let session = self.session(&params.session_id).await?;
        check_place(&session, &params.path, Access::Read).await?;
        let facts = Facts::reading(&params.path, session.folder());
        let title = format!("Read {}", params.path);
        let call = self.tool_call(ToolKind::Read, title, &json!({ "path": params.path }));
        self.access(&session, facts, call).await?;
        let roots = session.roots.clone();
        let path = params.path.clone();
        let read = move || roots.read(&params.path, params.line, params.limit);
        match blocking(read).await? {
            Ok(content) => Ok(ReadTextFileResult::new(content)),
            Err(PathError::NotFound)
                if { self.quirks.get() }
                    .is_some_and(|quirks| quirks.has(Quirk::ReadsBeforeCreating)) =>
            {
                Ok(ReadTextFileResult::new(""))
            }
            Err(error) => Err(error.error(&path, Profile::V1)),
        }
    }

    async fn write(&self, params: WriteTextFileParams) -> Result<Empty, RpcError> {
        let session = self.session(&params.session_id).await?;
        check_place(&session, &params.path, Access::Write).await?;
        let facts = Facts::writing(&params.path, session.folder());
        let title = format!("Write {}", params.path);
        let mut call = self.tool_call(ToolKind::Edit, title, &json!({ "path": params.path }));
        let old = text_of(&session, &params.path).await?;
        let mut diff = Diff::new(params.path.clone(), params.content.clone());
        diff.old_text.clone_from(&old);
        call.content = Some(vec![ToolContent::Diff(diff)]);
        let mut asked = facts.clone();
        let was_asked = self.access(&session, facts, call).await?;
        if was_asked && text_of(&session, &params.path).await? != old {
            asked.follow_links();
            session.withdraw(&asked);
            let details =
                "the file was changed during the question, so it was not written; read it again";
            let data = json!({ "path": params.path, "details": details });
            return Err(Failure::PermissionDenied.error(Profile::V1, data));
        }
        let roots = session.roots.clone();
        let (path, bytes) = (params.path.clone(), params.content.len());
        let write = move || roots.write(&params.path, &params.content);
        match blocking(write).await? {
            Ok(()) => {
                self.setup.user.wrote(&session.id, &path, bytes);
                Ok(Empty::default())
            }
            Err(error) => Err(error.error(&path, Profile::V1)),
        }
    }

    async fn create_terminal(
        &self,
        params: CreateTerminalParams,
    ) -> Result<CreateTerminalResult, RpcError> {
        let session = self.session(&params.session_id).await?;
        let offered = &self.setup.offered;
        let Some(launch) = &offered.terminals else {
            return Err(RpcError::method_not_found(
                CreateTerminal::NAME,
                tenon_rpc::Format::Json,
            ));
        };
        let wrong = |details: &str| {
            Failure::InvalidParams.error(Profile::V1, json!({ "details": details }))
        };
        variables(params.env.as_deref()).map_err(wrong)?;
        if let Some(cwd) = params.cwd.clone() {
            let roots = session.roots.clone();
            let path = cwd.clone();
            let checked = blocking(move || roots.check_folder(&cwd)).await?;
            checked.map_err(|error| error.error(&path, Profile::V1))?;
        }
        let folder = params.cwd.as_ref().map(PathBuf::from);
        let folder = folder.unwrap_or_else(|| session.folder().to_owned());
        let facts = Facts::running(&params, session.folder());
        let line = facts.commands.iter().next().cloned().unwrap_or_default();
        let mut input = json!({ "command": line });
        if let Some(cwd) = &params.cwd {
            input["cwd"] = json!(cwd);
        }
        let call = self.tool_call(ToolKind::Execute, format!("Run {line}"), &input);
        self.access(&session, facts, call).await?;
        let id = format!("term-{}", self.next_id());
        let terminals = &session.terminals;
        terminals.create(id.clone(), &params, folder, launch, offered.terminal_limit)?;
        Ok(CreateTerminalResult::new(id))
    }

    async fn terminal(
        &self,
        params: &TerminalParams,
    ) -> Result<(Arc<State>, Arc<Terminal>), RpcError> {
        let session = self.session(&params.session_id).await?;
        let terminal = session.terminals.get(&params.terminal_id)?;
        Ok((session, terminal))
    }
}

/// Refuses a file outside of the folders of a session: the user is not asked about what is refused whatever the answer is.
async fn check_place(session: &State, path: &str, access: Access) -> Result<(), RpcError> {
    let (roots, checked) = (session.roots.clone(), path.to_owned());
    match blocking(move || roots.check(&checked, access)).await? {
        Err(error @ PathError::Outside(_)) => Err(error.error(path, Profile::V1)),
        _ => Ok(()),
    }
}

/// The text of a file, if it has one.
async fn text_of(session: &State, path: &str) -> Result<Option<String>, RpcError> {
    let (roots, path) = (session.roots.clone(), path.to_owned());
    blocking(move || roots.read(&path, None, None).ok()).await
}

/// Files may be on slow disks.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, RpcError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Failure::Internal.error(Profile::V1, Value::Null))
}
