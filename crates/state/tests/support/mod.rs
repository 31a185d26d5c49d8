//! A storage in memory, a server in front of it, and a client that writes HTTP by hand.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use tenon_state::{Notice, Release, Server, Settings, StatePath, Storage, StorageError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, Semaphore, oneshot};
use tokio::task::JoinHandle;

/// What a storage in memory has, and how it misbehaves.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) states: Mutex<HashMap<String, Bytes>>,
    /// The lock of a state: the storage's id and the info of its holder.
    pub(crate) locks: Mutex<HashMap<String, (String, String)>>,
    /// The storage knows no locks.
    pub(crate) without_locks: bool,
    /// What a write fails with.
    pub(crate) broken: Mutex<Option<StorageError>>,
    /// Calls of `lock` take a permit of this, if it is set.
    pub(crate) gate: Option<Semaphore>,
    /// Told of every call that waits at the gate.
    pub(crate) waiting: Notify,
}

#[derive(Clone)]
pub(crate) struct Shared(pub(crate) Arc<Memory>);

impl Memory {
    fn check(&self, path: &StatePath, lock: Option<&str>) -> Result<(), StorageError> {
        match (self.locks.lock().unwrap().get(path.as_str()), lock) {
            (Some((held, info)), Some(given)) if held != given => Err(StorageError::Locked {
                lock: Some(held.clone()),
                info: Some(info.clone()),
            }),
            _ => Ok(()),
        }
    }
}

fn id_of(info: &str) -> String {
    let info: serde_json::Value = serde_json::from_str(info).unwrap();
    info["ID"].as_str().unwrap().to_owned()
}

impl Storage for Shared {
    async fn read(&self, path: &StatePath) -> Result<Option<Bytes>, StorageError> {
        Ok(self.0.states.lock().unwrap().get(path.as_str()).cloned())
    }

    async fn write(
        &self,
        path: &StatePath,
        state: Bytes,
        lock: Option<&str>,
    ) -> Result<(), StorageError> {
        if let Some(error) = self.0.broken.lock().unwrap().clone() {
            return Err(error);
        }
        self.0.check(path, lock)?;
        tokio::task::yield_now().await;
        let key = path.as_str().to_owned();
        self.0.states.lock().unwrap().insert(key, state);
        Ok(())
    }

    async fn delete(&self, path: &StatePath, lock: Option<&str>) -> Result<(), StorageError> {
        self.0.check(path, lock)?;
        self.0.states.lock().unwrap().remove(path.as_str());
        Ok(())
    }

    async fn lock(&self, path: &StatePath, _: &str, info: &str) -> Result<String, StorageError> {
        if self.0.without_locks {
            return Err(StorageError::Unsupported);
        }
        if let Some(gate) = &self.0.gate {
            self.0.waiting.notify_one();
            gate.acquire().await.unwrap().forget();
        }
        let mut locks = self.0.locks.lock().unwrap();
        match locks.get(path.as_str()) {
            Some((lock, held)) if id_of(held) != id_of(info) => Err(StorageError::Locked {
                lock: Some(lock.clone()),
                info: Some(held.clone()),
            }),
            _ => {
                let lock = format!("storage-{}", id_of(info));
                locks.insert(path.as_str().to_owned(), (lock.clone(), info.to_owned()));
                Ok(lock)
            }
        }
    }

    async fn unlock(&self, path: &StatePath, release: Release<'_>) -> Result<(), StorageError> {
        if self.0.without_locks {
            return Err(StorageError::Unsupported);
        }
        if let Release::Lock(lock) = release {
            self.0.check(path, Some(lock))?;
        }
        self.0.locks.lock().unwrap().remove(path.as_str());
        Ok(())
    }
}

/// A running server.
pub(crate) struct Running {
    pub(crate) memory: Arc<Memory>,
    pub(crate) address: SocketAddr,
    pub(crate) authorization: String,
    pub(crate) notices: Arc<Mutex<Vec<Notice>>>,
    end: oneshot::Sender<()>,
    server: JoinHandle<Vec<(StatePath, String)>>,
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Running {
    pub(crate) async fn start(memory: Memory) -> Running {
        Running::with(memory, Settings::default()).await
    }

    pub(crate) async fn with(memory: Memory, settings: Settings) -> Running {
        let memory = Arc::new(memory);
        Running::on(memory, settings).await
    }

    pub(crate) async fn on(memory: Arc<Memory>, settings: Settings) -> Running {
        let notices = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&notices);
        let notify = move |notice| noted.lock().unwrap().push(notice);
        let storage = Arc::new(Shared(Arc::clone(&memory)));
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
        Running {
            memory,
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

    /// Ends the server; the locks that were still held.
    pub(crate) async fn stop(self) -> Vec<(StatePath, String)> {
        self.end.send(()).unwrap();
        self.server.await.unwrap()
    }
}
