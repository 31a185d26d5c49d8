//! The providers that come with Tenon. Each is served by a process of its own, which speaks the
//! same protocol as all others:
//!
//! | provider | actions |
//! |---|---|
//! | `exec` | `exec_run` runs a program |
//! | `file` | `file_write`, `file_read`, `file_delete`, `file_directory` |
//! | `http` | `http_request` |
//! | `postgres` | `postgres_query`, `postgres_copy` |
//! | `sqlite` | `sqlite_query`, `sqlite_rows`, `sqlite_script` |
//!
//! `http`, `postgres` and `sqlite` are features, which are on by default.
//!
//! Where their process comes from, and what is done with the outputs, is left to you.
//!
//! ```
//! let exec = tenon_providers::find("exec").expect("it comes with Tenon");
//! assert!(exec.offer().actions.contains_key("exec_run"));
//! // In a process of its own: exec.serve_as(std::env::args_os().skip(1))
//! ```
//!
//! What is not UTF-8 comes in base64, in a separate output; so do megabytes of control characters. Text comes in Unicode's normal form
//! C, as all values do; base64 keeps the bytes as they are. `tenon call --protocol orchard --trace`
//! shows the wire.

mod attribute;
mod blocking;
mod content;
mod exec;
mod file;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::ffi::OsString;
use std::process::ExitCode;

use tenon_plugin::schema::Offer;
use tenon_rpc::{CloseReason, Io};

/// A provider that comes with Tenon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Builtin {
    /// Runs programs.
    Exec,
    /// Writes and reads files.
    File,
    /// Makes HTTP requests.
    #[cfg(feature = "http")]
    Http,
    /// Talks to PostgreSQL.
    #[cfg(feature = "postgres")]
    Postgres,
    /// Uses SQLite databases.
    #[cfg(feature = "sqlite")]
    Sqlite,
}

/// Each has a state of its own type, so there is no one type for all of them.
macro_rules! each {
    ($builtin:expr, $provider:ident => $done:expr) => {
        match $builtin {
            Builtin::Exec => {
                let $provider = exec::provider();
                $done
            }
            Builtin::File => {
                let $provider = file::provider();
                $done
            }
            #[cfg(feature = "http")]
            Builtin::Http => {
                let $provider = http::provider();
                $done
            }
            #[cfg(feature = "postgres")]
            Builtin::Postgres => {
                let $provider = postgres::provider();
                $done
            }
            #[cfg(feature = "sqlite")]
            Builtin::Sqlite => {
                let $provider = sqlite::provider();
                $done
            }
        }
    };
}

impl Builtin {
    /// All that this build has, by name.
    pub const ALL: &[Builtin] = &[
        Builtin::Exec,
        Builtin::File,
        #[cfg(feature = "http")]
        Builtin::Http,
        #[cfg(feature = "postgres")]
        Builtin::Postgres,
        #[cfg(feature = "sqlite")]
        Builtin::Sqlite,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Builtin::Exec => "exec",
            Builtin::File => "file",
            #[cfg(feature = "http")]
            Builtin::Http => "http",
            #[cfg(feature = "postgres")]
            Builtin::Postgres => "postgres",
            #[cfg(feature = "sqlite")]
            Builtin::Sqlite => "sqlite",
        }
    }

    /// Whether it is a feature, which a build can leave out.
    pub fn is_optional(self) -> bool {
        !matches!(self, Builtin::Exec | Builtin::File)
    }

    /// What hosts show about it.
    pub fn offer(self) -> Offer {
        each!(self, provider => provider.offer().clone())
    }

    /// Does what arguments ask for: without any, serves the host on stdin and stdout; with
    /// `schema`, prints the schema. Has to be called outside of any tokio runtime.
    pub fn serve_as<A: Into<OsString>>(self, args: impl IntoIterator<Item = A>) -> ExitCode {
        each!(self, provider => provider.serve_as(args))
    }

    /// Serves a host on any [`Io`] until it says goodbye or goes away. Within a tokio runtime.
    ///
    /// # Errors
    /// What the host sent is not a stream of messages, or input or output failed.
    pub async fn serve_on(self, io: Io) -> Result<(), CloseReason> {
        each!(self, provider => provider.serve_on(io).await)
    }
}

/// The names of all providers that this build has.
pub fn names() -> impl Iterator<Item = &'static str> {
    Builtin::ALL.iter().map(|builtin| builtin.name())
}

/// The provider of this name.
pub fn find(name: &str) -> Option<Builtin> {
    let mut all = Builtin::ALL.iter().copied();
    all.find(|builtin| builtin.name() == name)
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_protocols::orchard::ProviderSchema;

    #[test]
    fn every_provider_keeps_to_the_protocol_and_explains_itself() {
        for &builtin in Builtin::ALL {
            let offer = builtin.offer();
            offer.check().unwrap();
            ProviderSchema::try_from(&offer).unwrap().check().unwrap();
            assert_eq!(offer.name, builtin.name());
            assert_eq!(find(&offer.name), Some(builtin));
            for (name, action) in &offer.actions {
                let prefix = format!("{}_", offer.name);
                assert!(name.starts_with(&prefix), "{name}");
                assert!(!action.description.text.is_empty(), "{name}");
                assert!(action.output.is_some() || name == "sqlite_script");
            }
            let inputs = offer.actions.values().map(|action| &action.input);
            for body in inputs.chain([&offer.config.body]) {
                for attribute in &body.attributes {
                    let about = &attribute.description.text;
                    assert!(!about.is_empty(), "{}", attribute.name);
                }
            }
        }
        assert_eq!(find("exe"), None);
    }

    #[test]
    fn what_holds_credentials_is_sensitive() {
        for (builtin, name) in [
            #[cfg(feature = "postgres")]
            (Builtin::Postgres, "dsn"),
            #[cfg(feature = "http")]
            (Builtin::Http, "default_headers"),
        ] {
            let config = builtin.offer().config.body;
            assert!(config.attribute(name).unwrap().is_sensitive, "{name}");
        }
    }
}
