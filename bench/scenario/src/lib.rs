//! The provider that the section's scenarios use. It answers at once, so what is measured beside
//! it is the work of everybody else.

use std::collections::BTreeMap;

use tenon_plugin::{Plugin, attributes};

attributes! {
    /// What a thing is made of.
    struct Create {
        /// What it is called.
        name: String,
        /// Where it is.
        region: String = "eu-central-1",
        /// What it belongs to.
        parent: Option<String>,
        /// How large it is.
        size: u64 = 1,
        /// What it is given.
        params: Vec<String> = Vec::new(),
        /// What it is found by.
        labels: BTreeMap<String, String> = BTreeMap::new(),
    }

    /// A thing that was made.
    struct Created {
        id: String,
        address: String,
        size: u64,
    }

    /// What is looked at.
    struct Check {
        /// Where to look.
        target: String,
        /// What should be there.
        expected: String = "ok",
    }

    /// What was found.
    struct Checked {
        answer: String,
    }
}

/// `bench_create` makes something of attributes and references, `bench_check` looks at it.
pub fn provider() -> Plugin {
    Plugin::new("bench", "1.0.0")
        .action(
            "bench_create",
            "Makes a thing",
            |_, create: Create| async move {
                Ok(Created {
                    address: format!("{}.{}", create.name, create.region),
                    id: create.name,
                    size: create.size,
                })
            },
        )
        .action(
            "bench_check",
            "Looks at a thing",
            |_, check: Check| async move {
                Ok(Checked {
                    answer: check.expected,
                })
            },
        )
}
