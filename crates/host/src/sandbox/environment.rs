//! Which environment variables a confined plugin inherits.

use std::ffi::OsStr;

use super::permissions::{Grant, Permission};
use crate::command::PluginCommand;
use crate::environment::{Environment, matches};

/// Whether a command inherits a variable. What its permissions allow comes on top of what it inherits
/// anyway.
pub(crate) fn inherits(command: &PluginCommand, name: &OsStr) -> bool {
    let permissions = command.permissions.as_ref();
    let is_allowed = match permissions.and_then(|all| all.allowed(Permission::Env)) {
        Some(Grant::All) => Environment::All.includes(name),
        Some(Grant::Only(names)) => Environment::Only(names.clone()).includes(name),
        None => false,
    };
    (is_allowed || command.inherited.includes(name)) && !is_denied(command, name)
}

/// Whether a command does not get a variable, however it was asked for, because its permissions deny
/// it. What every program needs (`PATH` and its like) can be denied by name only.
pub(crate) fn is_denied(command: &PluginCommand, name: &OsStr) -> bool {
    let permissions = command.permissions.as_ref();
    match permissions.and_then(|all| all.denied(Permission::Env)) {
        Some(Grant::All) => !Environment::default().includes(name),
        Some(Grant::Only(names)) => names.iter().any(|denied| matches(denied, name)),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::permissions::Permissions;
    use super::*;

    #[test]
    fn what_is_denied_is_not_given_either() {
        let given = |deny: &[&str]| {
            let permissions = Permissions::of_words(["env"], deny.to_vec()).unwrap();
            let names = ["AWS_PROFILE", "PATH", "TENON_VAR_a", "TOKEN"];
            let command = names
                .into_iter()
                .fold(PluginCommand::new("true"), |all, name| {
                    all.variable(name, "value")
                });
            let command = command.permissions(permissions);
            let (variables, _) = command.environment();
            let given = variables.iter().filter(|(_, value)| *value == "value");
            let names = given.map(|(name, _)| name.to_str().unwrap());
            names.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(given(&[]), "AWS_PROFILE PATH TENON_VAR_a TOKEN");
        assert_eq!(given(&["env=AWS_PROFILE"]), "PATH TENON_VAR_a TOKEN");
        assert_eq!(given(&["env=AWS_*,TOKEN"]), "PATH TENON_VAR_a");
        assert_eq!(given(&["env"]), "PATH");
        assert_eq!(given(&["env=*"]), "");
    }

    #[test]
    fn nothing_is_inherited_unless_it_is_listed() {
        let passed = |allow: &[&str], deny: &[&str], inherited: Environment| {
            let permissions = Permissions::of_words(allow.to_vec(), deny.to_vec()).unwrap();
            let command = PluginCommand::new("true").inherit(inherited);
            let command = command.permissions(permissions);
            let ours = ["PATH", "LC_ALL", "TOKEN", "AWS_KEY", "AWS_ID"].into_iter();
            let passed = ours.filter(|name| inherits(&command, OsStr::new(name)));
            passed.collect::<Vec<_>>().join(" ")
        };
        let few = Environment::default;
        assert_eq!(passed(&[], &[], few()), "PATH LC_ALL");
        assert_eq!(passed(&["env=TOKEN"], &[], few()), "PATH LC_ALL TOKEN");
        assert_eq!(passed(&["env"], &["env=AWS_*"], few()), "PATH LC_ALL TOKEN");
        assert_eq!(passed(&["env"], &["env"], few()), "PATH LC_ALL");
        assert_eq!(passed(&[], &["env"], Environment::All), "PATH LC_ALL");
        let only = || Environment::Only(vec!["TOKEN".into()]);
        assert_eq!(passed(&[], &[], only()), "TOKEN");
        assert_eq!(passed(&["env=AWS_ID"], &[], only()), "TOKEN AWS_ID");
    }
}
