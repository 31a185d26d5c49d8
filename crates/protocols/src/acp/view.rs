//! The members of messages that a proxy looks at. They borrow from the message, and everything else in it is skipped.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

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
