//! Attempts to get out of the sandbox, and ordinary work inside it.

#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::io::Write;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::io::FdFlags;
use support::{ANSWER, Script, watched};
use tenon_host::{
    Capture, CaptureError, Captured, Grant, Permission, Permissions, PluginCommand, Process,
};

const HOSTILE: &str = include_str!("sandbox/hostile.py");
const ORDINARY: &str = include_str!("sandbox/ordinary.py");

/// A folder with what a plugin may use and what it may not.
struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    fn new(script: &str) -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let scene = Scene { folder };
        for name in ["plugin", "data", "out", "home/.ssh", "outside"] {
            fs::create_dir_all(scene.path(name)).unwrap();
        }
        fs::write(scene.path("plugin/plugin.py"), script).unwrap();
        fs::write(scene.path("plugin/beside.py"), "VALUE = 42\n").unwrap();
        fs::write(scene.path("data/in.json"), r#"{"a": 1}"#).unwrap();
        fs::write(scene.path("home/.ssh/id"), "secret").unwrap();
        fs::write(scene.path("outside/readable"), "text").unwrap();
        scene
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn command(&self) -> PluginCommand {
        PluginCommand::new("python3")
            .arg(self.path("plugin/plugin.py"))
            .folder(self.path("plugin"))
            // Or Python would try to write what it compiled.
            .variable("PYTHONDONTWRITEBYTECODE", "1")
    }
}

async fn run(command: &PluginCommand) -> Result<Captured, CaptureError> {
    let capture = Capture {
        time_limit: Some(Duration::from_secs(50)),
        ..Capture::default()
    };
    capture.run(command).await
}

async fn output(command: &PluginCommand) -> String {
    let captured = run(command).await.unwrap();
    let stdout = String::from_utf8(captured.stdout).unwrap();
    let stderr = String::from_utf8_lossy(&captured.stderr).into_owned();
    assert!(captured.status.success(), "{stdout}{stderr}");
    stdout
}

/// Whether this kernel can confine anybody. If not, the test says which one was skipped and why.
fn can(test: &str) -> bool {
    let command = PluginCommand::new("true").permissions(Permissions::none());
    match Process::spawn(&command) {
        Ok(_) => true,
        Err(error) => {
            let message = error.to_string();
            assert!(message.contains("Landlock"), "{message}");
            let _shown = writeln!(std::io::stderr(), "{test} skipped: {message}");
            false
        }
    }
}

fn only(path: &Path) -> Grant {
    Grant::only([path])
}

/// Tries everything, and returns what succeeded.
async fn escapes(scene: &Scene, permissions: Permissions) -> Vec<String> {
    escapes_of(scene, permissions, |command| command).await
}

async fn escapes_of(
    scene: &Scene,
    permissions: Permissions,
    with: impl FnOnce(PluginCommand) -> PluginCommand,
) -> Vec<String> {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = tcp.local_addr().unwrap().port();
    let _udp = UdpSocket::bind(("127.0.0.1", port));
    let _unix = UnixListener::bind(scene.path("outside/unix")).unwrap();
    let _datagrams = UnixDatagram::bind(scene.path("outside/datagrams")).unwrap();
    let name = scene.folder.path().display().to_string();
    let _abstract =
        UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    // One that a careless host left open.
    let left_open = fs::File::open(scene.path("home/.ssh/id")).unwrap();
    rustix::io::fcntl_setfd(&left_open, FdFlags::empty()).unwrap();
    let command = scene
        .command()
        .variable("SECRET", scene.path("home/.ssh/id"))
        .variable("OUTSIDE", scene.path("outside"))
        .variable("OUT", scene.path("out"))
        .variable("PORT", port.to_string())
        .variable("UNIX", scene.path("outside/unix"))
        .variable("DATAGRAMS", scene.path("outside/datagrams"))
        .variable("ABSTRACT", name)
        .permissions(permissions);
    let output = output(&with(command)).await;
    let lines: Vec<&str> = output.lines().collect();
    let attempts = HOSTILE.matches("@attempt").count();
    assert_eq!(lines.len(), attempts, "{output}");
    assert!(lines.iter().any(|line| line.starts_with("refused")));
    let escaped = lines
        .iter()
        .filter_map(|line| line.strip_prefix("ESCAPED "));
    escaped
        .map(|line| line.split(' ').next().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn nothing_gets_out() {
    if !can("nothing_gets_out") {
        return;
    }
    watched(async {
        let scene = Scene::new(HOSTILE);
        let permissions = Permissions::none()
            .allow(Permission::Read, only(&scene.path("out")))
            .allow(Permission::Read, only(&scene.path("outside/readable")))
            .allow(Permission::Write, only(&scene.path("out")));
        let escaped = escapes(&scene, permissions).await;
        assert_eq!(escaped, [""; 0]);
        assert_eq!(fs::read(scene.path("home/.ssh/id")).unwrap(), b"secret");
        assert_eq!(fs::read(scene.path("outside/readable")).unwrap(), b"text");
    })
    .await;
}

/// Ports that are allowed open no other way into the network.
#[tokio::test]
async fn a_port_is_only_that_port() {
    if !can("a_port_is_only_that_port") {
        return;
    }
    watched(async {
        let scene = Scene::new(HOSTILE);
        let permissions = Permissions::none()
            .allow(Permission::Read, only(&scene.path("out")))
            .allow(Permission::Read, only(&scene.path("outside/readable")))
            .allow(Permission::Write, only(&scene.path("out")))
            .allow(Permission::Net, Grant::only([":1"]));
        assert_eq!(escapes(&scene, permissions).await, [""; 0]);
    })
    .await;
}

/// With sockets of the file system allowed, those without a path still are not.
#[tokio::test]
async fn other_permissions_open_nothing_else() {
    if !can("other_permissions_open_nothing_else") {
        return;
    }
    watched(async {
        let scene = Scene::new(HOSTILE);
        let permissions = Permissions::none()
            .allow(Permission::Read, only(&scene.path("out")))
            .allow(Permission::Read, only(&scene.path("outside/readable")))
            .allow(Permission::Write, only(&scene.path("out")))
            .allow(Permission::Run, Grant::All)
            .allow(Permission::Env, Grant::All)
            .allow(Permission::Net, Grant::only(["unix"]));
        let escaped = escapes(&scene, permissions).await;
        let expected = [
            "unix",
            "datagrams_from_a_pair",
            "start_a_shell",
            "start_what_it_wrote",
            "start_from_memory",
        ];
        assert_eq!(escaped, expected);
    })
    .await;
}

/// The attempts are real: most of them succeed where nothing holds them.
#[tokio::test]
async fn without_a_sandbox_the_attempts_succeed() {
    if !can("without_a_sandbox_the_attempts_succeed") {
        return;
    }
    watched(async {
        let scene = Scene::new(HOSTILE);
        let everything = [
            Permission::Read,
            Permission::Write,
            Permission::Net,
            Permission::Env,
            Permission::Run,
        ];
        let permissions = everything
            .into_iter()
            .fold(Permissions::none(), |all, one| all.allow(one, Grant::All));
        let escaped = escapes(&scene, permissions).await;
        for name in [
            "read",
            "read_by_a_symbolic_link",
            "read_by_a_hard_link",
            "read_by_own_root",
            "read_by_opening_a_path_again",
            "read_by_another_program",
            "read_by_the_loader",
            "list_the_folder",
            "command_line_of_the_host",
            "create_outside",
            "link_outside",
            "move_outside",
            "tcp",
            "listening",
            "udp",
            "netlink",
            "unix",
            "abstract",
            "datagrams_from_a_pair",
            "start_a_shell",
            "start_what_it_wrote",
        ] {
            assert!(escaped.iter().any(|one| one == name), "{name}: {escaped:?}");
        }
        // Whatever is allowed, the host itself and the kernel are out of reach.
        for name in [
            "environment_of_the_host",
            "memory_of_the_host",
            "trace_the_host",
            "signal_the_host",
            "read_by_io_uring",
            "user_namespace",
            "mount",
            "capabilities",
        ] {
            assert!(
                !escaped.iter().any(|one| one == name),
                "{name}: {escaped:?}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn an_ordinary_plugin_works_within_its_permissions() {
    if !can("an_ordinary_plugin_works_within_its_permissions") {
        return;
    }
    watched(async {
        let scene = Scene::new(ORDINARY);
        let [listener, other] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let port = |listener: &TcpListener| listener.local_addr().unwrap().port();
        let own = format!(":{}", port(&listener));
        let greeting = std::thread::spawn({
            let listener = listener.try_clone().unwrap();
            move || listener.accept().unwrap().0.write_all(b"hello").unwrap()
        });
        let permissions = Permissions::none()
            .allow(Permission::Read, only(&scene.path("data")))
            .allow(Permission::Read, only(&scene.path("out")))
            .allow(Permission::Write, only(&scene.path("out")))
            .allow(Permission::Net, Grant::only([own]))
            .allow(Permission::Run, Grant::only(["cat"]));
        let command = scene
            .command()
            .variable("DATA", scene.path("data"))
            .variable("OUT", scene.path("out"))
            .variable("ALLOWED", "yes")
            .variable("PORT", port(&listener).to_string())
            .variable("OTHER_PORT", port(&other).to_string())
            .permissions(permissions);
        assert_eq!(output(&command).await, "fine\n");
        greeting.join().unwrap();
        assert_eq!(fs::read(scene.path("out/inner/result")).unwrap(), b"done");
    })
    .await;
}

#[tokio::test]
async fn what_is_denied_beneath_what_is_allowed_cannot_be_read() {
    if !can("what_is_denied_beneath_what_is_allowed_cannot_be_read") {
        return;
    }
    watched(async {
        let scene = Scene::new("import os\nprint(open(os.environ['FILE']).read())\n");
        let permissions = Permissions::none()
            .allow(Permission::Read, Grant::All)
            .deny(Permission::Read, only(&scene.path("home")));
        let reading = |name: &str| {
            let command = scene.command().permissions(permissions.clone());
            command.variable("FILE", scene.path(name))
        };
        assert_eq!(output(&reading("data/in.json")).await, "{\"a\": 1}\n");
        let denied = run(&reading("home/.ssh/id")).await.unwrap();
        let stderr = String::from_utf8(denied.stderr).unwrap();
        assert!(stderr.contains("PermissionError"), "{stderr}");
    })
    .await;
}

#[tokio::test]
async fn a_confined_plugin_answers_and_ends() {
    if !can("a_confined_plugin_answers_and_ends") {
        return;
    }
    watched(async {
        let mut script = Script::new(&format!("setsid sleep 1000 & {ANSWER}; cat >/dev/null"));
        script.command = script
            .command
            .permissions(Permissions::none().allow(Permission::Run, Grant::All));
        let plugin = script.start().await.unwrap();
        script.has(2).await;
        plugin.stop(|_| async {}).await;
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn a_command_whose_permissions_cannot_be_enforced_is_not_started() {
    watched(async {
        let folder = tempfile::tempdir().unwrap();
        let sign = folder.path().join("started");
        let permissions = Permissions::none().allow(Permission::Net, Grant::only(["a.example:1"]));
        let command = PluginCommand::new("touch")
            .arg(&sign)
            .permissions(permissions);
        let refused = run(&command).await.unwrap_err().to_string();
        assert!(refused.contains("cannot distinguish hosts"), "{refused}");
        assert!(!sign.exists());
    })
    .await;
}

#[tokio::test]
async fn a_report_says_what_was_denied() {
    if !can("a_report_says_what_was_denied") {
        return;
    }
    watched(async {
        let scene = Scene::new(HOSTILE);
        let denials = Arc::new(Mutex::new(Vec::new()));
        let seen = denials.clone();
        let permissions = Permissions::none()
            .allow(Permission::Read, only(&scene.path("out")))
            .allow(Permission::Read, only(&scene.path("outside/readable")))
            .allow(Permission::Write, only(&scene.path("out")))
            .allow(Permission::Net, Grant::only([":1"]));
        let escaped = escapes_of(&scene, permissions, |command| {
            command.on_denial(move |denial| seen.lock().unwrap().push(denial.to_string()))
        });
        // Reporting takes nothing away from the sandbox.
        assert_eq!(escaped.await, [""; 0]);
        let denials = denials.lock().unwrap();
        let secret = scene.path("home/.ssh/id").display().to_string();
        // What is made or removed takes rights to its folder.
        let outside = scene.path("outside").display().to_string();
        let shell = fs::canonicalize("/bin/sh").unwrap().display().to_string();
        for expected in [
            format!("read {secret}"),
            format!("write {secret}"),
            format!("write {outside}"),
            format!("run {shell}"),
            "net udp".to_owned(),
            "net unix".to_owned(),
            "system call ptrace".to_owned(),
            "system call mount".to_owned(),
        ] {
            let count = denials.iter().filter(|one| **one == expected).count();
            assert_eq!(count, 1, "{expected}: {denials:#?}");
        }
        let written = format!("write {}", scene.path("out").join("").display());
        let is_allowed = |one: &String| one.starts_with(&written);
        assert!(!denials.iter().any(is_allowed), "{denials:#?}");
    })
    .await;
}

/// One that has left its group and has no environment is found where the system has cgroups that we
/// may use.
#[tokio::test]
async fn a_confined_plugin_leaves_no_process_behind() {
    if !can("a_confined_plugin_leaves_no_process_behind") {
        return;
    }
    watched(async {
        let script = "setsid env -i sh -c 'echo $$ >&2; exec sleep 1000' & ";
        let mut script = Script::new(&format!("{script}{ANSWER}; cat >/dev/null"));
        script.command = script
            .command
            .permissions(Permissions::none().allow(Permission::Run, Grant::All));
        let plugin = script.start().await.unwrap();
        let stderr = plugin.process().stderr().clone();
        let daemon = loop {
            match stderr.lines().first() {
                Some(line) => break line.clone(),
                None => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        };
        let command_line = || fs::read(format!("/proc/{daemon}/cmdline"));
        // It is empty for an instant while the shell becomes `sleep`.
        while !command_line().unwrap().starts_with(b"sleep") {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        drop(plugin);
        while command_line().is_ok_and(|line| !line.is_empty()) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}
