//! How long the provider takes to be there. Terraform starts it up to five times for a command.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bench_harness::child::Child;
use bench_harness::goal::{Bar, Goal};
use bench_harness::numbers::Numbers;
use bench_harness::report::Report;
use bench_harness::section::fault;
use bench_harness::table::{line, shown};
use bench_harness::watchdog::Watchdog;
use serde_json::json;
use tenon_tfplugin::proto::tfplugin6::get_provider_schema;

use crate::identity::Identity;
use crate::provider::{Provider, ProviderProgram};

/// A program that only prints its version does not take so long.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    Version,
    PlainLine,
    PlainAnswer,
    Line,
    Answer,
}

impl Moment {
    const ALL: [Moment; 5] = [
        Moment::Version,
        Moment::PlainLine,
        Moment::PlainAnswer,
        Moment::Line,
        Moment::Answer,
    ];

    fn name(self) -> &'static str {
        match self {
            Moment::Version => "`--version`, until its end",
            Moment::PlainLine => "plain: until the handshake's line",
            Moment::PlainAnswer => "plain: until the first answer",
            Moment::Line => "mTLS: until the handshake's line",
            Moment::Answer => "mTLS: until the first answer",
        }
    }
}

pub struct Startup {
    milliseconds: Numbers<Moment>,
    bar: f64,
}

/// Starts a provider again and again. The first answer should come within `bar` milliseconds.
///
/// # Errors
/// It does not start, or has no resources.
pub async fn run(rounds: usize, program: &ProviderProgram, bar: f64) -> io::Result<Startup> {
    let mut milliseconds = Numbers::default();
    let identity = Identity::new()?;
    eprintln!("start-up, {rounds} rounds");
    // The first start finds the program's file wherever the build has left it.
    first_answer(program, Some(&identity)).await?;
    for round in 0..rounds {
        milliseconds.round = round;
        let mut add = |moment, taken: Duration| {
            milliseconds.add(moment, taken.as_secs_f64() * 1e3);
        };
        add(Moment::Version, version(program)?);
        let mut ways = [
            (None, Moment::PlainLine, Moment::PlainAnswer),
            (Some(&identity), Moment::Line, Moment::Answer),
        ];
        // So that neither always follows the other.
        ways.rotate_left(round % 2);
        for (identity, line, answer) in ways {
            let (line_after, answer_after) = first_answer(program, identity).await?;
            add(line, line_after);
            add(answer, answer_after);
        }
    }
    Ok(Startup { milliseconds, bar })
}

/// What any program of this size takes.
fn version(program: &ProviderProgram) -> io::Result<Duration> {
    let mut command = Command::new(&program.path);
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let start = Instant::now();
    let mut child = Child::start(&mut command)?;
    let watchdog = Watchdog::over(child.pid(), PATIENCE);
    child.inner.wait()?;
    let taken = start.elapsed();
    drop(watchdog);
    Ok(taken)
}

async fn first_answer(
    program: &ProviderProgram,
    identity: Option<&Identity>,
) -> io::Result<(Duration, Duration)> {
    let provider = Provider::start(program, identity).await?;
    let mut client = provider.client();
    let request = get_provider_schema::Request::default();
    let schema = client.get_provider_schema(request).await.map_err(fault)?;
    let answer_after = provider.started.elapsed();
    if schema.into_inner().resource_schemas.is_empty() {
        return Err(io::Error::other("the schema has no resources"));
    }
    let line_after = provider.line_after;
    drop(client);
    provider.end().await?;
    Ok((line_after, answer_after))
}

impl Startup {
    pub fn add_to(&self, report: &mut Report) {
        report.add(
            "start",
            self.table(),
            Moment::ALL
                .map(|moment| {
                    json!({
                        "moment": moment.name(),
                        "milliseconds": self.milliseconds.median(moment),
                        "least_milliseconds": self.least(moment),
                        "rounds": self.milliseconds.all(moment),
                    })
                })
                .to_vec()
                .into(),
        );
        report.goals(vec![Goal {
            text: format!("start with mTLS: the first answer within {} ms", self.bar),
            measured: self.milliseconds.median(Moment::Answer),
            apart: None,
            bar: Bar::AtMost(self.bar),
            unit: " ms",
        }]);
    }

    /// What it takes on an idle machine: a program that has to wait for a core once has
    /// waited longer than it runs.
    fn least(&self, moment: Moment) -> Option<f64> {
        let all = self.milliseconds.all(moment);
        all.into_iter().min_by(f64::total_cmp)
    }

    fn table(&self) -> String {
        let mut text = String::from(
            "Start of the provider, on all cores; the first answer is that to `GetProviderSchema`.\n\n",
        );
        let headings = ["", "ms", "least ms"];
        text += &line(headings.map(str::to_owned));
        text += &line(headings.map(|_| "---".to_owned()));
        for moment in Moment::ALL {
            let taken = shown(self.milliseconds.median(moment));
            let least = shown(self.least(moment));
            text += &line([moment.name().to_owned(), taken, least]);
        }
        text
    }
}
