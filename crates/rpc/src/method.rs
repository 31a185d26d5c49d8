//! A protocol is a table: the names of its methods and events, and the types they carry.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A method of a protocol: its name, and the types that go with it. Made by
/// [`methods!`](crate::methods).
pub trait Method: Copy + Send + Sync + 'static {
    /// The name on the wire.
    const NAME: &'static str;
    /// What the caller sends.
    type Params: Serialize + DeserializeOwned + Send;
    /// What the handler answers.
    type Result: Serialize + DeserializeOwned + Send;
}

/// An event of a protocol. Made by [`events!`](crate::events).
pub trait EventKind: Copy + Send + Sync + 'static {
    /// The name on the wire.
    const NAME: &'static str;
    /// What the sender sends.
    type Params: Serialize + DeserializeOwned + Send;
}

/// One row of a protocol's table, for documentation and tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The name on the wire.
    pub name: &'static str,
    /// The Rust type of the params.
    pub params: &'static str,
    /// The Rust type of the result; `None` for an event.
    pub result: Option<&'static str>,
    /// Its description in the table.
    pub about: &'static str,
}

/// Declares methods, one per line, and a typed client for them if a name for it is given.
///
/// ```
/// use tenon_rpc::{Peer, CallError, methods};
///
/// methods! {
///     /// Calls what a calculator offers.
///     pub client Calculator;
///
///     /// Adds two numbers.
///     pub Add, add = "add" ((i64, i64)) -> i64;
///     /// Forgets everything.
///     pub Reset, reset = "reset" (()) -> ();
/// }
///
/// async fn sum(peer: Peer) -> Result<i64, CallError> {
///     Calculator::new(peer).add((1, 2)).await      // or: peer.call(Add, (1, 2)).await
/// }
/// assert_eq!(Calculator::METHODS[0].name, "add");
/// assert_eq!(Calculator::METHODS[0].about.trim(), "Adds two numbers.");
/// ```
///
/// Without a client the name in lower case is left out: `pub Add = "add" ((i64, i64)) -> i64;`
#[macro_export]
macro_rules! methods {
    (
        $(#[$client_attribute:meta])*
        $visibility:vis client $client:ident;
        $($(#[doc = $about:expr])* $marker_visibility:vis $marker:ident, $function:ident = $name:literal ($params:ty) -> $result:ty;)+
    ) => {
        $crate::methods! { $($(#[doc = $about])* $marker_visibility $marker = $name ($params) -> $result;)+ }

        $(#[$client_attribute])*
        #[derive(Clone, Debug)]
        $visibility struct $client {
            peer: $crate::Peer,
        }

        impl $client {
            /// Every method, in the order of the table.
            pub const METHODS: &'static [$crate::Row] = &[$($crate::Row {
                name: $name,
                params: stringify!($params),
                result: Some(stringify!($result)),
                about: concat!($($about, "\n"),*),
            }),+];

            /// Calls go to this peer.
            pub fn new(peer: $crate::Peer) -> Self {
                Self { peer }
            }

            /// The peer that is called.
            pub fn peer(&self) -> &$crate::Peer {
                &self.peer
            }

            $(
                $(#[doc = $about])*
                ///
                /// # Errors
                /// See [`CallError`]($crate::CallError).
                pub async fn $function(&self, params: $params) -> Result<$result, $crate::CallError> {
                    self.peer.call($marker, params).await
                }
            )+
        }
    };
    ($($(#[$attribute:meta])* $visibility:vis $marker:ident = $name:literal ($params:ty) -> $result:ty;)+) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug)]
        $visibility struct $marker;

        impl $crate::Method for $marker {
            const NAME: &'static str = $name;
            type Params = $params;
            type Result = $result;
        }
    )+};
}

/// Declares events, one per line.
///
/// ```
/// tenon_rpc::events! {
///     /// How much is done, in percent.
///     pub Progress = "progress" (u8);
/// }
/// ```
#[macro_export]
macro_rules! events {
    ($($(#[$attribute:meta])* $visibility:vis $marker:ident = $name:literal ($params:ty);)+) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug)]
        $visibility struct $marker;

        impl $crate::EventKind for $marker {
            const NAME: &'static str = $name;
            type Params = $params;
        }
    )+};
}
