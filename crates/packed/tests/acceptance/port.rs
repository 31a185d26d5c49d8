//! Terraform and a packed provider over TCP, as on Windows.

use crate::lives::configure;
use crate::workspace::{example, trial};

const NOTE: &str = "resource \"notes_note\" \"a\" {\n  title = \"one\"\n}\n";

#[test]
fn a_note_lives_its_life_over_tcp() {
    trial(|workspace| {
        let notes = example("python/notes.py");
        workspace.pack("notes", "", &notes).succeeds();
        configure(workspace, NOTE);
        workspace.init();
        let log = workspace.path("log");
        let variables = [
            ("TENON_PROVIDER_NETWORK", "tcp"),
            ("TF_LOG_PROVIDER", "debug"),
            ("TF_LOG_PATH", log.to_str().unwrap()),
        ];
        let run = |words| workspace.run_with(&variables, words);
        run("apply -auto-approve").succeeds();
        assert_eq!(workspace.attributes("notes_note")["title"], "one");
        run("plan -detailed-exitcode").succeeds();
        run("destroy -auto-approve").succeeds();
        assert!(workspace.addresses().is_empty());
        let log = std::fs::read_to_string(log).unwrap();
        assert!(log.contains("network=tcp"), "{log}");
        assert!(!log.contains("network=unix"), "{log}");
    });
}
