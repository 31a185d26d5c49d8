//! Diagnostics as a person reads them.

use std::ops::Range;

use annotate_snippets::renderer::DEFAULT_TERM_WIDTH;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity, Style};
use crate::source::Place;

pub(crate) fn render(diagnostic: &Diagnostic, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(diagnostic.summary.as_str());
    let mut group = Group::with_title(title);
    if let Some(place) = &diagnostic.place {
        group = with_snippets(group, diagnostic, place);
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
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
        return group.element(Origin::path(source.name()));
    }
    let primary = AnnotationKind::Primary
        .span(shown(place))
        .label(diagnostic.label.as_deref());
    let mut snippet = snippet(place).annotation(primary);
    let (here, elsewhere): (Vec<_>, Vec<_>) = diagnostic
        .related
        .iter()
        .partition(|(related, _)| related.source() == source);
    for (related, label) in here {
        snippet = snippet.annotation(annotation(related, label));
    }
    group = group.element(snippet);
    for (related, label) in elsewhere {
        group = group.element(self::snippet(related).annotation(annotation(related, label)));
    }
    group
}

fn snippet<'a>(place: &'a Place) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    Snippet::source(place.source().text()).path(place.source().name())
}

fn annotation<'a>(place: &Place, label: &'a str) -> annotate_snippets::Annotation<'a> {
    AnnotationKind::Context.span(shown(place)).label(label)
}

/// What is underlined: the place itself, or the first line of it if there are more than a few,
/// because a whole block under carets helps nobody.
fn shown(place: &Place) -> Range<usize> {
    const LINES: usize = 4;
    let range = place.range();
    match place.text().split_inclusive('\n').next() {
        Some(first) if place.text().lines().count() > LINES => {
            range.start..range.start + first.trim_end().len()
        }
        _ => range,
    }
}
