//! Which environment variables a confined plugin inherits.

use std::ffi::OsStr;

use super::permissions::{Grant, Permission};
use crate::command::PluginCommand;
use crate::environment::Environment;

/// Whether a command inherits a variable. What its permissions allow comes on top of what it inherits
/// anyway, and what they deny it does not get, however it was asked for. What every program needs
/// (`PATH` and its like) can be denied by name only.
pub(crate) fn inherits(command: &PluginCommand, name: &OsStr) -> bool {
    let inherited = command.inherited.includes(name);
    let Some(permissions) = &command.permissions else {
        return inherited;
    };
    let among = |names: &Grant| match names {
        Grant::All => Environment::All.includes(name),
        Grant::Only(names) => Environment::Only(names.clone()).includes(name),
    };
    let is_allowed = permissions.allowed(Permission::Env).is_some_and(among);
    match permissions.denied(Permission::Env) {
        Some(Grant::All) => inherited && Environment::default().includes(name),
        denied => (inherited || is_allowed) && !denied.is_some_and(among),
    }
}

#[cfg(test)]
mod tests {
    use super::super::permissions::Permissions;
    use super::*;

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
