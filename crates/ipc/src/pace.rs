//! Rate limits for requests and bytes of a client.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::{Instant, Sleep};

/// A rate per second; after a pause, a second's worth is available as a burst.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    rate: f64,
    left: f64,
    filled: Instant,
}

impl Bucket {
    pub(crate) fn new(rate: u32) -> Bucket {
        // One that holds nothing would never let anything through.
        let rate = f64::from(rate.max(1));
        Bucket {
            rate,
            left: rate,
            filled: Instant::now(),
        }
    }

    fn fill(&mut self) {
        let now = Instant::now();
        let gained = now.duration_since(self.filled).as_secs_f64() * self.rate;
        (self.left, self.filled) = ((self.left + gained).min(self.rate), now);
    }

    /// Takes one, or returns how long to wait for it.
    pub(crate) fn take_one(&mut self) -> Result<(), Duration> {
        self.fill();
        if self.left < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - self.left) / self.rate));
        }
        self.left -= 1.0;
        Ok(())
    }

    /// Takes what has arrived, and returns how long to wait before reading more.
    fn owe(&mut self, amount: usize) -> Duration {
        self.fill();
        self.left -= u32::try_from(amount).map_or(f64::MAX, f64::from);
        Duration::try_from_secs_f64((-self.left / self.rate).max(0.0)).unwrap_or(Duration::MAX)
    }
}

/// A reader with a limit of bytes per second. The client notices that it cannot send faster.
pub(crate) struct Paced<R> {
    reader: R,
    bucket: Bucket,
    rest: Option<Pin<Box<Sleep>>>,
}

impl<R> Paced<R> {
    pub(crate) fn new(reader: R, bytes_per_second: u32) -> Paced<R> {
        Paced {
            reader,
            bucket: Bucket::new(bytes_per_second),
            rest: None,
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Paced<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(rest) = &mut self.rest {
            if rest.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.rest = None;
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.reader).poll_read(cx, buffer);
        if let Poll::Ready(Ok(())) = &read {
            let pause = self.bucket.owe(buffer.filled().len() - before);
            if !pause.is_zero() {
                self.rest = Some(Box::pin(tokio::time::sleep(pause)));
            }
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_second_is_worth_what_it_says() {
        let mut bucket = Bucket::new(10);
        let taken = (0..100).take_while(|_| bucket.take_one().is_ok()).count();
        assert_eq!(taken, 10, "after a rest");
        let wait = bucket.take_one().unwrap_err();
        assert_eq!(wait.as_millis(), 100);
        tokio::time::sleep(Duration::from_millis(500)).await;
        let taken = (0..100).take_while(|_| bucket.take_one().is_ok()).count();
        assert_eq!(taken, 5);
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_come_as_slowly_as_wanted() {
        let bytes = vec![0; 10_000];
        let started = Instant::now();
        let mut reader = Paced::new(&bytes[..], 1_000);
        let mut read = Vec::new();
        let mut buffer = [0; 100];
        while let Ok(count @ 1..) = reader.read(&mut buffer).await {
            read.extend_from_slice(&buffer[..count]);
        }
        assert_eq!(read.len(), 10_000);
        let seconds = started.elapsed().as_secs_f64();
        assert!(
            (8.5..9.5).contains(&seconds),
            "{seconds}: the first second is free"
        );
    }
}
