//! Where a text was cut off, possibly in the middle of a secret.

/// Where a text may have been cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    Nowhere,
    /// Before and after each ellipsis: `abc…`, `"abc"…`, `'abc'... 9 more`, `...xyz`.
    AtEllipses,
    /// At ellipses and at the end of the text.
    AtEnd,
}

/// How an ellipsis is written.
const ELLIPSES: [&str; 2] = ["…", "..."];

/// Characters that may stand between a text and the ellipsis.
const AROUND: &[u8] = b" \"'`[]()<>";

/// As in `"abc" [...]`.
const MOST_AROUND: usize = 3;

/// Ordinary output has only a few cuts; examining more would only cost time.
const MOST: usize = 100;

impl Cut {
    /// Calls a function for each cut, with the end of the last complete character and the end of the
    /// text. They differ if an escape was cut.
    pub(super) fn ends(self, text: &[u8], mut show: impl FnMut(usize, usize)) {
        let mut show = |end: usize| {
            show(end, end);
            if let Some(start) = cut_escape(&text[..end]) {
                show(start, end);
            }
        };
        if self == Cut::AtEnd {
            show(text.len());
        }
        for (at, _) in self.ellipses(text) {
            show(at);
            let around = text[..at].iter().rev().take(MOST_AROUND);
            let around = around.take_while(|byte| AROUND.contains(byte)).count();
            (1..=around).for_each(|more| show(at - more));
        }
    }

    /// Calls a function for each place where a text continues after an omission.
    pub(super) fn starts(self, text: &[u8], mut show: impl FnMut(usize)) {
        for (at, length) in self.ellipses(text) {
            let start = at + length;
            show(start);
            let around = text[start..].iter().take(MOST_AROUND);
            let around = around.take_while(|byte| AROUND.contains(byte)).count();
            (1..=around).for_each(|more| show(start + more));
        }
    }

    /// The positions and lengths of the ellipses, last one first.
    fn ellipses(self, text: &[u8]) -> impl Iterator<Item = (usize, usize)> {
        let searched = match self {
            Cut::Nowhere => &[],
            Cut::AtEllipses | Cut::AtEnd => text,
        };
        let is_first = |byte: &u8| ELLIPSES.iter().any(|form| form.as_bytes()[0] == *byte);
        let starts = (0..searched.len())
            .rev()
            .filter(move |at| is_first(&searched[*at]));
        let ellipses = starts.filter_map(|at| {
            let rest = &searched[at..];
            let form = ELLIPSES
                .iter()
                .find(|form| rest.starts_with(form.as_bytes()));
            form.map(|form| (at, form.len()))
        });
        ellipses.take(MOST)
    }
}

/// The start of an incomplete escape at the end of the text: `\`, `\u00`, `%`, `%2`.
fn cut_escape(text: &[u8]) -> Option<usize> {
    /// As long as `\u{10fff`.
    const LONGEST: usize = 9;
    let first = text.len().saturating_sub(LONGEST);
    let start = first
        + text[first..]
            .iter()
            .rposition(|byte| b"\\%".contains(byte))?;
    let is_of_escape = |byte: &u8| byte.is_ascii_hexdigit() || b"uUx{".contains(byte);
    text[start + 1..].iter().all(is_of_escape).then_some(start)
}
