//! Paths to the attributes that errors and diagnostics are about.

use tenon_protocols::seasonings::{Diagnostic, Segment, Severity};
use tenon_schema::Body;
use tenon_values::{Error, Problem, Step, Type};

/// Where an error is, and what is wrong there. A path includes the name of an attribute that is missing
/// or not supported.
pub(crate) fn place(error: &Error) -> (Vec<Segment>, String) {
    let mut path: Vec<Segment> = error.path().steps().iter().map(segment).collect();
    let mut named = |name: &str, problem: String| {
        path.push(Segment::Name(name.to_owned()));
        problem
    };
    let problem = match error.problem() {
        Problem::MissingAttribute(name) => named(name, "a value is required".to_owned()),
        Problem::UnsupportedAttribute(name) => named(name, "it is not supported".to_owned()),
        Problem::MisspeltAttribute { name, meant } => {
            let problem = format!("it is not supported; did you mean `{meant}`?");
            named(name, problem)
        }
        Problem::ComputedAttribute(name) => {
            named(name, "it is computed and cannot be given".to_owned())
        }
        problem => problem.to_string(),
    };
    (path, problem)
}

/// A path as text: `rules.0.port`.
pub(crate) fn text(path: &[Segment]) -> String {
    let steps = path.iter().map(|segment| match segment {
        Segment::Name(name) => name.clone(),
        Segment::Index(index) => index.to_string(),
    });
    steps.collect::<Vec<_>>().join(".")
}

/// A step of a path.
pub(crate) fn segment(step: &Step) -> Segment {
    match step {
        Step::Attribute(name) => Segment::Name(name.to_string()),
        Step::Key(key) => Segment::Name(key.as_str().unwrap_or_default().to_owned()),
        Step::Index(index) | Step::Element(index) => Segment::Index(*index),
    }
}

/// Diagnostics of the author, whose paths are texts, about something with this schema.
pub(crate) fn located(diagnostics: Vec<crate::Diagnostic>, body: &Body) -> Vec<Diagnostic> {
    located_in(diagnostics, &body.implied_type())
}

/// The same, about an object of this type.
pub(crate) fn located_in(diagnostics: Vec<crate::Diagnostic>, ty: &Type) -> Vec<Diagnostic> {
    let located = |one: crate::Diagnostic| Diagnostic {
        severity: match one.severity {
            crate::Severity::Error => Severity::Error,
            crate::Severity::Warning => Severity::Warning,
        },
        path: segments(&one.prop_path.unwrap_or_default(), ty),
        summary: one.summary,
        detail: one.detail,
    };
    diagnostics.into_iter().map(located).collect()
}

/// A path of texts, in which the places in lists are numbers.
fn segments(path: &[String], ty: &Type) -> Vec<Segment> {
    let mut place = Some(ty.clone());
    let step = |text: &String| {
        let before = place.take();
        let index = text.parse().ok().map(Segment::Index);
        let name = || Segment::Name(text.clone());
        let (segment, next) = match before {
            Some(Type::Object(object)) => {
                let part = object.attribute(text).map(|one| one.ty.clone());
                (name(), part)
            }
            Some(Type::Map(element)) => (name(), Some((*element).clone())),
            Some(Type::List(element) | Type::Set(element)) => {
                (index.unwrap_or_else(name), Some((*element).clone()))
            }
            _ => (index.unwrap_or_else(name), None),
        };
        place = next;
        segment
    };
    path.iter().map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_schema::Attribute;

    #[test]
    fn places_in_lists_are_numbers() {
        let ty: Type = "object({ list = list(map(string)), any = any })"
            .parse()
            .unwrap();
        let Type::Object(object) = &ty else {
            panic!("it is an object");
        };
        let attributes = object.attributes().iter();
        let body =
            Body::new(attributes.map(|one| Attribute::new(one.name.as_str(), one.ty.clone())));
        let path = |path: &[&str]| {
            let diagnostic = crate::Diagnostic::error("no", "").at(path.iter().copied());
            let located = located(vec![diagnostic], &body).remove(0);
            serde_json::to_string(&located.path).unwrap()
        };
        assert_eq!(path(&["list", "1", "2"]), r#"["list",1,"2"]"#);
        assert_eq!(path(&["any", "1", "x"]), r#"["any",1,"x"]"#);
        assert_eq!(path(&["0"]), r#"["0"]"#);
        assert_eq!(path(&[]), "[]");
    }
}
