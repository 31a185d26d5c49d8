//! What was probably meant by a misspelt name.

/// The closest of some names, if one is close.
pub(crate) fn closest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // One mistake in three letters is a slip, more is another word.
    let length = name.chars().count();
    let most = length.max(3) / 3;
    names
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= most && *distance < length)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many letters have to be added, left out, changed or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
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
    fn finds_slips_and_nothing_else() {
        let names = ["length", "lower", "list", "jsonencode"];
        assert_eq!(closest("lenght", names), Some("length"));
        assert_eq!(closest("lowre", names), Some("lower"));
        assert_eq!(closest("json_encode", names), Some("jsonencode"));
        assert_eq!(closest("upper", names), None);
        assert_eq!(closest("x", names), None);
    }
}
