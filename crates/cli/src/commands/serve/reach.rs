//! Whether the users that `--allow-user` lets in can reach the socket at all.

use std::path::Path;

use tenon_ipc::Users;

use crate::platform;

/// What keeps other users from the socket, and what to do about it. A group may be the right one, so
/// what is open to a group counts as open.
pub(super) fn obstacles(socket: &Path, mode: u32, users: &Users) -> Vec<String> {
    let Some(own) = platform::own_user() else {
        return match users {
            Users::Own => Vec::new(),
            Users::Also(_) | Users::Anyone => {
                let problem =
                    "--allow-user has no effect here: a pipe is for the user of the server alone";
                vec![problem.to_owned()]
            }
        };
    };
    let has_others = match users {
        Users::Own => false,
        // Modes do not hold root.
        Users::Also(users) => users.iter().any(|user| *user != own && *user != 0),
        Users::Anyone => true,
    };
    let mut found = Vec::new();
    if !has_others {
        return found;
    }
    let lets_in = |bits| mode & bits == bits;
    if !lets_in(0o006) && !lets_in(0o060) {
        found.push(format!(
            "--allow-user lets other users in, but the mode of the socket ({mode:03o}) does not: add \
             --mode 666, or --mode 660 for the group of the socket"
        ));
    }
    let socket = std::fs::canonicalize(socket).unwrap_or_else(|_| socket.to_owned());
    let is_closed = |folder: &&Path| platform::is_closed_to_others(folder);
    if let Some(folder) = socket.ancestors().skip(1).find(is_closed) {
        found.push(format!(
            "--allow-user lets other users in, but they cannot enter the folder {}: put the socket \
             elsewhere, or let them: chmod o+x",
            folder.display()
        ));
    }
    found
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn other_users_need_the_mode_and_the_folders() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("folder");
        fs::create_dir(&folder).unwrap();
        let socket = folder.join("s");
        fs::write(&socket, "").unwrap();
        let count = |outer: u32, inner: u32, mode: u32, users: &Users| {
            fs::set_permissions(parent.path(), Permissions::from_mode(outer)).unwrap();
            fs::set_permissions(&folder, Permissions::from_mode(inner)).unwrap();
            obstacles(&socket, mode, users).len()
        };
        let nobody = Users::Also(vec![65_534]);
        assert_eq!(count(0o755, 0o755, 0o666, &nobody), 0);
        assert_eq!(count(0o755, 0o750, 0o660, &nobody), 0, "for a group");
        assert_eq!(count(0o755, 0o755, 0o600, &nobody), 1);
        assert_eq!(count(0o755, 0o755, 0o644, &Users::Anyone), 1);
        assert_eq!(count(0o755, 0o700, 0o666, &nobody), 1);
        assert_eq!(count(0o700, 0o755, 0o600, &nobody), 2);
        for alone in [Users::Own, Users::Also(vec![0])] {
            assert_eq!(count(0o700, 0o700, 0o600, &alone), 0, "{alone:?}");
        }
    }
}
