//! Options of `tenon terraform` that are misspelt, or behind the command where they are Terraform's.

use tenon_hooks::Arguments;

use crate::exit::Failure;

/// The options of `tenon terraform`, as they are written.
const OWN: [&str; 4] = ["--program", "--no-plugins", "--json", "--verbose"];

/// Options of ours that no command of Terraform has, so that they are meant for us.
const OURS_ALONE: [&str; 2] = ["--program", "--no-plugins"];

/// Refuses what Terraform would refuse without saying where the option belongs.
pub(super) fn check(arguments: &Arguments) -> Result<(), Failure> {
    let command = match arguments.command.as_str() {
        "" => "COMMAND",
        command => command,
    };
    let name = |word: &str| word.split('=').next().unwrap_or(word).to_owned();
    for word in &arguments.global {
        let word = name(word);
        if let Some(meant) = tenon_text::nearest(&word, OWN)
            && word.starts_with("--")
        {
            return Err(Failure::usage(format!(
                "tenon terraform has no option {word:?}\n  hint: did you mean `tenon terraform {meant} {command}`? The \
                 options of tenon ({}) come before the command, those of Terraform after it",
                OWN.join(", ")
            )));
        }
    }
    let behind = { arguments.rest.iter() }.take_while(|word| *word != "--");
    for word in behind {
        let word = name(word);
        // `terraform test` has it as well.
        let is_ours = OURS_ALONE.contains(&&*word) || (word == "--verbose" && command != "test");
        if is_ours {
            return Err(Failure::usage(format!(
                "{word} is an option of tenon, and comes before the command\n  hint: write `tenon terraform {word} \
                 {command} ...`"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(line: &str) -> Result<(), String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        check(&Arguments::parse(&words)).map_err(|failure| failure.message)
    }

    #[test]
    fn an_option_in_the_wrong_place_or_misspelt_is_explained() {
        let error = checked("--verbos plan").unwrap_err();
        assert!(
            error.contains("did you mean `tenon terraform --verbose plan`?"),
            "{error}"
        );
        let error = checked("--no-plugin -chdir=x apply").unwrap_err();
        assert!(
            error.contains("`tenon terraform --no-plugins apply`"),
            "{error}"
        );
        let error = checked("plan --verbose").unwrap_err();
        assert!(
            error.contains("write `tenon terraform --verbose plan ...`"),
            "{error}"
        );
        checked("apply --program=tofu").unwrap_err();
        for fine in [
            "-chdir=x plan -json",
            "-version",
            "--version",
            "--help",
            "test --verbose",
            "apply -- --verbose",
        ] {
            checked(fine).unwrap();
        }
    }
}
