//! `--trace` and `--record`: every frame, for people and for files.

use std::sync::Arc;

use serde_json::value::RawValue;
use tenon_host::own_file;
use tenon_rpc::{
    Tap,
    trace::{MASK, RecordFormat, Recorder, Redact, Seen},
};

use crate::args::TapArgs;
use crate::exit::Failure;
use crate::output;

/// What `--trace` shows of a frame that can be shown better than as it was sent, as JSON.
pub(crate) type Show = Arc<dyn Fn(&Seen<'_>) -> Option<String> + Send + Sync>;

/// What `--trace` and `--record` ask for.
pub(crate) fn tap(args: &TapArgs, show: Option<Show>) -> Result<Option<Arc<dyn Tap>>, Failure> {
    let to_file = match &args.record {
        Some(path) => {
            // A recording may hold secrets: only its owner may read it.
            let file = own_file::overwrite(path).map_err(|error| {
                let path = tenon_text::path(path);
                Failure::usage(format!(
                    "the recording could not be written to {path}: {error}"
                ))
            })?;
            Some(Recorder::new(file, &args.mask))
        }
        None => None,
    };
    let to_stderr = args.trace.then(|| RecordFormat::new(&args.mask));
    if to_file.is_none() && to_stderr.is_none() {
        return Ok(None);
    }
    Ok(Some(Arc::new(move |seen: Seen<'_>| {
        if let Some(format) = &to_stderr {
            let mut record = format.record(&seen);
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
