//! The system calls that no safe library has, one function each. Other unsafe code is in `child.rs` and
//! `platform/linux/clone.rs` only.
//!
//! What runs between fork and exec neither allocates nor takes a lock nor panics.

#![expect(
    unsafe_code,
    reason = "system calls without a safe wrapper, see the comment at each"
)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use libc::{c_long, c_ulong};

use rustix::event::{PollFd, PollFlags};

use super::filter::Instruction;
use super::landlock::RulesetAttributes;
use super::report::Call;

// The same numbers on every architecture.
const LANDLOCK_CREATE_RULESET: c_long = 444;
const LANDLOCK_ADD_RULE: c_long = 445;
const LANDLOCK_RESTRICT_SELF: c_long = 446;
const CLOSE_RANGE: c_long = 436;

const CREATE_RULESET_VERSION: c_ulong = 1;
const RULE_PATH_BENEATH: c_ulong = 1;
const RULE_NET_PORT: c_ulong = 2;
const CLOSE_RANGE_CLOEXEC: c_ulong = 1 << 2;
const SECCOMP_SET_MODE_FILTER: c_ulong = 1;
const NEW_LISTENER: c_ulong = 1 << 3;
const NOTIFICATION_RECEIVE: u32 = 0xc050_2100;
const NOTIFICATION_SEND: u32 = 0xc018_2101;
const CONTINUE: u32 = 1;

#[repr(C, packed)]
struct PathBeneath {
    allowed_access: u64,
    parent: RawFd,
}

#[repr(C)]
struct NetPort {
    allowed_access: u64,
    port: u64,
}

#[repr(C)]
struct Program {
    length: u16,
    instructions: *const Instruction,
}

fn checked(result: c_long) -> io::Result<c_long> {
    match result {
        0.. => Ok(result),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Which version of Landlock the kernel has.
pub(super) fn landlock_version() -> io::Result<u32> {
    let nothing = std::ptr::null::<RulesetAttributes>();
    // SAFETY: with this flag the call takes no pointer and only returns a number.
    let version = unsafe {
        libc::syscall(
            LANDLOCK_CREATE_RULESET,
            nothing,
            0_usize,
            CREATE_RULESET_VERSION,
        )
    };
    checked(version).map(|version| u32::try_from(version).unwrap_or(0))
}

pub(super) fn landlock_create_ruleset(
    attributes: &RulesetAttributes,
    version: u32,
) -> io::Result<OwnedFd> {
    let size = RulesetAttributes::size(version);
    // SAFETY: the kernel reads `size` bytes, which is at most the size of the struct.
    let descriptor = unsafe {
        libc::syscall(
            LANDLOCK_CREATE_RULESET,
            std::ptr::from_ref(attributes),
            size,
            0 as c_ulong,
        )
    };
    let descriptor = checked(descriptor)? as RawFd;
    // SAFETY: the kernel has just made it for us, so it has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

pub(super) fn landlock_add_path(
    ruleset: BorrowedFd<'_>,
    path: BorrowedFd<'_>,
    access: u64,
) -> io::Result<()> {
    let rule = PathBeneath {
        allowed_access: access,
        parent: path.as_raw_fd(),
    };
    // SAFETY: the kernel reads a struct of just this layout.
    let added = unsafe {
        libc::syscall(
            LANDLOCK_ADD_RULE,
            ruleset.as_raw_fd(),
            RULE_PATH_BENEATH,
            &raw const rule,
            0 as c_ulong,
        )
    };
    checked(added).map(|_| ())
}

pub(super) fn landlock_add_port(ruleset: BorrowedFd<'_>, port: u16, access: u64) -> io::Result<()> {
    let rule = NetPort {
        allowed_access: access,
        port: u64::from(port),
    };
    // SAFETY: the kernel reads a struct of just this layout.
    let added = unsafe {
        libc::syscall(
            LANDLOCK_ADD_RULE,
            ruleset.as_raw_fd(),
            RULE_NET_PORT,
            &raw const rule,
            0 as c_ulong,
        )
    };
    checked(added).map(|_| ())
}

/// Enters a ruleset. It cannot be left.
pub(super) fn landlock_restrict_self(ruleset: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the call takes no pointers.
    let entered =
        unsafe { libc::syscall(LANDLOCK_RESTRICT_SELF, ruleset.as_raw_fd(), 0 as c_ulong) };
    checked(entered).map(|_| ())
}

/// Has every file descriptor but stdin, stdout and stderr closed by exec.
pub(super) fn close_others_on_exec() -> io::Result<()> {
    // SAFETY: the call takes no pointers, and closes nothing yet.
    let marked = unsafe {
        libc::syscall(
            CLOSE_RANGE,
            3 as c_ulong,
            c_ulong::from(u32::MAX),
            CLOSE_RANGE_CLOEXEC,
        )
    };
    checked(marked).map(|_| ())
}

/// Drops every capability but these for all programs that are started from here on. It fails for a process
/// that has none, which is as good.
pub(super) fn drop_bounding_set(kept: u64) {
    for capability in 0..64 {
        if kept & (1 << capability) == 0 {
            // SAFETY: the call takes no pointers.
            unsafe {
                libc::prctl(libc::PR_CAPBSET_DROP, capability as c_ulong);
            }
        }
    }
}

/// Installs a filter for every system call from here on. It cannot be removed. If the filter asks a listener,
/// returns the descriptor of the listener.
pub(super) fn seccomp_filter(filter: &[Instruction], asks: bool) -> io::Result<Option<OwnedFd>> {
    let flags = if asks { NEW_LISTENER } else { 0 };
    let program = Program {
        // A filter has at most 4,096 instructions, or the kernel refuses it.
        length: filter.len() as u16,
        instructions: filter.as_ptr(),
    };
    // SAFETY: the kernel reads as many instructions as there are, of just this layout.
    let installed = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            SECCOMP_SET_MODE_FILTER,
            flags,
            &raw const program,
        )
    };
    let listener = checked(installed)? as RawFd;
    // SAFETY: the kernel has just made it for us, so it has no other owner.
    Ok(asks.then(|| unsafe { OwnedFd::from_raw_fd(listener) }))
}

/// Waits for the next call that the filter asks about. None once no process has the filter.
pub(super) fn next_call(listener: BorrowedFd<'_>) -> io::Result<Option<Call>> {
    loop {
        let mut ready = [PollFd::new(&listener, PollFlags::IN)];
        match rustix::event::poll(&mut ready, None) {
            Err(rustix::io::Errno::INTR) => continue,
            polled => polled?,
        };
        if !ready[0].revents().contains(PollFlags::IN) {
            return Ok(None);
        }
        // SAFETY: all zeroes is what the kernel wants to find in this struct of numbers.
        let mut notification: libc::seccomp_notif = unsafe { std::mem::zeroed() };
        // SAFETY: the kernel writes a struct of just this layout.
        let received = unsafe {
            libc::ioctl(
                listener.as_raw_fd(),
                NOTIFICATION_RECEIVE as _,
                &raw mut notification,
            )
        };
        match checked(c_long::from(received)) {
            // The process that made the call was killed, or we were interrupted.
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EINTR)) => {}
            Err(error) => return Err(error),
            Ok(_) => {
                return Ok(Some(Call {
                    id: notification.id,
                    process: notification.pid,
                    number: i64::from(notification.data.nr),
                    arguments: notification.data.args,
                }));
            }
        }
    }
}

/// Has a call fail with this error, or continue.
pub(super) fn answer_call(listener: BorrowedFd<'_>, id: u64, refusal: Option<i32>) {
    let answer = libc::seccomp_notif_resp {
        id,
        val: 0,
        error: refusal.map_or(0, |error| -error),
        flags: if refusal.is_some() { 0 } else { CONTINUE },
    };
    // SAFETY: the kernel reads a struct of just this layout. It fails if the process has been killed,
    // which needs no handling.
    unsafe {
        libc::ioctl(
            listener.as_raw_fd(),
            NOTIFICATION_SEND as _,
            &raw const answer,
        );
    }
}
