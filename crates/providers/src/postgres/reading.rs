//! Whether a statement only reads, as far as its text can tell.

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
    let Some(words) = words(query) else {
        return false;
    };
    let first = words.first().map(|(word, _)| word.as_str());
    let begins_well = matches!(first, Some("select" | "table" | "values" | "show" | "with"));
    let is_harmless = |(word, is_called): &(String, bool)| {
        let is_known = || word == "values" || HARMLESS.contains(&word.as_str());
        !WRITING.contains(&word.as_str()) && (!is_called || is_known())
    };
    begins_well && words.iter().all(is_harmless)
}

/// The words of a statement in small letters, each with whether a parenthesis follows; texts and
/// comments are left out. Nothing for what is not read here: quoted names, dollar quotes, escapes.
fn words(query: &str) -> Option<Vec<(String, bool)>> {
    let mut words: Vec<(String, bool)> = Vec::new();
    let mut rest = query;
    while let Some(next) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        if is_word(next) {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            if after.starts_with('\'') {
                // E'...' and its like have rules of their own.
                return None;
            }
            let is_called = after.trim_start().starts_with('(');
            words.push((word.to_lowercase(), is_called));
            rest = after;
        } else if let Some(after) = rest.strip_prefix("--") {
            rest = after.split_once('\n').map_or("", |(_, after)| after);
        } else if next == '\'' {
            // Two in a row are one in the text, and look like two texts here. What a backslash
            // means is a setting of the server.
            let (text, after) = rest[1..].split_once('\'')?;
            if text.contains('\\') {
                return None;
            }
            rest = after;
        } else if next == '"'
            || next == '\\'
            || rest.starts_with("/*")
            || (next == '$' && !rest[1..].starts_with(|c: char| c.is_ascii_digit()))
        {
            return None;
        } else {
            rest = &rest[next.len_utf8()..];
        }
    }
    Some(words)
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
}
