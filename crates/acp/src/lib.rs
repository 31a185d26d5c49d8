//! The Agent Client Protocol: agents, clients, a guard between an editor and an agent, and their parts.
//!
//! [`agent`] is for authors of agents: a trait, and what serves it.
//!
//! [`client::Client`] starts an agent and holds sessions with it. [`guard::Guard`] sits between two connections. The
//! other parts are plain logic without input or output of messages, and each can be used alone:
//!
//! | module | what it does |
//! |---|---|
//! | [`policy`] | rules in HCL that decide which tool calls are allowed, asked for or denied |
//! | [`record`] | a file of JSON lines with a hash chain: what was said, and proof that nothing was changed |
//! | [`paths`] | opens files below the folders of a session, and never outside them |
//! | [`turns`] | which sessions there are, and what may be sent in their state |
//! | [`gates`] | which methods and contents the other side has said that it supports |
//! | [`quirks`] | what particular agents do differently |
//! | [`replay`] | plays one side of a record |
//! | [`merge`] | joins text chunks when an agent sends more updates than the limit allows |

pub mod agent;
pub mod client;
pub mod facts;
pub mod gates;
mod glob;
pub mod guard;
pub mod merge;
mod options;
pub mod paths;
pub mod policy;
pub mod quirks;
pub mod record;
pub mod replay;
mod sizes;
pub mod turns;

use options::options;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
