//! One bit of what a killed run left behind is not what it was.

use std::collections::BTreeMap;
use std::fs;

use crate::scene::{Dice, Scene, finish, rounds, stderr};

#[test]
fn one_bit_is_wrong() {
    let scene = Scene::new();
    let mut child = scene.command(&["run", "../demo.hcl"]).spawn().unwrap();
    while scene.put_count() < 6 && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    finish(child);
    let (ledger, puts) = (fs::read(scene.path("ledger.ledger")).unwrap(), scene.puts());
    let files = [scene.files(".json"), scene.files(".journal")].concat();
    let contents: BTreeMap<&String, Vec<u8>> = files
        .iter()
        .map(|name| (name, fs::read(scene.records().join(name)).unwrap()))
        .collect();
    let record = scene.record().unwrap();
    let mut dice = Dice::new(0);
    for round in 0..rounds(40) {
        let name = &files[dice.roll(files.len())];
        let mut damaged = contents[name].clone();
        let (byte, bit) = (dice.roll(damaged.len()), dice.roll(8));
        damaged[byte] ^= 1 << bit;
        fs::write(scene.records().join(name), &damaged).unwrap();

        let output = scene.run(&["run", "--resume", &record]);
        for (done, count) in &puts {
            assert_eq!(
                scene.puts()[done],
                *count,
                "round {round}: {done} again after bit {bit} of byte {byte} in {name} flipped: {}",
                stderr(&output)
            );
        }
        if !output.status.success() {
            assert!(
                !output.stderr.is_empty(),
                "round {round}: it failed without a word"
            );
        }

        // As it was before.
        for leftover in fs::read_dir(scene.records()).unwrap() {
            fs::remove_file(leftover.unwrap().path()).unwrap();
        }
        for (name, content) in &contents {
            fs::write(scene.records().join(name), content).unwrap();
        }
        fs::write(scene.path("ledger.ledger"), &ledger).unwrap();
    }
}
