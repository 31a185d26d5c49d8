//! The lines of a journal: JSON, each with a checksum that also covers the line before it.
//!
//! So a bit that was flipped is noticed, and a line that was removed, swapped or copied as well.
//! The first line is the header. It says which run the journal belongs to, and how many lines have
//! to follow at least: without that, a journal that was cut off at the end of a line would look
//! like one of a run that did less.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What this version writes.
const FORMAT: u32 = 1;
/// How a line begins; its checksum follows.
const START: &[u8] = b"{\"sum\":\"";
/// What is between the checksum and the rest, instead of the opening brace of the JSON.
const BETWEEN: &[u8] = b"\",";
/// Hexadecimal digits of a checksum.
const DIGITS: usize = 16;

/// The checksum of a line: the first 64 bits of the SHA-256 of the one before and of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sum([u8; DIGITS]);

impl Sum {
    /// What the header's checksum begins with.
    const FIRST: Sum = Sum([b'0'; DIGITS]);

    /// What the checksums of a run's lines begin with.
    pub(super) fn of_run(run: &str) -> Sum {
        Sum::FIRST.followed_by(run.as_bytes())
    }

    fn followed_by(self, rest: &[u8]) -> Sum {
        const HEX: &[u8; 16] = b"0123456789abcdef";
        let hash = Sha256::new().chain_update(self.0).chain_update(rest);
        let hash = hash.finalize();
        let mut digits = [0; DIGITS];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(hash.iter()) {
            pair[0] = HEX[usize::from(byte >> 4)];
            pair[1] = HEX[usize::from(byte & 15)];
        }
        Sum(digits)
    }

    /// Appends a line with this JSON object, and returns its checksum.
    pub(super) fn write(self, json: &[u8], out: &mut Vec<u8>) -> Sum {
        let rest = json.get(1..).unwrap_or_default();
        let sum = self.followed_by(rest);
        out.extend_from_slice(START);
        out.extend_from_slice(&sum.0);
        out.extend_from_slice(BETWEEN);
        out.extend_from_slice(rest);
        out.push(b'\n');
        sum
    }

    /// The JSON object of a line without its line end, and the line's checksum; nothing if the
    /// line is damaged.
    pub(super) fn read(self, line: &[u8]) -> Option<(Vec<u8>, Sum)> {
        let (sum, rest) = line.strip_prefix(START)?.split_first_chunk::<DIGITS>()?;
        let rest = rest.strip_prefix(BETWEEN)?;
        let expected = self.followed_by(rest);
        (*sum == expected.0).then(|| ([b"{", rest].concat(), expected))
    }
}

/// The first line.
#[derive(Debug)]
pub(super) struct Header {
    /// The id of the run.
    pub(super) run: String,
    /// How many lines follow at least.
    pub(super) lines: u64,
}

#[derive(Serialize, Deserialize)]
struct HeaderLine {
    journal: HeaderText,
}

#[derive(Serialize, Deserialize)]
struct HeaderText {
    format: u32,
    run: String,
    /// Always as long, because the line is written over.
    lines: String,
}

/// Why a line is not a header.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NoHeader {
    Damaged,
    /// A version of tenon that wrote no header.
    Old,
    /// A later version of tenon.
    New(u32),
}

impl Header {
    /// The line, which has the same length whatever the number of lines.
    pub(super) fn line(&self) -> serde_json::Result<Vec<u8>> {
        let json = serde_json::to_vec(&HeaderLine {
            journal: HeaderText {
                format: FORMAT,
                run: self.run.clone(),
                lines: format!("{:010}", self.lines),
            },
        })?;
        let mut line = Vec::new();
        Sum::FIRST.write(&json, &mut line);
        Ok(line)
    }

    pub(super) fn read(line: &[u8]) -> Result<Header, NoHeader> {
        let Some((json, _)) = Sum::FIRST.read(line) else {
            return Err(match serde_json::from_slice::<super::Entry>(line) {
                Ok(_) => NoHeader::Old,
                Err(_) => NoHeader::Damaged,
            });
        };
        let read = serde_json::from_slice::<HeaderLine>(&json);
        let HeaderText { format, run, lines } = match read {
            Ok(line) => line.journal,
            Err(_) => return Err(NoHeader::Damaged),
        };
        match (format, lines.parse()) {
            (FORMAT, Ok(lines)) => Ok(Header { run, lines }),
            (FORMAT, Err(_)) => Err(NoHeader::Damaged),
            (other, _) => Err(NoHeader::New(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_keeps_its_length() {
        let line = |lines| {
            let run = "20261115T144033Z_1f9c03ab".to_owned();
            Header { run, lines }.line().unwrap()
        };
        assert_eq!(line(0).len(), line(4_294_967_295).len());
        let read = Header::read(line(12).trim_ascii_end()).unwrap();
        assert_eq!(
            (read.run.as_str(), read.lines),
            ("20261115T144033Z_1f9c03ab", 12)
        );
    }

    #[test]
    fn lines_fit_only_behind_each_other() {
        let start = Sum::of_run("run");
        let mut text = Vec::new();
        let second = start.write(b"{\"a\":1}", &mut text);
        second.write(b"{\"b\":2}", &mut text);
        let lines: Vec<&[u8]> = text.trim_ascii_end().split(|byte| *byte == b'\n').collect();
        let (json, sum) = start.read(lines[0]).unwrap();
        assert_eq!((json.as_slice(), sum), (&b"{\"a\":1}"[..], second));
        assert_eq!(second.read(lines[1]).unwrap().0, b"{\"b\":2}");
        assert!(start.read(lines[1]).is_none(), "the first is missing");
        assert!(second.read(lines[0]).is_none(), "the first is there twice");
        assert!(Sum::of_run("other").read(lines[0]).is_none());
    }

    #[test]
    fn headers_of_other_versions_are_recognised() {
        let mut line = Vec::new();
        Sum::FIRST.write(
            br#"{"journal":{"format":9,"run":"r","lines":"0"}}"#,
            &mut line,
        );
        assert_eq!(
            Header::read(line.trim_ascii_end()).unwrap_err(),
            NoHeader::New(9)
        );
        let old = br#"{"begin":{"action":"action.put.a","at":""}}"#;
        assert_eq!(Header::read(old).unwrap_err(), NoHeader::Old);
        assert_eq!(Header::read(b"").unwrap_err(), NoHeader::Damaged);
    }
}
