//! Variables, substitutions and texts with escapes.

use super::Reader;

impl Reader<'_> {
    /// A variable, a substitution, or a text with escapes, after its `$`.
    pub(super) fn expansion(&mut self, is_quoted: bool) {
        // Where shells agree that it is a letter. Anything else may run a command: `${x@P}`, `$[...]`, `$=x`.
        match self.peek() {
            None | Some(' ' | '\t' | '\n' | '|' | ')' | '/' | '\\') => return self.push('$'),
            Some('"') if is_quoted => return self.push('$'),
            Some(_) => self.script.has_expansions = true,
        }
        match self.peek() {
            Some('(') => {
                self.opaque();
                let inner = self.enclosed('(', ')');
                self.hole();
                self.nested(&inner);
            }
            Some('{') => {
                let inner = self.enclosed('{', '}');
                if inner == "IFS" && !is_quoted {
                    return self.end_word();
                }
                // `${x:-$(command)}`.
                if inner.contains(['$', '`']) {
                    self.opaque();
                    self.nested(&inner);
                }
                self.hole();
            }
            // Shells differ in whether a backslash hides the quote that ends it.
            Some('\'') if !is_quoted => {
                self.opaque();
                self.at += 1;
                self.escaped_text();
            }
            Some('"') if !is_quoted => {}
            Some(letter) if letter.is_ascii_alphanumeric() || "_@*#?-$!".contains(letter) => {
                let mut name = String::new();
                while let Some(letter) = self.peek() {
                    let is_more =
                        name.is_empty() || letter.is_ascii_alphanumeric() || letter == '_';
                    if !is_more {
                        break;
                    }
                    name.push(letter);
                    self.at += 1;
                    if !(letter.is_ascii_alphabetic() || letter == '_') && name.len() == 1 {
                        break;
                    }
                }
                match name == "IFS" && !is_quoted {
                    true => self.end_word(),
                    false => self.hole(),
                }
            }
            _ => self.push('$'),
        }
    }

    /// `$'...'`.
    pub(super) fn escaped_text(&mut self) {
        self.word();
        loop {
            match self.next() {
                Some('\'') => return,
                Some('\\') => match self.next() {
                    Some(letter @ ('x' | 'u' | 'U')) => {
                        let most = match letter {
                            'x' => 2,
                            'u' => 4,
                            _ => 8,
                        };
                        self.numbered(16, most);
                    }
                    Some('0'..='7') => {
                        self.at -= 1;
                        self.numbered(8, 3);
                    }
                    Some('n') => self.push('\n'),
                    Some('t') => self.push('\t'),
                    Some(letter @ ('\'' | '"' | '\\' | '?')) => self.push(letter),
                    Some(_) => self.hole(),
                    None => return,
                },
                Some(letter) => self.push(letter),
                None => return,
            }
        }
    }

    /// A character that is written as a number.
    pub(super) fn numbered(&mut self, radix: u32, most: usize) {
        let (mut number, mut digits) = (0, 0);
        while let Some(digit) = self.peek().and_then(|letter| letter.to_digit(radix))
            && digits < most
        {
            number = number * radix + digit;
            digits += 1;
            self.at += 1;
        }
        let letter = char::from_u32(number).filter(|_| digits > 0);
        self.word().letters.push(letter);
    }

    /// What is between brackets, with those in it.
    pub(super) fn enclosed(&mut self, open: char, close: char) -> String {
        self.at += 1;
        let start = self.at;
        let is_closed = self.skip_to(open, close);
        let end = self.at.min(self.characters.len()) - usize::from(is_closed);
        if !is_closed {
            self.opaque();
        }
        self.characters[start..end].iter().collect()
    }

    /// Goes to where a bracket is closed. Quotes hide brackets, and substitutions in quotes hide quotes.
    pub(super) fn skip_to(&mut self, open: char, close: char) -> bool {
        let (mut depth, mut quotes) = (1, Vec::new());
        while let Some(letter) = self.next() {
            match (quotes.last(), letter) {
                (Some('\''), '\'') => drop(quotes.pop()),
                (Some('\''), _) => {}
                (_, '\\') => self.at += 1,
                (Some('"'), '"') => drop(quotes.pop()),
                (_, '$') if self.peek() == Some('(') && open != '(' => {
                    self.at += 1;
                    quotes.push('(');
                }
                (Some('"'), '$') if self.peek() == Some('(') => {
                    self.at += 1;
                    quotes.push('(');
                }
                (Some('('), ')') => drop(quotes.pop()),
                (Some('"'), _) => {}
                (_, '\'' | '"') => quotes.push(letter),
                (Some('('), '(') => quotes.push('('),
                (Some('('), _) => {}
                (_, letter) if letter == open => depth += 1,
                (_, letter) if letter == close => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return true;
            }
        }
        false
    }
}
