//! What `tenon provider docs` writes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::stage;
use crate::workspace::{Workspace, example, trial};

/// All pages below a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => pages.extend(self::pages(&path)),
            false => pages.push(path),
        }
    }
    pages
}

/// The first configuration on a page.
fn configuration(page: &Path) -> String {
    let text = fs::read_to_string(page).unwrap();
    let (_, rest) = text.split_once("```terraform\n").expect("an example");
    let (example, _) = rest.split_once("```").expect("its end");
    example.to_owned()
}

/// Terraform accepts what the pages show.
fn check_examples(workspace: &Workspace, count: usize) {
    let folder = workspace.path("docs");
    let index = configuration(&folder.join("index.md"));
    fs::write(workspace.path("main.tf"), &index).unwrap();
    workspace.init();
    let pages = pages(&folder);
    assert_eq!(pages.len(), count, "{pages:?}");
    for page in pages {
        let text = match page.ends_with("index.md") {
            true => index.clone(),
            false => format!("{index}\n{}", configuration(&page)),
        };
        fs::write(workspace.path("main.tf"), text).unwrap();
        workspace.run("validate").succeeds();
        workspace.run("fmt -check").succeeds();
    }
}

#[test]
fn the_examples_of_the_pages_are_valid() {
    trial(|workspace| {
        let notes = example("python/notes.py");
        workspace.pack("notes", "", &notes).succeeds();
        workspace
            .tenon("provider docs notes --mirror mirror")
            .succeeds();
        check_examples(workspace, 6);
        fs::remove_dir_all(workspace.path("docs")).unwrap();
        // Of a plugin that is being written, the pages are about what it has now.
        stage::pack(workspace, "--dev");
        workspace
            .tenon("provider docs stage --mirror mirror")
            .succeeds();
        assert_eq!(stage::count(workspace, "starts"), 1);
        check_examples(workspace, 8);
    });
}
