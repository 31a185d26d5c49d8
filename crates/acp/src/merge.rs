//! Keeps a session below the limit for updates without losing one.
//!
//! Agents send a chunk for each token, which is more than the limit allows. Chunks of the same message that follow
//! each other are joined while they wait; everything else keeps its place and its bytes.

use std::collections::VecDeque;
use std::time::Duration;

use tenon_protocols::acp::{Rate, Raw};
use tenon_rpc::Payload;

/// How much may wait. Past that, updates pass although there are too many: nothing is dropped.
const WAITING: usize = 256;
/// The largest text that chunks are joined into. With the rest of the message it is below the limit for updates.
const TEXT: usize = 64 * 1024;
/// The burst that may be sent after a pause, in seconds of the rate.
const BURST: u32 = 6;

/// The updates of one session. Time is given by the caller, as the time since any moment that stays the same.
#[derive(Debug)]
pub struct Merger {
    bucket: Bucket,
    waiting: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    params: Payload,
    /// The text, if it can be joined with the next one.
    chunk: Option<Chunk>,
    is_joined: bool,
}

/// A chunk that consists of text and nothing else.
#[derive(Clone, Debug)]
struct Chunk {
    text: String,
    /// Two chunks can be joined if all these are equal: the session, the kind and the message.
    frame: [Option<Payload>; 3],
}

impl Merger {
    /// Lets pass this many updates. After a pause, a tenth of what a minute allows may pass in one burst.
    pub fn new(rate: Rate) -> Merger {
        Merger {
            bucket: Bucket::new(rate),
            waiting: VecDeque::new(),
        }
    }

    /// Takes the params of an update, and returns what may be sent now, in order.
    pub fn push(&mut self, params: Payload, now: Duration) -> Vec<Payload> {
        if self.waiting.is_empty() && self.bucket.take(now) {
            return vec![params];
        }
        let chunk = Chunk::of(&params);
        let last = self.waiting.back_mut();
        let joined = last.is_some_and(|last| last.join(chunk.as_ref()));
        if !joined {
            self.waiting.push_back(Waiting {
                params,
                chunk,
                is_joined: false,
            });
        }
        self.pull(now)
    }

    /// What may be sent now, in order.
    pub fn pull(&mut self, now: Duration) -> Vec<Payload> {
        let mut ready = Vec::new();
        while !self.waiting.is_empty() && (self.bucket.take(now) || self.waiting.len() > WAITING) {
            ready.extend(self.waiting.pop_front().map(Waiting::finish));
        }
        ready
    }

    /// Everything that waits. Called before anything else of the agent is forwarded, so that the order is kept.
    pub fn flush(&mut self) -> Vec<Payload> {
        self.waiting.drain(..).map(Waiting::finish).collect()
    }

    /// When the next update may be sent, if one waits.
    pub fn next_at(&self) -> Option<Duration> {
        (!self.waiting.is_empty()).then(|| self.bucket.next_at())
    }
}

impl Waiting {
    fn join(&mut self, next: Option<&Chunk>) -> bool {
        let (Some(chunk), Some(next)) = (&mut self.chunk, next) else {
            return false;
        };
        if chunk.frame != next.frame || chunk.text.len() + next.text.len() > TEXT {
            return false;
        }
        chunk.text.push_str(&next.text);
        self.is_joined = true;
        true
    }

    fn finish(self) -> Payload {
        match self.chunk {
            Some(chunk) if self.is_joined => chunk.written(&self.params),
            _ => self.params,
        }
    }
}

impl Chunk {
    /// The chunk in the params of an update. Nothing if there is anything in it that would be lost: `_meta`, an
    /// annotation, an extension.
    fn of(params: &Payload) -> Option<Chunk> {
        const KINDS: [&[u8]; 3] = [
            b"\"agent_message_chunk\"",
            b"\"agent_thought_chunk\"",
            b"\"user_message_chunk\"",
        ];
        let [session, update] = only(params, ["sessionId", "update"])?;
        let [kind, message, content] = only(&update?, ["sessionUpdate", "messageId", "content"])?;
        let [content_type, text] = only(&content?, ["type", "text"])?;
        let is_chunk = KINDS.contains(&&kind.as_ref()?.bytes()[..]);
        let is_text = &content_type?.bytes()[..] == b"\"text\"";
        (is_chunk && is_text).then_some(Chunk {
            text: text?.decode().ok()?,
            frame: [session, kind, message],
        })
    }

    /// The params of the first chunk with the whole text.
    fn written(&self, params: &Payload) -> Payload {
        let text = Raw::of(&self.text).ok();
        text.and_then(|text| {
            params.with_member(&["update", "content", "text"], text.text().as_bytes())
        })
        // Its members were just read from it.
        .unwrap_or_else(|| params.clone())
    }
}

/// The members of an object by these names, if it has no others.
fn only<const COUNT: usize>(
    object: &Payload,
    names: [&str; COUNT],
) -> Option<[Option<Payload>; COUNT]> {
    let mut found = [const { None }; COUNT];
    for (name, value) in object.members().ok()? {
        let at = names.iter().position(|known| name == *known)?;
        found[at] = Some(value);
    }
    Some(found)
}

/// Limits a rate: a number of tokens per minute, and at most a burst at the same moment.
#[derive(Debug)]
pub struct Bucket {
    /// Time for which one token lasts.
    step: Duration,
    burst: Duration,
    /// When the bucket will be full again.
    full_at: Duration,
}

impl Bucket {
    /// A full bucket.
    pub fn new(rate: Rate) -> Bucket {
        let step = Duration::from_secs(60) / rate.per_minute.max(1);
        Bucket {
            step,
            // At least one token.
            burst: Duration::from_secs(BURST.into()).max(step),
            full_at: Duration::ZERO,
        }
    }

    /// A bucket from which a whole minute's tokens can be taken in one burst.
    pub fn whole_minute(rate: Rate) -> Bucket {
        Bucket {
            burst: Duration::from_secs(60),
            ..Bucket::new(rate)
        }
    }

    /// Takes a token, if there is one.
    pub fn take(&mut self, now: Duration) -> bool {
        let full_at = self.full_at.max(now) + self.step;
        let is_there = full_at <= now + self.burst;
        if is_there {
            self.full_at = full_at;
        }
        is_there
    }

    /// When there will be a token.
    pub fn next_at(&self) -> Duration {
        (self.full_at + self.step).saturating_sub(self.burst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { per_minute: 60 };

    fn chunk(text: &str) -> Payload {
        let update = format!(
            r#"{{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":{text:?}}}}}}}"#
        );
        Payload::from_json(update).unwrap()
    }

    fn second(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    #[test]
    fn a_slow_agent_is_passed_on_as_it_is() {
        let mut merger = Merger::new(RATE);
        for number in 0..100 {
            let sent = chunk("x");
            let passed = merger.push(sent.clone(), second(number));
            assert_eq!(passed, [sent]);
        }
        assert_eq!(merger.next_at(), None);
    }

    #[test]
    fn a_fast_agent_is_joined_and_nothing_is_lost() {
        let mut merger = Merger::new(RATE);
        let mut passed = Vec::new();
        for _ in 0..100 {
            passed.extend(merger.push(chunk("x"), second(1)));
        }
        assert_eq!(passed.len(), 6, "the burst");
        assert_eq!(merger.next_at(), Some(second(2)));
        let late = merger.pull(second(2));
        assert_eq!(late, [chunk(&"x".repeat(94))]);
        assert_eq!(merger.next_at(), None);
    }

    #[test]
    fn what_cannot_be_joined_keeps_its_place_and_its_bytes() {
        let mut merger = Merger::new(RATE);
        (0..6).for_each(|_| drop(merger.push(chunk("x"), second(0))));
        let plan = r#"{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[ ]}}"#;
        let plan = Payload::from_json(plan).unwrap();
        let meta = r#"{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"m"},"_meta":{}}}"#;
        let meta = Payload::from_json(meta).unwrap();
        for sent in [
            chunk("a"),
            chunk("b"),
            plan.clone(),
            chunk("c"),
            meta.clone(),
            chunk("d"),
            chunk("e"),
        ] {
            assert_eq!(merger.push(sent, second(0)), []);
        }
        assert_eq!(
            merger.flush(),
            [chunk("ab"), plan, chunk("c"), meta, chunk("de")]
        );
    }

    #[test]
    fn memory_is_bounded_and_nothing_is_dropped() {
        let mut merger = Merger::new(RATE);
        let mut passed = 0;
        for number in 0..1000 {
            let plan =
                format!(r#"{{"sessionId":"s","update":{{"sessionUpdate":"plan","n":{number}}}}}"#);
            let ready = merger.push(Payload::from_json(plan).unwrap(), second(0));
            passed += ready.len();
            assert!(merger.waiting.len() <= WAITING);
        }
        assert_eq!(passed + merger.flush().len(), 1000);
        let long = "x".repeat(TEXT / 2 + 1);
        let sent: Vec<Payload> = (0..3)
            .flat_map(|_| merger.push(chunk(&long), second(0)))
            .collect();
        assert_eq!(
            sent.len() + merger.flush().len(),
            3,
            "no text grows without a limit"
        );
    }

    #[test]
    fn a_bucket_gives_as_many_tokens_as_the_rate() {
        let mut bucket = Bucket::whole_minute(Rate { per_minute: 10 });
        let taken = |bucket: &mut Bucket, now| (0..100).filter(|_| bucket.take(now)).count();
        assert_eq!(taken(&mut bucket, second(0)), 10);
        assert_eq!(taken(&mut bucket, second(5)), 0);
        assert_eq!(taken(&mut bucket, second(60)), 10);
        let mut slow = Bucket::new(Rate { per_minute: 1 });
        assert_eq!(taken(&mut slow, second(0)), 1);
    }
}
