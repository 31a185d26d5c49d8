//! The files that an agent reads and writes through the client.

use serde_json::json;
use tenon_protocols::acp::{
    Empty, Entry, Failure, ReadTextFileParams, ReadTextFileResult, WriteTextFileParams, view,
};
use tenon_rpc::{Format, Payload, RpcError};

use super::Files;
use super::blocking::{self, off_thread};
use super::examining::{Verdict, decoded, unfit};
use super::questions::Question;
use super::state::Shared;
use crate::facts::Facts;
use crate::paths::{Access, PathError, Roots};
use crate::policy::Action;
use crate::turns::Ruling;

impl Shared {
    /// A file has to be in the folders of its session, and must not be denied.
    pub(super) async fn file(
        &self,
        known: &Entry,
        (file, params): (&view::OfFile<'_>, &Payload),
        access: Access,
        is_approved: bool,
    ) -> Result<Verdict, RpcError> {
        let (folder, roots) = self.folders(&file.session_id);
        let method = known.name;
        let stated = match access {
            Access::Read => Facts::reading(&file.path, &folder),
            Access::Write => Facts::writing(&file.path, &folder),
        };
        let (path, is_confined) = (file.path.to_string(), self.limits.paths);
        let mut facts = stated.clone();
        let looked = off_thread(blocking::LIMIT, move || {
            let checked = { roots.as_ref() }
                .map_err(PathError::clone)
                .and_then(|roots| roots.check(&path, access).map(drop));
            // The client may know files that are not on disk: editors have unsaved ones.
            let is_inside = matches!(checked, Ok(()) | Err(PathError::NotFound));
            // What is outside is touched only if it may be opened.
            if is_inside || !is_confined {
                facts.follow_links();
            }
            (facts, roots, checked)
        });
        let looked = looked.await;
        let (facts, roots, checked) =
            looked.map_err(|_| self.timed_out(method, blocking::LIMIT))?;
        let decision = self.policy.decide(&facts, &folder);
        // Clients do not ask about this, so a file with other names, which may be denied, must have been allowed before.
        let is_in_doubt = decision.is_doubtful && facts.has_other_names && {
            let mut state = self.state();
            let session = state.turns.session(&file.session_id);
            session.and_then(|session| session.ruling(&facts)) != Some(Ruling::Allowed)
        };
        if decision.action == Action::Deny || is_in_doubt {
            self.note_decision(method, &file.path, &file.session_id, &decision);
            return Err(self.denied(&decision, json!({ "path": file.path })));
        }
        if !is_approved && self.must_ask(&decision, &stated, &file.session_id) {
            // What is outside of the folders is refused without a question.
            if let Err(error @ PathError::Outside(_)) = &checked
                && is_confined
            {
                return Err(self.unserved(error, &file.path));
            }
            self.note_decision(method, &file.path, &file.session_id, &decision);
            let text = match access {
                Access::Read => None,
                Access::Write => Some(decoded::<WriteTextFileParams>(params)?.content),
            };
            let path = file.path.to_string();
            let question = off_thread(blocking::LIMIT, move || {
                Question::file(&path, access, text, roots.as_deref().ok())
            });
            let question = question.await;
            let question = question.map_err(|_| self.timed_out(method, blocking::LIMIT))?;
            return Ok(Verdict::Ask(Box::new(question)));
        }
        if self.files == Files::Guard {
            let params = params.clone();
            let served = off_thread(blocking::LIMIT, move || serve(&*roots?, &params, access));
            let served = served
                .await
                .map_err(|_| self.timed_out(method, blocking::LIMIT))?;
            let served = served.map_err(|error| self.unserved(&error, &file.path));
            let served = served.and_then(|answer| {
                self.check_answer_size(known, &answer)?;
                Ok(answer)
            });
            let served = match (served, access) {
                (Err(error), Access::Read) => self.soften("fs/read_text_file", error),
                (served, _) => served,
            };
            return served.map(Verdict::Answer);
        }
        match checked {
            // The client may know files that are not on disk: editors have unsaved ones.
            Ok(()) | Err(PathError::NotFound) => Ok(Verdict::Forward),
            Err(error) if is_confined => Err(self.unserved(&error, &file.path)),
            Err(_) => Ok(Verdict::Forward),
        }
    }

    /// The error for a file that is not given to the agent.
    pub(super) fn unserved(&self, error: &PathError, path: &str) -> RpcError {
        let error = error.error(path, self.profile);
        // Other errors are counted when they are sent.
        if error.code.number() == Failure::PermissionDenied.code() {
            self.state().summary.denied += 1;
        }
        error
    }
}

/// The file that a call is about. It may have megabytes, so its path and its session are read together.
pub(super) fn file_of<'p>(
    known: &Entry,
    params: &'p Payload,
) -> Result<Option<view::OfFile<'p>>, RpcError> {
    match known.name {
        "fs/read_text_file" | "fs/write_text_file" => {
            view::OfFile::read(params).map(Some).map_err(unfit)
        }
        _ => Ok(None),
    }
}

/// Reads or writes a file instead of the client.
fn serve(roots: &Roots, params: &Payload, access: Access) -> Result<Payload, PathError> {
    let unfit = |_| PathError::Invalid("the params do not fit the method");
    let answer = match access {
        Access::Read => {
            let file: ReadTextFileParams = params.decode_private().map_err(unfit)?;
            let text = roots.read(&file.path, file.line, file.limit)?;
            Payload::encode(Format::Json, &ReadTextFileResult::new(text))
        }
        Access::Write => {
            let file: WriteTextFileParams = params.decode_private().map_err(unfit)?;
            roots.write(&file.path, &file.content)?;
            Payload::encode(Format::Json, &Empty::default())
        }
    };
    answer.map_err(unfit)
}
