//! One msgpack array after the other.

use bytes::{Bytes, BytesMut};
use tenon_wire::json;
use tenon_wire::msgpack::{Budget, Scanner, Violation};

use super::Limits;
use crate::error::DialectError;

/// Takes the next array.
pub(super) fn cut(
    buffer: &mut BytesMut,
    scanner: &mut Scanner,
    limits: &Limits,
) -> Result<Option<Bytes>, DialectError> {
    // Nearly every byte of a text is a valid integer: only arrays can be distinguished from what a plugin
    // printed by mistake.
    if let Some(&first) = buffer.first()
        && !matches!(first, 0x90..=0x9f | 0xdc | 0xdd)
    {
        let problem = "expected a msgpack-rpc message, which is an array";
        return Err(DialectError::new(problem, buffer));
    }
    let budget = Budget {
        bytes: limits.frame,
        depth: limits.depth.min(json::MAX_DEPTH),
        elements: limits.elements as u64,
    };
    match scanner.scan(buffer, budget) {
        Ok(Some(length)) => Ok(Some(buffer.split_to(length).freeze())),
        Ok(None) => Ok(None),
        Err(Violation::Limit(problem)) => Err(DialectError::over_limit(problem, buffer)),
        Err(Violation::NotMsgpack(problem)) => Err(DialectError::new(problem, buffer)),
    }
}
