//! One document, read and written by everyone.
//!
//! What was decoded is dropped while the clock runs, and so is the buffer of those that make a new
//! one each time.

use std::hint::black_box;
use std::io;
use std::time::Duration;

use bench_harness::goal::{Bar, Goal};
use bench_harness::numbers::Numbers;
use bench_harness::os;
use bench_harness::section::{Arguments, fault};
use bench_harness::table::{line, shown};
use serde_json::{Value as Json, json};
use tenon_values::msgpack;

use crate::document::{self, Resource};
use crate::seconds;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Decode,
    /// Into a new buffer.
    Encode,
    /// Into one buffer, emptied each time.
    Reuse,
}

use Direction::{Decode, Encode, Reuse};

impl Direction {
    const ALL: [Direction; 3] = [Decode, Encode, Reuse];

    fn name(self) -> &'static str {
        match self {
            Decode => "decode",
            Encode => "encode",
            Reuse => "encode, reused buffer",
        }
    }

    /// The row that the others are compared with.
    fn base(self) -> &'static str {
        match self {
            Decode => RMPV_OWNED,
            Encode | Reuse => RMPV_WRITE,
        }
    }

    fn ours(self) -> &'static str {
        match self {
            Decode => "tenon-values decode, by type",
            Encode => "tenon-values encode, by type",
            Reuse => "tenon-values encode_into, by type",
        }
    }

    /// How many times the base ours should be.
    fn goal(self) -> f64 {
        match self {
            Decode => 3.0,
            Encode | Reuse => 2.0,
        }
    }
}

const RMPV_OWNED: &str = "rmpv read_value";
const RMPV_WRITE: &str = "rmpv write_value";
const STRUCTS: &str = "rmp-serde from_slice, structs";

/// What becomes of memory that is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Memory {
    /// The allocator is left alone: it gives much of it back, and each pass meets new pages.
    Returned,
    Kept,
}

impl Memory {
    const ALL: [Memory; 2] = [Memory::Returned, Memory::Kept];

    fn name(self) -> &'static str {
        match self {
            Memory::Returned => "",
            Memory::Kept => ", memory kept",
        }
    }
}

struct Row<'a> {
    name: &'static str,
    direction: Direction,
    task: Box<dyn FnMut() + 'a>,
    /// Megabytes per second.
    rates: Rates,
}

type Rates = Numbers<Memory>;

impl<'a> Row<'a> {
    fn new(name: &'static str, direction: Direction, task: impl FnMut() + 'a) -> Row<'a> {
        Row {
            name,
            direction,
            task: Box::new(task),
            rates: Numbers::default(),
        }
    }
}

pub struct Contest {
    size: usize,
    rows: Vec<(&'static str, Direction, Rates)>,
}

pub fn run(arguments: &Arguments, rounds: usize, each: Duration) -> io::Result<Contest> {
    let resources = document::resources();
    let bytes = rmp_serde::to_vec_named(&resources).map_err(fault)?;
    let bytes = bytes.as_slice();
    let ty = document::ty();
    let ours = msgpack::decode(bytes, &ty).map_err(fault)?;
    let theirs = rmpv::decode::read_value(&mut &*bytes).map_err(fault)?;
    let mut buffers = [const { Vec::new() }; 3];
    let [first, second, third] = &mut buffers;

    let mut rows = vec![
        Row::new(RMPV_OWNED, Decode, || {
            drop(black_box(rmpv::decode::read_value(&mut black_box(bytes))))
        }),
        Row::new("rmpv read_value_ref, borrowed", Decode, || {
            drop(black_box(rmpv::decode::read_value_ref(&mut black_box(
                bytes,
            ))))
        }),
        Row::new(STRUCTS, Decode, || {
            drop(black_box(rmp_serde::from_slice::<Vec<Resource>>(
                black_box(bytes),
            )))
        }),
        Row::new(Decode.ours(), Decode, || {
            drop(black_box(msgpack::decode(black_box(bytes), &ty)))
        }),
        Row::new(RMPV_WRITE, Encode, || {
            let mut out = Vec::new();
            let _ = black_box(rmpv::encode::write_value(&mut out, black_box(&theirs)));
            drop(black_box(out));
        }),
        Row::new("rmp-serde to_vec_named, structs", Encode, || {
            drop(black_box(rmp_serde::to_vec_named(black_box(&resources))))
        }),
        Row::new(Encode.ours(), Encode, || {
            drop(black_box(msgpack::encode(black_box(&ours), &ty)))
        }),
        Row::new(RMPV_WRITE, Reuse, || {
            first.clear();
            let _ = black_box(rmpv::encode::write_value(first, black_box(&theirs)));
            black_box(&first);
        }),
        Row::new("rmp-serde write_named, structs", Reuse, || {
            second.clear();
            let _ = black_box(rmp_serde::encode::write_named(
                second,
                black_box(&resources),
            ));
            black_box(&second);
        }),
        Row::new(Reuse.ours(), Reuse, || {
            third.clear();
            let _ = black_box(msgpack::encode_into(black_box(&ours), &ty, third));
            black_box(&third);
        }),
    ];
    rows.retain(|row| arguments.wants(row.name) || row.name == row.direction.base());
    let count = rows.len();
    for memory in Memory::ALL {
        if memory == Memory::Kept {
            os::keep_memory();
        }
        for round in 0..rounds {
            eprintln!("document{}, round {} of {rounds}", memory.name(), round + 1);
            // Each round begins with another row, so that none always follows the same neighbour.
            for index in (0..count).map(|index| (index + round) % count) {
                let row = &mut rows[index];
                row.rates.round = round;
                let rate = bytes.len() as f64 * 1e-6 / seconds(&mut row.task, each);
                row.rates.add(memory, rate);
            }
        }
    }
    let rows: Vec<_> = rows
        .into_iter()
        .map(|row| (row.name, row.direction, row.rates))
        .collect();
    check(bytes, &resources, &buffers)?;
    if msgpack::encode(&ours, &ty).map_err(fault)? != bytes {
        return Err(fault("tenon-values writes other bytes than rmp-serde"));
    }
    Ok(Contest {
        size: bytes.len(),
        rows,
    })
}

/// Everyone has read the same and written the same.
fn check(bytes: &[u8], resources: &[Resource], buffers: &[Vec<u8>]) -> io::Result<()> {
    let read: Vec<Resource> = rmp_serde::from_slice(bytes).map_err(fault)?;
    if read != resources {
        return Err(fault("rmp-serde reads other resources than it wrote"));
    }
    // A row that was not wanted has written nothing.
    match buffers
        .iter()
        .all(|buffer| buffer.is_empty() || buffer == bytes)
    {
        true => Ok(()),
        false => Err(fault("not everyone writes the same bytes")),
    }
}

impl Contest {
    fn numbers(&self, name: &str, direction: Direction) -> Option<&Rates> {
        let found = self
            .rows
            .iter()
            .find(|row| row.0 == name && row.1 == direction);
        found.map(|row| &row.2)
    }

    fn ratio(&self, memory: Memory, direction: Direction, ours: &str, theirs: &str) -> Option<f64> {
        self.numbers(ours, direction)?
            .ratio(self.numbers(theirs, direction)?, memory)
    }

    pub fn tables(&self) -> String {
        let mut text = format!(
            "One document of {} bytes. Medians; ratios are paired within the rounds. What is decoded \
             is dropped, and a new buffer freed, while the clock runs.\n\n",
            self.size
        );
        let headings = ["", "", "MB/s", "× rmpv", "MB/s, memory kept", "× rmpv"];
        text += &line(headings.map(str::to_owned));
        text += &line(headings.map(|_| "---".to_owned()));
        for (name, direction, rates) in &self.rows {
            let base = direction.base();
            let cells = Memory::ALL.into_iter().flat_map(|memory| {
                let ratio = self.ratio(memory, *direction, name, base);
                [shown(rates.median(memory)), shown(ratio)]
            });
            let names = [direction.name(), name].map(str::to_owned);
            text += &line(names.into_iter().chain(cells));
        }
        let [returned, kept] =
            Memory::ALL.map(|memory| self.ratio(memory, Decode, Decode.ours(), STRUCTS));
        if returned.is_some() {
            let (returned, kept) = (shown(returned), shown(kept));
            text += &format!(
                "\nFor information: tenon-values decodes at {returned}× {STRUCTS}, {kept}× with \
                 memory kept.\n"
            );
        }
        text
    }

    pub fn goals(&self) -> Vec<Goal> {
        let goal = |direction: Direction, memory: Memory| {
            let (ours, theirs, times) = (direction.ours(), direction.base(), direction.goal());
            let (what, how) = (direction.name(), memory.name());
            Goal {
                text: format!("{what}{how}: {ours} at least {times}× {theirs}"),
                measured: self.ratio(memory, direction, ours, theirs),
                apart: None,
                bar: Bar::AtLeast(times),
                unit: "×",
            }
        };
        let goals =
            Direction::ALL.map(|direction| Memory::ALL.map(|memory| goal(direction, memory)));
        goals.into_iter().flatten().collect()
    }

    pub fn json(&self) -> Json {
        let row = |(name, direction, rates): &(&str, Direction, Rates)| {
            let cell = |memory| {
                json!({
                    "megabytes_per_second": rates.median(memory),
                    "times_rmpv": self.ratio(memory, *direction, name, direction.base()),
                    "rounds": rates.all(memory),
                })
            };
            json!({
                "direction": direction.name(),
                "name": name,
                "memory_returned": cell(Memory::Returned),
                "memory_kept": cell(Memory::Kept),
            })
        };
        json!({"bytes": self.size, "rows": self.rows.iter().map(row).collect::<Vec<_>>()})
    }
}
