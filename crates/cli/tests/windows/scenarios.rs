//! Scenarios with the built-in providers: planned, run and undone.

use std::path::Path;

use crate::is_held;
use crate::program::{Place, until};

/// The record of the only run.
fn record(folder: &Path) -> String {
    let names = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut records: Vec<String> = { names }
        .filter(|name| name.starts_with("orchard_") && name.ends_with(".json"))
        .collect();
    assert_eq!(records.len(), 1, "{records:?}");
    records.remove(0)
}

#[test]
fn the_first_scenario_runs_and_is_undone() {
    let place = Place::new();
    place.tenon(["init"]).printed();
    let scenario = r"scenarios\hello.hcl";
    let plan = place.tenon(["plan", scenario]).printed();
    assert!(plan.contains("sqlite_query"), "{plan}");
    let ran = place.tenon(["run", scenario]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("merchant 1 has 2 customers"), "{ran:?}");
    let undone = place.tenon(["teardown", &record(&place.folder())]);
    assert_eq!(undone.code, Some(0), "{undone:?}");
}

/// The one that the README begins with: it names no program that only Unix has.
#[test]
fn the_first_example_runs() {
    let place = Place::new();
    let example = include_str!("../../../../examples/hello/hello.hcl");
    place.write("hello.hcl", example);
    let ran = place.tenon(["run", "hello.hcl"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(
        ran.stdout.contains(": 3 products are on the shelf"),
        "{ran:?}"
    );
}

/// With line ends as they are, in a scenario that was written on Windows.
#[test]
fn files_are_written_and_removed() {
    let place = Place::new();
    let scenario = r#"scenario "files" {
  required_providers {
    file = { source = "builtin/file" }
    exec = { source = "builtin/exec" }
  }
  provider "file" {
    dir = "out"
  }
  action "file_directory" "long" {
    path = "Füße"
  }
  action "file_write" "one" {
    depends_on = [action.file_directory.long]
    path       = "Füße/grüße.txt"
    content    = "a\r\nb\n"
    lifecycle {
      teardown {
        path   = "Füße/grüße.txt"
        delete = true
      }
    }
  }
  action "exec_run" "shell" {
    command = "cmd"
    args    = ["/d", "/c", "echo done"]
  }
  output "said" {
    value = action.exec_run.shell.stdout
  }
}
"#;
    place.write("files.hcl", &scenario.replace('\n', "\r\n"));
    std::fs::create_dir(place.path("out")).unwrap();
    let ran = place.tenon(["run", "files.hcl"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let written = place.path("out").join("Füße").join("grüße.txt");
    assert_eq!(std::fs::read_to_string(&written).unwrap(), "a\r\nb\n");
    let undone = place.tenon(["teardown", &record(&place.folder())]);
    assert_eq!(undone.code, Some(0), "{undone:?}");
    assert!(!written.exists());
}

/// What was done is not done again, and what may have been done only on request.
#[test]
fn a_killed_run_is_resumed() {
    let place = Place::new();
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let (_, command) = place.task("hold-once");
    let arguments: Vec<String> = command[1..].iter().map(|word| quoted(word)).collect();
    let step = |name: &str, after: &str| {
        format!(
            "  action \"exec_run\" \"{name}\" {{\n    {after}\n    command = \"cmd\"\n    \
             args    = [\"/d\", \"/c\", \"echo {name}>>done.txt\"]\n  }}\n"
        )
    };
    let scenario = format!(
        "scenario \"killed\" {{\n  required_providers {{\n    exec = {{ source = \"builtin/exec\" }}\n  }}\n{}  \
         action \"exec_run\" \"second\" {{\n    depends_on = [action.exec_run.first]\n    command = {}\n    \
         args    = [{}]\n    env     = {{ TENON_TEST_TASK = \"hold-once\", TENON_TEST_FILE = {} }}\n  }}\n{}}}\n",
        step("first", ""),
        quoted(&command[0]),
        arguments.join(", "),
        quoted(place.held().to_str().unwrap()),
        step("third", "depends_on = [action.exec_run.second]")
    );
    place.write("killed.hcl", &scenario);
    let running = place.start(["run", "killed.hcl"]);
    until("the second action runs", || is_held(&place.held()));
    running.kill();
    until("the second action has gone", || !is_held(&place.held()));
    let record = record(&place.folder());
    let refused = place.tenon(["run", "--resume", &record]).failed(2);
    assert!(refused.contains("action.exec_run.second"), "{refused}");
    let resumed = place.tenon(["run", "--resume", &record, "--redo-maybe"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert_eq!(place.read("done.txt"), "first\r\nthird\r\n");
}

/// A file of such a name cannot exist: what is written to it goes elsewhere.
#[test]
fn names_of_devices_and_streams_are_not_files() {
    let place = Place::new();
    for name in ["CON", "nul.txt", "COM1", "ab:stream", "out/AUX", "dot."] {
        place.write(
            "device.hcl",
            &format!(
                "scenario \"device\" {{\n  required_providers {{\n    file = {{ source = \"builtin/file\" }}\n  }}\n  \
                 action \"file_write\" \"one\" {{\n    path    = \"{name}\"\n    content = \"x\"\n  }}\n}}\n"
            ),
        );
        let refused = place.tenon(["run", "device.hcl"]);
        assert_ne!(refused.code, Some(0), "{name}: {refused:?}");
        assert!(
            refused.stderr.contains("name of a file"),
            "{name}: {refused:?}"
        );
    }
    for name in ["con", "nul", "com1"] {
        place.tenon(["new", name, "--lang", "python"]).failed(2);
    }
}

/// With a `dir`, another machine is not even asked.
#[test]
fn a_share_is_not_looked_for_behind_a_fence() {
    let place = Place::new();
    std::fs::create_dir(place.path("inside")).unwrap();
    for path in [
        r"\\\\host.invalid\\share\\x",
        r"\\\\?\\UNC\\host.invalid\\share\\x",
        r"\\\\.\\pipe\\x",
    ] {
        place.write(
            "share.hcl",
            &format!(
                "scenario \"share\" {{\n  required_providers {{\n    file = {{ source = \"builtin/file\" }}\n  }}\n  \
                 provider \"file\" {{\n    dir = \"inside\"\n  }}\n  \
                 action \"file_write\" \"one\" {{\n    path    = \"{path}\"\n    content = \"x\"\n  }}\n}}\n"
            ),
        );
        let refused = place.tenon(["run", "share.hcl"]);
        assert_ne!(refused.code, Some(0), "{path}: {refused:?}");
        assert!(
            refused.stderr.contains("leads out of the provider's dir"),
            "{path}: {refused:?}"
        );
    }
}

#[test]
fn a_new_plugin_has_what_starts_it() {
    let place = Place::new();
    let created = place.tenon(["new", "weather", "--lang", "python"]);
    assert_eq!(created.code, Some(0), "{created:?}");
    // Only what this system has.
    assert!(created.stderr.contains(r"  .\test  "), "{created:?}");
    let text = created.stderr.clone() + &place.read("weather/README.md");
    assert!(!text.contains("tenon dev"), "{text}");
    let launcher = place.read("weather/weather.cmd");
    assert!(
        launcher.contains("weather.py") && launcher.ends_with("\r\n"),
        "{launcher}"
    );
    assert!(place.path("weather/test.cmd").exists());
}
