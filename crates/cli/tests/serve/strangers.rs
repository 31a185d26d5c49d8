//! Other users, on either side of a socket that anybody can open. Only root can be somebody else
//! for a test; without it these skip themselves.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use crate::serving::Serving;
use crate::support::program::{Program, eventually};
use crate::support::shell::Shell;

/// Becomes another user, then connects: `knock` only listens, `ask` calls.
const CLIENT: &str = "\
import os, socket, sys
os.setgid(65534)
os.setuid(65534)
client = socket.socket(socket.AF_UNIX)
client.settimeout(30)
client.connect(sys.argv[1])
if sys.argv[2] == 'ask':
    client.sendall(b'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"add\",\"params\":[1,2]}\\n')
print(client.makefile().readline(), end='')
";

/// Becomes another user, then waits for clients and prints what each of them sends first.
const SERVER: &str = "\
import os, socket, sys
os.setgid(65534)
os.setuid(65534)
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
os.chmod(sys.argv[1], 0o666)
server.listen()
print('listening', file=sys.stderr, flush=True)
for _ in range(2):
    client, _ = server.accept()
    said = client.makefile().readline()
    print('heard', repr(said), file=sys.stderr, flush=True)
    if said:
        client.sendall(b'{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"hello\"}\\n')
    client.close()
";

/// A folder that all users can use; `None` if this process cannot become another user.
fn open_folder(test: &str) -> Option<Shell> {
    if !rustix::process::geteuid().is_root() {
        let _nobody_reads = writeln!(std::io::stderr(), "skipped: {test}: only root can");
        return None;
    }
    let shell = Shell::new();
    // Sticky, as /tmp is: users cannot replace the files of others.
    let everybody = std::fs::Permissions::from_mode(0o1777);
    std::fs::set_permissions(shell.path("."), everybody).expect("permissions");
    shell.file("client.py", CLIENT);
    shell.file("server.py", SERVER);
    Some(shell)
}

#[tokio::test]
async fn another_user_is_refused() {
    let Some(shell) = open_folder("another_user_is_refused") else {
        return;
    };
    let serving = Serving::start_in(shell, "--mode 666 -v -- tenon echo").await;
    let knock = "python3 client.py ./s knock";
    let outcome = serving.shell.run_unnoted(knock).await;
    let refusal = "this server is for another user";
    assert!(outcome.stdout.contains(refusal), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("\"id\":null"), "{}", outcome.stdout);
    serving.says("a client was refused (user 65534").await;
    serving.stop().await;
}

#[tokio::test]
async fn another_user_is_accepted_with_allow_user() {
    for allowed in ["65534", "nobody", "anyone"] {
        let Some(shell) = open_folder("another_user_is_accepted_with_allow_user") else {
            return;
        };
        let options = format!("--mode 666 --allow-user {allowed} -- tenon echo");
        let serving = Serving::start_in(shell, &options).await;
        let ask = "python3 client.py ./s ask";
        let outcome = serving.shell.run_unnoted(ask).await;
        assert_eq!(
            outcome.stdout, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":3}\n",
            "{allowed}"
        );
        serving.stop().await;
    }
}

/// Another user may have taken the name of a server first: nothing is sent to them.
#[tokio::test]
async fn nothing_is_sent_to_the_server_of_another_user() {
    let Some(shell) = open_folder("nothing_is_sent_to_the_server_of_another_user") else {
        return;
    };
    let server = Program::start(&shell, "python3 server.py ./s");
    eventually("a server that listens", || {
        server.stderr.text().contains("listening")
    })
    .await;
    let call = "tenon call greet '{\"token\":\"s3cret\"}' --socket ./s";
    let outcome = shell.run_unnoted(call).await;
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    let distrust = "the socket belongs to another user (65534), who is not trusted";
    assert!(outcome.stderr.contains(distrust), "{}", outcome.stderr);
    // Even if the file is ours, the kernel reports who listens.
    std::os::unix::fs::chown(shell.path("s"), Some(0), None).expect("permissions");
    let outcome = shell.run_unnoted(call).await;
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    let distrust = "the server runs as another user (65534), who is not trusted";
    assert!(outcome.stderr.contains(distrust), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("--allow-user"),
        "{}",
        outcome.stderr
    );
    let outcome = shell
        .run_unnoted(&format!("{call} --allow-user nobody"))
        .await;
    assert_eq!(outcome.stdout, "\"hello\"\n", "{}", outcome.stderr);
    let ended = server.ended().await;
    let heard: Vec<&str> = ended
        .stderr
        .lines()
        .filter(|line| line.starts_with("heard"))
        .collect();
    assert_eq!(heard[0], "heard ''", "it hung up without a word");
    assert!(heard[1].contains("s3cret"), "{heard:?}");
}

/// Letting a user in is not enough if they cannot open the socket. Both sides say so.
#[tokio::test]
async fn an_allowed_user_who_cannot_open_the_socket_is_a_warning() {
    let Some(shell) = open_folder("an_allowed_user_who_cannot_open_the_socket_is_a_warning") else {
        return;
    };
    let serving = Serving::start_in(shell, "--allow-user nobody -- tenon echo").await;
    serving
        .says("warning: --allow-user lets other users in, but the mode of the socket (600) does not: add --mode 666")
        .await;
    // Another user may not be able to reach the program where it was built.
    let program = serving.shell.path("client");
    std::fs::copy(env!("CARGO_BIN_EXE_tenon"), &program).expect("a copy");
    let line = "python3 -c \"import os; os.setgid(65534); os.setuid(65534); \
        os.execv('./client', ['tenon', 'call', 'add', '[1,2]', '--socket', './s'])\"";
    let outcome = serving.shell.run_unnoted(line).await;
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    let denied = "permission denied: the mode of the socket";
    assert!(outcome.stderr.contains(denied), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("--mode 666"), "{}", outcome.stderr);
    serving.stop().await;
}

#[tokio::test]
async fn a_socket_in_the_folder_of_another_user_gets_a_hint() {
    let Some(shell) = open_folder("a_socket_in_the_folder_of_another_user_gets_a_hint") else {
        return;
    };
    std::fs::create_dir(shell.path("theirs")).expect("a folder");
    std::os::unix::fs::chown(shell.path("theirs"), Some(65_534), None).expect("an owner");
    let serve = "tenon serve --socket theirs/s -- tenon echo";
    let outcome = shell.run_unnoted(serve).await;
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    let hint = "\n  hint: --allow-user USER trusts another user\n";
    assert!(outcome.stderr.ends_with(hint), "{}", outcome.stderr);
}
