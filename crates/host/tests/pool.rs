//! A pool of warm processes: who gets which, how many there are, and when they end.

#![cfg(unix)]

mod support;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use support::{ANSWER, Script, watched};
use tenon_host::{Lease, Plugin, Pool, PoolError, PoolLimits, Started};

/// Answers the first call, and then keeps quiet until its stdin ends.
fn quiet() -> Arc<Script> {
    Arc::new(Script::new(&format!(
        "{ANSWER}; while read -r line; do :; done"
    )))
}

fn pool(limits: PoolLimits) -> Pool<&'static str, u32> {
    Pool::new(limits, |plugin: Plugin| async {
        plugin.stop(|_| async {}).await;
    })
}

/// Limits under which nothing happens by itself while a test runs.
const LIMITS: PoolLimits = PoolLimits {
    processes: 64,
    patience: Duration::from_millis(5),
    idle: Duration::from_secs(3600),
};

/// Starts the script as one that takes this many calls at a time.
async fn started(
    script: Arc<Script>,
    capacity: usize,
) -> Result<Started<u32>, tenon_host::PluginError> {
    let plugin = script.start().await?;
    let extra = plugin.process().id();
    let capacity = NonZeroUsize::new(capacity).unwrap();
    Ok(Started {
        plugin,
        capacity,
        extra,
    })
}

async fn lease(
    pool: &Pool<&'static str, u32>,
    script: &Arc<Script>,
    capacity: usize,
) -> Lease<&'static str, u32> {
    let start = || started(script.clone(), capacity);
    pool.lease(&"key", None, |_| true, start).await.unwrap()
}

fn id(lease: &Lease<&'static str, u32>) -> u32 {
    assert_eq!(lease.plugin().process().id(), *lease.extra());
    *lease.extra()
}

#[tokio::test]
async fn a_process_has_one_call_at_a_time_and_stays_warm() {
    watched(async {
        let (pool, script) = (pool(LIMITS), quiet());
        let first = lease(&pool, &script, 1).await;
        let second = lease(&pool, &script, 1).await;
        assert_ne!(id(&first), id(&second));
        assert!(first.was_alone() && second.was_alone());
        let (of_first, of_second) = (id(&first), id(&second));
        first.release();
        second.release();
        // The one that was used last.
        let third = lease(&pool, &script, 1).await;
        assert_eq!((id(&third), third.calls_before()), (of_second, 1));
        let fourth = lease(&pool, &script, 1).await;
        assert_eq!(id(&fourth), of_first);
        assert_eq!(script.alive().len(), 2);
        third.release();
        fourth.release();
        pool.end().await;
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn a_process_has_as_many_calls_as_it_says() {
    watched(async {
        let (pool, script) = (pool(LIMITS), quiet());
        let waiting = (0..6).map(|_| {
            let (pool, script) = (pool.clone(), script.clone());
            tokio::spawn(async move { lease(&pool, &script, 3).await })
        });
        let waiting: Vec<_> = waiting.collect();
        let mut leases = Vec::new();
        for one in waiting {
            leases.push(one.await.unwrap());
        }
        let mut ids: Vec<u32> = leases.iter().map(id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 2);
        assert!(
            leases
                .iter()
                .all(|lease| !lease.was_alone() && lease.others() == 2)
        );
        leases.into_iter().for_each(Lease::release);
        // The process is idle again, and now the call is alone in it.
        let one = lease(&pool, &script, 3).await;
        assert!(one.was_alone());
        let other = lease(&pool, &script, 3).await;
        assert_eq!(id(&one), id(&other));
        other.release();
        assert!(!one.was_alone(), "another call was there for a while");
        drop(one);
        pool.end().await;
        script.is_gone().await;
    })
    .await;
}

/// One call after the other finds the process that the one before has left.
#[tokio::test]
async fn calls_that_wait_take_the_process_that_is_free_first() {
    watched(async {
        let limits = PoolLimits {
            patience: Duration::from_secs(3600),
            ..LIMITS
        };
        let (pool, script) = (pool(limits), quiet());
        let calls = (0..20).map(|_| {
            let (pool, script) = (pool.clone(), script.clone());
            tokio::spawn(async move {
                let lease = lease(&pool, &script, 1).await;
                let id = id(&lease);
                lease.release();
                id
            })
        });
        let calls: Vec<_> = calls.collect();
        let mut ids = Vec::new();
        for call in calls {
            ids.push(call.await.unwrap());
        }
        ids.dedup();
        assert_eq!(ids.len(), 1);
        pool.end().await;
        script.is_gone().await;
    })
    .await;
}

/// As many are started at a time as run already, so that their number at most doubles.
#[tokio::test]
async fn waiting_calls_do_not_start_all_processes_at_the_same_time() {
    watched(async {
        let (pool, script) = (pool(LIMITS), quiet());
        // How many starts are under way, and how many are over.
        let starts = Arc::new(Mutex::new((0, 0)));
        let calls = (0..8).map(|_| {
            let (pool, script, starts) = (pool.clone(), script.clone(), starts.clone());
            tokio::spawn(async move {
                let start = || {
                    let (script, starts) = (script.clone(), starts.clone());
                    async move {
                        {
                            let mut starts = starts.lock().unwrap();
                            starts.0 += 1;
                            assert!(starts.0 <= starts.1.max(1), "{starts:?}");
                        }
                        let started = started(script, 1).await;
                        let mut starts = starts.lock().unwrap();
                        *starts = (starts.0 - 1, starts.1 + 1);
                        started
                    }
                };
                pool.lease(&"key", None, |_| true, start).await.unwrap()
            })
        });
        let calls: Vec<_> = calls.collect();
        let mut leases = Vec::new();
        for call in calls {
            leases.push(call.await.unwrap());
        }
        assert_eq!(*starts.lock().unwrap(), (0, 8));
        leases.into_iter().for_each(Lease::release);
        pool.end().await;
        script.is_gone().await;
    })
    .await;
}

/// Lets every task run that can. The clock stands still meanwhile.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

/// Starting another process would take longer than the call has waited.
#[tokio::test]
async fn a_call_waits_as_long_as_a_start_takes() {
    watched(async {
        const TOOK: Duration = Duration::from_secs(10);
        let (pool, script) = (pool(LIMITS), quiet());
        let slow = || {
            let script = script.clone();
            async {
                tokio::time::pause();
                tokio::time::advance(TOOK).await;
                tokio::time::resume();
                started(script, 1).await
            }
        };
        let first = { pool.lease(&"key", None, |_| true, slow) }.await.unwrap();
        let of_first = id(&first);
        let others = Arc::new(AtomicUsize::new(0));
        let other = || {
            let (pool, script, others) = (pool.clone(), script.clone(), others.clone());
            tokio::spawn(async move {
                let start = || {
                    others.fetch_add(1, Ordering::Relaxed);
                    started(script.clone(), 1)
                };
                pool.lease(&"key", None, |_| true, start).await.unwrap()
            })
        };

        // From here on time passes only where the test says so.
        tokio::time::pause();
        let second = other();
        settle().await;
        tokio::time::advance(TOOK - LIMITS.patience).await;
        settle().await;
        assert_eq!(others.load(Ordering::Relaxed), 0, "it waits");
        first.release();
        let second = second.await.unwrap();
        assert_eq!((id(&second), second.calls_before()), (of_first, 1));

        let third = other();
        settle().await;
        tokio::time::advance(2 * TOOK).await;
        settle().await;
        assert_eq!(others.load(Ordering::Relaxed), 1, "it has waited enough");
        tokio::time::resume();
        let third = third.await.unwrap();
        assert_ne!(id(&third), of_first);
        second.release();
        third.release();
        pool.end().await;
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn past_the_limit_calls_wait() {
    watched(async {
        let limits = PoolLimits {
            processes: 2,
            ..LIMITS
        };
        let (pool, script) = (pool(limits), quiet());
        let first = lease(&pool, &script, 1).await;
        let second = lease(&pool, &script, 1).await;
        let third = {
            let (pool, script) = (pool.clone(), script.clone());
            tokio::spawn(async move { lease(&pool, &script, 1).await })
        };
        let alone = {
            let (pool, script) = (pool.clone(), script.clone());
            tokio::spawn(async move { pool.lease_alone(|| started(script, 1)).await.unwrap() })
        };
        // Several times as long as a call is patient.
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(!third.is_finished() && !alone.is_finished());
        let of_first = id(&first);
        first.release();
        let third = third.await.unwrap();
        assert_eq!(id(&third), of_first);
        // An idle process makes room for another.
        second.release();
        let alone = alone.await.unwrap();
        assert_ne!(id(&alone), of_first);
        alone.release();
        third.release();
        pool.end().await;
        script.is_gone().await;
    })
    .await;
}

/// Idle processes of others do not block anything.
#[tokio::test]
async fn past_the_limit_the_longest_idle_process_goes() {
    watched(async {
        let limits = PoolLimits {
            processes: 2,
            ..LIMITS
        };
        let (pool, script) = (pool(limits), quiet());
        let of = async |key: &'static str| {
            let start = || started(script.clone(), 1);
            pool.lease(&key, None, |_| true, start).await.unwrap()
        };
        let one = of("one").await;
        let two = of("two").await;
        let (of_one, of_two) = (id(&one), id(&two));
        one.release();
        two.release();
        of("three").await.release();
        let two = of("two").await;
        assert_eq!(id(&two), of_two, "it was used after the other");
        two.release();
        let one = of("one").await;
        assert_ne!(id(&one), of_one);
        one.release();
        pool.end().await;
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn idle_processes_end() {
    watched(async {
        let limits = PoolLimits {
            idle: Duration::from_millis(40),
            ..LIMITS
        };
        let (pool, script) = (pool(limits), quiet());
        let busy = lease(&pool, &script, 1).await;
        lease(&pool, &script, 1).await.release();
        while script.alive().len() > 1 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(busy.plugin().process().status().is_none(), "it is in use");
        busy.release();
        script.is_gone().await;
        // The next call starts another.
        lease(&pool, &script, 1).await.release();
        pool.end().await;
        script.is_gone().await;
    })
    .await;
}

/// It may still be working on an abandoned call.
#[tokio::test]
async fn a_process_whose_call_was_given_up_gets_no_other() {
    watched(async {
        let (pool, script) = (pool(LIMITS), quiet());
        let given_up = lease(&pool, &script, 1).await;
        let of_given_up = id(&given_up);
        drop(given_up);
        let next = lease(&pool, &script, 1).await;
        assert_ne!(id(&next), of_given_up);
        next.release();
        pool.end().await;
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn a_process_that_died_is_replaced() {
    watched(async {
        let pool = pool(LIMITS);
        let script = Arc::new(Script::new(&format!("{ANSWER}; read -r second; exit 1")));
        let first = lease(&pool, &script, 1).await;
        assert!(first.plugin().peer().call_raw("end", None).await.is_err());
        first.release();
        let second = lease(&pool, &script, 1).await;
        assert_eq!(second.calls_before(), 0);
        second.release();
        pool.end().await;
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn calls_that_wait_for_a_failed_start_fail_with_it() {
    watched(async {
        let folder = tempfile::tempdir().unwrap();
        let starts = folder.path().join("starts");
        let failing = format!("echo one >> {}; read -r call; exit 3", starts.display());
        let (pool, script) = (pool(LIMITS), Arc::new(Script::new(&failing)));
        let start = || started(script.clone(), 1);
        let (one, other) = tokio::join!(
            pool.lease(&"key", None, |_| true, start),
            pool.lease(&"key", None, |_| true, start)
        );
        for failed in [one, other] {
            let error = failed.unwrap_err();
            assert!(error.to_string().contains("exit status: 3"), "{error}");
        }
        assert_eq!(std::fs::read_to_string(&starts).unwrap(), "one\n");
        // Whoever comes later tries again.
        let later = pool.lease(&"key", None, |_| true, start).await;
        assert!(matches!(later, Err(PoolError::Start(_))));
        assert_eq!(std::fs::read_to_string(&starts).unwrap(), "one\none\n");
        pool.end().await;
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn a_process_that_does_not_fit_is_left_to_others() {
    watched(async {
        let (pool, script) = (pool(LIMITS), quiet());
        let first = lease(&pool, &script, 9).await;
        let of_first = id(&first);
        let start = || started(script.clone(), 9);
        let second = pool
            .lease(&"key", None, |extra| *extra != of_first, start)
            .await
            .unwrap();
        assert_ne!(id(&second), of_first);
        first.release();
        second.release();
        pool.end().await;
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn retired_processes_end_with_their_calls() {
    watched(async {
        let (pool, script) = (pool(LIMITS), quiet());
        let busy = lease(&pool, &script, 1).await;
        lease(&pool, &script, 1).await.release();
        pool.retire_all();
        while script.alive().len() > 1 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert!(
            busy.plugin().process().status().is_none(),
            "it may finish its call"
        );
        let next = lease(&pool, &script, 1).await;
        assert_ne!(id(&next), id(&busy));
        busy.release();
        next.release();
        pool.end().await;
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn a_cancelled_start_leaves_no_process() {
    watched(async {
        let (pool, script) = (pool(LIMITS), Arc::new(Script::new("exec sleep 1000")));
        let waiting = {
            let (pool, script) = (pool.clone(), script.clone());
            tokio::spawn(async move {
                let start = || started(script.clone(), 1);
                pool.lease(&"key", None, |_| true, start).await.map(drop)
            })
        };
        script.has(1).await;
        waiting.abort();
        pool.abandon_starts();
        script.is_gone().await;
        pool.end().await;
        let start = || started(script.clone(), 1);
        let late = pool.lease(&"key", None, |_| true, start).await;
        assert!(matches!(late, Err(PoolError::Ended)));
    })
    .await;
}

#[tokio::test]
async fn a_dropped_pool_leaves_no_process() {
    watched(async {
        let (pool, script) = (pool(LIMITS), quiet());
        lease(&pool, &script, 1).await.release();
        let busy = lease(&pool, &script, 1).await;
        drop(pool);
        drop(busy);
        script.is_gone().await;
    })
    .await;
}
