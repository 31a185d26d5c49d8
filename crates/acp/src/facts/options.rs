//! Options before the subcommand of a program: `git -C x push` is a push.

use super::word::Word;

/// Programs with subcommands, and their options before it whose value is the next word. Their other options have none, or
/// have it in the same word.
const PROGRAMS: [(&[&str], &[&str]); 14] = [
    (
        &["git"],
        &[
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--super-prefix",
            "--config-env",
            "--attr-source",
        ],
    ),
    (
        &["npm", "pnpm", "yarn", "bun"],
        &[
            "-C",
            "-w",
            "-F",
            "--prefix",
            "--workspace",
            "--registry",
            "--userconfig",
            "--globalconfig",
            "--cache",
            "--tag",
            "--otp",
            "--loglevel",
            "--access",
            "--scope",
            "--dir",
            "--filter",
            "--cwd",
            "--reporter",
        ],
    ),
    (
        &["docker", "podman"],
        &[
            "-H",
            "--host",
            "-c",
            "--context",
            "--config",
            "-l",
            "--log-level",
            "--tlscacert",
            "--tlscert",
            "--tlskey",
            "--connection",
            "--url",
            "--identity",
            "--root",
            "--runroot",
            "--storage-driver",
        ],
    ),
    (
        &["kubectl", "oc", "helm"],
        &[
            "-n",
            "--namespace",
            "--context",
            "--kube-context",
            "--cluster",
            "--user",
            "-s",
            "--server",
            "--kubeconfig",
            "--token",
            "--as",
            "--as-group",
            "--as-uid",
            "--request-timeout",
            "--cache-dir",
            "--certificate-authority",
            "--client-certificate",
            "--client-key",
            "--tls-server-name",
            "--username",
            "--password",
            "-v",
            "--v",
            "--registry-config",
            "--repository-cache",
            "--repository-config",
        ],
    ),
    (
        &["cargo", "rustup"],
        &["-C", "-Z", "--config", "--color", "--explain"],
    ),
    (&["gh"], &["-R", "--repo", "--hostname"]),
    (&["go"], &["-C"]),
    (
        &["hg"],
        &[
            "-R",
            "--repository",
            "--cwd",
            "--config",
            "--encoding",
            "--color",
            "--pager",
        ],
    ),
    (
        &["svn"],
        &[
            "--config-dir",
            "--config-option",
            "--username",
            "--password",
        ],
    ),
    (
        &["aws"],
        &[
            "--profile",
            "--region",
            "--endpoint-url",
            "--output",
            "--query",
            "--color",
            "--ca-bundle",
            "--cli-read-timeout",
            "--cli-connect-timeout",
        ],
    ),
    (
        &["gcloud", "gsutil"],
        &[
            "--project",
            "--account",
            "--configuration",
            "--format",
            "--verbosity",
            "--billing-project",
            "-o",
            "-u",
        ],
    ),
    (
        &["systemctl", "journalctl"],
        &[
            "-H",
            "--host",
            "-M",
            "--machine",
            "-t",
            "--type",
            "--state",
            "-p",
            "--property",
            "--root",
        ],
    ),
    (
        &["apt", "apt-get", "aptitude"],
        &[
            "-o",
            "--option",
            "-c",
            "--config-file",
            "-t",
            "--target-release",
        ],
    ),
    (
        &["pip", "pip3", "uv"],
        &[
            "--proxy",
            "--cache-dir",
            "--log",
            "--timeout",
            "--retries",
            "--cert",
            "--python",
            "--directory",
            "--project",
        ],
    ),
];

fn is_option(word: &Word) -> bool {
    word.letters.first() == Some(&Some('-'))
}

/// The options of a program that are known to have a value; nothing if the program is not known.
pub(super) fn with_value(program: &str) -> Option<&'static [&'static str]> {
    let known = { PROGRAMS.iter() }.find(|(names, _)| names.contains(&program));
    known.map(|(_, options)| *options)
}

/// The arguments from the subcommand on, if the program is known to have one and there are options before it.
pub(super) fn from_subcommand<'w>(program: &str, arguments: &'w [Word]) -> Option<&'w [Word]> {
    let with_value = with_value(program)?;
    // `cargo +nightly publish`.
    let is_toolchain = |word: &Word| {
        matches!(program, "cargo" | "rustup") && word.letters.first() == Some(&Some('+'))
    };
    let is_before = |word: &&Word| is_option(word) || is_toolchain(word);
    let mut at = 0;
    while let Some(word) = arguments.get(at).filter(is_before) {
        at += 1 + usize::from(with_value.contains(&&*word.text()));
    }
    arguments
        .get(at..)
        .filter(|rest| at > 0 && !rest.is_empty())
}

/// Where options are in the text of a command, with one blank before each word, as parts that may be left out: alone, or
/// with the word that follows, which may be its value. `start` is where the first blank is.
pub(super) fn skips(
    program: &str,
    arguments: &[Word],
    lengths: &[usize],
    start: usize,
) -> Vec<(usize, usize)> {
    let with_value = with_value(program).unwrap_or_default();
    let mut skips = Vec::new();
    let (mut from, mut is_leading, mut is_value) = (start, true, false);
    for (at, (word, length)) in arguments.iter().zip(lengths).enumerate() {
        let to = from + 1 + length;
        is_leading &= is_value || is_option(word);
        let has_value = is_leading && !is_value && with_value.contains(&&*word.text());
        if is_option(word) {
            if !has_value {
                skips.push((from, to));
            }
            let is_complete = word.letters.contains(&Some('='));
            let next = arguments.get(at + 1);
            if next.is_some_and(|next| has_value || !is_complete && !is_option(next)) {
                skips.push((from, to + 1 + lengths[at + 1]));
            }
        }
        is_value = has_value;
        from = to;
    }
    skips
}

/// Flags with a long name, by which rules may be about them in the other way. Some programs take `-R` for `-r`.
const LONG_FLAGS: [(&str, &str); 2] = [("--recursive", "rR"), ("--force", "f")];

/// The letters of a word that is nothing but flags. Long names may be shortened.
fn letters_of(word: &Word) -> Option<String> {
    let text = word.text();
    let long = { LONG_FLAGS.iter() }.find(|(name, _)| text.len() > 3 && name.starts_with(&text));
    if let Some((_, letters)) = long {
        return Some((*letters).to_owned());
    }
    let letters = text.strip_prefix('-')?;
    let is_flags =
        !letters.is_empty() && letters.chars().all(|letter| letter.is_ascii_alphabetic());
    let more = if letters.contains('R') { "r" } else { "" };
    is_flags.then(|| format!("{letters}{more}"))
}

/// The same arguments with their leading flags of one letter written in every other way: `-r -f`, `-fr`, `-rfv` and
/// `--recursive --force` are all `-rf` for a rule that is about `rm -rf *`.
pub(super) fn other_flags(arguments: &[Word]) -> Vec<Vec<Word>> {
    /// More letters have too many orders.
    const MOST: usize = 4;
    /// A long command in many orders takes too much memory.
    const WORDS: usize = 64;
    if arguments.len() > WORDS {
        return Vec::new();
    }
    let flags: Vec<String> = arguments.iter().map_while(letters_of).collect();
    let rest = &arguments[flags.len()..];
    let mut letters: Vec<char> = flags.iter().flat_map(|letters| letters.chars()).collect();
    letters.sort_unstable();
    letters.dedup();
    if !(2..=MOST).contains(&letters.len()) {
        return Vec::new();
    }
    let mut orders = vec![String::from("-")];
    let mut all = Vec::new();
    for _ in 0..letters.len() {
        let longer = |order: &String| -> Vec<String> {
            let unused = letters.iter().filter(|letter| !order.contains(**letter));
            unused.map(|letter| format!("{order}{letter}")).collect()
        };
        orders = orders.iter().flat_map(longer).collect();
        all.extend(orders.iter().cloned());
    }
    let written = |flags: String| [&[Word::known(&flags)], rest].concat();
    all.into_iter().map(written).collect()
}
