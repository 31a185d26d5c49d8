//! The lines in which two texts differ.

/// A line of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    Same(&'a str),
    Removed(&'a str),
    Added(&'a str),
    /// So many equal lines are left out here.
    Skipped(usize),
}

impl Line<'_> {
    /// Whether it has more characters than these.
    pub(crate) fn is_longer(&self, most: usize) -> bool {
        match self {
            Line::Same(text) | Line::Removed(text) | Line::Added(text) => {
                text.len() > most && text.chars().nth(most).is_some()
            }
            Line::Skipped(_) => false,
        }
    }
}

/// Lines around a change.
const CONTEXT: usize = 3;
/// Beyond this many different lines on either side, the middle is shown as replaced: comparing takes long.
const COMPARED: usize = 2000;

/// What changes from one text to the other, with a few lines around each change.
pub(crate) fn diff<'a>(old: &'a str, new: &'a str) -> Vec<Line<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let prefix = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix = { old_rest.iter().rev().zip(new_rest.iter().rev()) }
        .take_while(|(a, b)| a == b)
        .count();
    let old_middle = &old_rest[..old_rest.len() - suffix];
    let new_middle = &new_rest[..new_rest.len() - suffix];
    let mut lines: Vec<Line<'_>> = old[..prefix].iter().map(|line| Line::Same(line)).collect();
    lines.extend(compared(old_middle, new_middle));
    lines.extend(
        old[old.len() - suffix..]
            .iter()
            .map(|line| Line::Same(line)),
    );
    shortened(lines)
}

/// The longest common subsequence, by a table: the texts are short here.
fn compared<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let removed = || old.iter().map(|line| Line::Removed(line));
    let added = || new.iter().map(|line| Line::Added(line));
    if old.len() > COMPARED || new.len() > COMPARED {
        return removed().chain(added()).collect();
    }
    let width = new.len() + 1;
    let mut common = vec![0_u16; (old.len() + 1) * width];
    for (at, line) in old.iter().enumerate().rev() {
        for (other_at, other) in new.iter().enumerate().rev() {
            common[at * width + other_at] = match line == other {
                true => common[(at + 1) * width + other_at + 1] + 1,
                false => common[(at + 1) * width + other_at].max(common[at * width + other_at + 1]),
            };
        }
    }
    let (mut at, mut other_at) = (0, 0);
    let mut lines = Vec::new();
    while at < old.len() || other_at < new.len() {
        let is_same = at < old.len() && other_at < new.len() && old[at] == new[other_at];
        let without = |at: usize, other_at: usize| common.get(at * width + other_at).copied();
        if is_same {
            lines.push(Line::Same(old[at]));
            (at, other_at) = (at + 1, other_at + 1);
        } else if at < old.len()
            && (other_at == new.len() || without(at + 1, other_at) >= without(at, other_at + 1))
        {
            lines.push(Line::Removed(old[at]));
            at += 1;
        } else {
            lines.push(Line::Added(new[other_at]));
            other_at += 1;
        }
    }
    lines
}

/// Without the equal lines that are far from every change.
fn shortened(lines: Vec<Line<'_>>) -> Vec<Line<'_>> {
    let is_change = |line: &Line<'_>| !matches!(line, Line::Same(_));
    let mut is_near = vec![false; lines.len()];
    for (at, line) in lines.iter().enumerate() {
        if is_change(line) {
            let end = (at + CONTEXT + 1).min(lines.len());
            is_near[at.saturating_sub(CONTEXT)..end].fill(true);
        }
    }
    let mut shown = Vec::new();
    for (line, is_near) in lines.into_iter().zip(is_near) {
        match (is_near, shown.last_mut()) {
            (true, _) => shown.push(line),
            (false, Some(Line::Skipped(count))) => *count += 1,
            (false, _) => shown.push(Line::Skipped(1)),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &str, new: &str) -> String {
        let lines = diff(old, new).into_iter().map(|line| match line {
            Line::Same(text) => format!(" {text}"),
            Line::Removed(text) => format!("-{text}"),
            Line::Added(text) => format!("+{text}"),
            Line::Skipped(count) => format!("~{count}"),
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn changes_are_shown_with_a_few_lines_around_them() {
        assert_eq!(shown("a\nb\nc\n", "a\nx\nc\n"), " a\n-b\n+x\n c");
        assert_eq!(shown("", "a\nb\n"), "+a\n+b");
        assert_eq!(shown("a\nb", ""), "-a\n-b");
        assert_eq!(shown("same", "same"), "~1");
        let old: String = (0..20).map(|number| format!("{number}\n")).collect();
        let new = old.replace("10\n", "ten\n");
        assert_eq!(
            shown(&old, &new),
            "~7\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n~6"
        );
        assert_eq!(shown("a\nb\nc\nd", "a\nc\nd\ne"), " a\n-b\n c\n d\n+e");
    }

    #[test]
    fn large_texts_are_not_compared_line_by_line() {
        let old: String = (0..3000).map(|number| format!("a{number}\n")).collect();
        let new: String = (0..3000).map(|number| format!("b{number}\n")).collect();
        assert_eq!(diff(&old, &new).len(), 6000);
    }
}
