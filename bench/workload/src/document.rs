//! A large value: a list of 2,500 resources as a cloud would describe them, 500 KB of msgpack.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

const RESOURCES: u64 = 2_500;

/// The fields are in the order of their names, which is how cty writes attributes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resource {
    pub description: Option<String>,
    pub enabled: bool,
    pub id: String,
    pub name: String,
    pub network: Network,
    pub ports: Vec<u32>,
    pub region: String,
    pub size: Option<u64>,
    pub tags: BTreeMap<String, String>,
    pub weight: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Network {
    pub address: String,
    pub public: bool,
}

/// The same resources in every run.
pub fn resources() -> Vec<Resource> {
    (0..RESOURCES).map(resource).collect()
}

fn resource(index: u64) -> Resource {
    let mixed = mix(index);
    let pick = |shift: u32, count: u64| (mixed >> shift) % count;
    let of =
        |shift: u32, words: &[&str]| words[pick(shift, words.len() as u64) as usize].to_owned();
    let environment = of(0, &["production", "staging", "development"]);
    let service = of(8, &["api", "billing", "search", "web"]);
    let description = format!("Runs {service} in {environment}");
    Resource {
        description: (pick(16, 4) != 0).then_some(description),
        enabled: pick(20, 8) != 0,
        id: format!("i-{:017x}", mixed >> 1),
        name: format!("{service}-{index:04}"),
        network: Network {
            address: format!("10.{}.{}.{}", pick(24, 64), pick(32, 256), pick(40, 256)),
            public: pick(48, 2) == 0,
        },
        ports: [22, 443, 8080][..1 + pick(28, 3) as usize].to_vec(),
        region: of(36, &["eu-central-1", "eu-west-1", "us-east-1"]),
        size: (pick(44, 8) != 0).then_some(8 << pick(52, 8)),
        tags: BTreeMap::from([
            ("env".to_owned(), environment),
            ("service".to_owned(), service),
        ]),
        // Eighths are exact, so everyone may write them as a float64, which cty then does too.
        weight: (1 + 8 * pick(12, 100) + pick(56, 7)) as f64 / 8.0,
    }
}

/// Scatters the bits of a number (splitmix64).
pub fn mix(index: u64) -> u64 {
    let mut mixed = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
