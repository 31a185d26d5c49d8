//! What a plugin may do, in the words of Deno's permissions.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::Path;
use std::str::FromStr;

/// Something that a plugin may be allowed or denied to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Permission {
    /// Read files and list folders, by path.
    Read,
    /// Create, change and remove files and folders, by path.
    Write,
    /// Use the network: `:PORT` is a TCP port on any host, `udp` and `unix` are these sockets.
    Net,
    /// Inherit environment variables, by name; a name may end in `*`.
    Env,
    /// Start other programs, by name or path.
    Run,
    /// Query information about the system. Only Deno enforces it; here it is always allowed.
    Sys,
    /// Load native libraries. Only Deno enforces it; here it is always allowed.
    Ffi,
}

/// How much of something is allowed or denied.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Grant {
    /// All of it.
    All,
    /// What is listed.
    Only(Vec<OsString>),
}

/// What a plugin may do. Nothing is allowed unless it is listed, and what is denied is denied
/// even if it is allowed as well.
///
/// ```
/// use tenon_host::{Grant, Permission, Permissions};
///
/// let permissions = Permissions::none()
///     .allow(Permission::Read, Grant::only(["./data"]))
///     .allow(Permission::Net, Grant::only([":443"]))
///     .deny(Permission::Read, Grant::only(["./data/private"]));
/// let words = Permissions::of_words(["read=./data", "net=:443"], ["read=./data/private"])?;
/// assert_eq!(permissions, words);
/// # Ok::<(), tenon_host::InvalidPermission>(())
/// ```
///
/// `docs/guide/sandbox.md` says what is always allowed, how each word is enforced and what cannot be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Permissions {
    allow: BTreeMap<Permission, Grant>,
    deny: BTreeMap<Permission, Grant>,
}

/// A permission that cannot be enforced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unenforceable {
    /// What is wrong.
    pub problem: String,
    /// What to do about it.
    pub hint: String,
}

/// A word that is not a permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPermission(String);

impl Permission {
    /// All of them.
    pub const ALL: [Permission; 7] = [
        Permission::Read,
        Permission::Write,
        Permission::Net,
        Permission::Env,
        Permission::Run,
        Permission::Sys,
        Permission::Ffi,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Permission::Read => "read",
            Permission::Write => "write",
            Permission::Net => "net",
            Permission::Env => "env",
            Permission::Run => "run",
            Permission::Sys => "sys",
            Permission::Ffi => "ffi",
        }
    }
}

impl Grant {
    /// What is listed.
    pub fn only<T: Into<OsString>>(items: impl IntoIterator<Item = T>) -> Grant {
        Grant::Only(items.into_iter().map(Into::into).collect())
    }

    /// A list with commas, such as `./a,./b`. As for Deno, a comma that is part of an item is written
    /// twice.
    pub fn of_list(list: &str) -> Grant {
        // The null character is in no path and no name.
        let list = list.replace(",,", "\0");
        let items = list.split(',').filter(|item| !item.is_empty());
        Grant::only(items.map(|item| item.replace('\0', ",")))
    }
}

impl Permissions {
    /// No permissions at all.
    pub fn none() -> Permissions {
        Permissions::default()
    }

    /// Allows something, in addition to what is allowed already.
    #[must_use]
    pub fn allow(mut self, permission: Permission, grant: Grant) -> Permissions {
        add(&mut self.allow, permission, grant);
        self
    }

    /// Denies something, whatever is allowed.
    #[must_use]
    pub fn deny(mut self, permission: Permission, grant: Grant) -> Permissions {
        add(&mut self.deny, permission, grant);
        self
    }

    /// Removes everything of this kind that was allowed. What is denied stays denied.
    #[must_use]
    pub fn without(mut self, permission: Permission) -> Permissions {
        self.allow.remove(&permission);
        self
    }

    /// Reads entries as in denobridge's `permissions` block: `read` is all of it, and
    /// `read=./a,./b` is what is listed.
    ///
    /// # Errors
    /// A word is not a permission, or its list is empty.
    pub fn of_words<'a>(
        allow: impl IntoIterator<Item = &'a str>,
        deny: impl IntoIterator<Item = &'a str>,
    ) -> Result<Permissions, InvalidPermission> {
        let mut permissions = Permissions::none();
        for word in allow {
            let (permission, grant) = parse(word)?;
            add(&mut permissions.allow, permission, grant);
        }
        for word in deny {
            let (permission, grant) = parse(word)?;
            add(&mut permissions.deny, permission, grant);
        }
        Ok(permissions)
    }

    /// Checks whether a plugin that is started in a folder can be held to them: paths that are allowed
    /// exist, and the kernel has a rule for everything. Programs are checked when the plugin starts.
    ///
    /// # Errors
    /// A permission cannot be enforced.
    pub fn check(&self, folder: &Path) -> Result<(), Unenforceable> {
        super::system::check(self, folder)
    }

    /// What is allowed, before anything is denied.
    pub(super) fn allowed(&self, permission: Permission) -> Option<&Grant> {
        self.allow.get(&permission)
    }

    pub(super) fn denied(&self, permission: Permission) -> Option<&Grant> {
        self.deny.get(&permission)
    }

    pub(super) fn denies_all(&self, permission: Permission) -> bool {
        self.denied(permission) == Some(&Grant::All)
    }

    /// Whether all of something is allowed and none of it denied.
    pub(super) fn is_unlimited(&self, permission: Permission) -> bool {
        self.allowed(permission) == Some(&Grant::All) && self.denied(permission).is_none()
    }

    pub(super) fn listed(grant: Option<&Grant>) -> &[OsString] {
        match grant {
            Some(Grant::Only(items)) => items,
            _ => &[],
        }
    }
}

fn add(grants: &mut BTreeMap<Permission, Grant>, permission: Permission, grant: Grant) {
    let is_by_path = matches!(permission, Permission::Read | Permission::Write);
    let grant = match grant {
        Grant::Only(paths) if is_by_path && paths.iter().any(|path| path == "/") => Grant::All,
        grant => grant,
    };
    match (grants.get_mut(&permission), grant) {
        (Some(Grant::Only(items)), Grant::Only(more)) => items.extend(more),
        (Some(Grant::All), _) => {}
        (_, grant) => {
            grants.insert(permission, grant);
        }
    }
}

fn parse(word: &str) -> Result<(Permission, Grant), InvalidPermission> {
    let (name, list) = match word.split_once('=') {
        Some((name, list)) => (name, Some(list)),
        None => (word, None),
    };
    let permission = name.parse()?;
    let Some(list) = list else {
        return Ok((permission, Grant::All));
    };
    match Grant::of_list(list) {
        Grant::Only(items) if items.is_empty() => Err(InvalidPermission(format!(
            "{word:?} has an empty list: write \"{name}\" for everything"
        ))),
        grant => Ok((permission, grant)),
    }
}

impl FromStr for Permission {
    type Err = InvalidPermission;

    fn from_str(name: &str) -> Result<Permission, InvalidPermission> {
        let found = Permission::ALL.into_iter().find(|one| one.name() == name);
        found.ok_or_else(|| {
            let names = Permission::ALL.map(Permission::name).join(", ");
            InvalidPermission(format!(
                "{name:?} is not a permission: there are {names}, each alone or as in \"read=PATH\""
            ))
        })
    }
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for InvalidPermission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidPermission {}

impl Unenforceable {
    pub(super) fn new(problem: impl Into<String>, hint: impl Into<String>) -> Unenforceable {
        Unenforceable {
            problem: problem.into(),
            hint: hint.into(),
        }
    }
}

impl fmt::Display for Unenforceable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unenforceable { problem, hint } = self;
        write!(
            f,
            "its permissions cannot be enforced: {problem}\n  hint: {hint}"
        )
    }
}

impl std::error::Error for Unenforceable {}

impl From<Unenforceable> for io::Error {
    fn from(error: Unenforceable) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidInput, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_denobridge() {
        let permissions =
            Permissions::of_words(["read=a,b", "read=c,,d", "net", "net=:1"], ["env"]);
        let permissions = permissions.unwrap();
        let read = permissions.allowed(Permission::Read);
        assert_eq!(read, Some(&Grant::only(["a", "b", "c,d"])));
        assert_eq!(permissions.allowed(Permission::Net), Some(&Grant::All));
        assert!(permissions.denies_all(Permission::Env));
        let root = Permissions::of_words(["write=/a,/", "net=/"], []).unwrap();
        assert!(root.is_unlimited(Permission::Write) && !root.is_unlimited(Permission::Net));
        for wrong in ["", "reed", "read=", "all", "--allow-read"] {
            assert!(Permissions::of_words([wrong], []).is_err(), "{wrong}");
        }
    }
}
