//! What warm processes are worth to an apply of real Terraform, beside what Terraform takes itself;
//! and how much memory the provider has after that.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use bench_harness::goal::{Bar, Goal};
use bench_harness::numbers::{self, Numbers};
use bench_harness::report::Report;
use bench_harness::table::{line, shown, times};
use bench_terraform::keeper::{self, Taken, Watch};
use bench_terraform::terraform::{self, MEMORY_FOLDER};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::configuration::{self, Kind};
use crate::tools::ApplyTools;

/// How many resources the goals are about. With fewer, starts weigh more, and nothing is judged.
const JUDGED: usize = 100;

/// How many times faster an apply should be with warm processes.
const TIMES: f64 = 5.0;

/// MiB that the provider may have resident.
const MEMORY: f64 = 30.0;

/// No apply takes so long, on the busiest machine.
const PATIENCE: Duration = Duration::from_secs(300);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Measure {
    Wall,
    Cpu,
}

/// Where the state lies. Terraform syncs it to the disk after each resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Memory,
    Disk,
}

impl Place {
    const BOTH: [Place; 2] = [Place::Memory, Place::Disk];

    fn is_there(self) -> bool {
        self == Place::Disk || Path::new(MEMORY_FOLDER).is_dir()
    }

    fn name(self) -> &'static str {
        match self {
            Place::Memory => "in memory",
            Place::Disk => "on disk",
        }
    }

    /// A new folder there.
    fn folder(self) -> io::Result<TempDir> {
        match self {
            Place::Memory => tempfile::tempdir_in(MEMORY_FOLDER),
            // What is beside the program is on disk, as the build's own files are.
            Place::Disk => {
                let program = std::env::current_exe()?;
                tempfile::tempdir_in(program.parent().unwrap_or(Path::new(".")))
            }
        }
    }
}

struct Row {
    kind: Kind,
    place: Place,
    folder: PathBuf,
    seconds: Numbers<Measure>,
}

pub struct Applies {
    rows: Vec<Row>,
    resources: usize,
    /// In MiB.
    peak: Option<f64>,
    resident: Option<f64>,
}

pub fn run(rounds: usize, resources: usize, tools: &ApplyTools<'_>) -> io::Result<Applies> {
    let folder = tempfile::tempdir()?;
    let command = command(&folder, tools)?;
    // The folders go when the last apply is over.
    let (mut rows, mut folders) = (Vec::new(), Vec::new());
    for place in Place::BOTH.into_iter().filter(|place| place.is_there()) {
        let states = place.folder()?;
        for kind in Kind::ALL {
            rows.push(Row {
                kind,
                place,
                folder: kind.write(states.path(), resources)?,
                seconds: Numbers::default(),
            });
        }
        folders.push(states);
    }
    let apply = |row: &Row, watch| -> io::Result<Taken> {
        configuration::forget(&row.folder)?;
        keeper::run(&command, &row.folder, watch, PATIENCE)
    };
    // The first one finds Deno's cache empty; the memory it ends with is that of every other.
    eprintln!("applies, for the memory");
    let mut memory = Taken::default();
    if let Some(row) = rows.iter().find(|row| row.kind == Kind::Warm) {
        memory = apply(row, Watch::Memory)?;
    }
    let count = rows.len();
    for round in 0..rounds {
        eprintln!("applies, round {} of {rounds}", round + 1);
        // Each round begins with another row, so that none always follows the same neighbour.
        for index in (0..count).map(|index| (index + round) % count) {
            let row = &mut rows[index];
            let taken = apply(row, Watch::Nothing)?;
            row.seconds.round = round;
            row.seconds.add(Measure::Wall, taken.wall);
            row.seconds.add(Measure::Cpu, taken.cpu);
        }
    }
    Ok(Applies {
        rows,
        resources,
        peak: memory.peak_kib.map(|kib| kib / 1024.0),
        resident: memory.resident_kib.map(|kib| kib / 1024.0),
    })
}

fn command(folder: &TempDir, tools: &ApplyTools<'_>) -> io::Result<Command> {
    let providers = [("brad-jones/denobridge", tools.provider)];
    let settings = terraform::write_settings(folder.path(), &providers)?;
    let mut command = terraform::command(tools.terraform, &settings);
    command
        .args(["apply", "-auto-approve", "-input=false", "-no-color"])
        .env("TENON_DENO", tools.deno)
        .env("DENO_DIR", folder.path().join("deno"))
        .env("DENO_NO_UPDATE_CHECK", "1");
    Ok(command)
}

impl Applies {
    fn row(&self, kind: Kind, place: Place) -> Option<&Row> {
        let mut rows = self.rows.iter();
        rows.find(|row| row.kind == kind && row.place == place)
    }

    /// How many times what it takes with warm processes in the same place.
    fn ratio(&self, row: &Row, measure: Measure) -> Option<f64> {
        let warm = self.row(Kind::Warm, row.place)?;
        row.seconds.ratio(&warm.seconds, measure)
    }

    /// How many times that is when what Terraform takes itself is left out on both sides.
    fn ratio_beyond_terraform(&self, measure: Measure) -> Option<f64> {
        let all = |kind| Some(self.row(kind, Place::Memory)?.seconds.all(measure));
        let own = all(Kind::BuiltIn)?;
        let beyond = |kind| {
            let pairs = all(kind)?.into_iter().zip(&own);
            numbers::median(&pairs.map(|(all, own)| all - own).collect::<Vec<_>>())
        };
        Some(beyond(Kind::ProcessPerCall)? / beyond(Kind::Warm)?)
    }

    pub fn add_to(&self, report: &mut Report) {
        report.add("apply", self.table(), self.json());
        report.goals(self.goals());
    }

    fn table(&self) -> String {
        let mut text = format!(
            "`terraform apply` of {} resources: seconds until its end, and on a core in Terraform and \
             everything it started.\n\n",
            self.resources
        );
        let headings = ["resources", "state", "wall s", "× warm", "CPU s", "× warm"];
        text += &line(headings.map(str::to_owned));
        text += &line(headings.map(|_| "---".to_owned()));
        for row in &self.rows {
            let cells = [Measure::Wall, Measure::Cpu]
                .into_iter()
                .flat_map(|measure| {
                    let seconds = row.seconds.median(measure);
                    [shown(seconds), times(self.ratio(row, measure))]
                });
            let names = [row.kind.name(), row.place.name()].map(str::to_owned);
            text += &line(names.into_iter().chain(cells));
        }
        text += &format!(
            "\nWith the state in memory and without what `terraform_data` takes, `reuse = false` takes {} the time of the warm \
             processes, and {} on a core. The provider of a warm apply had {} MiB resident when it was last seen, and {} MiB at \
             most.\n",
            times(self.ratio_beyond_terraform(Measure::Wall)),
            times(self.ratio_beyond_terraform(Measure::Cpu)),
            shown(self.resident),
            shown(self.peak),
        );
        text
    }

    fn goals(&self) -> Vec<Goal> {
        let is_judged = self.resources == JUDGED;
        let places = Place::BOTH.into_iter().filter(|place| place.is_there());
        let judged = places.map(|place| {
            let per_call = self.row(Kind::ProcessPerCall, place);
            let place = place.name();
            Goal {
                text: format!(
                    "apply of {JUDGED}, state {place}: one process per call takes at least \
                     {TIMES}× warm processes"
                ),
                measured: per_call
                    .filter(|_| is_judged)
                    .and_then(|row| self.ratio(row, Measure::Wall)),
                apart: None,
                bar: Bar::AtLeast(TIMES),
                unit: "×",
            }
        });
        let memory = Goal {
            text: format!("memory: the provider has at most {MEMORY} MiB after {JUDGED}"),
            measured: self.peak.filter(|_| is_judged),
            apart: None,
            bar: Bar::AtMost(MEMORY),
            unit: " MiB",
        };
        judged.chain([memory]).collect()
    }

    fn json(&self) -> Json {
        let rows = self.rows.iter().map(|row| {
            json!({
                "resources": row.kind.name(),
                "state": row.place.name(),
                "count": self.resources,
                "wall_seconds": row.seconds.median(Measure::Wall),
                "wall_times_warm": self.ratio(row, Measure::Wall),
                "wall_rounds": row.seconds.all(Measure::Wall),
                "cpu_seconds": row.seconds.median(Measure::Cpu),
                "cpu_times_warm": self.ratio(row, Measure::Cpu),
                "cpu_rounds": row.seconds.all(Measure::Cpu),
            })
        });
        json!({
            "applies": rows.collect::<Vec<_>>(),
            "wall_times_warm_beyond_terraform": self.ratio_beyond_terraform(Measure::Wall),
            "cpu_times_warm_beyond_terraform": self.ratio_beyond_terraform(Measure::Cpu),
            "provider_peak_mib": self.peak,
            "provider_resident_mib": self.resident,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terraforms_own_part_is_left_out_within_each_round() {
        let row = |kind, rounds: [f64; 2]| {
            let mut seconds = Numbers::default();
            for (round, value) in rounds.into_iter().enumerate() {
                seconds.round = round;
                seconds.add(Measure::Wall, value);
            }
            Row {
                kind,
                place: Place::Memory,
                folder: PathBuf::new(),
                seconds,
            }
        };
        let applies = Applies {
            rows: vec![
                row(Kind::BuiltIn, [1.0, 5.0]),
                row(Kind::Warm, [2.0, 6.0]),
                row(Kind::ProcessPerCall, [11.0, 15.0]),
            ],
            resources: 1,
            peak: None,
            resident: None,
        };
        assert_eq!(applies.ratio_beyond_terraform(Measure::Wall), Some(10.0));
        assert_eq!(applies.ratio_beyond_terraform(Measure::Cpu), None);
    }
}
