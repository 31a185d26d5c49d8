//! `permissions` of a required provider.

use tenon_hcl::{Diagnostic, Expression, did_you_mean};
use tenon_host::Permissions;

use super::Problems;
use crate::reading::model::ProviderPermissions;

const FORM: &str = "write `permissions = { allow = [\"read=./data\", \"net=:443\"] }`";

/// What a provider may do. Providers are asked for their schemas before any value is known, so names
/// such as `var.folder` cannot be used.
pub(super) fn permissions(value: &Expression, problems: &mut Problems) -> ProviderPermissions {
    let mut permissions = ProviderPermissions::default();
    let Some(entries) = value.as_object() else {
        let diagnostic = Diagnostic::error("`permissions` is an object with `allow` and `deny`")
            .at(value.place())
            .help(FORM);
        problems.note(diagnostic);
        return permissions;
    };
    for (name, list) in &entries {
        match name.text() {
            "allow" => permissions.allow = words(list, problems),
            "deny" => permissions.deny = words(list, problems),
            other => {
                let mut diagnostic =
                    Diagnostic::error(format!("`permissions` has no attribute {other:?}"))
                        .at(name.place());
                let close = did_you_mean(other, ["allow", "deny"]);
                diagnostic.help = close.or_else(|| Some(FORM.into()));
                problems.note(diagnostic);
            }
        }
    }
    permissions
}

fn words(list: &Expression, problems: &mut Problems) -> Vec<String> {
    let Some(elements) = list.as_tuple() else {
        let diagnostic = Diagnostic::error("permissions are a list of texts")
            .at(list.place())
            .help(FORM);
        problems.note(diagnostic);
        return Vec::new();
    };
    let mut words = Vec::new();
    for element in elements {
        let Some(word) = problems.required_text(&element, "a permission") else {
            continue;
        };
        match Permissions::of_words([word.as_str()], []) {
            Ok(_) => words.push(word),
            Err(error) => {
                let diagnostic = Diagnostic::error(error.to_string()).at(element.place());
                problems.note(diagnostic.help(FORM));
            }
        }
    }
    words
}
