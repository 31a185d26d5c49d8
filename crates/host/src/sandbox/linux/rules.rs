//! From permissions to rules for Landlock.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::landlock::access;
use super::needed::{DEVICES, Finder, Needed};
use crate::command::PluginCommand;
use crate::sandbox::{Grant, Permission, Permissions, Unenforceable};

/// What is restricted, and what is allowed of it.
#[derive(Debug, Default)]
pub(super) struct Rules {
    /// The rights that the plugin has only where a path below grants them.
    pub(super) handled: u64,
    pub(super) paths: Vec<PathRule>,
    pub(super) net: Net,
}

/// Rights to a file, or to a folder with everything in it.
#[derive(Debug)]
pub(super) struct PathRule {
    /// Without symbolic links.
    pub(super) path: PathBuf,
    pub(super) access: u64,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Net {
    #[default]
    All,
    /// TCP ports, and kinds of sockets.
    Limited {
        ports: Vec<u16>,
        udp: bool,
        unix: bool,
    },
}

impl Rules {
    /// The rules for a command, and what it needs.
    ///
    /// # Errors
    /// A permission cannot be enforced, or names something that is not there.
    pub(super) fn of(
        command: &PluginCommand,
        permissions: &Permissions,
    ) -> Result<(Rules, Needed), Unenforceable> {
        refuse_what_has_no_meaning(permissions)?;
        let finder = Finder::new(command);
        let mut needed = Needed::by_anyone();
        needed.add_program(&command.program, &finder);
        needed.add_arguments(&command.args, &finder.folder);
        let mut handled = access::REFER;
        let mut granted = Granted::default();
        if permissions.is_unlimited(Permission::Run) {
            // Nothing to add.
        } else {
            handled |= access::EXECUTE;
            granted.running(permissions, &mut needed, &finder)?;
        }
        if permissions.is_unlimited(Permission::Write) {
            granted.add(Path::new("/"), access::REFER);
        } else {
            handled |= access::WRITE_HANDLED;
            for device in DEVICES {
                granted.add(Path::new(device), access::WRITE_FILE | access::IOCTL_DEV);
            }
            granted.paths(permissions, Permission::Write, access::WRITE, &finder)?;
        }
        if !permissions.is_unlimited(Permission::Read) {
            handled |= access::READ;
            granted.paths(permissions, Permission::Read, access::READ, &finder)?;
            let denied = match permissions.denied(Permission::Read) {
                // Or nothing could be started.
                Some(Grant::All) | None => Vec::new(),
                denied => resolved(denied, &finder.folder),
            };
            let devices = DEVICES.iter().map(PathBuf::from);
            for path in needed.read.iter().cloned().chain(devices) {
                if let Ok(path) = path.canonicalize() {
                    granted.all_but(&path, &denied, access::READ)?;
                }
            }
        }
        let paths = granted.0.into_iter();
        let rules = Rules {
            handled,
            paths: paths
                .map(|(path, access)| PathRule { path, access })
                .collect(),
            net: net(permissions)?,
        };
        Ok((rules, needed))
    }

    pub(super) fn is_limited_in_writing(&self) -> bool {
        self.handled & access::WRITE_FILE != 0
    }

    pub(super) fn is_limited_in_running(&self) -> bool {
        self.handled & access::EXECUTE != 0
    }
}

/// Rights by path.
#[derive(Default)]
struct Granted(BTreeMap<PathBuf, u64>);

impl Granted {
    fn add(&mut self, path: &Path, access: u64) {
        *self.0.entry(path.to_owned()).or_default() |= access;
    }

    /// The paths that a permission lists, without those that are denied.
    fn paths(
        &mut self,
        permissions: &Permissions,
        permission: Permission,
        access: u64,
        finder: &Finder<'_>,
    ) -> Result<(), Unenforceable> {
        if permissions.denies_all(permission) {
            return Ok(());
        }
        let denied = resolved(permissions.denied(permission), &finder.folder);
        let everything = [PathBuf::from("/").into_os_string()];
        let listed = match permissions.allowed(permission) {
            Some(Grant::All) => &everything[..],
            listed => Permissions::listed(listed),
        };
        for entry in listed {
            let real = existing(permission, entry, &finder.folder)?;
            self.all_but(&real, &denied, access)?;
        }
        Ok(())
    }

    /// Landlock has no rule that takes something away. Where something beneath a folder is denied, the
    /// folder itself gets no rights, but everything that is in it now does.
    fn all_but(
        &mut self,
        path: &Path,
        denied: &[PathBuf],
        access: u64,
    ) -> Result<(), Unenforceable> {
        /// More would take long at every start.
        const MOST: usize = 10_000;
        if denied.iter().any(|denied| path.starts_with(denied)) {
            return Ok(());
        }
        if !denied.iter().any(|denied| denied.starts_with(path)) {
            self.add(path, access);
            return match self.0.len() {
                ..MOST => Ok(()),
                _ => Err(Unenforceable::new(
                    format!(
                        "{} is beside too many files to deny it alone: more than {MOST} rules would \
                         be needed",
                        path.display()
                    ),
                    "allow less, or deny the folder it is in",
                )),
            };
        }
        // What cannot be listed stays denied.
        for entry in path.read_dir().into_iter().flatten().flatten() {
            // A link needs no rights, only what it leads to.
            if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
                self.all_but(&entry.path(), denied, access)?;
            }
        }
        Ok(())
    }

    /// Programs that may be started, beside the one that is.
    fn running(
        &mut self,
        permissions: &Permissions,
        needed: &mut Needed,
        finder: &Finder<'_>,
    ) -> Result<(), Unenforceable> {
        const RUN: u64 = access::EXECUTE | access::READ_FILE;
        let own = needed.execute.len();
        let denied = Permissions::listed(permissions.denied(Permission::Run)).iter();
        let denied = denied.map(|name| finder.find(name).unwrap_or(finder.folder.join(name)));
        let denied: Vec<PathBuf> = denied.map(|path| real(&path)).collect();
        let denies_all = permissions.denies_all(Permission::Run);
        match permissions.allowed(Permission::Run) {
            Some(Grant::All) if !denies_all => {
                self.all_but(Path::new("/"), &denied, access::EXECUTE)?;
            }
            Some(Grant::Only(names)) if !denies_all => {
                for name in names {
                    let folder = finder.folder.join(name);
                    if name.as_encoded_bytes().contains(&b'/') && folder.is_dir() {
                        self.all_but(&real(&folder), &denied, RUN)?;
                    } else if finder.find(name).is_some() {
                        needed.add_program(name, finder);
                    } else {
                        return Err(not_found(name));
                    }
                }
            }
            _ => {}
        }
        for (number, program) in needed.execute.iter().enumerate() {
            // What is denied is not what was asked to be started in the first place.
            if number < own || !denied.contains(program) {
                self.add(program, RUN);
            }
        }
        Ok(())
    }
}

/// Checks all permissions that do not depend on the program, for a plugin that is started in a folder.
///
/// # Errors
/// A permission cannot be enforced.
pub(in crate::sandbox) fn check(
    permissions: &Permissions,
    folder: &Path,
) -> Result<(), Unenforceable> {
    refuse_what_has_no_meaning(permissions)?;
    for permission in [Permission::Read, Permission::Write] {
        if !permissions.denies_all(permission) {
            for entry in Permissions::listed(permissions.allowed(permission)) {
                existing(permission, entry, folder)?;
            }
        }
    }
    net(permissions)?;
    Ok(())
}

/// The path of something that is allowed, without symbolic links.
fn existing(
    permission: Permission,
    entry: &OsStr,
    folder: &Path,
) -> Result<PathBuf, Unenforceable> {
    let path = folder.join(entry);
    path.canonicalize().map_err(|error| {
        Unenforceable::new(
            format!(
                "{permission} is allowed for {}, which cannot be opened: {error}",
                path.display()
            ),
            "permissions are for files that exist: create it, or allow the folder that it will be in",
        )
    })
}

/// Paths that need not exist, without symbolic links as far as they do.
fn resolved(grant: Option<&Grant>, folder: &Path) -> Vec<PathBuf> {
    let listed = Permissions::listed(grant).iter();
    listed.map(|path| real(&folder.join(path))).collect()
}

/// A path without symbolic links, as far as it exists.
pub(super) fn real(path: &Path) -> PathBuf {
    let found = path
        .ancestors()
        .find_map(|start| Some((start, start.canonicalize().ok()?)));
    match found {
        // Joining nothing would make a folder of a file.
        Some((start, real)) if start == path => real,
        Some((start, real)) => real.join(path.strip_prefix(start).unwrap_or(path)),
        None => path.to_owned(),
    }
}

fn refuse_what_has_no_meaning(permissions: &Permissions) -> Result<(), Unenforceable> {
    for permission in [Permission::Sys, Permission::Ffi] {
        if permissions.denied(permission).is_some() {
            return Err(Unenforceable::new(
                format!("{permission} cannot be denied to a program that is not run by Deno"),
                "leave it out; what it could be used for is limited by the other permissions",
            ));
        }
    }
    Ok(())
}

fn net(permissions: &Permissions) -> Result<Net, Unenforceable> {
    if permissions.is_unlimited(Permission::Net) {
        return Ok(Net::All);
    }
    let (mut ports, mut udp, mut unix) = (Vec::new(), false, false);
    let denied = Permissions::listed(permissions.denied(Permission::Net));
    match permissions.allowed(Permission::Net) {
        _ if permissions.denies_all(Permission::Net) => {}
        Some(Grant::All) => {
            return Err(Unenforceable::new(
                "net is allowed as a whole and denied in part, which the kernel cannot enforce",
                "list what is allowed, as in \"net=:443\"",
            ));
        }
        allowed => {
            let denied: Vec<Address> = denied
                .iter()
                .map(|one| address(one))
                .collect::<Result<_, _>>()?;
            for entry in Permissions::listed(allowed) {
                match address(entry)? {
                    one if denied.contains(&one) => {}
                    Address::Port(port) => ports.push(port),
                    Address::Udp => udp = true,
                    Address::Unix => unix = true,
                }
            }
        }
    }
    Ok(Net::Limited { ports, udp, unix })
}

#[derive(PartialEq, Eq)]
enum Address {
    Port(u16),
    Udp,
    Unix,
}

fn address(entry: &OsStr) -> Result<Address, Unenforceable> {
    let text = entry.to_string_lossy();
    let (host, port) = match &*text {
        "udp" => return Ok(Address::Udp),
        "unix" => return Ok(Address::Unix),
        other => other.rsplit_once(':').unwrap_or((other, "")),
    };
    let is_port = |text: &str| text.parse::<u16>().is_ok_and(|port| port > 0);
    if is_port(&text) {
        return Err(Unenforceable::new(
            format!("net for {text:?} is invalid"),
            format!("\":{text}\" allows a TCP port on any host"),
        ));
    }
    let number = port;
    let port = port.parse::<u16>().ok().filter(|port| *port > 0);
    match (host, port) {
        ("" | "*", Some(port)) => Ok(Address::Port(port)),
        ("" | "*", None) => Err(Unenforceable::new(
            format!("net for {text:?} is invalid: {number:?} is not a port"),
            "\":443\" allows a TCP port on any host, \"udp\" and \"unix\" these sockets; ports are \
             listed one by one",
        )),
        (_, port) => {
            let port = port.map_or("PORT".to_owned(), |port| port.to_string());
            Err(Unenforceable::new(
                format!("net for {text:?} cannot be enforced: the kernel cannot distinguish hosts"),
                format!(
                    "\":{port}\" allows a TCP port on any host; there are \"udp\" and \"unix\" as well"
                ),
            ))
        }
    }
}

fn not_found(name: &OsStr) -> Unenforceable {
    Unenforceable::new(
        format!("run is allowed for {}, which was not found", name.display()),
        "is it installed, and in PATH?",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(allow: &[&str], deny: &[&str], folder: &Path) -> Result<Rules, String> {
        let permissions = Permissions::of_words(allow.to_vec(), deny.to_vec()).unwrap();
        let command = PluginCommand::new("sh").folder(folder);
        let rules = Rules::of(&command, &permissions);
        rules
            .map(|(rules, _)| rules)
            .map_err(|error| error.to_string())
    }

    /// Whether the rules give rights to a path.
    fn gives(rules: &Rules, path: &Path, rights: u64) -> bool {
        let beneath = rules
            .paths
            .iter()
            .filter(|rule| path.starts_with(&rule.path));
        beneath.fold(0, |all, rule| all | rule.access) & rights == rights
    }

    #[test]
    fn what_is_denied_beneath_what_is_allowed_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        for name in ["a/open", "a/private/inner", "b"] {
            std::fs::create_dir_all(folder.join(name)).unwrap();
        }
        std::os::unix::fs::symlink("private", folder.join("a/link")).unwrap();
        let rules = of(&["read=."], &["read=a/private", "read=a/later"], &folder).unwrap();
        let reads = |path: &str| gives(&rules, &folder.join(path), access::READ);
        assert!(reads("b") && reads("a/open"));
        for path in [
            "a/private",
            "a/private/inner",
            "a/later",
            "a/link",
            "a",
            ".",
        ] {
            assert!(!reads(path), "{path}");
        }
        let link = of(&["read=."], &["read=a/link"], &folder).unwrap();
        let private = folder.join("a/private");
        assert!(!gives(&link, &private, access::READ_FILE));
    }

    #[test]
    fn everything_but_one_folder() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let denied = format!("read={}", folder.display());
        let rules = of(&["read"], &[&denied], &folder).unwrap();
        assert!(!gives(&rules, &folder, access::READ_FILE));
        assert!(gives(&rules, Path::new("/etc/hostname"), access::READ_FILE));
        let all = of(&["read"], &["read"], &folder).unwrap();
        assert!(!gives(&all, Path::new("/etc/hostname"), access::READ_FILE));
    }

    #[test]
    fn what_cannot_be_enforced_is_refused() {
        let here = Path::new("/");
        for (allow, deny, expected) in [
            (
                &["net=example.com:443"][..],
                &[][..],
                "\":443\" allows a TCP port",
            ),
            (&["net=example.com"], &[], "cannot distinguish hosts"),
            (&["net=443"], &[], "\":443\" allows a TCP port"),
            (&["net=:65536"], &[], "\"65536\" is not a port"),
            (&["net=:1-5"], &[], "\"1-5\" is not a port"),
            (&["net"], &["net=:80"], "denied in part"),
            (&[], &["sys"], "sys cannot be denied"),
            (&[], &["ffi=libc"], "ffi cannot be denied"),
            (&["read=/no/such/file"], &[], "which cannot be opened"),
            (&["run=no-such-program"], &[], "which was not found"),
        ] {
            let refused = of(allow, deny, here).unwrap_err();
            assert!(refused.contains(expected), "{refused}");
        }
        assert!(of(&["sys", "ffi"], &[], here).is_ok());
    }

    #[test]
    fn ports_and_sockets_are_listed() {
        let net = |allow: &[&str], deny: &[&str]| of(allow, deny, Path::new("/")).unwrap().net;
        let limited = |ports: &[u16], udp, unix| Net::Limited {
            ports: ports.to_vec(),
            udp,
            unix,
        };
        assert_eq!(net(&[], &[]), limited(&[], false, false));
        assert_eq!(
            net(&["net=:80,*:443,udp"], &[]),
            limited(&[80, 443], true, false)
        );
        assert_eq!(
            net(&["net=:80,unix"], &["net=:80"]),
            limited(&[], false, true)
        );
        assert_eq!(net(&["net"], &["net"]), limited(&[], false, false));
        assert_eq!(net(&["net"], &[]), Net::All);
    }
}
