//! `terraform plan` of many resources of a packed plugin, beside the same with scripts and beside Terraform's own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use bench_harness::goal::{Bar, Goal};
use bench_harness::numbers::Numbers;
use bench_harness::report::Report;
use bench_harness::section::fault;
use bench_harness::table::{line, shown, times};
use bench_terraform::keeper::{self, Watch};
use bench_terraform::{program, terraform};
use serde_json::{Value as Json, json};

use crate::packing::{PYTHON, Packed};
use crate::tools::{self, Tools};

/// How many resources the goals are about. With fewer, starts weigh more, and nothing is judged.
const JUDGED: usize = 500;

/// How many times the plan of `terraform_data` the plan of a packed plugin may take.
const TIMES: f64 = 1.5;

/// No plan or apply takes so long, on the busiest machine.
const PATIENCE: Duration = Duration::from_secs(600);

/// What the resources are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// There are none.
    Nothing,
    /// Terraform's own resource: no process is started for it.
    BuiltIn,
    /// Those of `notes.py`, packed.
    Packed,
    /// A script in Python, run by denobridge.
    PythonScript,
    /// A script in TypeScript, run by denobridge with Deno.
    DenoScript,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Nothing => "nothing",
            Kind::BuiltIn => "`terraform_data`",
            Kind::Packed => "packed plugin, Python",
            Kind::PythonScript => "denobridge script, Python",
            Kind::DenoScript => "denobridge script, Deno",
        }
    }

    /// The configuration; a packed plugin keeps its notes in this folder.
    fn text(self, resources: usize, folder: &Path) -> String {
        let script = match self {
            Kind::Nothing => return String::new(),
            Kind::BuiltIn => {
                return format!(
                    "resource \"terraform_data\" \"thing\" {{\n  count = {resources}\n  input = {PROPS}\n}}\n"
                );
            }
            Kind::Packed => {
                return format!(
                    r#"terraform {{
  required_providers {{
    notes = {{ source = "tenon/notes" }}
  }}
}}

provider "notes" {{
  folder = {folder:?}
}}

resource "notes_note" "thing" {{
  count = {resources}
  title = "thing-${{count.index}}"
  text  = "Number ${{count.index}} of the shop"
  tags  = {{ environment = "staging", owner = "shop" }}
}}
"#
                );
            }
            Kind::PythonScript => program::script("thing.py"),
            Kind::DenoScript => program::script("thing.ts"),
        };
        format!(
            r#"terraform {{
  required_providers {{
    denobridge = {{ source = "brad-jones/denobridge" }}
  }}
}}

resource "denobridge_resource" "thing" {{
  count = {resources}
  path  = {script:?}
  props = {PROPS}
}}
"#
        )
    }
}

const PROPS: &str = r#"{
    name = "thing-${count.index}"
    size = count.index
    tags = { environment = "staging", owner = "shop" }
  }"#;

/// What Terraform knows of the resources when it plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Known {
    /// Nothing: all of them are created.
    New,
    /// They have been applied, so each is read, and nothing changes.
    Applied,
}

impl Known {
    const BOTH: [Known; 2] = [Known::New, Known::Applied];

    fn name(self) -> &'static str {
        match self {
            Known::New => "to create",
            Known::Applied => "unchanged",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Measure {
    Wall,
    Cpu,
}

struct Row {
    kind: Kind,
    known: Known,
    folder: PathBuf,
    seconds: Numbers<Measure>,
}

impl Row {
    /// Whether the plan was the one that is meant to be measured.
    fn check(&self, resources: usize) -> io::Result<()> {
        let expected = match (self.kind, self.known) {
            (Kind::Nothing, _) | (_, Known::Applied) => "No changes.".to_owned(),
            (_, Known::New) => format!("Plan: {resources} to add, 0 to change, 0 to destroy."),
        };
        let said = keeper::output(&self.folder)?;
        match said.contains(&expected) {
            true => Ok(()),
            false => Err(fault(format!(
                "{}: not {expected:?}:\n{said}",
                self.kind.name()
            ))),
        }
    }
}

pub struct Plans {
    rows: Vec<Row>,
    resources: usize,
}

/// Measures plans, or says what is missing for them.
pub fn run(
    rounds: usize,
    resources: usize,
    tools: &Tools,
    packed: &Packed,
) -> io::Result<Result<Plans, String>> {
    let needed = match tools.for_plans() {
        Ok(needed) => needed,
        Err(missing) => return Ok(Err(missing)),
    };
    let notes = packed.plugin(PYTHON).ok_or_else(|| fault("not packed"))?;
    // Terraform syncs its state, and notes.py its notes; the disk is not what is measured.
    let scratch = terraform::folder_in_memory()?;
    let providers = [
        ("brad-jones/denobridge", tools.bridge.as_path()),
        ("tenon/notes", notes.provider.path.as_path()),
    ];
    let settings = terraform::write_settings(scratch.path(), &providers)?;
    let command = |words: &[&str]| -> io::Result<Command> {
        let mut command = terraform::command(needed.terraform, &settings);
        command
            .args(words)
            .args(["-input=false", "-no-color"])
            .env("PATH", tools::search_path(needed.python)?)
            .env("DENO_DIR", scratch.path().join("deno"))
            .env("DENO_NO_UPDATE_CHECK", "1");
        if let Some(deno) = needed.deno {
            command.env("TENON_DENO", deno);
        }
        Ok(command)
    };
    let mut kinds = vec![
        Kind::Nothing,
        Kind::BuiltIn,
        Kind::Packed,
        Kind::PythonScript,
    ];
    kinds.extend(needed.deno.map(|_| Kind::DenoScript));
    let mut rows = Vec::new();
    for known in Known::BOTH {
        for &kind in &kinds {
            let folder = scratch.path().join(format!("{kind:?}{known:?}"));
            let kept = folder.join("notes");
            fs::create_dir_all(&kept)?;
            fs::write(folder.join("main.tf"), kind.text(resources, &kept))?;
            if known == Known::Applied {
                eprintln!("plans: apply of {resources}, {}", kind.name());
                let apply = command(&["apply", "-auto-approve"])?;
                keeper::run(&apply, &folder, Watch::Nothing, PATIENCE)?;
            }
            rows.push(Row {
                kind,
                known,
                folder,
                seconds: Numbers::default(),
            });
        }
    }
    let plan = command(&["plan"])?;
    let count = rows.len();
    for round in 0..rounds {
        eprintln!("plans, round {} of {rounds}", round + 1);
        // Each round begins with another row, so that none always follows the same neighbour.
        for index in (0..count).map(|index| (index + round) % count) {
            let row = &mut rows[index];
            let taken = keeper::run(&plan, &row.folder, Watch::Nothing, PATIENCE)?;
            row.check(resources)?;
            row.seconds.round = round;
            row.seconds.add(Measure::Wall, taken.wall);
            row.seconds.add(Measure::Cpu, taken.cpu);
        }
    }
    Ok(Ok(Plans { rows, resources }))
}

impl Plans {
    fn row(&self, kind: Kind, known: Known) -> Option<&Row> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.kind == kind && row.known == known)
    }

    /// How many times what Terraform's own resources take.
    fn ratio(&self, row: &Row, measure: Measure) -> Option<f64> {
        let own = self.row(Kind::BuiltIn, row.known)?;
        row.seconds.ratio(&own.seconds, measure)
    }

    pub fn add_to(&self, report: &mut Report) {
        report.add("plan", self.table(), self.json());
        report.goals(Known::BOTH.map(|known| Goal {
            text: format!(
                "plan of {JUDGED}, {}: a packed Python plugin takes at most {TIMES}× `terraform_data`",
                known.name()
            ),
            measured: { self.row(Kind::Packed, known) }
                .filter(|_| self.resources == JUDGED)
                .and_then(|row| self.ratio(row, Measure::Wall)),
            apart: None,
            bar: Bar::AtMost(TIMES),
            unit: "×",
        }));
    }

    fn table(&self) -> String {
        let mut text = format!(
            "`terraform plan` of {} resources: seconds until its end, and on a core in Terraform and \
             everything it started.\n\n",
            self.resources
        );
        let own = "× `terraform_data`";
        let headings = ["resources", "which are", "wall s", own, "CPU s", own];
        text += &line(headings.map(str::to_owned));
        text += &line(headings.map(|_| "---".to_owned()));
        for row in &self.rows {
            let measures = [Measure::Wall, Measure::Cpu].into_iter();
            let cells = measures.flat_map(|measure| {
                let seconds = row.seconds.median(measure);
                [shown(seconds), times(self.ratio(row, measure))]
            });
            let names = [row.kind.name(), row.known.name()].map(str::to_owned);
            text += &line(names.into_iter().chain(cells));
        }
        text
    }

    fn json(&self) -> Json {
        let rows = self.rows.iter().map(|row| {
            json!({
                "resources": row.kind.name(),
                "which_are": row.known.name(),
                "count": self.resources,
                "wall_seconds": row.seconds.median(Measure::Wall),
                "wall_times_terraform_data": self.ratio(row, Measure::Wall),
                "wall_rounds": row.seconds.all(Measure::Wall),
                "cpu_seconds": row.seconds.median(Measure::Cpu),
                "cpu_times_terraform_data": self.ratio(row, Measure::Cpu),
                "cpu_rounds": row.seconds.all(Measure::Cpu),
            })
        });
        rows.collect()
    }
}
