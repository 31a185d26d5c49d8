//! `tenon run`.

use crate::workspace::trial;

#[test]
fn a_scenario_runs_its_action() {
    trial(|workspace| {
        workspace.copy("demo.hcl", "demo.hcl");
        let run = workspace.tenon(&["run", "demo.hcl"]).succeeds();
        run.says("ok action.publish.oslo");
        run.says("lines = 2");
        assert_eq!(
            workspace.read("oslo.txt"),
            "day 1: 5 C, rain\nday 2: 6 C, clear\n"
        );
    });
}

#[test]
fn what_is_wrong_is_found_before_and_during_the_run() {
    trial(|workspace| {
        workspace.copy("demo.hcl", "demo.hcl");
        let text = workspace.read("demo.hcl");
        workspace.write("demo.hcl", &text.replace("days = 2", "dyas = 2"));
        let plan = workspace.tenon(&["plan", "demo.hcl"]);
        assert_ne!(plan.code, Some(0), "{plan}");
        plan.says("days");
        workspace.write("demo.hcl", &text.replace("\"Oslo\"", "\"Atlantis\""));
        let run = workspace.tenon(&["run", "demo.hcl"]);
        assert_ne!(run.code, Some(0), "{run}");
        run.says("city: unknown city \"Atlantis\"; known cities are Lisbon, Nairobi and Oslo");
    });
}
