//! The options of the sandbox.

use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, TypedValueParser};

use tenon_host::{Denial, Grant, Permission, Permissions, PluginCommand, Variable};

/// Above the options in the help.
pub(crate) const SANDBOX: &str =
    "Sandbox (--sandbox, --allow-... and --deny-... confine the program)";

/// What an option without a value means.
const ALL: &str = "all";

#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = SANDBOX)]
pub(crate) struct PermissionArgs {
    /// Deny everything that the options below do not allow
    #[arg(long)]
    pub(crate) sandbox: bool,

    /// Allow reading files, or folders and everything in them: a,b; / for all
    #[arg(long, value_name = "PATHS", value_parser = path_list())]
    pub(crate) allow_read: Vec<PathBuf>,

    /// Allow changing files, or creating, changing and removing files in folders; / for all
    #[arg(long, value_name = "PATHS", value_parser = path_list())]
    pub(crate) allow_write: Vec<PathBuf>,

    /// Allow the network, or only some TCP ports and kinds of sockets: =:443,udp,unix
    #[arg(long, value_name = "PORTS", num_args = 0..=1, require_equals = true, default_missing_value = ALL, value_parser = list)]
    pub(crate) allow_net: Vec<String>,

    /// Allow starting other programs, or only some: =git,./tool
    #[arg(long, value_name = "PROGRAMS", num_args = 0..=1, require_equals = true, default_missing_value = ALL, value_parser = list)]
    pub(crate) allow_run: Vec<String>,

    /// Allow environment variables, or only some: =HOME,AWS_*
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = ALL, value_parser = names)]
    pub(crate) allow_env: Vec<String>,

    /// Deny reading files or folders, even if they are allowed
    #[arg(long, value_name = "PATHS", value_parser = path_list())]
    pub(crate) deny_read: Vec<PathBuf>,

    /// Deny changing files or folders, even if they are allowed
    #[arg(long, value_name = "PATHS", value_parser = path_list())]
    pub(crate) deny_write: Vec<PathBuf>,

    /// Deny the network, or some ports, even if they are allowed
    #[arg(long, value_name = "PORTS", num_args = 0..=1, require_equals = true, default_missing_value = ALL, value_parser = list)]
    pub(crate) deny_net: Vec<String>,

    /// Deny starting other programs, or some, even if they are allowed
    #[arg(long, value_name = "PROGRAMS", num_args = 0..=1, require_equals = true, default_missing_value = ALL, value_parser = list)]
    pub(crate) deny_run: Vec<String>,

    /// Deny environment variables, or some, even if they are allowed
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = ALL, value_parser = names)]
    pub(crate) deny_env: Vec<String>,
}

impl PermissionArgs {
    /// The command, confined if an option asks for it.
    pub(crate) fn apply(&self, command: PluginCommand) -> PluginCommand {
        match self.permissions() {
            Some(permissions) => command.permissions(permissions),
            None => command,
        }
    }

    /// What the plugin may do, if anything confines it.
    pub(crate) fn permissions(&self) -> Option<Permissions> {
        let lists = [
            (Permission::Net, &self.allow_net, &self.deny_net),
            (Permission::Run, &self.allow_run, &self.deny_run),
            (Permission::Env, &self.allow_env, &self.deny_env),
        ];
        let path_lists = [
            (Permission::Read, &self.allow_read, &self.deny_read),
            (Permission::Write, &self.allow_write, &self.deny_write),
        ];
        let mut permissions = Permissions::none();
        for (permission, allowed, denied) in lists {
            for entry in allowed {
                permissions = permissions.allow(permission, grant(entry));
            }
            for entry in denied {
                permissions = permissions.deny(permission, grant(entry));
            }
        }
        for (permission, allowed, denied) in path_lists {
            for list in allowed {
                permissions = permissions.allow(permission, paths(list));
            }
            for list in denied {
                permissions = permissions.deny(permission, paths(list));
            }
        }
        (self.sandbox || permissions != Permissions::none()).then_some(permissions)
    }
}

/// The option that would allow what was denied.
pub(crate) fn option(denial: &Denial) -> Option<String> {
    let what = &denial.what;
    let option = match denial.permission? {
        Permission::Read => format!("--allow-read {}", escaped(what)),
        // Modes, owners and times can be changed only if everything is allowed.
        Permission::Write if what.starts_with("system call") => "--allow-write /".to_owned(),
        // A rule applies to an existing file; to create one, its folder must be allowed.
        Permission::Write => {
            let path = Path::new(what);
            let folder = path.parent().filter(|_| !path.exists()).unwrap_or(path);
            format!("--allow-write {}", escaped(&folder.to_string_lossy()))
        }
        Permission::Net if what == "tcp" => "--allow-net=:PORT".to_owned(),
        Permission::Net if what.starts_with("socket") => "--allow-net".to_owned(),
        Permission::Run => format!("--allow-run={what}"),
        other => format!("--allow-{other}={what}"),
    };
    Some(option)
}

/// A list that has at least one item: an empty one, as in `--allow-net=$NOT_SET`, is a mistake.
fn list(text: &str) -> Result<String, String> {
    match Grant::of_list(text) {
        Grant::Only(items) if items.is_empty() => Err("the list is empty".into()),
        _ => Ok(text.to_owned()),
    }
}

/// A list of names of environment variables.
fn names(text: &str) -> Result<String, String> {
    if let Grant::Only(items) = Grant::of_list(text) {
        for item in items {
            match Variable::parse(&item) {
                Ok(Variable::Inherited(_)) => {}
                Ok(Variable::Set(..)) => return Err("a name cannot contain =".into()),
                Err(error) => return Err(error.to_string()),
            }
        }
    }
    list(text)
}

/// A list of paths that has at least one item.
fn path_list() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|paths| match paths.to_str() {
        Some(text) => list(text).map(|_| paths),
        None => Ok(paths),
    })
}

/// A list, or everything.
fn grant(entry: &str) -> Grant {
    match entry {
        ALL => Grant::All,
        list => Grant::of_list(list),
    }
}

/// A list of paths. What is not UTF-8 is one path.
fn paths(list: &Path) -> Grant {
    list.to_str()
        .map_or_else(|| Grant::only([list]), Grant::of_list)
}

/// A path as an item of a list.
fn escaped(path: &str) -> String {
    path.replace(',', ",,")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_option_confines() {
        assert_eq!(PermissionArgs::default().permissions(), None);
        let sandbox = PermissionArgs {
            sandbox: true,
            ..PermissionArgs::default()
        };
        assert_eq!(sandbox.permissions(), Some(Permissions::none()));
        let some = PermissionArgs {
            allow_read: vec!["a,b".into(), "c,,d,./e".into()],
            allow_net: vec![":80,udp".into(), ":81".into()],
            deny_env: vec![ALL.to_owned()],
            ..PermissionArgs::default()
        };
        let expected = Permissions::none()
            .allow(Permission::Read, Grant::only(["a", "b", "c,d", "./e"]))
            .allow(Permission::Net, Grant::only([":80", "udp", ":81"]))
            .deny(Permission::Env, Grant::All);
        assert_eq!(some.permissions(), Some(expected));
    }

    #[test]
    fn lists_are_checked() {
        use clap::Parser;
        for (option, is_good) in [
            ("--allow-net", true),
            ("--allow-net=:80", true),
            ("--allow-net=", false),
            ("--allow-read=", false),
            ("--allow-read=.", true),
            ("--allow-read=a,,b,", true),
            ("--allow-read=,", false),
            ("--deny-write=,", false),
            ("--allow-run=,", false),
            ("--allow-env=HOME,AWS_*", true),
            ("--allow-env=,", false),
            ("--allow-env=A B", false),
            ("--deny-env=A=b", false),
        ] {
            let words = ["tenon", "call", "a", option, "--", "true"];
            let parsed = crate::args::Args::try_parse_from(words);
            assert_eq!(parsed.is_ok(), is_good, "{option}");
        }
    }
}
