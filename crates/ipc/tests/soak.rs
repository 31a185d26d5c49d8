//! A thousand clients that do everything there is to do, for a while: nothing is lost, nothing
//! comes twice, and the server does not grow.

#![cfg(target_os = "linux")]

#[path = "soak/batch.rs"]
mod batch;
#[path = "soak/member.rs"]
mod member;
mod subject;

use std::sync::Arc;
use std::time::Duration;

use tenon_ipc::Client;
use tenon_rpc::Payload;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use member::{Heard, Member};
use subject::{MANY_FILES, PATIENCE, Subject, allow_files, eventually, tell};

const MEMBERS: u64 = 1000;
/// What each member does in a third of the time.
const ROUNDS: u64 = 60;
/// What everybody is told in a third of the time, some at once.
const NEWS: u64 = 200;
const AT_ONCE: u64 = 10;
/// No third takes longer.
const WATCHDOG: Duration = Duration::from_secs(120);

#[test]
fn a_thousand_clients() {
    let subject = Subject::start(2 * usize::try_from(MEMBERS).unwrap());
    allow_files(MANY_FILES);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let before = subject.status().echoes;
    let heard = Arc::<Heard>::default();
    let path = subject.path().to_str().unwrap();
    let mut members = Vec::new();
    runtime.block_on(async {
        for number in 0..MEMBERS {
            members.push(Member::join(number, path, heard.clone()).await);
        }
    });
    let listening = members.iter().filter(|member| member.is_listening());
    let listening = listening.count() as u64;
    let mut sizes = Vec::new();
    for third in 0..3 {
        members = spend(&runtime, members, path, third);
        let told = (third + 1) * NEWS * listening;
        eventually("everybody has heard everything", || heard.count() == told);
        assert_eq!(heard.gaps(), 0, "news that did not come, or not in order");
        eventually("what was cancelled has ended", || {
            subject.status().handlers == 0
        });
        sizes.push(subject.memory("VmRSS") / 1024);
    }
    let calls: u64 = members.iter().map(Member::calls).sum();
    tell(&format!("{calls} calls, {sizes:?} MiB after each third"));
    assert_eq!(
        subject.status().echoes - before,
        calls,
        "each was made once"
    );
    runtime.block_on(async {
        for member in &members {
            member.assert_nothing_came_twice().await;
        }
    });
    drop(members);
    subject.settles();
    // Twice as much is noise: it depends on how much was under way at once. 600,000 calls and many
    // events came in between, so that a hundred or two bytes held on to for each would show.
    let most = 2 * sizes[0] + 16;
    assert!(sizes[2] <= most, "it has grown: {sizes:?} MiB");
}

/// A third of the time: everybody does what they do, and is told the news.
fn spend(runtime: &Runtime, members: Vec<Member>, path: &str, third: u64) -> Vec<Member> {
    runtime.block_on(async {
        let mut busy = JoinSet::new();
        for mut member in members {
            busy.spawn(async move {
                for _ in 0..ROUNDS {
                    member.do_something().await;
                }
                member
            });
        }
        let telling = tell_news(path, third);
        let done = tokio::time::timeout(WATCHDOG, async { tokio::join!(busy.join_all(), telling) });
        done.await.expect("they wait for something forever").0
    })
}

async fn tell_news(path: &str, third: u64) {
    let client = Client::connect(path).await.unwrap();
    for first in (third * NEWS..(third + 1) * NEWS).step_by(usize::try_from(AT_ONCE).unwrap()) {
        let params = Payload::from_json(format!("[{first},{}]", first + AT_ONCE)).unwrap();
        let told = tokio::time::timeout(PATIENCE, client.call_raw("shout", Some(params)));
        told.await.unwrap().unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
