//! The state of Terraform in a plugin.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::workspace::{Workspace, examples, puppet, trial};

const CONFIGURATION: &str = r#"
terraform {
  backend "http" {}
}
variable "input" { default = "one" }
resource "terraform_data" "a" { input = var.input }
"#;

fn state(workspace: &Workspace, name: &str) -> Value {
    let text = fs::read_to_string(workspace.path(&format!("states/{name}.tfstate"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_plugin_keeps_the_state() {
    trial(|workspace| {
        workspace.write("main.tf", CONFIGURATION);
        let store = examples().join("store.py");
        let text = format!(
            "plugin \"store\" {{\n  command = [\"python3\", \"{}\", \"states\"]\n}}\nstorage = \"store\"\n",
            store.display()
        );
        workspace.write("tenon.hcl", &text);
        workspace.run("init").succeeds();
        workspace.run("apply -auto-approve").succeeds();
        assert_eq!(state(workspace, "default")["serial"], 1);
        workspace.run("plan -detailed-exitcode").succeeds();
        let list = workspace.run("state list").succeeds();
        assert_eq!(list.stdout.trim(), "terraform_data.a");
        workspace
            .run("apply -auto-approve -var input=two")
            .succeeds();
        assert_eq!(state(workspace, "default")["serial"], 2);

        // Another client holds the lock.
        let lock = r#"{"lockId": "x", "info": "{\"ID\":\"held\",\"Who\":\"ann@desk\",\"Operation\":\"plan\"}"}"#;
        workspace.write("states/default.lock", lock);
        let locked = workspace.run("plan");
        assert_eq!(locked.code, Some(1), "{locked}");
        locked
            .says("LOCK /lock/default: the state is locked by ann@desk for plan, lock held")
            .says("hint: if nothing uses it, run `tenon terraform force-unlock held`");
        workspace.run("force-unlock -force held").succeeds();
        workspace.run("plan").succeeds();
        workspace.run("destroy -auto-approve").succeeds();
        assert!(!workspace.path("states/default.lock").exists());
        assert!(!workspace.path("terraform.tfstate").exists());
    });
}

#[test]
fn a_server_prints_what_a_shell_needs() {
    trial(|workspace| {
        workspace.write("main.tf", CONFIGURATION);
        let store = examples().join("store.py");
        let store = store.to_str().unwrap();
        let words = [
            "state",
            "serve",
            "--workspace",
            "team/one",
            "--",
            "python3",
            store,
            "states",
        ];
        let mut server = workspace.start(&words);
        // The output ends while the server runs, so that a shell that reads it goes on.
        let stdout = BufReader::new(server.stdout.take().unwrap());
        let variables: Vec<(String, String)> = stdout
            .lines()
            .map(|line| {
                let line = line.unwrap();
                let (name, value) = line
                    .strip_prefix("export ")
                    .unwrap()
                    .split_once('=')
                    .unwrap();
                (name.to_owned(), value.trim_matches('\'').to_owned())
            })
            .collect();
        assert_eq!(variables.len(), 9);
        assert_eq!(variables[8].0, "TENON_STATE_PID");
        workspace.terraform("init", &variables).succeeds();
        workspace
            .terraform("apply -auto-approve", &variables)
            .succeeds();
        assert_eq!(state(workspace, "team/one")["serial"], 1);
        let mut wrong = variables.clone();
        wrong[4].1 = "guess".into();
        let refused = workspace.terraform("plan", &wrong);
        assert_eq!(refused.code, Some(1), "{refused}");

        let id = Pid::from_raw(i32::try_from(server.id()).unwrap()).unwrap();
        kill_process(id, Signal::TERM).unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        let status = loop {
            match server.try_wait().unwrap() {
                Some(status) => break status,
                None => assert!(Instant::now() < deadline, "it does not end"),
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        assert!(status.success(), "{status}");
        let mut said = String::new();
        server.stderr.unwrap().read_to_string(&mut said).unwrap();
        assert!(said.contains("the password is wrong"), "{said}");
        assert!(!said.contains(&variables[4].1), "{said}");
    });
}

#[test]
fn a_plugin_without_storage_is_refused() {
    trial(|workspace| {
        let cost = examples().join("cost.py");
        let words = ["state", "serve", "--", "python3", cost.to_str().unwrap()];
        let output = workspace.start(&words).wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains("the plugin has no storage"), "{said}");
        let words = [
            "state",
            "serve",
            "--listen",
            "0.0.0.0:0",
            "--",
            "python3",
            "x",
        ];
        let output = workspace.start(&words).wait_with_output().unwrap();
        assert_ne!(output.status.code(), Some(0));
    });
}

#[test]
fn storage_and_hooks_work_together() {
    trial(|workspace| {
        workspace.write("main.tf", CONFIGURATION);
        let store = examples().join("store.py");
        let text = format!(
            "{}plugin \"store\" {{\n  command = [\"python3\", \"{}\", \"states\"]\n}}\n\
             hooks = [\"puppet\"]\nstorage = \"store\"\n",
            puppet(
                "puppet",
                r#"{ answers = { postPlan = { metadata = { cost = 7 } } } }"#,
                ""
            ),
            store.display()
        );
        workspace.write("tenon.hcl", &text);
        workspace.run("init").succeeds();
        workspace.run("plan -out=saved").succeeds();
        workspace.run("apply saved").succeeds();
        let kept = state(workspace, "default");
        let notes = fs::read_to_string(workspace.path(".tenon/metadata.json")).unwrap();
        let notes: Value = serde_json::from_str(&notes).unwrap();
        let lineage = kept["lineage"].as_str().unwrap();
        let noted = &notes["lineages"][lineage]["1"]["terraform_data.a"]["puppet"];
        assert_eq!(noted["cost"], 7, "{notes}");
        let calls = workspace.calls();
        let applied = calls
            .iter()
            .find(|call| call["hook"] == "postApply")
            .unwrap();
        assert_eq!(applied["after"]["input"], "one");

        // A state of its own for each name.
        let team = [("TF_WORKSPACE", "team/one")];
        workspace
            .run_with("apply -auto-approve -var input=two", "", &team)
            .succeeds();
        assert_eq!(state(workspace, "team/one")["serial"], 1);
        workspace.run("plan -detailed-exitcode").succeeds();
        workspace.run("refresh").succeeds();
        let other = workspace.run_with("output -json", "", &team).succeeds();
        assert_eq!(other.stdout.trim(), "{}");
        workspace
            .run_with("destroy -auto-approve", "", &team)
            .succeeds();
        workspace.run("destroy -auto-approve").succeeds();
        assert_eq!(
            state(workspace, "default")["resources"],
            Value::Array(Vec::new())
        );
        assert!(!workspace.path("terraform.tfstate").exists());
        // Commands without a state do not start the plugin.
        fs::remove_dir_all(workspace.path("states")).unwrap();
        workspace.write("tenon.hcl", &text.replace("store.py", "missing.py"));
        workspace.run("fmt").succeeds();
        workspace.run("version").succeeds();
    });
}

#[test]
fn a_configuration_without_the_http_backend_is_refused() {
    trial(|workspace| {
        let store = examples().join("store.py");
        let text = format!(
            "plugin \"store\" {{\n  command = [\"python3\", \"{}\", \"states\"]\n}}\nstorage = \"store\"\n",
            store.display()
        );
        workspace.write("tenon.hcl", &text);
        workspace.write("main.tf", "resource \"terraform_data\" \"a\" {}\n");
        for command in ["init", "plan", "apply -auto-approve", "state list"] {
            let refused = workspace.run(command);
            assert_eq!(refused.code, Some(1), "{refused}");
            refused.says("tenon.hcl keeps the state in the plugin \"store\", but the configuration has no backend");
            refused.says("backend \"http\" {}");
        }
        workspace.write("backend.tf", "terraform {\n  backend \"local\" {}\n}\n");
        let refused = workspace.run("init");
        assert_eq!(refused.code, Some(1), "{refused}");
        refused.says("the configuration has the backend \"local\"");
        assert!(!workspace.path("states").exists());
        // Without plugins it is Terraform's own affair.
        workspace.run("--no-plugins init").succeeds();
        workspace.run("--no-plugins apply -auto-approve").succeeds();
        // A state that exists is moved into the plugin.
        workspace.write("backend.tf", "terraform {\n  backend \"http\" {}\n}\n");
        workspace.run("init -migrate-state -force-copy").succeeds();
        let moved = state(workspace, "default");
        assert_eq!(moved["resources"].as_array().unwrap().len(), 1);
        workspace.run("plan -detailed-exitcode").succeeds();
    });
}

/// Projects that share a storage have states of their own.
#[test]
fn a_project_names_its_state() {
    trial(|workspace| {
        workspace.write("main.tf", CONFIGURATION);
        let store = examples().join("store.py");
        let text = format!(
            "plugin \"store\" {{\n  command = [\"python3\", \"{}\", \"states\"]\n}}\nstorage = \"store\"\n\
             state = \"team/app\"\n",
            store.display()
        );
        workspace.write("tenon.hcl", &text);
        workspace.run("init").succeeds();
        workspace.run("apply -auto-approve").succeeds();
        assert_eq!(state(workspace, "team/app")["serial"], 1);
        let staging = [("TF_WORKSPACE", "staging")];
        workspace
            .run_with("apply -auto-approve", "", &staging)
            .succeeds();
        assert_eq!(state(workspace, "team/app/staging")["serial"], 1);
        assert!(!workspace.path("states/default.tfstate").exists());
        workspace.write("tenon.hcl", &text.replace("team/app", "../app"));
        let refused = workspace.run("plan").fails();
        refused.says("`state` in tenon.hcl: \"../app\" is not a name of a state");
    });
}

/// Terraform would prefer such settings to the variables, and send the password of the run along.
#[test]
fn settings_of_another_server_are_refused() {
    trial(|workspace| {
        let store = examples().join("store.py");
        let text = format!(
            "plugin \"store\" {{\n  command = [\"python3\", \"{}\", \"states\"]\n}}\nstorage = \"store\"\n",
            store.display()
        );
        workspace.write("tenon.hcl", &text);
        // Nobody listens there.
        let block = "backend \"http\" {\n    address = \"http://127.0.0.1:9\"\n  }";
        let elsewhere = CONFIGURATION.replace("backend \"http\" {}", block);
        workspace.write("main.tf", &elsewhere);
        for command in ["init", "plan", "state list"] {
            let refused = workspace.run(command).fails();
            refused
                .says("the block `backend \"http\"` has settings of another server")
                .says("keep it: address")
                .says("tenon terraform init -reconfigure");
        }
        workspace.write("main.tf", CONFIGURATION);
        let refused = workspace.run("init -backend-config=address=http://127.0.0.1:9");
        refused
            .fails()
            .says("-backend-config has settings of another server");
        let remembered = r#"{"version": 3, "terraform_version": "1.11.4", "backend": {"type": "http",
            "config": {"address": "http://127.0.0.1:9", "username": null}, "hash": 1}}"#;
        std::fs::create_dir(workspace.path(".terraform")).unwrap();
        workspace.write(".terraform/terraform.tfstate", remembered);
        for command in ["init", "plan"] {
            let refused = workspace.run(command).fails();
            refused.says("an earlier init has remembered settings of another server");
        }
        workspace.run("init -reconfigure").succeeds();
        workspace.run("apply -auto-approve").succeeds();
        assert_eq!(state(workspace, "default")["serial"], 1);
    });
}

/// The state cannot be saved any more: Terraform keeps it in a file, and the lock is there to be explained.
#[test]
fn a_kill_with_storage_loses_no_state() {
    trial(|workspace| {
        let slow = format!(
            "{CONFIGURATION}resource \"terraform_data\" \"b\" {{\n  input = terraform_data.a.id\n  \
             provisioner \"local-exec\" {{ command = \"touch begun; exec sleep 1000\" }}\n}}\n"
        );
        workspace.write("main.tf", &slow);
        let store = examples().join("store.py");
        let text = format!(
            "plugin \"store\" {{\n  command = [\"python3\", \"{}\", \"states\"]\n}}\nstorage = \"store\"\n",
            store.display()
        );
        workspace.write("tenon.hcl", &text);
        workspace.run("init").succeeds();
        let running = workspace.begin("apply -auto-approve");
        workspace.wait_for("begun");
        running.signal(Signal::KILL);
        running.ended();
        workspace.until_nobody_is_left();
        let lost = fs::read_to_string(workspace.path("errored.tfstate")).unwrap();
        assert!(lost.contains("\"name\": \"a\""), "{lost}");
        let locked = workspace.run("plan").fails();
        let id = locked.stderr.split("ID=").nth(1).unwrap();
        let id = id
            .split(|letter: char| letter.is_whitespace())
            .next()
            .unwrap();
        workspace
            .run(&format!("force-unlock -force {id}"))
            .succeeds();
        workspace.run("state push errored.tfstate").succeeds();
        workspace
            .run("state list")
            .succeeds()
            .says("terraform_data.a");
    });
}

/// The words that start a server in front of a store.
fn serve(options: &str) -> String {
    let store = examples().join("store.py");
    let (tenon, store) = (env!("CARGO_BIN_EXE_tenon"), store.display());
    format!("{tenon} state serve {options} -- python3 {store} states")
}

#[test]
fn a_server_ends_with_the_shell_that_reads_its_variables() {
    trial(|workspace| {
        // Ctrl-C is for the group of the shell and its commands, which the server is not in.
        let lines = format!(
            "set -e\n. <({})\ngroup=$(cut -d' ' -f5 /proc/$TENON_STATE_PID/stat)\n[ $group = $TENON_STATE_PID ]\n\
             [ -n \"$TF_HTTP_PASSWORD\" ]\n",
            serve("")
        );
        workspace.write("script", &lines);
        workspace.shell("bash script");
        workspace.until_nobody_is_left();
    });
}

#[test]
fn variables_in_a_file_are_for_their_owner_alone() {
    trial(|workspace| {
        // A script that starts it in the background keeps Ctrl-C for itself.
        let lines = format!(
            "{} &\nuntil [ -e state.env ]; do sleep 0.01; done\nstat -c %a state.env > mode\n. ./state.env\n\
             kill -INT $TENON_STATE_PID\nkill -TERM $TENON_STATE_PID\nwait $! && touch ended\n",
            serve("--env-file state.env")
        );
        workspace.write("script", &lines);
        workspace.shell("sh script");
        let mode = fs::read_to_string(workspace.path("mode")).unwrap();
        assert_eq!(mode.trim(), "600");
        assert!(!workspace.path("state.env").exists() && workspace.path("ended").exists());
        workspace.until_nobody_is_left();
    });
}

#[test]
fn secrets_of_the_environment_of_a_storage_are_not_shown() {
    trial(|workspace| {
        workspace.write("main.tf", CONFIGURATION);
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../state/tests/puppet_store.py"
        );
        let text = format!(
            "plugin \"store\" {{\n  command = [\"python3\", \"{script}\", \"{}\", \"states\"]\n  \
             env = [\"STORE_TOKEN\"]\n}}\nstorage = \"store\"\n",
            examples().display()
        );
        workspace.write("tenon.hcl", &text);
        let secret = "token-of-the-store";
        let variables = [("STORE_TOKEN", secret), ("TF_HTTP_RETRY_MAX", "0")];
        let run = |words: &str| workspace.run_with(words, "", &variables);
        run("init").succeeds();
        workspace.write("faults.json", r#"{ "read": { "how": "tell" } }"#);
        for words in ["plan", "--verbose plan"] {
            let failed = run(words).fails();
            failed
                .says("store: cannot log in with (sensitive)")
                .says("store: [WARN] uses (sensitive) free=0")
                .says("no access for (sensitive)")
                .says_nothing_of(secret);
        }
        workspace.write("broken", "");
        let refused = run("plan");
        assert_eq!(refused.code, Some(3), "{refused}");
        refused
            .says("the disk is gone: (sensitive)")
            .says_nothing_of(secret);
    });
}
