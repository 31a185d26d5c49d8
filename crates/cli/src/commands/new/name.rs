//! Which names a plugin can have.

use std::path::Path;

use crate::args::{DEVICE, Language, is_device, provider_name};
use crate::exit::Failure;

/// The longest name. Terraform makes files of it.
const LONGEST: usize = 60;

/// Names that a plugin cannot have in any language: of files beside it, and of what it is made with.
const TAKEN: [&str; 10] = [
    "test",
    "src",
    "target",
    "tests",
    "states",
    "terraform",
    "tofu",
    "tenon",
    "tenon-plugin",
    "tenon-sdk",
];

/// The name of the plugin in this folder.
///
/// # Errors
/// Terraform, scenarios or file systems would refuse it.
pub(super) fn of(folder: &Path) -> Result<String, Failure> {
    let name = folder.file_name().map(|name| name.to_string_lossy());
    let name = name.unwrap_or_default().into_owned();
    if is_device(&name) {
        return Err(refusal(&name, DEVICE, OTHER));
    }
    let is_name = provider_name(&name).is_ok() && !name.contains("--") && name.len() <= LONGEST;
    if !is_name {
        return Err(refusal(
            &name,
            "a name has small letters, digits and single hyphens, begins with a letter, and is at most 60 characters long",
            &suggestion(&name).map_or_else(String::new, |better| {
                format!("\n  hint: tenon new {better}")
            }),
        ));
    }
    if name.starts_with("terraform-") {
        let short = name
            .trim_start_matches("terraform-")
            .trim_start_matches("provider-");
        let reason = "Terraform refuses providers whose names begin with `terraform-`";
        return Err(refusal(
            &name,
            reason,
            &format!("\n  hint: tenon new {short}"),
        ));
    }
    if TAKEN.contains(&name.as_str()) {
        return Err(refusal(
            &name,
            "a file or a program that it needs has this name",
            OTHER,
        ));
    }
    if tenon_providers::names().any(|built_in| built_in == name) {
        return Err(refusal(
            &name,
            "a built-in provider of scenarios has this name",
            OTHER,
        ));
    }
    Ok(name)
}

/// Refuses what one language cannot use.
pub(super) fn check_for(language: Language, name: &str) -> Result<(), Failure> {
    let (taken, why) = match language {
        Language::Python => (
            include_str!("python_modules.txt"),
            "a module of Python has this name, and the plugin's file would hide it",
        ),
        Language::Rust => (
            include_str!("rust_words.txt"),
            "cargo does not accept it as the name of a package or a program",
        ),
        Language::Typescript | Language::Bash => return Ok(()),
    };
    match taken.split_whitespace().any(|one| one == name) {
        true => Err(refusal(name, why, OTHER)),
        false => Ok(()),
    }
}

const OTHER: &str = "\n  hint: choose another name";

fn refusal(name: &str, why: &str, hint: &str) -> Failure {
    let name = tenon_text::line(name);
    Failure::usage(format!(
        "\"{name}\" cannot be the name of a plugin: {why}{hint}"
    ))
}

/// The nearest name that is allowed.
fn suggestion(name: &str) -> Option<String> {
    let mut better = String::new();
    for character in name.chars().flat_map(char::to_lowercase) {
        match character {
            'a'..='z' => better.push(character),
            '0'..='9' if !better.is_empty() => better.push(character),
            '-' | '_' | ' ' | '.' if !better.is_empty() && !better.ends_with('-') => {
                better.push('-');
            }
            _ => {}
        }
    }
    better.truncate(LONGEST);
    let better = better.trim_end_matches('-').to_owned();
    provider_name(&better).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_terraform_and_file_systems_accept() {
        for right in ["weather", "my-tool", "a2", "x", "com", "com10", "console"] {
            assert_eq!(of(Path::new(right)).unwrap(), right);
        }
        assert_eq!(of(Path::new("some/where/weather")).unwrap(), "weather");
        let long = "a".repeat(61);
        for wrong in [
            "",
            "..",
            "/",
            "My",
            "2a",
            "a_b",
            "a--b",
            "a-",
            "-a",
            "a b",
            "é",
            "test",
            "terraform",
            "terraform-x",
            "sqlite",
            "con",
            "nul",
            "com1",
            "lpt9",
            &long,
        ] {
            assert!(of(Path::new(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_refusal_suggests_a_name() {
        for (given, better) in [
            ("My_Tool", "my-tool"),
            ("2 fast", "fast"),
            ("a--b", "a-b"),
            ("terraform-provider-x", "x"),
        ] {
            let message = of(Path::new(given)).unwrap_err().message;
            assert!(
                message.ends_with(&format!("tenon new {better}")),
                "{message}"
            );
        }
        assert!(!of(Path::new("日本")).unwrap_err().message.contains("hint"));
    }

    #[test]
    fn languages_have_names_of_their_own() {
        assert!(check_for(Language::Python, "json").is_err());
        assert!(check_for(Language::Rust, "async").is_err());
        for language in [
            Language::Python,
            Language::Rust,
            Language::Typescript,
            Language::Bash,
        ] {
            assert!(check_for(language, "weather").is_ok());
        }
        assert!(check_for(Language::Bash, "json").is_ok());
    }
}
