//! Traffic as lines of JSON, with times and directions, and back.

use std::borrow::Cow;
use std::io::{self, BufRead, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tenon_wire::json::MAX_DEPTH;
use tenon_wire::mask;
use tenon_wire::transcode;

use crate::error::Quote;
use crate::payload::Format;
use crate::tap::{Direction, Seen, Tap};

/// One frame as it was recorded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Seconds since 1970 in UTC, to the microsecond.
    pub time: f64,
    /// Which way it went.
    pub direction: Direction,
    /// How it was written: the name of a [`Dialect`](crate::Dialect).
    pub dialect: String,
    /// Its content, with the order and the numbers of the wire. msgpack is converted to JSON; values
    /// that JSON cannot express are spelled out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<Box<RawValue>>,
    /// The beginning of a frame that could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

impl PartialEq for Record {
    fn eq(&self, other: &Record) -> bool {
        let text = |record: &Record| record.frame.as_ref().map(|frame| frame.get().to_owned());
        self.time == other.time
            && self.direction == other.direction
            && self.dialect == other.dialect
            && self.unreadable == other.unreadable
            && text(self) == text(other)
    }
}

/// Makes records of frames and masks secrets in them: members with one of the masked names, in any
/// case and at any depth, have the value `"***"`.
#[derive(Debug)]
pub struct RecordFormat {
    masked: Vec<String>,
    started: (Instant, f64),
}

impl RecordFormat {
    /// Masks the members with these names.
    pub fn new<N: AsRef<str>>(masked: impl IntoIterator<Item = N>) -> RecordFormat {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0.0, |since| since.as_secs_f64());
        RecordFormat {
            masked: masked
                .into_iter()
                .map(|name| name.as_ref().to_lowercase())
                .collect(),
            started: (Instant::now(), now),
        }
    }

    /// The record of a frame that is seen now.
    pub fn record(&self, seen: &Seen<'_>) -> Record {
        let frame = readable(seen)
            .and_then(|text| mask::masked(&text, &self.masked, MAX_DEPTH))
            .and_then(|text| RawValue::from_string(text).ok());
        let (instant, time) = self.started;
        // Secrets cannot be found in an unreadable frame, so with a mask only its length is recorded.
        let unreadable = frame.is_none().then(|| match self.masked.is_empty() {
            true => Quote::of(seen.bytes).to_string(),
            false => format!("{} bytes", seen.bytes.len()),
        });
        Record {
            time: ((time + instant.elapsed().as_secs_f64()) * 1e6).round() / 1e6,
            direction: seen.direction,
            dialect: seen.dialect.name().to_owned(),
            frame,
            unreadable,
        }
    }
}

/// Writes the record of every frame as a line of JSON.
///
/// Each line is written in one call, before the frame is handled or sent. A file therefore has all
/// frames even if the program is killed; only what the system has not yet written to disk is lost in a
/// power failure. A writer that buffers weakens that, and one that blocks delays the connection.
///
/// ```
/// # use std::sync::Arc;
/// use tenon_rpc::{Options, trace::Recorder};
/// let options = Options {
///     tap: Some(Arc::new(Recorder::new(std::io::stderr(), ["password", "token"]))),
///     ..Options::default()
/// };
/// ```
#[derive(Debug)]
pub struct Recorder<W> {
    format: RecordFormat,
    out: Mutex<W>,
}

impl<W: Write + Send + 'static> Recorder<W> {
    /// Writes to `out`, one line at a time, and masks the members with these names.
    pub fn new<N: AsRef<str>>(out: W, masked: impl IntoIterator<Item = N>) -> Recorder<W> {
        Recorder {
            format: RecordFormat::new(masked),
            out: Mutex::new(out),
        }
    }
}

impl<W: Write + Send + 'static> Tap for Recorder<W> {
    fn see(&self, seen: Seen<'_>) {
        let record = self.format.record(&seen);
        let written = serde_json::to_vec(&record)
            .map_err(io::Error::from)
            .and_then(|mut line| {
                line.push(b'\n');
                let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
                out.write_all(&line)
            });
        // A failed recording must not end the connection.
        if let Err(error) = written {
            tracing::warn!(%error, "a frame could not be recorded");
        }
    }
}

/// The frame as JSON text, if it can be read.
fn readable<'a>(seen: &Seen<'a>) -> Option<Cow<'a, str>> {
    let body = match seen.direction {
        Direction::In => seen.bytes,
        // Outgoing frames come with what separates frames.
        Direction::Out => seen.dialect.framing().body(seen.bytes)?,
    };
    match seen.dialect.format() {
        Format::Json => std::str::from_utf8(body)
            .ok()
            .map(|text| text.trim().into()),
        Format::Msgpack => transcode::msgpack_to_json(body, seen.ext_names)
            .ok()
            .map(Cow::from),
    }
}

/// Reads a recording, record by record. Blank lines are ignored.
pub fn read_records(input: impl BufRead) -> impl Iterator<Item = io::Result<Record>> {
    input
        .lines()
        .enumerate()
        .filter(|(_, line)| line.as_ref().map_or(true, |line| !line.trim().is_empty()))
        .map(|(index, line)| {
            serde_json::from_str(&line?).map_err(|error| {
                let problem = format!("line {} is not a record: {error}", index + 1);
                io::Error::new(io::ErrorKind::InvalidData, problem)
            })
        })
}
