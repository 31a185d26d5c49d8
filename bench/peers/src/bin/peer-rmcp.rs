//! rmcp: a server with one tool, through its router as its documentation shows it.

use bench_peers::accept;
use bench_workload::driver::Fault;
use bench_workload::place::Place;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CustomNotification, ServerCapabilities, ServerConfig};
use rmcp::service::{NotificationContext, RoleServer};
use rmcp::transport::io::{stdio, stdio_pipes};
use rmcp::{ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    #[allow(dead_code)]
    a: i64,
    #[allow(dead_code)]
    b: i64,
    s: String,
}

#[derive(Clone)]
struct Service;

#[tool_router]
impl Service {
    #[tool(description = "Send the text back")]
    async fn echo(&self, Parameters(echo): Parameters<Echo>) -> String {
        echo.s
    }
}

#[tool_handler]
impl ServerHandler for Service {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn on_custom_notification(
        &self,
        event: CustomNotification,
        _: NotificationContext<RoleServer>,
    ) {
        std::hint::black_box(event);
    }
}

#[tokio::main]
async fn main() -> Result<(), Fault> {
    let mut words = std::env::args().skip(1);
    let pipes = words.next().as_deref() == Some("stdio_pipes");
    match Place::read(words)? {
        Place::Stdio if pipes => Service.serve(stdio_pipes()).await?.waiting().await?,
        Place::Stdio => Service.serve(stdio()).await?.waiting().await?,
        Place::Socket(path) => {
            accept(path, |stream| async {
                if let Ok(running) = Service.serve(stream.into_split()).await {
                    let _ = running.waiting().await;
                }
            })
            .await?;
            return Ok(());
        }
    };
    Ok(())
}
