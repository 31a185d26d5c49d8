//! What a plugin has, by the names in its welcome.

use std::collections::BTreeSet;

use super::life::SPEC;
use super::names::canonical;

/// A part of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Hooks around the commands of Terraform.
    Hooks,
    /// Storage of states.
    Storage,
    /// Functions.
    Functions,
    /// Managed resources, data sources and ephemeral resources.
    Resources,
}

impl Level {
    /// All of them.
    pub const ALL: [Level; 4] = [
        Level::Hooks,
        Level::Storage,
        Level::Functions,
        Level::Resources,
    ];

    /// The name of the capability.
    pub fn name(self) -> &'static str {
        match self {
            Level::Hooks => "hooks",
            Level::Storage => "storage",
            Level::Functions => "functions",
            Level::Resources => "resources",
        }
    }

    /// The level of this name.
    fn named(name: &str) -> Option<Level> {
        match name {
            "middleware" => Some(Level::Hooks),
            name => Level::ALL.into_iter().find(|level| level.name() == name),
        }
    }
}

/// What a plugin has: whole levels, and single methods of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    levels: BTreeSet<Level>,
    methods: BTreeSet<String>,
    unknown: Vec<String>,
}

impl Capabilities {
    /// Reads the names of capabilities. Unknown names give nothing; [`unknown`](Capabilities::unknown) has them.
    pub fn of<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Capabilities {
        let mut capabilities = Capabilities::default();
        for name in names {
            let name = name.as_ref();
            match Level::named(name) {
                Some(level) => {
                    capabilities.levels.insert(level);
                }
                None => {
                    let method = canonical(name).into_owned();
                    match level_of(&method).is_some() && SPEC.methods.contains(&method.as_str()) {
                        true => drop(capabilities.methods.insert(method)),
                        false => capabilities.unknown.push(name.to_owned()),
                    }
                }
            }
        }
        capabilities
    }

    /// Whether the plugin has anything of this level.
    pub fn has(&self, level: Level) -> bool {
        let is_of_level = |method: &String| level_of(method) == Some(level);
        self.levels.contains(&level) || self.methods.iter().any(is_of_level)
    }

    /// Whether the plugin may have this method, given by its canonical name. A plugin that names a
    /// whole level may still answer -32601 to a method of it.
    pub fn includes(&self, method: &str) -> bool {
        let is_whole = level_of(method).is_some_and(|level| self.levels.contains(&level));
        is_whole || self.methods.contains(method)
    }

    /// The names that this version of the protocol does not have, as the plugin wrote them. They may be of a later
    /// version, or misspelt.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// Every name of a level, as plugins usually write them: `hooks`, `hooks.postPlan`.
    pub fn names_of(level: Level) -> Vec<String> {
        let of_level = |method: &&&str| level_of(method) == Some(level);
        let methods = SPEC.methods.iter().filter(of_level);
        let methods = methods.filter_map(|method| {
            let (_, name) = method.split_once('/')?;
            Some(format!("{}.{name}", level.name()))
        });
        std::iter::once(level.name().to_owned())
            .chain(methods)
            .collect()
    }
}

/// The level that a method belongs to.
fn level_of(method: &str) -> Option<Level> {
    let (level, _) = method.split_once('/')?;
    Level::named(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_single_methods_are_distinguished() {
        let names = [
            "middleware",
            "storage.read",
            "storage/write",
            "later",
            "x.y",
        ];
        let capabilities = Capabilities::of(names);
        assert!(capabilities.has(Level::Hooks) && capabilities.has(Level::Storage));
        assert!(!capabilities.has(Level::Functions) && !capabilities.has(Level::Resources));
        assert!(capabilities.includes("middleware/prePlan"));
        assert!(capabilities.includes("storage/read") && capabilities.includes("storage/write"));
        assert!(!capabilities.includes("storage/lock"));
        assert!(!capabilities.includes("x/y"));
        assert_eq!(capabilities.unknown(), ["later", "x.y"]);
    }

    #[test]
    fn a_misspelt_method_gives_nothing_of_its_level() {
        let capabilities = Capabilities::of(["hooks.postPaln", "storage.raed"]);
        assert!(!capabilities.has(Level::Hooks) && !capabilities.has(Level::Storage));
        assert_eq!(capabilities.unknown(), ["hooks.postPaln", "storage.raed"]);
        let names = Capabilities::names_of(Level::Storage);
        assert_eq!(names[..2], ["storage", "storage.read"]);
    }

    #[test]
    fn hooks_need_no_level() {
        let capabilities = Capabilities::of(["postPlan", "plan-stage-complete"]);
        assert!(capabilities.has(Level::Hooks));
        assert!(capabilities.includes("middleware/planStageCompleted"));
        assert!(!capabilities.includes("middleware/prePlan"));
    }
}
