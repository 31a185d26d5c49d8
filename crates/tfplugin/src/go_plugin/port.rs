//! A TCP port that only programs on this machine reach.

use std::env;
use std::io;
use std::net::{Ipv4Addr, TcpListener as StdTcpListener};

use tokio::net::TcpListener;

use super::error::StartError;

/// The ports to choose from, the last one included. The port 0 is any that is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ports {
    first: u16,
    last: u16,
}

impl Ports {
    /// What go-plugin's client says in `PLUGIN_MIN_PORT` and `PLUGIN_MAX_PORT`; one that is not set is 0.
    ///
    /// # Errors
    /// They are not ports, or not in this order.
    pub(super) fn from_environment() -> Result<Ports, StartError> {
        let read = |name| {
            let value = env::var_os(name).unwrap_or_default();
            port(name, &value.to_string_lossy())
        };
        Ports::new(read("PLUGIN_MIN_PORT")?, read("PLUGIN_MAX_PORT")?)
    }

    fn new(first: u16, last: u16) -> Result<Ports, StartError> {
        match first <= last {
            true => Ok(Ports { first, last }),
            false => Err(StartError::NoPorts { first, last }),
        }
    }
}

fn port(variable: &'static str, value: &str) -> Result<u16, StartError> {
    match value {
        "" => Ok(0),
        value => value.parse().map_err(|_| StartError::NotPort {
            variable,
            value: value.to_owned(),
        }),
    }
}

/// A port that is listened on.
pub(super) struct Port {
    listener: StdTcpListener,
    address: String,
}

impl Port {
    /// Listens on the first port that is free.
    ///
    /// # Errors
    /// None is.
    pub(super) fn bind(ports: Ports) -> Result<Port, StartError> {
        let mut last_error = None;
        for port in ports.first..=ports.last {
            let bound = StdTcpListener::bind((Ipv4Addr::LOCALHOST, port))
                .and_then(|listener| Ok((listener.local_addr()?.to_string(), listener)));
            match bound {
                Ok((address, listener)) => return Ok(Port { listener, address }),
                Err(error) => last_error = Some(error),
            }
        }
        Err(StartError::Ports {
            first: ports.first,
            last: ports.last,
            error: last_error.unwrap_or_else(|| io::ErrorKind::AddrInUse.into()),
        })
    }

    /// `127.0.0.1:PORT`.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// # Errors
    /// The runtime does not take it.
    pub(super) fn into_listener(self) -> io::Result<TcpListener> {
        self.listener.set_nonblocking(true)?;
        TcpListener::from_std(self.listener)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_is_not_set_is_any_port() {
        assert_eq!(port("PLUGIN_MIN_PORT", "").unwrap(), 0);
        assert_eq!(port("PLUGIN_MIN_PORT", "10000").unwrap(), 10000);
        for bad in ["-1", "65536", "http", " 1", "1.5"] {
            let error = port("PLUGIN_MAX_PORT", bad).unwrap_err().to_string();
            assert!(error.contains("PLUGIN_MAX_PORT"), "{error}");
            assert!(error.contains(&format!("{bad:?}")), "{error}");
        }
        let error = Ports::new(20, 10).unwrap_err().to_string();
        assert!(error.contains("20") && error.contains("10"), "{error}");
    }

    #[test]
    fn a_port_that_is_taken_is_not_chosen() {
        let (any, first) = (Ports { first: 0, last: 0 }, Ipv4Addr::LOCALHOST);
        let taken = Port::bind(any).unwrap();
        let number = taken.listener.local_addr().unwrap().port();
        assert_eq!(taken.address(), format!("{first}:{number}"));
        let only = Ports::new(number, number).unwrap();
        let refused = Port::bind(only).map(drop).unwrap_err().to_string();
        assert!(refused.contains(&number.to_string()), "{refused}");
        if let Ok(next) = Port::bind(Ports::new(number, u16::MAX).unwrap()) {
            assert!(next.listener.local_addr().unwrap().port() > number);
        }
    }
}
