//! The codes of errors, besides those of JSON-RPC.

use tenon_rpc::ErrorCode;

/// It failed. The message is for the user.
pub const FAILED: ErrorCode = ErrorCode::SERVER_ERROR;

/// Another lock is held.
pub const LOCKED: ErrorCode = ErrorCode::Number(-32001);

/// There is no such thing.
pub const NOT_FOUND: ErrorCode = ErrorCode::Number(-32002);

/// The plugin cannot do that.
pub const NOT_SUPPORTED: ErrorCode = ErrorCode::Number(-32003);

/// The call was cancelled.
pub const CANCELLED: ErrorCode = ErrorCode::CANCELLED;
