//! The question whether a plan may be applied, in the words of Terraform.

use std::io::{self, BufRead};

use tenon_hooks::{Question, Subject};

use crate::output;

/// Shows what plugins found, asks on stdout and reads the answer from stdin. The error says why there is none.
pub(super) fn ask(question: &Question, is_verbose: bool) -> Result<bool, String> {
    output::findings(&question.findings, false, is_verbose);
    let is_plain = question.is_plain || !output::has_style();
    let (bold, plain) = match is_plain {
        true => ("", ""),
        false => ("\u{1b}[1m", "\u{1b}[0m"),
    };
    let (title, description, cancelled) = texts(question);
    output::prompt(&format!(
        "\n{bold}{title}{plain}\n{description}\n\n  {bold}Enter a value:{plain} "
    ));
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    output::prompt("\n");
    match read {
        Ok(0) => Err("EOF".to_owned()),
        Ok(_) if answer.trim() == "yes" => Ok(true),
        Ok(_) => {
            output::prompt(&format!("{cancelled}\n"));
            Ok(false)
        }
        Err(error) => Err(error.to_string()),
    }
}

fn texts(question: &Question) -> (String, String, &'static str) {
    let product = question.product;
    let place = question.workspace.as_ref().map(|name| {
        let name = output::on_one_line(name);
        format!(" in workspace \"{name}\"")
    });
    let place = place.unwrap_or_default();
    match question.subject {
        Subject::Apply => (
            format!("Do you want to perform these actions{place}?"),
            format!(
                "  {product} will perform the actions described above.\n  \
                 Only 'yes' will be accepted to approve."
            ),
            "Apply cancelled.",
        ),
        Subject::Destroy => (
            format!("Do you really want to destroy all resources{place}?"),
            format!(
                "  {product} will destroy all your managed infrastructure, as shown above.\n  \
                 There is no undo. Only 'yes' will be accepted to confirm."
            ),
            "Destroy cancelled.",
        ),
        Subject::Refresh => (
            format!(
                "Would you like to update the {product} state to reflect these detected changes?"
            ),
            format!(
                "  {product} will write these changes to the state without modifying any real infrastructure.\n  \
                 There is no undo. Only 'yes' will be accepted to confirm."
            ),
            "Apply cancelled.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_the_product_and_the_workspace() {
        let mut question = Question {
            subject: Subject::Apply,
            workspace: None,
            product: "OpenTofu",
            is_plain: true,
            findings: Vec::new(),
        };
        let (title, description, _) = texts(&question);
        assert_eq!(title, "Do you want to perform these actions?");
        assert!(description.starts_with("  OpenTofu will perform"));
        question.workspace = Some("test\n".to_owned());
        question.subject = Subject::Destroy;
        let (title, _, cancelled) = texts(&question);
        assert_eq!(
            title,
            "Do you really want to destroy all resources in workspace \"test\\n\"?"
        );
        assert_eq!(cancelled, "Destroy cancelled.");
    }
}
