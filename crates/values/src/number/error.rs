use super::{MAX_EXPONENT, MAX_PRECISION};

/// Why there is no such number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NumberError {
    /// A text is no number. The text is not quoted, since it may be a secret.
    #[error("a number is required, such as 10, -2.5 or 1e9 ({problem} at byte {at})")]
    Syntax {
        /// What is wrong.
        problem: &'static str,
        /// Where, in bytes from the start of the text.
        at: usize,
    },

    /// A number is too large, or too close to zero, to be worked with.
    #[error(
        "the number is too large or too small: its exponent is beyond ±{MAX_EXPONENT} in base \
         two, which is about ±157826 in base ten"
    )]
    OutOfRange,

    /// A number should have more bits than any may have.
    #[error("a number cannot have {precision} bits of precision; {MAX_PRECISION} is the most")]
    TooPrecise {
        /// The precision that was asked for.
        precision: u32,
    },

    /// There is no such number: a NaN, or the result of zero divided by zero or of an infinity
    /// less itself.
    #[error("this is not a number, as zero divided by zero is none")]
    NotANumber,
}
