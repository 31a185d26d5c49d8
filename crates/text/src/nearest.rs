//! The name that was probably meant by a misspelt one.

/// The candidate that is most like a name, if one is like it: at most a third of the name's letters
/// must be added, left out, changed or swapped with their neighbour. Of equally close candidates
/// the first in the alphabet is taken.
///
/// ```
/// assert_eq!(tenon_text::nearest("lenght", ["list", "length"]), Some("length"));
/// assert_eq!(tenon_text::nearest("upper", ["list", "length"]), None);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// A peer can send a name of any length, and comparing takes time; no name this long is a
    /// spelling mistake.
    const LONGEST: usize = 200;
    let name: Vec<char> = name.chars().take(LONGEST + 1).collect();
    if name.len() > LONGEST {
        return None;
    }
    // One mistake in three letters is a slip, more is another word.
    let most = name.len().max(3) / 3;
    candidates
        .into_iter()
        .map(|candidate| (distance(&name, candidate), candidate))
        .filter(|(distance, _)| *distance <= most && *distance < name.len())
        .min()
        .map(|(_, candidate)| candidate)
}

/// A hint with the [`nearest`] name, which is written the same everywhere.
///
/// ```
/// let hint = tenon_text::did_you_mean("lenght", ["list", "length"]);
/// assert_eq!(hint.as_deref(), Some("did you mean `length`?"));
/// ```
pub fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    nearest(name, candidates).map(|meant| format!("did you mean `{meant}`?"))
}

/// How many letters must be added, left out, changed or swapped with their neighbour.
fn distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let changed = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + changed);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_spelling_mistakes_and_nothing_else() {
        let names = ["length", "lower", "list", "jsonencode", "http_request"];
        assert_eq!(nearest("lenght", names), Some("length"));
        assert_eq!(nearest("lowre", names), Some("lower"));
        assert_eq!(nearest("json_encode", names), Some("jsonencode"));
        assert_eq!(nearest("http_reqeust", names), Some("http_request"));
        assert_eq!(nearest("upper", names), None);
        assert_eq!(nearest("x", names), None);
        assert_eq!(nearest("", names), None);
    }

    #[test]
    fn a_name_of_any_length_is_compared_with_nothing() {
        let long = "greet".repeat(100);
        assert_eq!(nearest(&long, [long.as_str()]), None);
    }
}
