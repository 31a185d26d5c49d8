//! What a plugin writes to stderr: log lines, of which the last are kept for error texts.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;

use crate::command::SeeLine;

/// How many lines are kept.
const LINES: usize = 50;

/// A line longer than this is cut.
const LINE_LENGTH: usize = 4096;

/// The last lines a plugin wrote to stderr.
#[derive(Clone, Debug, Default)]
pub struct StderrTail {
    kept: Arc<Mutex<Kept>>,
    has_ended: Arc<watch::Sender<bool>>,
    marks: Arc<Marks>,
}

/// How many marks were asked for, and how many have been made.
#[derive(Debug, Default)]
struct Marks {
    asked: watch::Sender<u64>,
    made: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Kept {
    lines: VecDeque<String>,
    /// How many there have been.
    count: usize,
}

impl StderrTail {
    /// The lines, oldest first.
    pub fn lines(&self) -> Vec<String> {
        self.lines_since(0)
    }

    /// How many lines there have been, to tell later which ones are new.
    pub fn count(&self) -> usize {
        self.kept().count
    }

    /// The lines that came after the first `count`, oldest first.
    pub fn lines_since(&self, count: usize) -> Vec<String> {
        let kept = self.kept();
        let dropped = kept.count - kept.lines.len();
        let lines = kept.lines.iter().skip(count.saturating_sub(dropped));
        lines.cloned().collect()
    }

    /// Reads what the plugin has written up to now and returns how many lines that is. A line
    /// without an end counts as one, so that the text that follows is not mixed with it.
    ///
    /// Call this between two calls to a plugin that has one call at a time: what it writes after
    /// the mark was written during the second call.
    pub async fn mark(&self) -> usize {
        let mut number = 0;
        self.marks.asked.send_modify(|asked| {
            *asked += 1;
            number = *asked;
        });
        let (mut made, mut has_ended) = (self.marks.made.subscribe(), self.has_ended.subscribe());
        tokio::select! {
            _ = made.wait_for(|made| *made >= number) => {}
            _ = has_ended.wait_for(|ended| *ended) => {}
        }
        self.count()
    }

    fn push(&self, line: String) {
        let mut kept = self.kept();
        if kept.lines.len() == LINES {
            kept.lines.pop_front();
        }
        kept.lines.push_back(line);
        kept.count += 1;
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until everything has been read, but not for longer than `limit`: a descendant may
    /// hold stderr open.
    pub async fn complete_within(&self, limit: Duration) {
        let mut has_ended = self.has_ended.subscribe();
        let _in_time = tokio::time::timeout(limit, has_ended.wait_for(|ended| *ended)).await;
    }

    /// Reads until the end. It never stops reading, or the plugin would stop writing.
    pub(crate) async fn follow(self, mut stderr: impl AsyncRead + Unpin, see: Option<SeeLine>) {
        let mut lines = LineCutter::default();
        let mut chunk = vec![0; 8 * 1024];
        let take = |line: String| {
            tracing::info!(target: "plugin", "{}", tenon_text::line(&line));
            if let Some(see) = &see {
                see(&line);
            }
            self.push(line);
        };
        let mut asked = self.marks.asked.subscribe();
        loop {
            let made = *self.marks.made.borrow();
            let mark = async {
                // Reading also pauses when this task has used up its turn; only an empty pipe
                // may lead to a mark.
                tokio::task::consume_budget().await;
                asked
                    .wait_for(|asked| *asked > made)
                    .await
                    .map(|asked| *asked)
            };
            // In this order: what the plugin wrote before the mark was asked for is in the pipe.
            tokio::select! {
                biased;
                read = stderr.read(&mut chunk) => match read {
                    Ok(count @ 1..) => lines.cut(&chunk[..count], &take),
                    _ => break,
                },
                Ok(asked) = mark => {
                    lines.finish(&take);
                    self.marks.made.send_replace(asked);
                }
            }
        }
        lines.finish(&take);
        self.has_ended.send_replace(true);
    }
}

/// Cuts bytes into lines of bounded length.
#[derive(Default)]
struct LineCutter {
    line: Vec<u8>,
}

impl LineCutter {
    fn cut(&mut self, mut bytes: &[u8], take: &impl Fn(String)) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            self.extend(&bytes[..end]);
            self.take(take);
            bytes = &bytes[end + 1..];
        }
        self.extend(bytes);
    }

    fn finish(&mut self, take: &impl Fn(String)) {
        if !self.line.is_empty() {
            self.take(take);
        }
    }

    fn extend(&mut self, bytes: &[u8]) {
        let room = (LINE_LENGTH + 1).saturating_sub(self.line.len());
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn take(&mut self, take: &impl Fn(String)) {
        let is_cut = self.line.len() > LINE_LENGTH;
        self.line.truncate(LINE_LENGTH);
        let text = String::from_utf8_lossy(&self.line);
        // Some programs colour their output even if it is not a terminal.
        let mut text = tenon_text::without_colours(&text).trim_end().to_owned();
        if is_cut {
            text.push('…');
        }
        self.line.clear();
        take(text);
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    #[tokio::test]
    async fn a_mark_comes_after_all_that_was_written_before_it() {
        let (mut plugin, stderr) = tokio::io::duplex(1024);
        let tail = StderrTail::default();
        let following = tokio::spawn(tail.clone().follow(stderr, None));
        plugin.write_all(b"first\nno end").await.unwrap();
        assert_eq!(tail.mark().await, 2);
        assert_eq!(tail.mark().await, 2, "nothing was written in between");
        plugin.write_all(b" of it\nlast\n").await.unwrap();
        assert_eq!(tail.mark().await, 4);
        assert_eq!(tail.lines_since(2), [" of it", "last"]);
        drop(plugin);
        following.await.unwrap();
        assert_eq!(
            tail.mark().await,
            4,
            "waiting for a plugin that has ended returns"
        );
    }

    #[tokio::test]
    async fn keeps_the_last_lines_and_cuts_long_ones() {
        let mut written = Vec::new();
        for number in 0..60 {
            written.extend(format!("line {number}\r\n").into_bytes());
        }
        written.extend([b'x'; 100_000]);
        written.extend(b"\nno newline");
        let tail = StderrTail::default();
        tail.clone().follow(&written[..], None).await;
        let lines = tail.lines();
        assert_eq!(lines.len(), LINES);
        assert_eq!(lines[0], "line 12");
        assert_eq!(lines[48].len(), LINE_LENGTH + "…".len());
        assert_eq!(lines[49], "no newline");
        assert_eq!(tail.count(), 62);
        assert_eq!(tail.lines_since(61), ["no newline"]);
        assert_eq!(tail.lines_since(3), lines);
    }
}
