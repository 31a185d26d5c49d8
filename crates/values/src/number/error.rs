use super::{MAX_EXPONENT, MAX_PRECISION};

/// Why a number is not possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NumberError {
    /// A text is not a number. The text is not quoted, because it may be a secret.
    #[error("a number is required, such as 10, -2.5 or 1e9 ({problem} at byte {at})")]
    Syntax {
        /// What is wrong.
        problem: &'static str,
        /// Where, in bytes from the start of the text.
        at: usize,
    },

    /// A number is too large or too close to zero.
    #[error(
        "the number is too large or too small: its exponent is beyond ±{MAX_EXPONENT} in base \
         two, which is about ±157826 in base ten"
    )]
    OutOfRange,

    /// The requested precision is above the maximum.
    #[error("a number cannot have {precision} bits of precision; {MAX_PRECISION} is the maximum")]
    TooPrecise {
        /// The requested precision.
        precision: u32,
    },

    /// The result is NaN, as for zero divided by zero and for an infinity minus itself.
    #[error("the result is not a number, as for zero divided by zero")]
    NotANumber,
}
