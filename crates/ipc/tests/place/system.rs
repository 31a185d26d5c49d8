//! Sockets, or named pipes on Windows, without anything of the library.

use std::path::{Path, PathBuf};

use tokio::io::{AsyncRead, AsyncWrite};

/// Reads and writes.
pub(crate) trait Both: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Both for T {}

pub(crate) type Stream = Box<dyn Both>;

#[cfg(unix)]
mod own {
    use tokio::net::{UnixListener, UnixStream};

    use super::{Path, PathBuf, Stream};

    /// The place for the socket of a test with this folder.
    pub(crate) fn path(folder: &Path) -> PathBuf {
        folder.join("server.sock")
    }

    pub(crate) async fn connect(path: &Path) -> Stream {
        Box::new(UnixStream::connect(path).await.unwrap())
    }

    pub(crate) struct Listener(UnixListener);

    impl Listener {
        /// In place of whatever was there before.
        pub(crate) fn bind(path: &Path) -> Listener {
            let _was_there = std::fs::remove_file(path);
            Listener(UnixListener::bind(path).unwrap())
        }

        pub(crate) async fn accept(&self) -> Stream {
            Box::new(self.0.accept().await.unwrap().0)
        }
    }
}

#[cfg(windows)]
mod own {
    use std::time::Duration;

    use tenon_host::own_pipe;
    use tokio::net::windows::named_pipe::{ClientOptions, NamedPipeServer, ServerOptions};
    use tokio::sync::Mutex;

    use super::{Path, PathBuf, Stream};

    /// The place for the pipe of a test with this folder.
    pub(crate) fn path(folder: &Path) -> PathBuf {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        format!(r"\\.\pipe\tenon-test{name}-{}", std::process::id()).into()
    }

    pub(crate) async fn connect(path: &Path) -> Stream {
        /// All instances are in use for a moment.
        const BUSY: i32 = 231;
        loop {
            match ClientOptions::new().open(path) {
                Err(error) if error.raw_os_error() == Some(BUSY) => {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                opened => return Box::new(opened.unwrap()),
            }
        }
    }

    pub(crate) struct Listener {
        path: PathBuf,
        next: Mutex<NamedPipeServer>,
    }

    impl Listener {
        pub(crate) fn bind(path: &Path) -> Listener {
            Listener {
                path: path.to_owned(),
                next: Mutex::new(
                    own_pipe::create(&ServerOptions::new(), path.as_os_str()).unwrap(),
                ),
            }
        }

        pub(crate) async fn accept(&self) -> Stream {
            let mut next = self.next.lock().await;
            next.connect().await.unwrap();
            let fresh = own_pipe::create(&ServerOptions::new(), self.path.as_os_str()).unwrap();
            Box::new(std::mem::replace(&mut *next, fresh))
        }
    }
}

pub(crate) use own::{Listener, connect, path};
