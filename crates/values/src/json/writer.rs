//! Writing JSON text.

/// Writes a string as Go does, so that bytes compare: what HTML would read is escaped, too.
pub(crate) fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut start = 0;
    for (index, character) in text.char_indices() {
        let escape = match character {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\u{8}' => "\\b",
            '\u{c}' => "\\f",
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                out.push_str(&text[start..index]);
                out.push_str(&format!("\\u{:04x}", u32::from(character)));
                start = index + character.len_utf8();
                continue;
            }
            _ => continue,
        };
        out.push_str(&text[start..index]);
        out.push_str(escape);
        start = index + 1;
    }
    out.push_str(&text[start..]);
    out.push('"');
}
