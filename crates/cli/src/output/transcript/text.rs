//! Texts that arrive in parts: the answer, thoughts, and what was said before.

use tenon_protocols::acp::{Chunk, ContentBlock};

use super::Transcript;
use crate::exit::Failure;
use crate::output::paint::{Paint, RESET};
use crate::output::screen::Stream;
use crate::output::{is_colored, write_line, write_part};

/// Whose text is being printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    Answer,
    Thought,
    /// What was said in an earlier turn.
    History,
    User,
}

impl Voice {
    fn stream(self) -> Stream {
        match self {
            Voice::Answer => Stream::Data,
            _ => Stream::Talk,
        }
    }
}

impl Transcript {
    pub(super) fn chunk(&mut self, voice: Voice, chunk: &Chunk) -> Result<(), Failure> {
        match &chunk.content {
            ContentBlock::Text(content) => self.text(voice, &content.text),
            other => self.text(voice, &described(other)),
        }
    }

    fn text(&mut self, voice: Voice, text: &str) -> Result<(), Failure> {
        if text.is_empty() {
            return Ok(());
        }
        if self.is_idle {
            // Above the line that is edited there is no room for parts of lines.
            return write_line(Stream::Talk, &Paint::Dim.on(text.trim_end()));
        }
        if self.open.is_some_and(|open| open != voice) {
            self.end_text()?;
        }
        let is_first = self.open.is_none();
        self.held.push_str(text);
        let end = self.held.len() - unsettled(&self.held);
        let settled: String = self.held.drain(..end).collect();
        let mut shown = match (voice, is_first) {
            (Voice::User, true) => "> ".to_owned(),
            _ => String::new(),
        };
        shown += &tenon_text::lines(&settled);
        self.open = Some(voice);
        self.write(voice, &shown)
    }

    fn write(&mut self, voice: Voice, text: &str) -> Result<(), Failure> {
        if text.is_empty() {
            return Ok(());
        }
        self.is_in_line = !text.ends_with('\n');
        let painted = match (voice, is_colored()) {
            (Voice::Thought | Voice::History, true) => Some(Paint::Dim),
            (Voice::User, true) => Some(Paint::Cyan),
            _ => None,
        };
        match painted {
            Some(paint) => write_part(voice.stream(), &format!("{}{text}{RESET}", paint.code())),
            None => write_part(voice.stream(), text),
        }
    }

    /// Ends the line of the text that is being printed.
    pub(super) fn end_text(&mut self) -> Result<(), Failure> {
        let Some(voice) = self.open.take() else {
            return Ok(());
        };
        let held = std::mem::take(&mut self.held);
        let held = tenon_text::lines(&held).into_owned();
        self.write(voice, &held)?;
        match self.is_in_line {
            true => self.write(voice, "\n"),
            false => Ok(()),
        }
    }
}

/// Content that is not text, in a few words.
pub(super) fn described(content: &ContentBlock) -> String {
    match content {
        ContentBlock::Text(content) => content.text.clone(),
        ContentBlock::Image(image) => format!("[image {}]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[sound {}]", audio.mime_type),
        ContentBlock::ResourceLink(link) => format!("[{} {}]", link.name, link.uri),
        ContentBlock::Resource(resource) => format!("[{}]", resource.resource.uri),
        _ => "[unknown content]".to_owned(),
    }
}

/// How many bytes at the end of a text may mean something else together with what follows: a carriage return before a
/// line feed, and characters that are joined.
fn unsettled(text: &str) -> usize {
    let mut end = text.len();
    for character in text.chars().rev().take(8) {
        if character.is_ascii() && character != '\r' {
            break;
        }
        end -= character.len_utf8();
        let is_selector = ('\u{fe00}'..='\u{fe0f}').contains(&character);
        if !tenon_text::is_hidden(character) && !is_selector {
            break;
        }
    }
    text.len() - end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_belong_together_are_printed_together() {
        assert_eq!(unsettled("plain"), 0);
        assert_eq!(unsettled("line\r"), 1);
        assert_eq!(unsettled("größe"), 0);
        assert_eq!(unsettled("ö"), 2);
        assert_eq!(unsettled("a👩\u{200d}"), "👩\u{200d}".len());
        assert_eq!(unsettled("a❤\u{fe0f}"), "❤\u{fe0f}".len());
    }
}
