//! The client: its calls, the events it gets, what it is asked, and how it comes back.

#[path = "../exact/mod.rs"]
mod exact;
#[path = "../place/mod.rs"]
mod place;

mod both_ways;
mod calls;
mod ends;
mod events;
mod reconnecting;

use exact::Exact;
use tenon_rpc::methods;

methods! {
    /// Adds two numbers.
    Add = "add" ((i64, i64)) -> i64;
    /// Never answers.
    Hang = "hang" (()) -> ();
}

/// The id of a request, as it was written.
fn id_of(request: &str) -> String {
    let Exact::Object(members) = Exact::parse(request) else {
        panic!("no request: {request}");
    };
    match members.get("id") {
        Some(Exact::Word(id)) => id.clone(),
        other => panic!("{request} has the id {other:?}"),
    }
}

/// An answer to a request.
fn answer(request: &str, result: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
        id_of(request)
    )
}
