//! The error codes of Orchard, which the conformance data have in both forms.

/// As in `docs/reference/dialects.md`.
pub(crate) const ERROR_NAMES: &[(i64, &str)] = &[
    (-32600, "invalid_request"),
    (-32700, "invalid_request"),
    (-32601, "unknown_method"),
    (-32602, "validation_failed"),
    (-32603, "internal_error"),
];
