//! The members of messages that a proxy looks at. They borrow from the message, and everything else in it is skipped.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use tenon_rpc::{Payload, PayloadError, Text};

/// The session of a message that has one.
#[derive(Debug, Deserialize)]
pub struct OfSession<'a> {
    /// The session.
    #[serde(rename = "sessionId", borrow)]
    pub session_id: Cow<'a, str>,
}

/// What `session/new`, `session/load` and `session/resume` say about folders.
#[derive(Debug, Deserialize)]
pub struct Folders<'a> {
    /// The folder of the session.
    #[serde(borrow)]
    pub cwd: Cow<'a, str>,
    /// More folders.
    #[serde(rename = "additionalDirectories", default)]
    pub additional_directories: Option<Vec<String>>,
}

/// The path of `fs/read_text_file` and `fs/write_text_file`.
#[derive(Debug, Deserialize)]
pub struct OfFile<'a> {
    /// The session.
    #[serde(rename = "sessionId", borrow)]
    pub session_id: Cow<'a, str>,
    /// The path.
    #[serde(borrow)]
    pub path: Cow<'a, str>,
}

/// Params and results from this size on are not walked through again: the engine knows where their members are.
const LARGE: usize = 64 * 1024;

impl<'a> OfFile<'a> {
    /// Reads the two from params, and nothing of a content of many megabytes.
    ///
    /// # Errors
    /// The params do not have them.
    pub fn read(params: &'a Payload) -> Result<OfFile<'a>, PayloadError> {
        let known = large_members(params).and_then(|members| OfFile::among(&members));
        known.map_or_else(|| params.decode_borrowed(), Ok)
    }

    fn among(members: &[(Text, Payload)]) -> Option<OfFile<'static>> {
        let text = |name| member(members, name)?.decode::<String>().ok();
        Some(OfFile {
            session_id: text("sessionId")?.into(),
            path: text("path")?.into(),
        })
    }
}

/// Whether params are those of `fs/write_text_file`. The content is not decoded.
pub(super) fn is_write(params: &Payload) -> bool {
    match large_members(params) {
        Some(members) => OfFile::among(&members).is_some() && has_content(&members),
        None => {
            matches!(params.decode_borrowed::<Write<'_>>(), Ok(write) if is_text(write.content.get()))
        }
    }
}

/// Whether a result is one of `fs/read_text_file`. The content is not decoded.
pub(super) fn is_read(result: &Payload) -> bool {
    match large_members(result) {
        Some(members) => has_content(&members),
        None => {
            matches!(result.decode_borrowed::<Content<'_>>(), Ok(read) if is_text(read.content.get()))
        }
    }
}

fn large_members(payload: &Payload) -> Option<Vec<(Text, Payload)>> {
    let is_large = payload.bytes().len() >= LARGE;
    is_large.then(|| payload.members().ok())?
}

fn member<'a>(members: &'a [(Text, Payload)], wanted: &str) -> Option<&'a Payload> {
    let found = members.iter().find(|(name, _)| *name == wanted);
    found.map(|(_, value)| value)
}

fn has_content(members: &[(Text, Payload)]) -> bool {
    member(members, "content").is_some_and(|content| content.bytes().starts_with(b"\""))
}

fn is_text(value: &str) -> bool {
    value.starts_with('"')
}

/// A file that is written, with its content as it is on the wire.
#[derive(Debug, Deserialize)]
pub struct Write<'a> {
    /// The session.
    #[serde(rename = "sessionId", borrow)]
    pub session_id: Cow<'a, str>,
    /// The path.
    #[serde(borrow)]
    pub path: Cow<'a, str>,
    /// The content.
    #[serde(borrow)]
    pub content: &'a RawValue,
}

/// The content of a file that was read, as it is on the wire.
#[derive(Debug, Deserialize)]
pub struct Content<'a> {
    /// The content.
    #[serde(borrow)]
    pub content: &'a RawValue,
}

/// An update, without what it carries.
#[derive(Debug, Deserialize)]
pub struct Update<'a> {
    /// The session.
    #[serde(rename = "sessionId", borrow)]
    pub session_id: Cow<'a, str>,
    /// The beginning of the update.
    #[serde(borrow)]
    pub update: UpdateHead<'a>,
}

/// The members of updates that tell them apart.
#[derive(Debug, Deserialize)]
pub struct UpdateHead<'a> {
    /// Its kind.
    #[serde(rename = "sessionUpdate", borrow)]
    pub kind: Cow<'a, str>,
    /// The message that a chunk belongs to.
    #[serde(rename = "messageId", borrow, default)]
    pub message_id: Option<Cow<'a, str>>,
    /// The tool call that it is about.
    #[serde(rename = "toolCallId", borrow, default)]
    pub tool_call_id: Option<Cow<'a, str>>,
    /// The content, as its text.
    #[serde(borrow, default)]
    pub content: Option<&'a RawValue>,
}
