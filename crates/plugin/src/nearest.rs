//! The name that was perhaps meant.

/// The name that is most like the one given, if one is like it at all: at most a third of its
/// letters have to be changed.
pub(crate) fn nearest<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    /// A peer may send a name of any length; nobody misspells one that long.
    const LONGEST: usize = 100;
    let given: Vec<char> = given.chars().take(LONGEST + 1).collect();
    if given.len() > LONGEST {
        return None;
    }
    let measured = names.map(|name| (distance(&given, name), name));
    let (distance, name) = measured.min_by_key(|(distance, _)| *distance)?;
    (distance * 3 <= given.len().max(name.chars().count())).then_some(name)
}

/// How many letters have to be put in, taken out or exchanged for others.
fn distance(one: &[char], other: &str) -> usize {
    let mut row: Vec<usize> = (0..=one.len()).collect();
    for (index, letter) in other.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for column in 1..row.len() {
            let exchanged = diagonal + usize::from(one[column - 1] != letter);
            diagonal = row[column];
            row[column] = exchanged.min(row[column] + 1).min(row[column - 1] + 1);
        }
    }
    row[one.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant_and_nothing_else() {
        let names = ["greet", "http_request"];
        let find = |given: &str| nearest(given, names.into_iter());
        assert_eq!(find("gret"), Some("greet"));
        assert_eq!(find("http_reqeust"), Some("http_request"));
        assert_eq!(find("delete"), None);
        assert_eq!(find(""), None);
        assert_eq!(find(&"greet".repeat(100)), None);
    }
}
