//! `tenon acp chat`: a client for terminals and CI.

mod asking;
mod connecting;
mod forms;
mod images;
mod lines;
mod local;
mod mcp;
mod news;
mod rules;
mod sessions;
mod talking;
mod tty;
mod turns;

use tenon_acp::client::{Client, ClientError, LoginMethod, Session};
use tenon_protocols::acp::AuthMethod;

use crate::args::ChatArgs;
use crate::commands::signals::HangUp;
use crate::exit::{Code, Failure};
use crate::output::{self, Transcript};
use crate::platform::{self, Signal};
use news::News;
use talking::Talk;

pub(crate) async fn run(args: &ChatArgs) -> Result<(), Failure> {
    output::choose_masked(&args.tap.mask);
    let outcome = chat(args).await;
    match outcome {
        Err(failure) if args.json => Err(output::failure_event(failure)),
        outcome => outcome,
    }
}

async fn chat(args: &ChatArgs) -> Result<(), Failure> {
    // Mistakes on the command line are reported before anything is started.
    let prepared = connecting::prepare(args)?;
    let mut interrupts = Interrupts::watch()?;
    let (news, received) = News::new();
    let connecting = connecting::connect(args, &prepared, news);
    let client = tokio::select! {
        client = connecting => client?,
        _ = interrupts.next() => return Err(Failure::interrupted()),
    };
    let talk = Talk::new(args, &client, received, prepared.is_interactive);
    let outcome = talk.hold(prepared, &mut interrupts).await;
    // Ending an agent may take a while, so the error is printed first.
    let outcome = match outcome {
        Err(failure) if !failure.message.is_empty() => {
            let code = failure.code;
            match args.json {
                true => drop(output::failure_event(failure)),
                false => output::talk_of(&failure),
            }
            Err(Failure::printed(code))
        }
        outcome => outcome,
    };
    tokio::select! {
        _ = client.close() => outcome,
        _ = interrupts.next() => Err(Failure::interrupted()),
    }
}

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interrupt {
    /// Ctrl-C.
    Cancel,
    /// SIGTERM or SIGHUP.
    End,
}

struct Interrupts {
    ctrl_c: Signal,
    terminate: Signal,
    hang_up: HangUp,
}

impl Interrupts {
    fn watch() -> Result<Interrupts, Failure> {
        Ok(Interrupts {
            ctrl_c: platform::interrupt().map_err(Failure::cannot_start)?,
            terminate: platform::terminate().map_err(Failure::cannot_start)?,
            hang_up: HangUp::watch()?,
        })
    }

    async fn next(&mut self) -> Interrupt {
        tokio::select! {
            _ = self.ctrl_c.recv() => Interrupt::Cancel,
            _ = self.terminate.recv() => Interrupt::End,
            () = self.hang_up.received() => Interrupt::End,
        }
    }
}

/// Waits for the agent, unless the user gives up.
async fn unless_interrupted<T>(
    work: impl Future<Output = Result<T, ClientError>>,
    interrupts: &mut Interrupts,
    args: &ChatArgs,
) -> Result<T, Failure> {
    tokio::select! {
        outcome = work => outcome.map_err(|error| failure(error, args)),
        _ = interrupts.next() => Err(Failure::interrupted()),
    }
}

/// Why something failed, with its exit code and what to do.
fn failure(error: ClientError, args: &ChatArgs) -> Failure {
    let message = output::indented_below(&error.to_string());
    match error {
        ClientError::Agent(error) => {
            let failure = Failure::from(*error);
            // What the host calls a plugin is an agent here; what the agent has written stays.
            let mut message = failure.message.replacen("the plugin", "the agent", 1);
            if let Some(hint) = message.rfind("\n  hint: ") {
                let hint = message.split_off(hint).replace("the plugin", "the agent");
                message += &hint;
            }
            Failure { message, ..failure }
        }
        ClientError::Call { method, error } => {
            let failure = Failure::from(*error);
            let message = match failure
                .message
                .strip_prefix("the peer answered with an error: ")
            {
                Some(answer) => format!("the agent answered {method} with an error: {answer}"),
                None => format!("{method}: {}", failure.message),
            };
            Failure { message, ..failure }
        }
        ClientError::LoginRequired { methods, .. } => Failure::new(
            Code::Failed,
            format!("{message}{}", login_hint(&methods, args)),
        ),
        ClientError::UnknownSession(_) => Failure::new(
            Code::Failed,
            format!("{message}\n  hint: --list shows the sessions that the agent has kept"),
        ),
        ClientError::TooLarge { .. } => Failure::usage(format!(
            "{message}\n  hint: give the agent the path of a file instead of its contents"
        )),
        ClientError::Version(_) => Failure::new(Code::BrokenProtocol, message),
        ClientError::Folder { .. } => Failure::usage(message),
        ClientError::Inactive(_) => Failure::new(
            Code::TimedOut,
            format!("{message}\n  hint: allow more time with --timeout, or --timeout none"),
        ),
        ClientError::CancelIgnored(_) => Failure::new(Code::TimedOut, message),
        _ => Failure::new(Code::Failed, message),
    }
}

fn login_hint(methods: &[AuthMethod], args: &ChatArgs) -> String {
    let mut hint = String::new();
    for method in methods.iter().filter_map(LoginMethod::of) {
        hint += &match method.terminal {
            Some(more) => {
                let agent = args
                    .agent
                    .iter()
                    .map(|word| word.to_string_lossy().into_owned());
                let words: Vec<String> = agent.chain(more).collect();
                let command = words.join(" ");
                format!(
                    "\n  hint: run this in a terminal: {}",
                    output::on_one_line(&command)
                )
            }
            None => format!("\n  hint: add --login {}", output::on_one_line(&method.id)),
        };
    }
    let withheld = connecting::command(args).ok();
    if let Some(withheld) = withheld.and_then(|command| command.left_out().login_hint()) {
        hint += &format!("\n  hint: {withheld}");
    }
    match hint.is_empty() {
        true => "\n  hint: log in with the agent's own command first, or pass its key with --env"
            .to_owned(),
        false => hint,
    }
}

/// What is shown of a session when it begins.
fn session_event(session: &Session) -> serde_json::Value {
    let about = session.about();
    serde_json::json!({
        "event": "session",
        "sessionId": session.id(),
        "cwd": session.folder(),
        "modes": about.modes,
        "models": about.models,
        "configOptions": about.config_options,
    })
}

/// Who the agent is, on one line.
fn greeting(client: &Client) -> String {
    match client.agent_info() {
        Some(info) => {
            let name = info.title.as_deref().unwrap_or(&info.name);
            format!(
                "{} {}",
                output::on_one_line(name),
                output::on_one_line(&info.version)
            )
        }
        None => "an agent without a name".to_owned(),
    }
}

/// Prints what the agent is, for programs.
fn initialized(client: &Client, transcript: &Transcript) -> Result<(), Failure> {
    transcript.event(&serde_json::json!({ "event": "initialized", "result": client.agent() }))
}
