//! Plugins that fail: nothing is forgotten, and no secret is shown.

use std::fs;

use serde_json::Value;

use crate::outcome::Outcome;
use crate::shapes::pack;
use crate::workspace::{Workspace, trial};

const THING: &str =
    "resource \"puppet_thing\" \"a\" {\n  name   = \"one\"\n  secret = \"hunter2\"\n}\n";

fn apply(workspace: &Workspace, behaviour: &str) -> Outcome {
    workspace.behave(behaviour);
    let applied = workspace.run("apply -auto-approve");
    applied.says_nothing_of("hunter2");
    applied
}

fn ready(workspace: &Workspace, options: &str) {
    pack(workspace, options);
    workspace.configure("puppet", THING);
    workspace.init();
}

fn has_resources(workspace: &Workspace) -> bool {
    let resources = workspace.state()["resources"].clone();
    resources != Value::Array(Vec::new())
}

#[test]
fn a_create_that_fails_leaves_nothing() {
    trial(|workspace| {
        ready(workspace, "");
        let crashed = apply(workspace, "crash").fails();
        crashed
            .says("Could not create the resource")
            .says("about to fail with (sensitive)");
        crashed.says("Plugin: puppet, method resources/applyChange");
        crashed.says("Whether the change was made is unknown");
        assert!(!has_resources(workspace));
        let refused = apply(workspace, "refuse").fails();
        refused.says("no place for (sensitive)");
        assert!(!has_resources(workspace));
        let broken = apply(workspace, "print").fails();
        broken
            .says("Could not create the resource")
            .says("debugging");
    });
}

#[test]
fn a_create_whose_answer_is_wrong_is_kept_and_tainted() {
    trial(|workspace| {
        ready(workspace, "");
        let planned = "The state has what was planned, with null for what is unknown";
        for (behaviour, said, saved, name) in [
            (
                "wrong",
                "state.name in the answer to resources/applyChange: it differs from what was planned",
                "The state that the plugin returned is saved",
                "another",
            ),
            (
                "extra",
                "state in the answer to resources/applyChange: the attribute \"extra\" is not supported",
                planned,
                "one",
            ),
            (
                "nil",
                "state in the answer to resources/applyChange: it is nil",
                planned,
                "one",
            ),
            (
                "missing",
                "state in the answer to resources/applyChange: it is missing",
                planned,
                "one",
            ),
            (
                "unknown",
                "state.id in the answer to resources/applyChange: it is unknown",
                "The state that the plugin returned is saved, with null for what is unknown",
                "one",
            ),
            ("half", "Half done", "", "one"),
        ] {
            apply(workspace, behaviour).fails().says(said).says(saved);
            let instance = workspace.instance("puppet_thing");
            assert_eq!(instance["status"], "tainted", "{behaviour}");
            assert_eq!(instance["attributes"]["name"], name, "{behaviour}");
            workspace.run("state rm puppet_thing.a").succeeds();
        }
    });
}

#[test]
fn private_data_that_is_wrong_loses_no_state() {
    trial(|workspace| {
        ready(workspace, "");
        let said = "private in the answer to resources/applyChange: binary data is required";
        apply(workspace, "private").fails().says(said);
        let instance = workspace.instance("puppet_thing");
        assert_eq!(instance["attributes"]["id"], "1");
        assert_eq!(instance["status"], "tainted");
        workspace.run("state rm puppet_thing.a").succeeds();
        apply(workspace, "").succeeds();
        workspace.configure("puppet", &THING.replace("\"one\"", "\"two\""));
        apply(workspace, "private").fails().says(said);
        let instance = workspace.instance("puppet_thing");
        assert_eq!(instance["attributes"]["name"], "two");
    });
}

#[test]
fn a_diagnostic_shows_no_secret_of_the_state_beside_it() {
    trial(|workspace| {
        ready(workspace, "");
        workspace.configure(
            "puppet",
            "resource \"puppet_thing\" \"a\" {\n  name = \"one\"\n}\n",
        );
        workspace.behave("tell");
        let told = workspace.run("apply -auto-approve").succeeds();
        told.says("with (sensitive)")
            .says_nothing_of("made-by-the-plugin");
        let instance = workspace.instance("puppet_thing");
        assert_eq!(instance["attributes"]["secret"], "made-by-the-plugin");
    });
}

#[test]
fn secrets_of_the_environment_are_not_shown() {
    trial(|workspace| {
        ready(workspace, "--env PUPPET_TOKEN");
        workspace.behave("trace");
        let token = [("PUPPET_TOKEN", "token-of-the-environment")];
        let traced = workspace.run_with(&token, "plan").fails();
        traced
            .says("Traceback: cannot log in with (sensitive)")
            .says_nothing_of("token-of-the-environment");
        let plugin = workspace.plugin("puppet.py");
        let command = format!(
            "--env EXAMPLES --env PUPPET_TOKEN -- python3 {}",
            plugin.display()
        );
        for words in ["pack puppet --mirror mirror", "docs puppet --output docs"] {
            let refused = workspace.provider(&token, &format!("{words} {command}"));
            refused
                .says("Traceback: cannot log in with (sensitive)")
                .says_nothing_of("token-of-the-environment");
            assert_ne!(refused.code, Some(0), "{refused}");
        }
    });
}

#[test]
fn an_upgrade_that_answers_nil_forgets_nothing() {
    trial(|workspace| {
        ready(workspace, "");
        apply(workspace, "").succeeds();
        let file = workspace.path("terraform.tfstate");
        let mut state = workspace.state();
        // Written by an older version of the plugin: the schema is at version 1.
        assert_eq!(state["resources"][0]["instances"][0]["schema_version"], 1);
        state["resources"][0]["instances"][0]["schema_version"] = 0.into();
        fs::write(&file, state.to_string()).unwrap();
        let refused = apply(workspace, "forget").fails();
        refused
            .says("state in the answer to resources/upgrade: it is nil")
            .says("Plugin: puppet, method resources/upgrade");
        assert!(has_resources(workspace));
    });
}

/// The secrets of an old state may be other ones than those of the configuration.
#[test]
fn an_upgrade_that_fails_shows_no_secret_of_the_old_state() {
    trial(|workspace| {
        ready(workspace, "");
        apply(workspace, "").succeeds();
        let mut state = workspace.state();
        let instance = &mut state["resources"][0]["instances"][0];
        instance["schema_version"] = 0.into();
        instance["attributes"]["secret"] = "written-earlier".into();
        fs::write(workspace.path("terraform.tfstate"), state.to_string()).unwrap();
        apply(workspace, "quote")
            .fails()
            .says("cannot upgrade (sensitive)")
            .says_nothing_of("written-earlier");
        assert!(has_resources(workspace));
    });
}

#[test]
fn an_update_that_fails_keeps_the_state() {
    trial(|workspace| {
        ready(workspace, "");
        apply(workspace, "").succeeds();
        workspace.configure("puppet", &THING.replace("\"one\"", "\"two\""));
        let before = "The state has what it had before";
        for (behaviour, saved) in [
            ("crash", ""),
            ("refuse", ""),
            ("extra", before),
            ("nil", before),
            ("missing", before),
        ] {
            apply(workspace, behaviour).fails().says(saved);
            let instance = workspace.instance("puppet_thing");
            assert_eq!(instance["attributes"]["name"], "one", "{behaviour}");
            assert_eq!(instance["status"], Value::Null, "{behaviour}");
        }
        workspace.behave("undead");
        let kept = workspace.run("destroy -auto-approve").fails();
        kept.says("the resource still exists after delete")
            .says("The state that the plugin returned is saved, so the resource is not forgotten");
        assert!(has_resources(workspace));
        workspace.behave("");
        workspace.run("destroy -auto-approve").succeeds();
    });
}

#[test]
fn a_plugin_that_has_changed_is_refused() {
    trial(|workspace| {
        ready(workspace, "");
        let plugin = workspace.path("puppet.py");
        let text = fs::read_to_string(&plugin).unwrap();
        fs::write(&plugin, format!("{text}# changed\n")).unwrap();
        // The schema is that of the manifest, and the plugin has nothing to validate.
        workspace.run("validate").succeeds();
        let refused = workspace.run("plan").fails();
        refused
            .says("has changed since the plugin was packed")
            .says("tenon provider pack");
        // It was packed as another version since, which Terraform does not use by itself.
        ready_as(workspace, "2.0.0");
        let refused = workspace.run("plan").fails();
        refused
            .says("Version 2.0.0 of the provider was packed since: run `terraform init -upgrade` to use it")
            .says_nothing_of("tenon provider pack");
        workspace.run("init -upgrade").succeeds();
        workspace.run("plan -detailed-exitcode").has_changes();

        workspace.behave("schema");
        let refused = workspace.run("plan").fails();
        refused.says("its schema is not the one that was captured");

        // Methods that it did not have are not ignored either.
        workspace.behave("plan");
        let refused = workspace.run("plan").fails();
        refused
            .says(
                "it has the method resources/planChange, which it did not have when it was packed",
            )
            .says("tenon provider pack");
    });
}

#[test]
fn a_plugin_that_is_being_written_may_change() {
    trial(|workspace| {
        ready(workspace, "--dev");
        workspace.run("plan -detailed-exitcode").has_changes();
        workspace.behave("schema");
        workspace.configure(
            "puppet",
            &THING.replace("secret", "later = \"x\"\n  secret"),
        );
        workspace.run("plan -detailed-exitcode").has_changes();
    });
}

/// Packs the plugin as it is now.
fn ready_as(workspace: &Workspace, version: &str) {
    let options = format!("--env EXAMPLES --as-version {version}");
    let plugin = workspace.path("puppet.py");
    workspace.pack("puppet", &options, &plugin).succeeds();
}

#[test]
fn a_path_that_leads_nowhere_in_replace_is_refused() {
    trial(|workspace| {
        // Packing finds out which methods the plugin has.
        workspace.behave("replace nothing");
        ready(workspace, "");
        apply(workspace, "").succeeds();
        workspace.configure("puppet", &THING.replace("\"one\"", "\"two\""));
        workspace.behave("replace nothing");
        let refused = workspace.run("plan").fails();
        refused.says(
            "replace in the answer to resources/planChange: a path in it does not match any attribute",
        );
    });
}

#[test]
fn a_provider_with_blocks_alone_is_validated() {
    trial(|workspace| {
        // The schema has the block when it is packed, too.
        workspace.behave("login");
        ready(workspace, "");
        let text =
            format!("provider \"puppet\" {{\n  login {{\n    user = \"me\"\n  }}\n}}\n{THING}");
        workspace.configure("puppet", &text);
        let refused = workspace.run("plan").fails();
        refused.says("Nobody is called me");
    });
}
