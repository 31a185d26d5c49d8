//! Who gets which process, and when it ends.

use super::*;
use crate::script::Script;
use crate::settings::Settings;

/// A script that is well, and then says nothing more, but keeps its stdout open.
const WELL: &str =
    r#"read -r call; echo '{"jsonrpc":"2.0","id":1,"result":{"ok":true}}'; cat > /dev/null; true"#;

fn launch(words: &str, reuse: bool) -> Arc<Launch> {
    let command = ["sh", "-c", words].map(str::to_owned);
    let script = Script {
        command: Some(command.into()),
        reuse: Some(reuse),
        ..Script::default()
    };
    let launches = crate::launch::Launches::default();
    launches.of(&script, &Settings::default()).unwrap()
}

fn id(lease: &Lease) -> u32 {
    lease.plugin().process().id()
}

/// Whether a process has ended; it is waited for.
async fn ends(shared: std::sync::Weak<Shared>) -> bool {
    for _ in 0..500 {
        if shared.strong_count() == 0 {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    false
}

#[tokio::test]
async fn one_process_serves_all_and_ends_when_nobody_calls_it() {
    let (table, launch) = (Table::new(Secrets::default()), launch(WELL, true));
    let first = table.lease(&launch).await.ok().unwrap();
    let second = table.lease(&launch).await.ok().unwrap();
    assert_eq!(id(&first), id(&second));
    assert_eq!(first.others(), 1);
    let shared = Arc::downgrade(second.shared.as_ref().unwrap());
    let long_ago = Instant::now().checked_sub(IDLE).unwrap();
    let age = || *shared.upgrade().unwrap().last_used.lock().unwrap() = long_ago;
    drop(first);
    age();
    table.end_idle();
    assert!(second.shared().is_usable(), "somebody still uses it");
    drop(second);
    table.end_idle();
    assert_eq!(shared.strong_count(), 1, "it has just been used");
    age();
    table.end_idle();
    assert!(ends(shared).await);
}

#[tokio::test]
async fn actions_do_not_share_a_process_with_each_other() {
    let (table, launch) = (Table::new(Secrets::default()), launch(WELL, true));
    let (progress, _heard) = mpsc::channel(1);
    let first = table.lease_for_progress(&launch, progress.clone()).await;
    let second = table.lease_for_progress(&launch, progress.clone()).await;
    let (first, second) = (first.ok().unwrap(), second.ok().unwrap());
    assert_ne!(id(&first), id(&second));
    let of_first = id(&first);
    drop(first);
    let third = table
        .lease_for_progress(&launch, progress)
        .await
        .ok()
        .unwrap();
    assert_eq!(id(&third), of_first);
    table.end(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn a_process_that_died_or_hung_is_not_used_again() {
    let (table, launch) = (Table::new(Secrets::default()), launch(WELL, true));
    let hung = table.lease(&launch).await.ok().unwrap();
    hung.retire();
    let next = table.lease(&launch).await.ok().unwrap();
    assert_ne!(id(&hung), id(&next));
    let alone = table.lease_alone(&launch).await.ok().unwrap();
    assert!(!alone.is_shared() && next.is_shared());
    assert_ne!(id(&alone), id(&next));
}

#[tokio::test]
async fn who_waits_for_a_start_that_fails_fails_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let failing = format!("echo one >> {}; sleep 0.2; exit 3", starts.display());
    let (table, launch) = (Table::new(Secrets::default()), launch(&failing, true));
    let (one, other) = tokio::join!(table.lease(&launch), table.lease(&launch));
    assert!(one.is_err() && other.is_err());
    assert_eq!(std::fs::read_to_string(starts).unwrap(), "one\n");
}

#[tokio::test]
async fn without_reuse_everybody_has_a_process() {
    let (table, launch) = (Table::new(Secrets::default()), launch(WELL, false));
    let one = table.lease(&launch).await.ok().unwrap();
    let other = table.lease(&launch).await.ok().unwrap();
    assert_ne!(id(&one), id(&other));
    let shared = Arc::downgrade(one.shared.as_ref().unwrap());
    drop(one);
    assert!(ends(shared).await);
}
