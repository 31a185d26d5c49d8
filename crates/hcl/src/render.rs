//! Diagnostics as readable text.
//!
//! Files and their names may not be trusted: their text is escaped before it is laid out, so that
//! colours are the only control characters in the result.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::renderer::DEFAULT_TERM_WIDTH;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity, Style};
use crate::source::{Place, Source};

pub(crate) fn render(diagnostic: &Diagnostic, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(tenon_text::lines(&diagnostic.summary));
    let mut group = Group::with_title(title);
    if let Some(place) = &diagnostic.place {
        group = with_snippets(group, diagnostic, place);
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(tenon_text::lines(note)));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(tenon_text::lines(help)));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colored => Renderer::styled(),
    };
    renderer.term_width(DEFAULT_TERM_WIDTH).render(&[group])
}

/// The place and what is related to it, those in one file together.
fn with_snippets<'a>(
    mut group: Group<'a>,
    diagnostic: &'a Diagnostic,
    place: &'a Place,
) -> Group<'a> {
    let source = place.source();
    if source.text().is_empty() {
        return group.element(Origin::path(tenon_text::line(source.name())));
    }
    let shown = Shown::of(source);
    let label = diagnostic.label.as_deref().map(tenon_text::lines);
    let primary = AnnotationKind::Primary.span(shown.span(place)).label(label);
    let (here, elsewhere): (Vec<_>, Vec<_>) = diagnostic
        .related
        .iter()
        .partition(|(related, _)| related.source() == source);
    let here = here
        .into_iter()
        .map(|(related, label)| shown.annotation(related, label));
    let annotations: Vec<_> = std::iter::once(primary).chain(here).collect();
    group = group.element(shown.snippet().annotations(annotations));
    for (related, label) in elsewhere {
        let shown = Shown::of(related.source());
        let annotation = shown.annotation(related, label);
        group = group.element(shown.snippet().annotation(annotation));
    }
    group
}

/// A source as it is shown: one without hidden characters as it is.
struct Shown<'a> {
    name: &'a str,
    text: Cow<'a, str>,
    /// Where a character was replaced by an escape, and how many bytes longer the text is up to
    /// and with it.
    escapes: Vec<(usize, usize)>,
}

impl<'a> Shown<'a> {
    fn of(source: &'a Source) -> Shown<'a> {
        let (name, text) = (source.name(), source.text());
        let mut shown = Shown {
            name,
            text: Cow::Borrowed(text),
            escapes: Vec::new(),
        };
        let is_line_end = |at: usize| text[at..].starts_with("\r\n");
        let hidden: Vec<(usize, char)> = { text.char_indices() }
            .filter(|(_, one)| !matches!(one, '\n' | '\t') && tenon_text::is_hidden(*one))
            .filter(|(at, _)| !is_line_end(*at))
            .collect();
        if hidden.is_empty() {
            return shown;
        }
        let (mut out, mut done) = (String::with_capacity(text.len() * 2), 0);
        for (at, character) in hidden {
            out.push_str(&text[done..at]);
            tenon_text::push_escape(&mut out, character);
            done = at + character.len_utf8();
            // An escape is never shorter than its character.
            shown.escapes.push((at, out.len() - done));
        }
        out.push_str(&text[done..]);
        shown.text = Cow::Owned(out);
        shown
    }

    /// Where a byte of the source is in the text that is shown.
    fn position(&self, offset: usize) -> usize {
        let before = self.escapes.partition_point(|(at, _)| *at < offset);
        let longer = before.checked_sub(1).map_or(0, |last| self.escapes[last].1);
        offset + longer
    }

    /// What is underlined: the place itself, or only its first line if it has more than a few lines.
    fn span(&self, place: &Place) -> Range<usize> {
        const LINES: usize = 4;
        let range = place.range();
        let end = match place.text().split_inclusive('\n').next() {
            Some(first) if place.text().lines().count() > LINES => {
                range.start + first.trim_end().len()
            }
            _ => range.end,
        };
        self.position(range.start)..self.position(end)
    }

    fn annotation(&self, place: &Place, label: &'a str) -> Annotation<'a> {
        AnnotationKind::Context
            .span(self.span(place))
            .label(tenon_text::lines(label))
    }

    fn snippet(self) -> Snippet<'a, Annotation<'a>> {
        Snippet::source(self.text).path(tenon_text::line(self.name))
    }
}
