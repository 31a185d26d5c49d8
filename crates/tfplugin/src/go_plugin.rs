//! The server side of go-plugin, by which Terraform and OpenTofu talk to a provider: a line on
//! stdout that says where the provider listens, then gRPC over a Unix socket, or over a
//! TCP port where there are none, as a rule with certificates that both sides make anew for each process.
//!
//! What the provider does is left to you: [`run`] serves anything that is a [`Provider`].

mod arguments;
mod connection;
mod encryption;
mod ending;
mod error;
mod handshake;
mod incoming;
mod listening;
mod platform;
mod port;
mod reattach;
mod services;

use std::io::{self, Write};
use std::pin::pin;
use std::process::ExitCode;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::transport::Server;

use self::arguments::Mode;
use self::encryption::Encryption;
use self::ending::{Endings, Reason};
use self::error::StartError;
use self::handshake::Handshake;
use self::listening::{Address, Listening, Network};
use self::platform::Files;
use self::services::Services;
use crate::adapter::Adapter;
use crate::{Identity, Provider, log};

/// Terraform kills a provider two seconds after it has asked it to end. What has not ended by then
/// would leave its socket and its scripts behind.
const LONGEST_ENDING: Duration = Duration::from_millis(1700);

/// When to end even if something blocks the only thread, where no time limit can run out then.
const LAST_MOMENT: Duration = Duration::from_millis(1850);

/// Does what the arguments and the environment of this process say: serves the provider to
/// Terraform, serves it for debugging, or prints what this program is.
///
/// `make` is called before there is a runtime, and only if the provider is served. Its error is shown to the
/// user of Terraform. When the process ends, [`Provider::end`] is awaited
/// while the last answers still go out, and given up after 1.7 seconds.
pub fn run<P: Provider>(identity: &Identity, make: impl FnOnce() -> io::Result<P>) -> ExitCode {
    let cookie = std::env::var_os(handshake::COOKIE.0);
    let mode = match Mode::choose(std::env::args_os().skip(1), cookie.as_deref()) {
        Ok(mode) => mode,
        Err(unknown) => {
            let text = format!("{}: {unknown}\n", identity.program());
            return tell(&mut io::stderr(), &text, 2);
        }
    };
    let served = match mode {
        Mode::Help => return tell(&mut io::stdout(), &arguments::help(identity), 0),
        Mode::Version => {
            let file = std::env::current_exe().ok();
            let text = arguments::version(identity, file.as_deref());
            return tell(&mut io::stdout(), &text, 0);
        }
        Mode::ByHand => return tell(&mut io::stderr(), &arguments::by_hand(identity), 1),
        Mode::Debug => {
            log::install(identity, log::Style::Text);
            start(make, |provider| debug(identity, provider))
        }
        Mode::Serve => {
            log::install(identity, log::Style::Json);
            let served = start(make, |provider| serve_terraform(identity, provider));
            if let Err(error @ (StartError::Provider(_) | StartError::Runtime(_))) = &served {
                tell_terraform(error);
            }
            served
        }
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => tell(&mut io::stderr(), &format!("{error}\n"), 1),
    }
}

/// A runtime of one thread is up in a fraction of the time that one with many takes, and Terraform
/// starts a provider up to five times for a command.
fn start<P, F: Future<Output = Result<(), StartError>>>(
    make: impl FnOnce() -> io::Result<P>,
    serve: impl FnOnce(P) -> F,
) -> Result<(), StartError> {
    let provider = make().map_err(StartError::Provider)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(StartError::Runtime)?;
    let served = runtime.block_on(serve(provider));
    // A blocking thread that hangs must not keep the process.
    runtime.shutdown_background();
    served
}

async fn serve_terraform<P: Provider>(identity: &Identity, provider: P) -> Result<(), StartError> {
    let begun = begin(identity);
    if let Err(error) = &begun {
        tell_terraform(error);
    }
    let (listening, encryption, endings) = begun?;
    serve(provider, listening, encryption, endings).await
}

/// Terraform shows a line that it cannot parse to its user, and stderr only in its log.
fn tell_terraform(error: &StartError) {
    let _not_shown = say(&handshake::refusal(error));
}

/// Everything up to the line that tells Terraform where to connect. It connects only then, so
/// nothing that takes time may stand here.
fn begin(identity: &Identity) -> Result<(Listening, Option<Encryption>, Endings), StartError> {
    // Before the line: from then on Terraform may die, and Ctrl-C may be pressed, at any time.
    let endings = Endings::of_terraform()?;
    let handshake = Handshake::from_environment(&identity.name)?;
    let client = handshake.client.clone();
    let encryption = client.map(Encryption::new).transpose()?;
    let listening = Listening::bind(
        Network::chosen()?,
        identity,
        &handshake,
        encryption.as_ref(),
    )?;
    let certificate = encryption.as_ref().map(Encryption::certificate);
    let line = handshake::line(
        listening.address()?,
        certificate,
        handshake.asks_to_multiplex,
    );
    say(&line)?;
    let Address(network, address) = listening.address()?;
    tracing::debug!(network = network.name(), address, "the provider listens");
    listening.remove_left_behind(&identity.socket_prefix());
    Ok((listening, encryption, endings))
}

/// Terraform connects without a certificate to a provider that runs already, so only the permissions of a
/// file can keep others out.
async fn debug<P: Provider>(identity: &Identity, provider: P) -> Result<(), StartError> {
    let network = Network::chosen()?;
    if network == Network::Tcp {
        return Err(StartError::DebuggingOnPort);
    }
    let endings = Endings::of_debugging()?;
    let listening = Listening::bind(network, identity, &Handshake::for_debugging(), None)?;
    say(&reattach::text(identity, listening.address()?))?;
    listening.remove_left_behind(&identity.socket_prefix());
    serve(provider, listening, None, endings).await
}

/// Serves until one of the `endings` comes, then ends within [`LONGEST_ENDING`].
async fn serve<P: Provider>(
    provider: P,
    listening: Listening,
    encryption: Option<Encryption>,
    mut endings: Endings,
) -> Result<(), StartError> {
    let (listener, files) = listening.into_parts()?;
    let incoming = incoming::accept(listener, encryption.map(Encryption::into_acceptor));
    let provider = Arc::new(provider);
    let adapter = Adapter::new(provider.clone());
    let calls = adapter.calls();
    let services = Services::new(adapter, endings.requested()).await;
    let stop = CancellationToken::new();
    let serving = Server::builder().serve_with_incoming_shutdown(
        services,
        incoming,
        stop.clone().cancelled_owned(),
    );
    let mut serving = pin!(serving);
    tokio::select! {
        served = &mut serving => return served.map_err(StartError::Serving),
        reason = ending(&mut endings, provider.as_ref(), &calls) => {
            tracing::debug!("the provider ends: {reason}");
        }
    }
    stop.cancel();
    let files = Arc::new(files);
    end_at_the_last_moment(Arc::downgrade(&files));
    let ended = end(serving, async || provider.end().await).await;
    ended.map_err(StartError::Serving)
}

/// Waits until the process has to end. After SIGTERM, which often reaches Terraform's whole process group,
/// calls in progress finish first, as after Ctrl-C: Terraform waits for them, and what they create would be
/// lost. A second signal ends the process immediately.
async fn ending<P: Provider>(endings: &mut Endings, provider: &P, calls: &TaskTracker) -> Reason {
    let reason = endings.wait().await;
    if !endings.lets_calls_finish(&reason) {
        return reason;
    }
    provider.stop();
    calls.close();
    tokio::select! {
        () = calls.wait() => reason,
        next = endings.wait() => next,
    }
}

/// Held weakly, so that the files go when they are dropped, long before that as a rule.
fn end_at_the_last_moment(files: Weak<Option<Files>>) {
    thread::spawn(move || {
        thread::sleep(LAST_MOMENT);
        if let Some(Some(files)) = files.upgrade().as_deref() {
            files.remove();
        }
        std::process::exit(1);
    });
}

/// Waits for the calls that are still `served` and for `finish`, and gives up what takes too long.
async fn end<E>(
    served: impl Future<Output = Result<(), E>>,
    finish: impl AsyncFnOnce(),
) -> Result<(), E> {
    let both = async { tokio::join!(served, finish()).0 };
    let ended = tokio::time::timeout(LONGEST_ENDING, both).await;
    ended.unwrap_or_else(|_elapsed| {
        tracing::warn!("a call or a script did not end in time and has been given up");
        Ok(())
    })
}

/// Writes the line that Terraform, or the person who debugs, waits for. Fails if the reader has gone: this
/// is how a parent is noticed that died before it was watched.
fn say(text: &str) -> Result<(), StartError> {
    let mut stdout = io::stdout();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(StartError::Stdout)
}

fn tell(to: &mut dyn Write, text: &str, code: u8) -> ExitCode {
    // A closed stream is not an error here.
    let _unheard = to.write_all(text.as_bytes()).and_then(|()| to.flush());
    ExitCode::from(code)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::pending;

    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_hangs_is_given_up_before_terraform_kills() {
        let begun = Instant::now();
        let finished = Cell::new(false);
        end(pending::<Result<(), ()>>(), async || finished.set(true))
            .await
            .unwrap();
        assert!(finished.get());
        end(async { Ok::<(), ()>(()) }, async || pending().await)
            .await
            .unwrap();
        assert_eq!(begun.elapsed(), 2 * LONGEST_ENDING);
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_waited_for_when_all_have_ended() {
        let begun = Instant::now();
        let ended = end(async { Err("broken") }, async || ()).await;
        assert_eq!((ended, begun.elapsed()), (Err("broken"), Duration::ZERO));
    }
}
