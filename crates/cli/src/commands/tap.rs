//! `--trace` and `--record`: every frame, for people and for files.

use std::io::{self, Write};
use std::sync::Arc;

use serde_json::value::RawValue;
use tenon_host::own_file;
use tenon_rpc::{
    Tap,
    trace::{MASK, Record, RecordFormat, Recorder, Redact, Seen},
};

use crate::args::TapArgs;
use crate::exit::Failure;
use crate::output;

/// What `--trace` shows of a frame that can be shown better than as it was sent, as JSON.
pub(crate) type Show = Arc<dyn Fn(&Seen<'_>) -> Option<String> + Send + Sync>;

/// Masks more in a frame than members by their names.
pub(crate) type Hide = Arc<dyn Fn(&str) -> Box<RawValue> + Send + Sync>;

/// What `--trace` and `--record` ask for.
pub(crate) fn tap(
    args: &TapArgs,
    show: Option<Show>,
    hide: Option<Hide>,
) -> Result<Option<Arc<dyn Tap>>, Failure> {
    let to_file = match &args.record {
        Some(path) => {
            // A recording may hold secrets: only its owner may read it.
            let file = own_file::overwrite(path).map_err(|error| {
                let path = tenon_text::path(path);
                Failure::usage(format!(
                    "the recording could not be written to {path}: {error}"
                ))
            })?;
            let hide = hide.clone();
            Some(Recorder::new(Hiding { file, hide }, &args.mask))
        }
        None => None,
    };
    let to_stderr = args.trace.then(|| RecordFormat::new(&args.mask));
    if to_file.is_none() && to_stderr.is_none() {
        return Ok(None);
    }
    Ok(Some(Arc::new(move |seen: Seen<'_>| {
        if let Some(format) = &to_stderr {
            let mut record = hidden(format.record(&seen), hide.as_ref());
            if let Some(shown) = { show.as_ref() }.and_then(|show| show(&seen)) {
                record.frame = RawValue::from_string(output::masked(&shown)).ok();
            }
            output::trace(&record);
        }
        if let Some(recorder) = &to_file {
            recorder.see(seen);
        }
    })))
}

fn hidden(record: Record, hide: Option<&Hide>) -> Record {
    match hide {
        Some(hide) => Record {
            frame: record.frame.map(|frame| hide(frame.get())),
            ..record
        },
        None => record,
    }
}

/// The file of a recording, in which more is masked than the recorder does.
struct Hiding<W> {
    file: W,
    hide: Option<Hide>,
}

impl<W: Write> Write for Hiding<W> {
    /// The recorder writes a line in one call.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match &self.hide {
            None => self.file.write_all(line)?,
            Some(hide) => {
                let record = hidden(serde_json::from_slice(line)?, Some(hide));
                let mut text = serde_json::to_vec(&record)?;
                text.push(b'\n');
                self.file.write_all(&text)?;
            }
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A quote of bytes that are not a message ends after the first masked name, because the end of its
/// value is not known.
pub(crate) fn redact(args: &TapArgs) -> Option<Redact> {
    let names = args.mask.iter().map(|name| name.to_lowercase());
    let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return None;
    }
    Some(Arc::new(move |bytes, _| {
        let lower = bytes.to_ascii_lowercase();
        let ends = names.iter().filter_map(|name| {
            let mut places = lower.windows(name.len());
            let start = places.position(|place| place == name.as_bytes())?;
            Some(start + name.len())
        });
        match ends.min() {
            Some(end) => [&bytes[..end], MASK.as_bytes()].concat(),
            None => bytes.to_vec(),
        }
    }))
}
