//! System calls that are refused, grouped by the reason.

macro_rules! calls {
    ($($(#[$attribute:meta])* $call:path),* $(,)?) => {
        &[$($(#[$attribute])* ($call, stringify!($call))),*]
    };
}

// Numbers that are the same on every architecture, and that not every libc has.
const OPEN_TREE: i64 = 428;
const MOVE_MOUNT: i64 = 429;
const FSOPEN: i64 = 430;
const FSCONFIG: i64 = 431;
const FSMOUNT: i64 = 432;
const FSPICK: i64 = 433;
const PIDFD_GETFD: i64 = 438;
const PROCESS_MADVISE: i64 = 440;
const MOUNT_SETATTR: i64 = 442;
const QUOTACTL_FD: i64 = 443;
const FCHMODAT2: i64 = 452;
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;
const OPEN_TREE_ATTR: i64 = 467;

pub(super) const OPENAT2: i64 = 437;

/// Only an attacker or an administrator needs these.
pub(super) const REFUSED: &[(i64, &str)] = calls![
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    PIDFD_GETFD,
    PROCESS_MADVISE,
    // The kernel.
    libc::SYS_kexec_load,
    // libc does not have it there; a plugin lacks the capability for it as well.
    #[cfg(not(all(target_arch = "aarch64", target_env = "musl")))]
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_reboot,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_quotactl,
    QUOTACTL_FD,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    // Memory, semaphores and messages that processes of a user share by number.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semctl,
    libc::SYS_semtimedop,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // Keys of the user's session.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Other views of the file system, and files without a path.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    OPEN_TREE,
    OPEN_TREE_ATTR,
    MOVE_MOUNT,
    FSOPEN,
    FSCONFIG,
    FSMOUNT,
    FSPICK,
    MOUNT_SETATTR,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
];

/// Programs that find these missing use others. `io_uring` makes calls that no filter sees, and
/// what `clone3` is asked for is in memory, where a filter cannot look.
pub(super) const MISSING: &[i64] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_clone3,
];

/// Landlock does not see who changes modes, owners, times and attributes of files.
pub(super) const METADATA: &[(i64, &str)] = calls![
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
];

/// Calls with a path or an address that a report is about.
pub(super) const SEEN: &[i64] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_open,
    libc::SYS_openat,
    OPENAT2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_creat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_unlink,
    libc::SYS_unlinkat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rmdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    libc::SYS_mkdirat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_renameat,
    libc::SYS_renameat2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_link,
    libc::SYS_linkat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_symlink,
    libc::SYS_symlinkat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mknod,
    libc::SYS_mknodat,
    libc::SYS_truncate,
    libc::SYS_execve,
    libc::SYS_connect,
    libc::SYS_bind,
];

/// What a call fails with that no filter lets pass, or not with the arguments it has.
pub(super) fn refusal(number: i64) -> Option<i32> {
    match number {
        libc::SYS_socket | libc::SYS_socketpair => Some(libc::EACCES),
        number => entry(number).map(|_| libc::EPERM),
    }
}

/// Whether it changes metadata of a file, which needs all of `write`.
pub(super) fn is_metadata(number: i64) -> bool {
    METADATA.iter().any(|(one, _)| *one == number)
}

/// The name of a refused call.
pub(super) fn name(number: i64) -> String {
    let name = entry(number).map_or("", |(_, name)| *name);
    let name = name.rsplit("SYS_").next().unwrap_or_default();
    name.to_lowercase()
}

fn entry(number: i64) -> Option<&'static (i64, &'static str)> {
    let mut all = REFUSED.iter().chain(METADATA);
    all.find(|(one, _)| *one == number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_calls_have_names() {
        assert_eq!(name(libc::SYS_ptrace), "ptrace");
        assert_eq!(name(OPEN_TREE), "open_tree");
        assert_eq!(refusal(libc::SYS_socket), Some(libc::EACCES));
        assert_eq!(refusal(libc::SYS_fchmod), Some(libc::EPERM));
        assert_eq!(refusal(libc::SYS_openat), None);
    }
}
