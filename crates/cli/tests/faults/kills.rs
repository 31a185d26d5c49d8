//! `kill -9` of the whole run at any moment, several times in a row.

use std::collections::BTreeMap;
use std::process::Child;

use crate::scene::{ACTIONS, Dice, Scene, address, finish, rounds, stderr};

#[test]
fn killed_at_any_moment() {
    for round in 0..rounds(8) {
        let mut dice = Dice::new(round);
        let scene = Scene::new();
        // How often a thing may be put at most: once, and once more each time we said so.
        let mut allowed: BTreeMap<String, usize> = BTreeMap::new();
        kill_after(
            &scene,
            &mut dice,
            scene.command(&["run", "../demo.hcl"]).spawn().unwrap(),
        );
        for _ in 0..dice.roll(3) {
            let child = match resume_arguments(&scene, &mut allowed) {
                None => scene.command(&["run", "../demo.hcl"]).spawn(),
                Some(Resume::IsDone) => break,
                Some(Resume::With(arguments)) => {
                    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
                    scene.command(&arguments).spawn()
                }
            };
            kill_after(&scene, &mut dice, child.unwrap());
        }
        settle(&scene, &mut allowed);
        for (name, count) in scene.puts() {
            let most = 1 + allowed.get(&name).copied().unwrap_or_default();
            assert!(
                count <= most,
                "round {round}: {name} was put {count} times, of {most} allowed"
            );
        }
        assert_eq!(scene.left().len(), ACTIONS, "round {round}");
        let record = scene.record().unwrap();
        let output = scene.run(&["teardown", &record]);
        assert!(
            output.status.success(),
            "round {round}: {}",
            stderr(&output)
        );
        assert_eq!(scene.left(), Vec::<String>::new(), "round {round}");
    }
}

/// Kills it after this number of further puts, or lets it end before.
fn kill_after(scene: &Scene, dice: &mut Dice, mut child: Child) {
    let enough = scene.put_count() + dice.roll(ACTIONS);
    while scene.put_count() < enough && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    finish(child);
}

enum Resume {
    IsDone,
    With(Vec<String>),
}

/// How to continue, or `None` if the run was killed before it had a record.
fn resume_arguments(scene: &Scene, allowed: &mut BTreeMap<String, usize>) -> Option<Resume> {
    let record = scene.record()?;
    let plain = ["run", "--resume", &record].map(str::to_owned).to_vec();
    // Without the flag it either has no unknown outcome and continues to the end, or does nothing.
    let before = scene.put_count();
    let output = scene.run(&["run", "--resume", &record]);
    if output.status.success() {
        return Some(Resume::IsDone);
    }
    let message = stderr(&output);
    if message.contains("succeeded") && !message.contains("--redo-maybe") {
        return Some(Resume::IsDone);
    }
    assert!(message.contains("--redo-maybe"), "{message}");
    assert_eq!(
        scene.put_count(),
        before,
        "it did something after all: {message}"
    );
    for name in names().filter(|name| message.contains(&address(name))) {
        *allowed.entry(name).or_default() += 1;
    }
    let mut arguments = plain;
    arguments.push("--redo-maybe".into());
    Some(Resume::With(arguments))
}

/// Continues to the end, undisturbed.
fn settle(scene: &Scene, allowed: &mut BTreeMap<String, usize>) {
    let output = match resume_arguments(scene, allowed) {
        None => scene.run(&["run", "../demo.hcl"]),
        Some(Resume::IsDone) => return,
        Some(Resume::With(arguments)) => {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            scene.run(&arguments)
        }
    };
    assert!(output.status.success(), "{}", stderr(&output));
}

fn names() -> impl Iterator<Item = String> {
    ["a", "b", "c"]
        .into_iter()
        .flat_map(|chain| (0..ACTIONS / 3).map(move |link| format!("{chain}{link}")))
}
