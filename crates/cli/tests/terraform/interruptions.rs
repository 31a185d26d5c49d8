//! Signals to `tenon terraform`, and its sudden end, at each stage of a command.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::workspace::{Workspace, names, trial};

const CONFIGURATION: &str =
    "resource \"terraform_data\" \"a\" { input = sensitive(\"hunter2\") }\n";

/// An apply that takes long.
const SLOW: &str = "resource \"terraform_data\" \"a\" { input = sensitive(\"hunter2\") }\n\
    resource \"terraform_data\" \"b\" {\n  input = terraform_data.a.id\n  \
    provisioner \"local-exec\" { command = \"touch begun; exec sleep 1000\" }\n}\n";

/// A plan that waits for an answer of this server.
fn slow_plan(server: &TcpListener) -> String {
    let address = server.local_addr().unwrap();
    format!(
        "data \"terraform_remote_state\" \"slow\" {{\n  backend = \"http\"\n  \
         config = {{ address = \"http://{address}\", retry_max = 0 }}\n}}\n{CONFIGURATION}"
    )
}

/// The request of a plan that is under way.
fn request(server: &TcpListener) -> TcpStream {
    server.set_nonblocking(true).unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        match server.accept() {
            Ok((mut stream, _)) => {
                stream.set_nonblocking(false).unwrap();
                let mut begun = [0; 3];
                stream.read_exact(&mut begun).unwrap();
                return stream;
            }
            Err(_) => assert!(Instant::now() < deadline, "the plan asks for nothing"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether these tests run below `nohup`: then so does `tenon`, which ignores SIGHUP as it should.
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = u64::from_str_radix(ignored.unwrap().trim(), 16).unwrap();
    ignored & 1 != 0
}

/// After a sudden end: no process is left, no plan is left, and the next command works.
fn check_the_rest(workspace: &Workspace) {
    workspace.until_nobody_is_left();
    let is_plan = |content: &[u8]| content.starts_with(b"PK");
    for (path, content) in workspace.files() {
        assert!(!is_plan(&content), "a plan is left: {}", path.display());
    }
    // Nor is one where temporary files are.
    let left: Vec<_> = std::fs::read_dir(workspace.path("tmp")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    workspace.write("go", "");
    workspace.project(CONFIGURATION, "{}", "");
    workspace.calls();
    workspace.run("apply -auto-approve").succeeds();
}

fn prepared(workspace: &Workspace, configuration: &str, config: &str) {
    workspace.project(configuration, config, "");
    workspace.run("init").succeeds();
    workspace.calls();
}

#[test]
fn a_kill_in_the_middle_of_a_plan_leaves_nothing() {
    trial(|workspace| {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        prepared(workspace, &slow_plan(&server), "{}");
        let running = workspace.begin("apply -auto-approve");
        let request = request(&server);
        running.signal(Signal::KILL);
        running.ended();
        // Terraform was interrupted. What it waits for cannot be interrupted, so it ends after the answer.
        drop((request, server));
        check_the_rest(workspace);
    });
}

#[test]
fn a_kill_between_plan_and_apply_leaves_nothing() {
    trial(|workspace| {
        prepared(
            workspace,
            CONFIGURATION,
            r#"{ acts = { preApply = ["wait"] } }"#,
        );
        let running = workspace.begin("apply -auto-approve");
        workspace.wait_for("waiting-preApply");
        running.signal(Signal::KILL);
        running.ended();
        workspace.until_nobody_is_left();
        assert!(!workspace.path("terraform.tfstate").exists());
        check_the_rest(workspace);
    });
}

#[test]
fn a_kill_in_the_middle_of_an_apply_lets_terraform_save_the_state() {
    trial(|workspace| {
        prepared(workspace, SLOW, "{}");
        let running = workspace.begin("apply -auto-approve");
        workspace.wait_for("begun");
        running.signal(Signal::KILL);
        running.ended();
        workspace.until_nobody_is_left();
        // What was created is known, and the lock is released.
        let state = std::fs::read_to_string(workspace.path("terraform.tfstate")).unwrap();
        assert!(state.contains("\"name\": \"a\""), "{state}");
        assert!(!workspace.path(".terraform.tfstate.lock.info").exists());
        check_the_rest(workspace);
    });
}

#[test]
fn a_kill_after_the_apply_leaves_the_state() {
    trial(|workspace| {
        let config = r#"{ acts = { postApply = ["wait"] }, answers = { postPlan = { metadata = { a = 1 } } } }"#;
        prepared(workspace, CONFIGURATION, config);
        let running = workspace.begin("apply -auto-approve");
        workspace.wait_for("waiting-postApply");
        running.signal(Signal::KILL);
        running.ended();
        assert!(workspace.path("terraform.tfstate").exists());
        // There are no notes yet, or all of them.
        assert!(!Path::new(&workspace.path(".tenon/metadata.json")).exists());
        check_the_rest(workspace);
    });
}

#[test]
fn an_interrupt_is_passed_on_to_terraform_once() {
    trial(|workspace| {
        prepared(workspace, SLOW, "{}");
        // Terraform would end at once with SIGHUP, so it gets SIGTERM. Below `nohup` it is ignored.
        let hang_up = (!ignores_hang_up()).then_some(Signal::HUP);
        for signal in [Signal::INT, Signal::TERM].into_iter().chain(hang_up) {
            let running = workspace.begin("apply -auto-approve");
            workspace.wait_for("begun");
            running.signal(signal);
            let ended = running.ended().fails();
            ended
                .says("Interrupt received")
                .says_nothing_of("Two interrupts received");
            assert_eq!(names(&workspace.calls()).last(), Some(&"applyStageFailed"));
            assert!(!workspace.path(".terraform.tfstate.lock.info").exists());
            std::fs::remove_file(workspace.path("begun")).unwrap();
        }
    });
}

#[test]
fn an_interrupted_plan_is_not_applied() {
    trial(|workspace| {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        prepared(workspace, &slow_plan(&server), "{}");
        let running = workspace.begin("apply -auto-approve");
        let request = request(&server);
        running.signal(Signal::INT);
        drop((request, server));
        let ended = running.ended();
        assert!(matches!(ended.code, Some(1 | 130)), "{ended}");
        assert!(!workspace.path("terraform.tfstate").exists());
        let calls = workspace.calls();
        assert!(!names(&calls).contains(&"applyStageStart"), "{calls:?}");
    });
}

#[test]
fn an_interrupt_during_a_hook_stops_the_command() {
    trial(|workspace| {
        for (number, hook) in ["planStageStart", "postPlan", "preApply"]
            .iter()
            .enumerate()
        {
            let config = format!("{{ acts = {{ {hook} = [\"wait\"] }} }}");
            workspace.project(CONFIGURATION, &config, "");
            if number == 0 {
                workspace.run("init").succeeds();
            }
            let running = workspace.begin("apply -auto-approve");
            workspace.wait_for(&format!("waiting-{hook}"));
            running.signal(Signal::INT);
            let ended = running.ended();
            assert_eq!(ended.code, Some(130), "{ended}");
            ended
                .says(&format!("failed puppet {hook}"))
                .says("interrupted");
            assert!(!workspace.path("terraform.tfstate").exists());
        }
    });
}

/// A store whose writes hang.
const HANGING: &str = r#"
import os, sys, time
sys.path.insert(0, os.environ["EXAMPLES"])
from seasonings import serve, storage
from store import FolderStore
handlers = storage(FolderStore("states"))
def hang(params):
    print("the disk is far away", file=sys.stderr, flush=True)
    open("writing", "w").close()
    time.sleep(1000)
handlers["storage/write"] = hang
serve("hanging", "1", handlers)
"#;

fn hanging(workspace: &Workspace, rest: &str) {
    workspace.write("hanging.py", HANGING);
    let configuration = format!("terraform {{\n  backend \"http\" {{}}\n}}\n{CONFIGURATION}");
    workspace.write("main.tf", &configuration);
    workspace.write(
        "tenon.hcl",
        &format!(
            "plugin \"store\" {{\n  command = [\"python3\", \"hanging.py\"]\n  env = [\"EXAMPLES\"]\n}}\n\
             storage = \"store\"\n{rest}"
        ),
    );
    workspace.run("init").succeeds();
}

#[test]
fn the_second_interrupt_ends_everything() {
    trial(|workspace| {
        hanging(workspace, "");
        let running = workspace.begin("apply -auto-approve");
        workspace.wait_for("writing");
        running.signal(Signal::INT);
        workspace.until("the first interrupt", || {
            let said = std::fs::read_to_string(workspace.path("stdout")).unwrap();
            said.contains("Interrupt received")
        });
        running.signal(Signal::INT);
        let ended = running.ended();
        assert_eq!(ended.code, Some(130), "{ended}");
        ended
            .says("warning: the state default is still locked")
            .says("hint: if nothing uses it, run `tenon terraform force-unlock ");
        workspace.until_nobody_is_left();
    });
}

#[test]
fn a_storage_that_hangs_is_given_up_after_its_time() {
    trial(|workspace| {
        hanging(workspace, "storage_timeout_seconds = 0.5\n");
        let failed = workspace.run("apply -auto-approve").fails();
        failed.says("the storage has not answered within 0.5 s");
        // What it wrote to stderr is shown without --verbose.
        failed.says("store: the disk is far away");
    });
}
