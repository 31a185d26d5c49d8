//! Whether a statement only reads, and whether it can commit by itself, as far as its text can tell.

/// Functions and constructs that stand before a parenthesis and change nothing.
const HARMLESS: [&str; 74] = [
    "abs",
    "all",
    "and",
    "any",
    "array",
    "array_agg",
    "array_length",
    "as",
    "avg",
    "between",
    "by",
    "case",
    "cast",
    "ceil",
    "coalesce",
    "concat",
    "count",
    "current_setting",
    "date_trunc",
    "distinct",
    "else",
    "except",
    "exists",
    "extract",
    "filter",
    "floor",
    "format",
    "from",
    "greatest",
    "group",
    "having",
    "in",
    "intersect",
    "join",
    "json_agg",
    "json_build_object",
    "jsonb_agg",
    "jsonb_build_object",
    "lateral",
    "least",
    "left",
    "length",
    "like",
    "limit",
    "lower",
    "max",
    "md5",
    "min",
    "not",
    "now",
    "nullif",
    "on",
    "or",
    "over",
    "partition",
    "position",
    "replace",
    "right",
    "round",
    "row_number",
    "row_to_json",
    "select",
    "split_part",
    "string_agg",
    "substring",
    "sum",
    "then",
    "to_char",
    "to_json",
    "to_jsonb",
    "trim",
    "union",
    "upper",
    "using",
];

/// Words of statements that change something.
const WRITING: [&str; 5] = ["insert", "update", "delete", "merge", "into"];

/// Whether a single statement certainly changes nothing. A function may do anything, so all but
/// well-known ones count as changing something; so does a text that is hard to read.
pub(super) fn only_reads(query: &str) -> bool {
    let (words, true) = words(query) else {
        return false;
    };
    let first = words.first().map(|word| word.text.as_str());
    let begins_well = matches!(first, Some("select" | "table" | "values" | "show" | "with"));
    let is_harmless = |word: &Word| {
        let text = word.text.as_str();
        let is_known = || text == "values" || HARMLESS.contains(&text);
        !WRITING.contains(&text) && (!word.is_called || is_known())
    };
    begins_well && words.iter().all(is_harmless)
}

/// How statements begin that end a transaction, or run in transactions of their own: what came
/// before an error may be committed. `call` and `do` run procedures, which may commit.
const COMMITTING: [&str; 12] = [
    "abort", "begin", "call", "cluster", "commit", "do", "end", "prepare", "reindex", "rollback",
    "start", "vacuum",
];

/// Whether part of a text may be committed although the server says that it failed. A script that is
/// hard to read counts as one; of a single statement it is the beginning that tells.
pub(super) fn may_commit(query: &str, is_script: bool) -> bool {
    let (words, is_whole) = words(query);
    let is_committing = |word: &Word| {
        (word.is_first && COMMITTING.contains(&word.text.as_str())) || word.text == "concurrently"
    };
    words.is_empty() || (is_script && !is_whole) || words.iter().any(is_committing)
}

/// How a statement begins that begins a transaction.
const BEGINNING: [&str; 2] = ["begin", "start"];

/// Whether a text may leave a transaction open. One that is hard to read may.
pub(super) fn may_begin(query: &str) -> bool {
    let (words, is_whole) = words(query);
    let mut words = words.iter();
    !is_whole || words.any(|word| word.is_first && BEGINNING.contains(&word.text.as_str()))
}

/// Whether a text that begins a transaction may also commit something.
pub(super) fn may_commit_too(query: &str) -> bool {
    let (words, is_whole) = words(query);
    let is_committing = |word: &Word| {
        let text = word.text.as_str();
        word.is_first && COMMITTING.contains(&text) && !BEGINNING.contains(&text)
    };
    !is_whole || words.iter().any(is_committing)
}

/// A word of a statement.
struct Word {
    /// In small letters; a quoted name has its quotes.
    text: String,
    /// A parenthesis follows.
    is_called: bool,
    /// A statement begins with it.
    is_first: bool,
}

/// The words of a text, and whether that is all of it: dollar quotes, escapes and comments in /* */
/// are not read here, nor what comes after them. Texts and other comments are left out.
fn words(query: &str) -> (Vec<Word>, bool) {
    let mut words: Vec<Word> = Vec::new();
    let mut rest = query;
    let mut is_first = true;
    while let Some(next) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if is_word(next) {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            if after.starts_with('\'') {
                // E'...' and its like have rules of their own.
                return (words, false);
            }
            words.push(Word {
                text: word.to_lowercase(),
                is_called: after.trim_start().starts_with('('),
                is_first: std::mem::take(&mut is_first),
            });
            rest = after;
        } else if next == '"' {
            // Two in a row are one in the name, and look like two names here.
            let Some((name, after)) = rest[1..].split_once('"') else {
                return (words, false);
            };
            words.push(Word {
                text: format!("\"{name}\""),
                is_called: after.trim_start().starts_with('('),
                is_first: std::mem::take(&mut is_first),
            });
            rest = after;
        } else if let Some(after) = rest.strip_prefix("--") {
            rest = after.split_once('\n').map_or("", |(_, after)| after);
        } else if next == '\'' {
            // Two in a row are one in the text, and look like two texts here. What a backslash
            // means is a setting of the server.
            match rest[1..].split_once('\'') {
                Some((text, after)) if !text.contains('\\') => rest = after,
                _ => return (words, false),
            }
        } else if next == '\\'
            || rest.starts_with("/*")
            || (next == '$' && !rest[1..].starts_with(|c: char| c.is_ascii_digit()))
        {
            return (words, false);
        } else {
            is_first |= next == ';';
            rest = &rest[next.len_utf8()..];
        }
    }
    (words, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_reads_is_known() {
        for query in [
            "SELECT 1",
            "select count(*) as n from shop where name = $1 and note <> 'it''s; DELETE'",
            "  -- a comment\nSELECT coalesce(string_agg(name, ' ' ORDER BY id), '') FROM shop",
            "WITH a AS (SELECT id FROM shop) SELECT max(id) FROM a WHERE id IN (1, 2)",
            "TABLE shop",
            "SHOW server_version",
            "VALUES (1), (2)",
            "SELECT \"na\"\"me\" FROM \"Shop\"",
        ] {
            assert!(only_reads(query), "{query}");
        }
    }

    #[test]
    fn what_may_write_is_not_taken_for_reading() {
        for query in [
            "",
            "INSERT INTO shop VALUES (1)",
            "SELECT nextval('s')",
            "SELECT create_order (1)",
            "SELECT \"create order\"(1)",
            "SELECT * INTO other FROM shop",
            "SELECT id FROM shop FOR UPDATE",
            "WITH gone AS (DELETE FROM shop RETURNING id) SELECT count(*) FROM gone",
            "SELECT pg_terminate_backend(pg_backend_pid())",
            "SELECT E'\\'', create_order()",
            "SELECT '\\'' , create_order(), ''",
            "SELECT $$ $$",
            "SELECT 1 /* ' */",
            "SELECT 'unclosed",
            "CALL shop()",
            "EXPLAIN ANALYZE DELETE FROM shop",
        ] {
            assert!(!only_reads(query), "{query}");
        }
    }

    #[test]
    fn what_can_commit_is_known() {
        for script in [
            "insert into z values (2); commit; select 1/0",
            "begin; insert into z values (2); commit; select 1/0",
            "-- why\nSTART TRANSACTION; select 1",
            "select 1; prepare transaction 'x'",
            "insert into z values ('x'); END",
            "select 1; do $$ begin commit; end $$",
            "select 1 /* commit */; select 2",
            "create function f() returns int language sql as $$ select 1 $$; select 1/0",
            "",
        ] {
            assert!(may_commit(script, true), "{script}");
        }
        for single in [
            "do $$ begin commit; perform 1/0; end $$",
            "call proc()",
            "/* hello */ call proc()",
            "create index concurrently i on z (n)",
            "VACUUM z",
        ] {
            assert!(may_commit(single, false), "{single}");
        }
        for script in [
            "insert into z values (2); select 1/0",
            "insert into z values (1) on conflict do nothing; select case when true then 1 end",
            "insert into \"begin\" values ('commit; '); select 1 as start",
        ] {
            assert!(!may_commit(script, true), "{script}");
        }
        for single in [
            "insert into z values (E'\\n')",
            "create function f() returns int language sql as $$ select 1 $$",
            "select \"commit\" from z",
        ] {
            assert!(!may_commit(single, false), "{single}");
        }
    }

    #[test]
    fn what_may_leave_a_transaction_open_is_known() {
        for text in [
            "begin; select 1",
            "BEGIN",
            "select 1; start transaction",
            "do $$ begin end $$",
        ] {
            assert!(may_begin(text), "{text}");
        }
        for text in [
            "select 'begin'",
            "insert into \"begin\" values (1); commit",
            "select begin",
        ] {
            assert!(!may_begin(text), "{text}");
        }
        assert!(may_commit_too("begin; commit; begin"));
        assert!(!may_commit_too("begin; insert into z values (1)"));
    }
}
