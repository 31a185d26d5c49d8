//! One plugin for every host: a forecast, weather stations and a warning before one is deleted.
//! `examples/multi-host/` has the same plugin in Python and TypeScript, and what each host can do with it.
//!
//! ```text
//! cargo build -p tenon-plugin --example weather
//! tenon call forecast '{"city":"Oslo"}' -- target/debug/examples/weather
//! ```

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use tenon_plugin::{
    Action, Created, Data, Diagnostic, Existing, Failure, Found, Plugin, Resource, ResourceHook,
    Secret, Typed, Verdict, attributes, json,
};

attributes! {
    struct Config {
        /// Where the stations are, as one file each.
        folder: String = "stations",
    }

    struct Forecast {
        /// Lisbon, Nairobi or Oslo.
        city: String,
        /// How many days, from 1 to 7.
        days: i64 = 1,
    }

    struct Days {
        city: String,
        days: Vec<Day>,
    }

    struct Day {
        day: i64,
        high: i64,
        sky: String,
    }

    struct Outlook {
        /// Lisbon, Nairobi or Oslo.
        city: Option<String>,
    }

    struct Publish {
        /// Lisbon, Nairobi or Oslo.
        city: String,
        /// How many days, from 1 to 7.
        days: i64 = 1,
        /// The file that is written.
        file: String,
    }

    struct Published {
        file: String,
        lines: usize,
    }

    struct Station {
        /// Lower-case letters, digits and hyphens.
        #[replaces]
        name: String,
        /// Lisbon, Nairobi or Oslo.
        city: String,
        /// In metres.
        elevation: i64 = 0,
    }

    struct Built {
        /// For people.
        label: String,
        /// The station signs its readings with it.
        #[stable]
        key: Secret<String>,
    }

    /// What the file of a station contains.
    struct Stored { city: String, elevation: i64 }

    struct City {
        /// Lisbon, Nairobi or Oslo.
        city: String,
    }

    struct Climate {
        average: i64,
        is_cold: bool,
    }
}

const CITIES: [(&str, i64); 3] = [("Lisbon", 21), ("Nairobi", 24), ("Oslo", 4)];
const SKIES: [&str; 3] = ["clear", "clouds", "rain"];

fn wrong(attribute: &str, message: impl Into<String>) -> Failure {
    Failure::diagnosed([Diagnostic::error(message, "").at([attribute])])
}

fn average(city: &str) -> Result<i64, Failure> {
    match CITIES.iter().find(|(name, _)| *name == city) {
        Some((_, average)) => Ok(*average),
        None => Err(wrong(
            "city",
            format!("unknown city {city:?}; known cities are Lisbon, Nairobi and Oslo"),
        )),
    }
}

fn forecast(city: &str, days: i64) -> Result<Vec<Day>, Failure> {
    let average = average(city)?;
    if !(1..=7).contains(&days) {
        return Err(wrong(
            "days",
            format!("days must be from 1 to 7, not {days}"),
        ));
    }
    let day = |day: i64| Day {
        day,
        high: average + day % 3,
        sky: SKIES[((average + day) % 3) as usize].to_owned(),
    };
    Ok((1..=days).map(day).collect())
}

fn climate(city: &str) -> Result<Climate, Failure> {
    let average = average(city)?;
    Ok(Climate {
        average,
        is_cold: average < 10,
    })
}

/// The folder of the stations. A station is a file, and its id is its name.
struct Stations {
    folder: PathBuf,
}

impl Stations {
    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    fn load(&self, name: &str) -> Result<Option<Station>, Failure> {
        let text = match fs::read(self.file(name)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        let stored = Stored::from_value(&json::implied(&text)?)?;
        Ok(Some(Station {
            name: name.to_owned(),
            city: stored.city,
            elevation: stored.elevation,
        }))
    }

    fn save(&self, station: &Station) -> Result<Built, Failure> {
        let stored = Stored {
            city: station.city.clone(),
            elevation: station.elevation,
        };
        let stored = stored.to_value()?;
        fs::create_dir_all(&self.folder)?;
        fs::write(
            self.file(&station.name),
            json::encode(&stored, &stored.ty())?,
        )?;
        Ok(built(station))
    }
}

fn built(station: &Station) -> Built {
    let Station {
        name,
        city,
        elevation,
    } = station;
    Built {
        label: format!("{name} ({city}, {elevation} m)"),
        key: Secret::new(format!("key-{name}")),
    }
}

fn check(station: &Station) -> Result<(), Failure> {
    let name = &station.name;
    let is_allowed = |letter: char| matches!(letter, 'a'..='z' | '0'..='9' | '-');
    if name.is_empty() || !name.chars().all(is_allowed) {
        return Err(wrong(
            "name",
            format!("invalid name {name:?}; use lower-case letters, digits and hyphens"),
        ));
    }
    average(&station.city).map(drop)
}

struct StationResource(Arc<Stations>);

impl Resource for StationResource {
    type Props = Station;
    type State = Built;

    async fn create(&self, station: Station) -> Result<Created<Built>, Failure> {
        check(&station)?;
        if self.0.load(&station.name)?.is_some() {
            let problem = format!("there is a station {:?} already", station.name);
            return Err(wrong("name", problem));
        }
        let built = self.0.save(&station)?;
        Ok(Created::new(station.name, built))
    }

    async fn read(
        &self,
        id: String,
        props: Option<Station>,
    ) -> Result<Option<Found<Station, Built>>, Failure> {
        match (self.0.load(&id)?, props) {
            (Some(station), _) => {
                let built = built(&station);
                Ok(Some(Found::new(station, built)))
            }
            (None, Some(_)) => Ok(None),
            // Without props it is an import.
            (None, None) => Err(Failure::new(format!("unknown station `{id}`"))),
        }
    }

    async fn update(
        &self,
        _: Existing<Station, Built>,
        station: Station,
    ) -> Result<Data<Built>, Failure> {
        check(&station)?;
        Ok(self.0.save(&station)?.into())
    }

    async fn delete(&self, existing: Existing<Station, Built>) -> Result<Data<()>, Failure> {
        match fs::remove_file(self.0.file(&existing.id)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error.into()),
            _ => Ok(Data::done()),
        }
    }
}

fn main() -> std::process::ExitCode {
    Plugin::new("weather", "1.0.0")
        .configure(|config: Config| async move {
            Ok(Stations {
                folder: config.folder.into(),
            })
        })
        .function(
            "forecast",
            "The weather of the next days in a city.",
            |given: Forecast| async move {
                let days = forecast(&given.city, given.days)?;
                Ok(Days {
                    city: given.city,
                    days,
                })
            },
        )
        .function(
            "outlook",
            "What a city is like, and null for no city.",
            |given: Outlook| async move { given.city.map(|city| climate(&city)).transpose() },
        )
        .action(
            "publish",
            "Writes a forecast into a file.",
            |context, given: Publish| async move {
                let mut text = String::new();
                for Day { day, high, sky } in forecast(&given.city, given.days)? {
                    let message = format!("day {day} of {}", given.days);
                    context.progress.say(message).await;
                    text += &format!("day {day}: {high} C, {sky}\n");
                }
                if let Err(error) = fs::write(&given.file, &text) {
                    let problem = format!("cannot write {}: {error}", given.file);
                    return Err(wrong("file", problem));
                }
                Ok(Published {
                    file: given.file,
                    lines: text.lines().count(),
                })
            },
        )
        .idempotent("publish")
        .resource("station", "A weather station.", StationResource)
        .data_source(
            "climate",
            "What a city is like.",
            |_, given: City| async move { climate(&given.city) },
        )
        .resource_hook(ResourceHook::PostPlan, |_, change| async move {
            let is_deleted = matches!(change.action, Some(Action::Delete | Action::Replace));
            Ok(
                match change.resource_type == "weather_station" && is_deleted {
                    true => Verdict::warn(format!(
                        "{} is deleted, and its readings are lost",
                        change.address
                    )),
                    false => Verdict::pass(),
                },
            )
        })
        .serve()
}
