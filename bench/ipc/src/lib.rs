//! What the server of the section is asked beside what every server of the bench is.

use bench_workload::Many;
use tenon_rpc::methods;

methods! {
    /// Sends so many events to the client that asks, then answers.
    pub Stream = "stream" (Many) -> u64;

    /// Sends so many events to everybody, then answers.
    pub Broadcast = "broadcast" (Many) -> u64;
}
