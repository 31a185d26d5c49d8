//! A server, and a client that writes HTTP by hand.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use base64::{Engine, engine::general_purpose::STANDARD};
use tenon_state::{Notice, Server, Settings, StatePath, Storage};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A running server.
pub(crate) struct Front {
    address: SocketAddr,
    pub(crate) authorization: String,
    pub(crate) notices: Arc<Mutex<Vec<Notice>>>,
    end: oneshot::Sender<()>,
    server: JoinHandle<Vec<(StatePath, String)>>,
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    #[allow(dead_code, reason = "not every test looks at headers")]
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Front {
    pub(crate) async fn start<S: Storage>(storage: Arc<S>, settings: Settings) -> Front {
        let notices = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&notices);
        let notify = move |notice| noted.lock().unwrap().push(notice);
        let any = "127.0.0.1:0".parse().unwrap();
        let server = Server::bind(any, storage, settings, notify).await.unwrap();
        let variables: HashMap<_, _> = server
            .variables(&StatePath::new("a").unwrap())
            .into_iter()
            .collect();
        let address = variables["TF_HTTP_ADDRESS"]
            .strip_prefix("http://")
            .and_then(|rest| rest.strip_suffix("/state/a"))
            .unwrap()
            .parse()
            .unwrap();
        let login = format!(
            "{}:{}",
            variables["TF_HTTP_USERNAME"], variables["TF_HTTP_PASSWORD"]
        );
        let (end, ended) = oneshot::channel();
        Front {
            address,
            authorization: format!("Basic {}", STANDARD.encode(login)),
            notices,
            end,
            server: tokio::spawn(server.serve(async {
                ended.await.ok();
            })),
        }
    }

    /// Sends a request as Terraform would.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: &str) -> Answer {
        let authorization = format!("Authorization: {}\r\n", self.authorization);
        self.raw(method, path, &authorization, body).await
    }

    pub(crate) async fn raw(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let mut stream = self.connect(method, path, headers, body).await;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    /// Sends a request and does not wait for the answer.
    pub(crate) async fn connect(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
        );
        // The server may have refused before it has read everything.
        let _refused = stream.write_all(request.as_bytes()).await;
        stream
    }

    /// Sends a request that must be answered with this status.
    #[track_caller]
    pub(crate) fn asked(
        &self,
        method: &str,
        path: &str,
        body: &str,
        status: u16,
    ) -> impl Future<Output = Answer> {
        let place = std::panic::Location::caller();
        async move {
            let answer = self.ask(method, path, body).await;
            assert_eq!(
                answer.status, status,
                "{place}: {method} {path}: {answer:?}"
            );
            answer
        }
    }

    /// Ends the server; the locks that were still held.
    pub(crate) async fn stop(self) -> Vec<(StatePath, String)> {
        self.end.send(()).unwrap();
        self.server.await.unwrap()
    }
}
