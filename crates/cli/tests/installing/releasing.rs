//! `scripts/release`, in a copy of the project.

use std::fs;

use super::packages::{VERSION, WATCHDOG, refused, root, succeeds, trial};
use super::support::shell::{Outcome, Shell};
use super::support::tools::{Tool, on_path};

/// git, and a checkout of the project to copy.
fn git() -> Tool {
    let git = on_path("git")?;
    match root().join(".git").exists() {
        true => Ok(git),
        false => Err("the project is not a git checkout".to_owned()),
    }
}

/// A repository with the files of the project as they are now, and one commit.
struct Copy(Shell);

impl Copy {
    async fn new() -> Copy {
        let shell = Shell::new();
        let line = format!(
            "mkdir copy && (cd {} && git ls-files -z --cached --others --exclude-standard \
             | while IFS= read -r -d '' file; do [ -e \"$file\" ] && printf '%s\\0' \"$file\"; done \
             | tar --null --no-recursion --files-from - --create) | tar --extract --directory copy",
            root().display()
        );
        // `read -d` is not in every sh.
        let line = format!("bash -c '{}'", line.replace('\'', "'\\''"));
        succeeds(shell.run_within(WATCHDOG, &line).await);
        let copy = Copy(shell);
        copy.git("init --quiet --initial-branch main").await;
        copy.git("add --all").await;
        copy.git("commit --quiet --message first").await;
        copy
    }

    async fn git(&self, arguments: &str) -> String {
        let who = "-c user.name=Test -c user.email=test@example.invalid -c commit.gpgsign=false";
        let line = format!("cd copy && git {who} {arguments}");
        succeeds(self.0.run_within(WATCHDOG, &line).await).stdout
    }

    async fn release(&self, arguments: &str) -> Outcome {
        let variables = "GIT_AUTHOR_NAME=Test GIT_AUTHOR_EMAIL=test@example.invalid \
             GIT_COMMITTER_NAME=Test GIT_COMMITTER_EMAIL=test@example.invalid";
        let line = format!("cd copy && HOME=$PWD/.. {variables} scripts/release {arguments}");
        self.0.run_within(WATCHDOG, &line).await
    }

    /// Everything that a release changes.
    async fn state(&self) -> Vec<String> {
        let mut state = Vec::new();
        for command in [
            "log --oneline",
            "tag --list",
            "status --porcelain",
            "worktree list",
        ] {
            state.push(self.git(command).await);
        }
        state
    }
}

#[tokio::test]
async fn a_release_is_whole_or_nothing() {
    trial(git(), async |packages| {
        let programs = packages.programs.display().to_string();
        let copy = Copy::new().await;
        let before = copy.state().await;

        // Programs of an older version are found after the commit of the release was made.
        let options = format!("-- archive installers --fast --binaries {programs}");
        let outcome = copy.release(&format!("99.0.0 {options}")).await;
        refused(&outcome, "build it again");
        refused(
            &outcome,
            "the packages could not be built; nothing has changed",
        );
        assert_eq!(copy.state().await, before);

        let shown = succeeds(copy.release("99.0.0 --dry-run").await).stdout;
        for text in [
            "Cargo.lock",
            "sdk/python/pyproject.toml",
            "# Tenon 99.0.0",
            "nothing has changed",
        ] {
            assert!(shown.contains(text), "{text} in {shown}");
        }
        assert_eq!(copy.state().await, before);

        for (version, message) in [
            ("0.0.1", "is older than"),
            ("1.0", "is not a version"),
            ("v1.0.0", "is not a version"),
            ("01.0.0", "is not a version"),
        ] {
            refused(&copy.release(version).await, message);
        }
        fs::write(copy.0.path("copy/new-file"), "").unwrap();
        refused(
            &copy.release("99.0.0").await,
            "changes that are not committed",
        );
        fs::remove_file(copy.0.path("copy/new-file")).unwrap();
        assert_eq!(copy.state().await, before);

        succeeds(
            copy.release(&format!("{VERSION} --output ../out {options}"))
                .await,
        );
        assert_eq!(
            copy.git("log --format=%s").await,
            "release [version]\nfirst\n"
        );
        assert_eq!(copy.git("status --porcelain").await, "");
        assert_eq!(
            copy.git(
                "cat-file -t v[version]"
                    .replace("[version]", VERSION)
                    .as_str()
            )
            .await,
            "tag\n"
        );
        let changelog = fs::read_to_string(copy.0.path("copy/CHANGELOG.md")).unwrap();
        let heading = format!("## Unreleased\n\n## {VERSION} - 20");
        assert!(changelog.contains(&heading), "no {heading}");
        let notes = fs::read_to_string(copy.0.path("out/NOTES.md")).unwrap();
        assert!(notes.contains("install.sh"), "{notes}");
        refused(&copy.release(VERSION).await, "the tag v");
    })
    .await;
}

/// Every manifest and lock file has the new version, and cargo accepts them.
#[tokio::test]
async fn a_new_version_is_in_every_manifest() {
    trial(git(), async |_| {
        let copy = Copy::new().await;
        let line = format!(
            "cd copy/scripts && python3 -B -c 'from pathlib import Path; from packaging import versions; \
             versions.change(Path(\"..\"), \"{VERSION}\", \"99.1.0-rc.1\")'"
        );
        succeeds(copy.0.run_within(WATCHDOG, &line).await);
        let cargo = env!("CARGO");
        let home = std::env::var("CARGO_HOME").unwrap_or_else(|_| {
            let home = std::env::var("HOME").unwrap_or_default();
            format!("{home}/.cargo")
        });
        let rustc = std::path::Path::new(cargo).with_file_name("rustc");
        let rustc = rustc.display();
        let line = format!(
            "cd copy && CARGO_HOME={home} {cargo} metadata --offline --locked --format-version 1 \
             --filter-platform $({rustc} -vV | sed -n 's/^host: //p') > ../metadata.json"
        );
        succeeds(copy.0.run_within(WATCHDOG, &line).await);
        let metadata = fs::read_to_string(copy.0.path("metadata.json")).unwrap();
        let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap();
        let packages = metadata["packages"].as_array().unwrap();
        let own = packages.iter().filter(|package| package["source"].is_null());
        let versions: Vec<_> = own.map(|package| &package["version"]).collect();
        assert!(versions.len() >= 15, "{versions:?}");
        assert!(versions.iter().all(|version| **version == "99.1.0-rc.1"), "{versions:?}");
        for file in [
            "bench/Cargo.lock",
            "fuzz/Cargo.lock",
            "oracles/acp/Cargo.lock",
            "sdk/python/pyproject.toml",
            "sdk/typescript/package.json",
            "sdk/typescript/deno.json",
        ] {
            let text = fs::read_to_string(copy.0.path("copy").join(file)).unwrap();
            assert!(text.contains("\"99.1.0-rc.1\""), "{file}");
        }
    })
    .await;
}
