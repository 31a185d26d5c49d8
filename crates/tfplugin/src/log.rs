//! What the provider logs: lines of JSON on stderr, which Terraform makes part of its own log.
//!
//! Only events of Tenon's own crates are logged, and those whose target is the name of the provider.
//! The libraries below tell of bytes that go through them, and those can be secrets.

mod level;
mod line;

use std::env;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::time::SystemTime;

use tenon_text::Utc;
use tracing::level_filters::LevelFilter;
use tracing::span;
use tracing::subscriber::{Interest, set_global_default};
use tracing::{Event, Metadata, Subscriber};

use self::line::Line;
use crate::Identity;

/// Who reads the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Terraform, which expects JSON.
    Json,
    /// A person, who sees informations even when no level is set.
    Text,
}

/// Logs from now on, at the level that `TF_LOG_PROVIDER_<NAME>`, `TF_LOG_PROVIDER` or `TF_LOG`
/// says. If that is none at all, nothing is installed and a log event costs nothing.
pub(crate) fn install(identity: &Identity, style: Style) {
    let own = identity.log_variable();
    let level = level::from_variables(&own, |name| env::var(name).ok()).unwrap_or(match style {
        Style::Json => LevelFilter::OFF,
        Style::Text => LevelFilter::INFO,
    });
    if level != LevelFilter::OFF {
        // A subscriber that was installed before stays.
        let _there_is_one = set_global_default(Log {
            provider: identity.name.clone(),
            level,
            style,
        });
    }
}

/// What masks secrets in a text.
type Mask = dyn Fn(&str) -> String + Send + Sync;

/// What masks every line. Libraries log as well, and do not know the secrets.
static MASK: OnceLock<Box<Mask>> = OnceLock::new();

/// Every text that is logged from now on goes through `mask`, which hides the secrets in it. A
/// process has one provider, and so only the first call counts.
pub fn mask_log(mask: impl Fn(&str) -> String + Send + Sync + 'static) {
    let _has_one = MASK.set(Box::new(mask));
}

struct Log {
    provider: String,
    level: LevelFilter,
    style: Style,
}

impl Subscriber for Log {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.enabled(metadata) {
            Interest::always()
        } else {
            Interest::never()
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        let target = metadata.target();
        let is_ours = target.starts_with("tenon") || target == self.provider;
        is_ours && metadata.is_event() && metadata.level() <= &self.level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn event(&self, event: &Event<'_>) {
        let line = Line::of(event, MASK.get().map(Box::as_ref));
        let text = match self.style {
            Style::Json => {
                let now = Utc(SystemTime::now());
                line.into_json(&self.provider, format_args!("{now:.6}"))
            }
            Style::Text => line.into_text(),
        };
        // In one write, so that lines of two threads do not mix. If stderr is closed, the line is lost.
        let _unheard = io::stderr().write_all(text.as_bytes());
    }

    // Spans are not enabled; these are never called for one of them.
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}
