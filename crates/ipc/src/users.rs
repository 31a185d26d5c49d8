//! Which users are trusted on the other end of a socket.

/// The process on the other end of a socket, according to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// The user.
    pub user: u32,
    /// The user's group.
    pub group: u32,
    /// The process, if the system provides it.
    pub process: Option<i32>,
}

/// Which users are trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Users {
    /// The user of this process.
    #[default]
    Own,
    /// These users as well.
    Also(Vec<u32>),
    /// Every user who can reach the socket.
    Anyone,
}

impl Users {
    /// Whether a client may connect. On Windows its user is unknown, and only the permissions of the pipe
    /// count.
    pub(crate) fn admit(&self, client: Option<Credentials>) -> bool {
        let (Some(client), Some(own)) = (client, own_user()) else {
            return true;
        };
        match self {
            Users::Own => client.user == own,
            Users::Also(users) => client.user == own || users.contains(&client.user),
            Users::Anyone => true,
        }
    }

    /// Whether the owner of a file is trusted, as servers are.
    #[cfg(unix)]
    pub(crate) fn trust_owner(&self, user: u32) -> bool {
        self.trust(Some(Credentials {
            user,
            group: 0,
            process: None,
        }))
    }

    #[cfg(unix)]
    /// Whether a server is trusted. Those of the administrator are, who has access to everything anyway.
    pub(crate) fn trust(&self, server: Option<Credentials>) -> bool {
        const ADMINISTRATOR: u32 = 0;
        self.admit(server) || server.is_some_and(|server| server.user == ADMINISTRATOR)
    }
}

#[cfg(unix)]
fn own_user() -> Option<u32> {
    Some(rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn own_user() -> Option<u32> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn strangers_are_let_in_by_name() {
        let own = own_user().unwrap();
        let user = |user| {
            Some(Credentials {
                user,
                group: 0,
                process: None,
            })
        };
        let stranger = own + 1;
        assert!(Users::Own.admit(user(own)));
        assert!(!Users::Own.admit(user(stranger)));
        assert!(!Users::Own.trust(user(stranger)));
        assert!(Users::Own.trust(user(0)), "the administrator");
        assert!(Users::Also(vec![stranger]).admit(user(stranger)));
        assert!(!Users::Also(vec![stranger]).admit(user(stranger + 1)));
        assert!(Users::Anyone.admit(user(stranger)));
    }
}
