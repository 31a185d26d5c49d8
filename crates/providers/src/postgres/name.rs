//! Names of tables and columns, quoted so that they can be nothing else.

/// A table's name for SQL. `schema.table` is two names; one with a dot in it stands in double
/// quotes, as in SQL. Upper and lower case stay as they are.
pub(super) fn table(text: &str) -> Result<String, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let (part, after) = first_part(rest)?;
        parts.push(identifier(&part)?);
        match after.strip_prefix('.') {
            Some(after) => rest = after,
            None if after.is_empty() => break,
            None => {
                return Err(
                    "a closing quote must be followed by a dot or the end of the name".into(),
                );
            }
        }
    }
    match parts.len() {
        1 | 2 => Ok(parts.join(".")),
        _ => Err("it has more than two parts, a schema and a table".into()),
    }
}

/// The name at the start, and what follows it.
fn first_part(text: &str) -> Result<(String, &str), String> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let end = text.find('.').unwrap_or(text.len());
        return Ok((text[..end].to_owned(), &text[end..]));
    };
    let mut name = String::new();
    loop {
        let end = rest.find('"').ok_or("a quote is not closed")?;
        name.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        // A doubled quote is one of the name's own.
        match rest.strip_prefix('"') {
            Some(after) => {
                name.push('"');
                rest = after;
            }
            None => return Ok((name, rest)),
        }
    }
}

/// One name in quotes.
pub(super) fn identifier(name: &str) -> Result<String, String> {
    if name.is_empty() {
        return Err("a name is empty".into());
    }
    if name.contains('\0') {
        return Err("a name has a zero byte in it".into());
    }
    Ok(format!("\"{}\"", name.replace('"', "\"\"")))
}

/// Text in quotes.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_become_anything_else() {
        for (text, expected) in [
            ("merchant", r#""merchant""#),
            ("shop.merchant", r#""shop"."merchant""#),
            (r#""a.b".c"#, r#""a.b"."c""#),
            (r#""a""b""#, r#""a""b""#),
            (r#"x"; DROP TABLE y; --"#, r#""x""; DROP TABLE y; --""#),
        ] {
            assert_eq!(table(text).as_deref(), Ok(expected));
        }
        for wrong in ["", ".", "a.", "a.b.c", r#""a"#, r#""a"b"#, "a\0b"] {
            assert!(table(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!(literal("'; --"), "'''; --'");
    }
}
