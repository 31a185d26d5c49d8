//! A disk that is full at some point of a run, and has room again afterwards.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::scene::{Dice, Scene, TENON, finish, rounds, stderr};

/// A small disk with so much room; then, with room, whatever undoes it. Everything in
/// one place, since the disk goes with the last process that sees it.
const SCRIPT: &str = r#"
set -u
mount -t tmpfs -o size=1m none "$1" && cd "$1" || exit 99
head -c 2m /dev/zero > fill 2> /dev/null
truncate -s -"$2" fill
"$3" run ../demo.hcl > ../output 2>&1
echo "run $?" > ../codes
rm fill
for record in *.json; do
  [ -e "$record" ] || continue
  "$3" teardown "$record" >> ../output 2>&1
  echo "teardown $?" >> ../codes
done
"#;

#[test]
fn the_disk_is_full() {
    if !may_mount() {
        // Not the print macros: what they print in a test that passes is never seen.
        let _nobody_reads = writeln!(
            std::io::stderr(),
            "skipped: the_disk_is_full: no mounts in a user namespace here"
        );
        return;
    }
    let mut dice = Dice::new(0);
    for round in 0..rounds(8) {
        let scene = Scene::new();
        // The kernel gives whole pages.
        let room = (round % 12) * 4096 + u32::try_from(dice.roll(4096)).unwrap();
        let child = Command::new("unshare")
            .args([
                "--user",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                SCRIPT,
                "sh",
            ])
            .arg(scene.records())
            .args([&room.to_string(), TENON])
            .current_dir(scene.records())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let output = finish(child);
        let read = |name| std::fs::read_to_string(scene.path(name)).unwrap_or_default();
        let (said, codes) = (read("output"), read("codes"));
        assert!(
            codes.starts_with("run "),
            "round {round}: {}",
            stderr(&output)
        );
        assert!(!said.contains("panicked"), "round {round}: {said}");
        assert_eq!(
            scene.left(),
            Vec::<String>::new(),
            "round {round}, {room} bytes free: {codes}{said}"
        );
        assert!(
            scene.puts().values().all(|count| *count == 1),
            "round {round}: {:?}",
            scene.puts()
        );
    }
}

fn may_mount() -> bool {
    let tried = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c"])
        .arg("mount -t tmpfs none /tmp")
        .stderr(Stdio::null())
        .status();
    tried.is_ok_and(|status| status.success())
}
