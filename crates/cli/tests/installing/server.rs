//! Files over HTTP on the loopback address.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;

/// How much of a file is sent.
#[derive(Clone, Copy)]
pub(crate) enum Amount {
    Whole,
    /// Half, then the connection is closed.
    Half,
    /// Half, then the connection stays open.
    Stalled,
}

/// Serves the files of a folder until the tests end, and gives the address.
pub(crate) fn serve(folder: &Path, amount: Amount) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let folder = folder.to_owned();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let folder = folder.clone();
            thread::spawn(move || answer(&stream, &folder, amount));
        }
    });
    address
}

fn answer(mut stream: &TcpStream, folder: &Path, amount: Amount) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let request = lines.next().unwrap_or_default();
    // The headers, up to the empty line.
    lines.by_ref().take_while(|line| !line.is_empty()).count();
    let name = request.split(' ').nth(1).unwrap_or_default();
    let file: PathBuf = folder.join(name.trim_start_matches('/'));
    let Ok(content) = fs::read(file) else {
        let _gone = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        return;
    };
    let length = content.len();
    let header =
        format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    let sent = match amount {
        Amount::Whole => &content[..],
        Amount::Half | Amount::Stalled => &content[..length / 2],
    };
    // A client that was killed does not read on.
    let _gone = stream
        .write_all(header.as_bytes())
        .and_then(|()| stream.write_all(sent));
    if let Amount::Stalled = amount {
        // Until the client closes it.
        lines.count();
    }
}
