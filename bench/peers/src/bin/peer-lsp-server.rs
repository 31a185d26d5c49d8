//! lsp-server: the loop of its documentation, on stdio.

use bench_workload::Echo;
use bench_workload::driver::Fault;
use lsp_server::{Connection, Message, Response};

fn main() -> Result<(), Fault> {
    let (connection, threads) = Connection::stdio();
    for message in &connection.receiver {
        match message {
            Message::Request(request) => {
                let (id, echo) = request.extract::<Echo>("echo")?;
                connection.sender.send(Response::new_ok(id, echo).into())?;
            }
            Message::Notification(event) => {
                event.extract::<Echo>("note")?;
            }
            Message::Response(_) => {}
        }
    }
    // The writer thread ends when the last sender is gone.
    drop(connection);
    threads.join()?;
    Ok(())
}
