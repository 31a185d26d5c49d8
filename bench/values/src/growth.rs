//! What an element takes when there are many: about the same, or something is quadratic.

use std::hint::black_box;
use std::io;
use std::time::Duration;

use bench_harness::goal::{Bar, Goal};
use bench_harness::numbers::Numbers;
use bench_harness::section::{Arguments, fault};
use bench_harness::table::{line, number};
use serde_json::{Value as Json, json};
use tenon_values::{Type, Value, json as as_json, msgpack};

use crate::seconds;
use crate::shapes::{self, SHAPES, Shape};

const COUNTS: [u64; 3] = [1_000, 10_000, 100_000];

/// A sort and the caches take some of this; a quadratic loop would take a hundred.
const BAR: f64 = 5.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Task {
    Decode,
    Encode,
    JsonDecode,
}

impl Task {
    const ALL: [Task; 3] = [Task::Decode, Task::Encode, Task::JsonDecode];

    fn name(self) -> &'static str {
        match self {
            Task::Decode => "msgpack decode",
            Task::Encode => "msgpack encode",
            Task::JsonDecode => "JSON decode",
        }
    }
}

/// One shape with so many elements, ready to be measured.
struct Sample {
    shape: &'static Shape,
    count: u64,
    ty: Type,
    msgpack: Vec<u8>,
    json: String,
    value: Value,
    /// Nanoseconds for each element.
    nanos: Numbers<Task>,
}

impl Sample {
    fn new(shape: &'static Shape, count: u64) -> io::Result<Sample> {
        let ty = (shape.ty)(count);
        let theirs = (shape.value)(count);
        let mut msgpack = Vec::new();
        rmpv::encode::write_value(&mut msgpack, &theirs).map_err(fault)?;
        let json = shapes::json(&theirs);
        let value = msgpack::decode(&msgpack, &ty).map_err(fault)?;
        if as_json::decode(json.as_bytes(), &ty).map_err(fault)? != value {
            return Err(fault(format!("{} is another value in JSON", shape.name)));
        }
        Ok(Sample {
            shape,
            count,
            ty,
            msgpack,
            json,
            value,
            nanos: Numbers::default(),
        })
    }

    fn measure(&mut self, task: Task, each: Duration) {
        let ty = &self.ty;
        let taken = match task {
            Task::Decode => {
                let bytes = self.msgpack.as_slice();
                seconds(
                    &mut || drop(black_box(msgpack::decode(black_box(bytes), ty))),
                    each,
                )
            }
            Task::Encode => {
                let value = &self.value;
                seconds(
                    &mut || drop(black_box(msgpack::encode(black_box(value), ty))),
                    each,
                )
            }
            Task::JsonDecode => {
                let text = self.json.as_bytes();
                seconds(
                    &mut || drop(black_box(as_json::decode(black_box(text), ty))),
                    each,
                )
            }
        };
        self.nanos.add(task, taken * 1e9 / self.count as f64);
    }
}

/// The samples of a shape, fewest elements first.
type Series = [Sample; COUNTS.len()];

pub struct Growth {
    series: Vec<Series>,
}

pub fn run(arguments: &Arguments, rounds: usize, each: Duration) -> io::Result<Growth> {
    let mut series: Vec<Series> = Vec::new();
    for shape in SHAPES.iter().filter(|shape| arguments.wants(shape.name)) {
        let [small, middle, large] = COUNTS.map(|count| Sample::new(shape, count));
        series.push([small?, middle?, large?]);
    }
    for round in 0..rounds {
        eprintln!("elements, round {} of {rounds}", round + 1);
        for sample in series.iter_mut().flatten() {
            sample.nanos.round = round;
            for task in Task::ALL {
                sample.measure(task, each);
            }
        }
    }
    Ok(Growth { series })
}

fn growth([small, .., large]: &Series, task: Task) -> Option<f64> {
    large.nanos.ratio(&small.nanos, task)
}

impl Growth {
    pub fn table(&self) -> String {
        let mut text = String::from("Nanoseconds for each element, by how many there are.\n\n");
        let headings = ["", "", "1,000", "10,000", "100,000", "100,000 / 1,000"];
        text += &line(headings.map(str::to_owned));
        text += &line(headings.map(|_| "---".to_owned()));
        let shown = |value: Option<f64>| value.map_or("–".to_owned(), number);
        for (task, series) in Task::ALL
            .iter()
            .flat_map(|task| self.series.iter().map(move |series| (*task, series)))
        {
            let names = [task.name(), series[0].shape.name].map(str::to_owned);
            let times = series.iter().map(|sample| shown(sample.nanos.median(task)));
            let ratio = growth(series, task).map_or("–".to_owned(), |ratio| number(ratio) + "×");
            text += &line(names.into_iter().chain(times).chain([ratio]));
        }
        text
    }

    /// For each task the shape that grows most.
    pub fn goals(&self) -> Vec<Goal> {
        let worst = |task: Task| {
            let ratios = self
                .series
                .iter()
                .filter_map(|series| Some((series[0].shape.name, growth(series, task)?)));
            let (name, ratio) = ratios.max_by(|left, right| left.1.total_cmp(&right.1))?;
            Some(Goal {
                text: format!(
                    "{}: an element of 100,000 takes at most {BAR}× one of 1,000, in every shape; \
                     most in {name}",
                    task.name()
                ),
                measured: Some(ratio),
                apart: None,
                bar: Bar::AtMost(BAR),
                unit: "×",
            })
        };
        Task::ALL.into_iter().filter_map(worst).collect()
    }

    pub fn json(&self) -> Json {
        let samples = self.series.iter().flatten().flat_map(|sample| {
            Task::ALL.map(|task| {
                json!({
                    "task": task.name(),
                    "shape": sample.shape.name,
                    "elements": sample.count,
                    "nanoseconds_each": sample.nanos.median(task),
                    "rounds": sample.nanos.all(task),
                })
            })
        });
        Json::from(samples.collect::<Vec<_>>())
    }
}
