//! `permissions` of a required provider.

use tenon_hcl::{Diagnostic, Expression, Problems};
use tenon_host::Permissions;

use crate::reading::model::ProviderPermissions;

const FORM: &str = "write `permissions = { allow = [\"read=./data\", \"net=:443\"] }`";

/// What a provider may do. Providers are asked for their schemas before any value is known, so names
/// such as `var.folder` cannot be used.
pub(super) fn permissions(value: &Expression, problems: &mut Problems) -> ProviderPermissions {
    let wrong = "`permissions` is an object with `allow` and `deny`";
    let entries = problems.object(value, wrong, FORM).unwrap_or_default();
    problems.refuse_other_entries(&entries, "`permissions`", &["allow", "deny"], FORM);
    let mut permissions = ProviderPermissions::default();
    for (name, list) in &entries {
        match name.text() {
            "allow" => permissions.allow = words(list, problems),
            "deny" => permissions.deny = words(list, problems),
            _ => {}
        }
    }
    permissions
}

fn words(list: &Expression, problems: &mut Problems) -> Vec<String> {
    let wrong = "permissions are a list of texts";
    let elements = problems.list(list, wrong, FORM).unwrap_or_default();
    let mut words = Vec::new();
    for element in elements {
        let Some(word) = problems.text(&element, "a permission") else {
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
