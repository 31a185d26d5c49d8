//! The agent client protocol's SDK: an agent with one extension method and one extension event.

use agent_client_protocol::v1::schema::{AgentCapabilities, InitializeRequest, InitializeResponse};
use agent_client_protocol::{
    Agent, ByteStreams, ConnectTo, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse, Stdio,
};
use bench_peers::accept;
use bench_workload::driver::Fault;
use bench_workload::place::Place;
use serde::{Deserialize, Serialize};
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

#[derive(Clone, Debug, Serialize, Deserialize, JsonRpcRequest)]
#[request(method = "_bench/echo", response = EchoResponse)]
struct EchoRequest {
    a: i64,
    b: i64,
    s: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonRpcResponse)]
struct EchoResponse {
    a: i64,
    b: i64,
    s: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonRpcNotification)]
#[notification(method = "_bench/note")]
struct Note {
    a: i64,
    b: i64,
    s: String,
}

#[tokio::main]
async fn main() -> Result<(), Fault> {
    match Place::read(std::env::args().skip(1))? {
        Place::Stdio => serve(Stdio::new()).await?,
        Place::Socket(path) => {
            accept(path, |stream| async {
                let (reader, writer) = stream.into_split();
                let _ = serve(ByteStreams::new(writer.compat_write(), reader.compat())).await;
            })
            .await?;
        }
    }
    Ok(())
}

async fn serve(transport: impl ConnectTo<Agent> + 'static) -> agent_client_protocol::Result<()> {
    Agent
        .v1()
        .on_receive_request(
            async move |request: InitializeRequest, responder, _| {
                let response = InitializeResponse::new(request.protocol_version);
                responder.respond(response.agent_capabilities(AgentCapabilities::new()))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |EchoRequest { a, b, s }: EchoRequest, responder, _| {
                responder.respond(EchoResponse { a, b, s })
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_notification(
            async move |note: Note, _| {
                std::hint::black_box(note);
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .connect_to(transport)
        .await
}
