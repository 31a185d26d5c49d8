//! How the process ends, and what does not end it.

use rustix::process::{Pid, Signal, kill_process};

use crate::client::Client;
use crate::started::{COOKIE, PROVIDER, Started};

#[tokio::test]
async fn terraform_asks_it_to_end() {
    let provider = Started::by_terraform(&[]);
    let client = Client::plain(&provider.address()).await;
    client.shut_down().await.unwrap();
    let ended = provider.end_and_leave_nothing().await;
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!((ended.stdout, ended.stderr), (vec![], vec![]));
}

#[tokio::test]
async fn a_client_that_says_nothing_does_not_keep_it() {
    let provider = Started::by_terraform(&[]);
    let address = provider.address();
    let _silent = tokio::net::UnixStream::connect(&address).await.unwrap();
    let client = Client::plain(&address).await;
    client.shut_down().await.unwrap();
    assert_eq!(
        provider.end_and_leave_nothing().await.status.code(),
        Some(0)
    );
}

#[tokio::test]
async fn an_interrupt_is_for_terraform() {
    let provider = Started::by_terraform(&[]);
    let client = Client::plain(&provider.address()).await;
    provider.send(Signal::INT);
    provider.send(Signal::INT);
    client.health("plugin").await.unwrap();
    // A signal that ends it is handled after those that came before.
    provider.send(Signal::TERM);
    assert_eq!(
        provider.end_and_leave_nothing().await.status.code(),
        Some(0)
    );
}

#[tokio::test]
async fn the_other_signals_end_it() {
    for signal in [Signal::TERM, Signal::HUP] {
        let provider = Started::by_terraform(&[]);
        provider.line();
        provider.send(signal);
        let ended = provider.end_and_leave_nothing().await;
        assert_eq!(ended.status.code(), Some(0), "{signal:?}");
    }
}

/// Kills a process that its parent can no longer reach.
struct Orphan(Pid);

impl Drop for Orphan {
    fn drop(&mut self) {
        let _has_ended = kill_process(self.0, Signal::KILL);
    }
}

#[tokio::test]
async fn it_ends_when_terraform_is_killed() {
    // A shell for Terraform: it starts the provider and waits.
    let script = "\"$0\" & echo $! >&2; wait";
    let shell = Started::new(&["sh", "-c", script, PROVIDER], &[COOKIE]);
    let process: i32 = shell.stderr_line().parse().unwrap();
    let _orphan = Orphan(Pid::from_raw(process).unwrap());
    shell.line();
    shell.send(Signal::KILL);
    // The provider holds the shell's stdout, so this waits for its end, too.
    shell.end_and_leave_nothing().await;
}
