//! Which characters are not seen, or change how others are seen.

/// Whether a character controls a terminal, reorders text, breaks a line or cannot be seen:
/// control and format characters, separators of lines and paragraphs, and what Unicode calls
/// default ignorable, except for variation selectors.
///
/// Format characters with a glyph of their own, such as the Arabic number sign, are not hidden.
pub fn is_hidden(character: char) -> bool {
    matches!(character,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        // Soft hyphen, combining grapheme joiner, Arabic letter mark.
        | '\u{ad}' | '\u{34f}' | '\u{61c}'
        // Fillers of Hangul, inherent vowels of Khmer, the vowel separator of Mongolian.
        | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{3164}' | '\u{ffa0}'
        // Zero-width characters, marks of direction.
        | '\u{200b}'..='\u{200f}'
        // Line and paragraph separators, embeddings and overrides of direction.
        | '\u{2028}'..='\u{202e}'
        // Word joiner, invisible operators, isolates of direction.
        | '\u{2060}'..='\u{206f}'
        // Byte order mark, interlinear annotations.
        | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
        // Controls of hieroglyphs, shorthand and music.
        | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        // Tags, and what is reserved beside them.
        | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// Zero-width joiner and non-joiner.
pub(crate) fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}')
}

pub(crate) fn is_variation_selector(character: char) -> bool {
    matches!(character,
        '\u{180b}'..='\u{180d}' | '\u{180f}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0100}'..='\u{e01ef}')
}

/// Whether a variation selector may stand behind this character.
pub(crate) fn has_variants(character: char) -> bool {
    match character.is_ascii() {
        true => matches!(character, '0'..='9' | '#' | '*'),
        false => !is_hidden(character) && !is_variation_selector(character),
    }
}
