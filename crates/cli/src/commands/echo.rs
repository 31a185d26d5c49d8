//! `tenon echo`: be a plugin.

use std::sync::Arc;
use std::time::Duration;

use tenon_ipc::Listener;
use tenon_protocols::Protocol;
use tenon_protocols::orchard::ERROR_NAMES;
use tenon_rpc::{Connection, Dialect, Io, Options};

use crate::args::EchoArgs;
use crate::echo;
use crate::exit::Failure;

pub(crate) async fn run(args: EchoArgs) -> Result<(), Failure> {
    let dialect = args.dialect.unwrap_or(Dialect::JsonRpcLines);
    let options = Options {
        cancel: Protocol::Ipc.host_options().cancel,
        error_names: ERROR_NAMES,
        detect: match args.dialect {
            Some(_) => &[],
            None => &Dialect::ALL,
        },
        ..Options::default()
    };
    let Some(name) = &args.socket else {
        let io = Io::stdio().map_err(Failure::cannot_start)?;
        let router = Arc::new(echo::router());
        let connection = Connection::start_with(io, dialect, router, options);
        connection.closed().await;
        return Ok(());
    };
    let path = args.place.path(name)?;
    let listener = Listener::bind(path, 0o600).map_err(Failure::cannot_start)?;
    loop {
        let Ok((io, _)) = listener.accept().await else {
            // The system has no room for another connection; one that ends makes some.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let router = Arc::new(echo::router());
        let connection = Connection::start_with(io, dialect, router, options.clone());
        tokio::spawn(async move { connection.closed().await });
    }
}
