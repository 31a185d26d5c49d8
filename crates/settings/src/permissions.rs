//! `permissions`.

use tenon_hcl::{Diagnostic, Expression, Problems};
use tenon_host::Permissions;

const FORM: &str = "write `permissions = { allow = [\"read=./data\", \"net=:443\"] }`";

/// What a plugin may do, in the words of the file. They have been checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermissionWords {
    /// What it may do.
    pub allow: Vec<String>,
    /// What it may not do, even if it is in something that it may do.
    pub deny: Vec<String>,
}

/// The permissions of `permissions = { allow = ["read=./data"], deny = ["net"] }`.
pub fn permissions(value: &Expression, problems: &mut Problems) -> PermissionWords {
    let wrong = "`permissions` is an object with `allow` and `deny`";
    let entries = problems.object(value, wrong, FORM).unwrap_or_default();
    problems.refuse_other_entries(&entries, "`permissions`", &["allow", "deny"], FORM);
    let mut permissions = PermissionWords::default();
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
