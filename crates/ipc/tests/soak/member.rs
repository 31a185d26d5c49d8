//! One of the clients, and what it does.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tenon_ipc::{Client, ClientSettings, Events, Framing, Received};
use tenon_rpc::{CallError, Payload, Router};
use tokio::task::JoinSet;

use crate::batch::Batches;

/// What all listening members have been told together.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    count: AtomicU64,
    gaps: AtomicU64,
}

impl Heard {
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    pub(crate) fn gaps(&self) -> u64 {
        self.gaps.load(Ordering::Acquire)
    }

    /// Listens until the connection ends. The numbers begin at 0, and none may be missing.
    async fn listen(self: Arc<Heard>, mut events: Events) {
        let mut next = 0;
        while let Some(received) = events.next().await {
            let Received::Event(event) = received else {
                self.gaps.fetch_add(1, Ordering::AcqRel);
                continue;
            };
            if event.method != "news" {
                continue;
            }
            let params = event.params.expect("news have params");
            let (number, _text): (u64, String) = params.decode().expect("a number and a text");
            let is_next = number == next;
            next = number + 1;
            self.gaps.fetch_add(u64::from(!is_next), Ordering::AcqRel);
            self.count.fetch_add(1, Ordering::AcqRel);
        }
    }
}

/// What a member does in each round.
enum Habit {
    /// One call after the other.
    Steady,
    /// Many calls at once, some of them large.
    Windows,
    /// Events to the server, and from it.
    Events(Events),
    /// Calls that it does not wait for.
    Impatient,
    /// A new connection each time.
    Fickle,
    /// Many calls in one message.
    Batches(Batches),
}

pub(crate) struct Member {
    number: u64,
    path: String,
    client: Client,
    habit: Habit,
    /// Calls of `echo`, each with a text that no other call has.
    calls: u64,
    rounds: u64,
}

impl Member {
    pub(crate) async fn join(number: u64, path: &str, heard: Arc<Heard>) -> Member {
        let settings = ClientSettings {
            framing: match number % 5 {
                0 => Framing::Headers,
                _ => Framing::Lines,
            },
            ..ClientSettings::default()
        };
        let client = Client::connect_with(path, Router::new(()), settings).await;
        let client = client.unwrap();
        let habit = match number % 8 {
            0 | 1 => Habit::Steady,
            2 | 3 => Habit::Windows,
            4 => Habit::Events(client.events()),
            5 => Habit::Impatient,
            6 => Habit::Fickle,
            _ => Habit::Batches(Batches::connect(path).await),
        };
        let mut member = Member {
            number,
            path: path.to_owned(),
            client,
            habit,
            calls: 0,
            rounds: 0,
        };
        if member.is_listening() {
            tokio::spawn(heard.listen(member.client.events()));
        }
        // The server knows by now how messages are told from each other here.
        member.echo(0).await;
        member
    }

    /// Whether it reads what everybody is told, from the beginning to the end.
    pub(crate) fn is_listening(&self) -> bool {
        !matches!(self.habit, Habit::Fickle)
    }

    /// How often it has called `echo`.
    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    /// An answer that nobody waits for is the second one, unless the call was given up.
    pub(crate) async fn assert_nothing_came_twice(&self) {
        if !matches!(self.habit, Habit::Impatient) {
            let peer = self.client.peer().await.unwrap();
            assert_eq!(peer.unclaimed(), None, "member {}", self.number);
        }
    }

    pub(crate) async fn do_something(&mut self) {
        self.rounds += 1;
        match &mut self.habit {
            Habit::Steady => self.echo(20).await,
            Habit::Windows => self.echo_many().await,
            Habit::Events(events) => {
                exchange_events(&self.client, events, self.rounds).await;
                self.echo(100).await;
            }
            Habit::Impatient => self.give_up().await,
            Habit::Fickle => {
                self.client = Client::connect(&self.path).await.unwrap();
                self.echo(10).await;
            }
            Habit::Batches(_) => self.echo_batch().await,
        }
    }

    /// A text that no other call has.
    fn token(&mut self) -> String {
        self.calls += 1;
        format!("{}.{}", self.number, self.calls)
    }

    /// Has a token sent back, with this many bytes after it.
    async fn echo(&mut self, padding: usize) {
        let token = self.token();
        echo(&self.client, token, padding).await;
    }

    async fn echo_many(&mut self) {
        let mut calls = JoinSet::new();
        for index in 0..8 {
            // Not everybody at the same time.
            let size = match ((self.rounds + self.number) % 30, index) {
                (0, 0) => 500_000,
                (_, index) => index * 300,
            };
            let (client, token) = (self.client.clone(), self.token());
            calls.spawn(async move { echo(&client, token, size).await });
        }
        calls.join_all().await;
    }

    async fn give_up(&mut self) {
        let hang = self.client.call_raw("hang", None);
        let outcome = tokio::time::timeout(Duration::from_millis(5), hang).await;
        assert!(outcome.is_err(), "{outcome:?}");
        self.echo(0).await;
    }

    async fn echo_batch(&mut self) {
        let tokens: Vec<String> = (0..20).map(|_| self.token()).collect();
        if let Habit::Batches(batches) = &mut self.habit {
            batches.echo(&tokens).await;
        }
    }
}

async fn echo(client: &Client, token: String, padding: usize) {
    let params = json!([token, "é".repeat(padding / 2)]);
    let sent = Payload::from_json(params.to_string()).unwrap();
    let back = client.call_raw("echo", Some(sent)).await.unwrap();
    assert_eq!(back.decode::<Value>().unwrap(), params);
}

/// Sends some and has some sent, in order. The server counts across all rounds.
async fn exchange_events(client: &Client, events: &mut Events, rounds: u64) {
    const COUNT: u64 = 10;
    for number in (rounds - 1) * COUNT..rounds * COUNT {
        let params = Payload::from_json(format!("[{number}]")).unwrap();
        client.notify_raw("tick", Some(params)).await.unwrap();
    }
    let count = call(client, "ticks", "[]").await.unwrap();
    assert_eq!(count, json!(rounds * COUNT), "they came in order");
    call(client, "emit", &format!("[{COUNT}]")).await.unwrap();
    let mut next = 0;
    while next < COUNT {
        match events.next().await {
            Some(Received::Event(event)) if event.method == "tick" => {
                let (number,): (u64,) = event.params.unwrap().decode().unwrap();
                assert_eq!(number, next);
                next += 1;
            }
            Some(Received::Event(_)) => {}
            other => panic!("missing: {other:?}"),
        }
    }
}

async fn call(client: &Client, method: &'static str, params: &str) -> Result<Value, CallError> {
    let params = Payload::from_json(params).unwrap();
    let result = client.call_raw(method, Some(params)).await?;
    Ok(result.decode().unwrap())
}
