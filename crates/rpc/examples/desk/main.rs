//! The server that the exchanges in `conformance/exchanges` talk to, on stdin and stdout: `desk DIALECT`.

mod error_names;
mod methods;

use std::process::ExitCode;

use tenon_rpc::{Connection, Dialect, Io};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let name = std::env::args().nth(1);
    let dialect = name.and_then(|name| name.parse::<Dialect>().ok());
    let (Some(dialect), Ok(io)) = (dialect, Io::stdio()) else {
        return ExitCode::FAILURE;
    };
    let options = methods::options(error_names::ERROR_NAMES);
    let connection = Connection::start_with(io, dialect, methods::router(), options);
    connection.closed().await;
    ExitCode::SUCCESS
}
