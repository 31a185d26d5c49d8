//! The seccomp filter: which system calls are refused, written as a small BPF program.
//!
//! Landlock does most of the work. The filter refuses what Landlock does not see (sockets other than
//! TCP, modes and owners of files, ways around paths) and what only an attacker needs.

mod bpf;

use std::io;

use super::rules::{Net, Rules};
use super::syscalls;
use bpf::{Action, Rule, Test, argument, masked, number};

pub(super) use bpf::Instruction;

/// The filter for these rules. If `ask` is set, refused calls and those that use paths and addresses
/// are shown to a listener. Without a cgroup no process can leave the process group, or it could stay
/// behind when the group is killed.
///
/// # Errors
/// There is no filter for this architecture.
pub(super) fn program(rules: &Rules, ask: bool, has_cgroup: bool) -> io::Result<Vec<Instruction>> {
    let mut all = all_rules(rules, ask);
    if !has_cgroup {
        // They seem to succeed: programs that detach a child would fail otherwise.
        let calls = [libc::SYS_setsid, libc::SYS_setpgid];
        all.extend(calls.map(|call| Rule::always(call, Action::Fail(0))));
    }
    bpf::compile(&all)
}

fn all_rules(rules: &Rules, ask: bool) -> Vec<Rule> {
    let refused = |error: i32| match ask {
        true => Action::Ask,
        false => Action::Fail(error),
    };
    let mut all = Vec::new();
    let mut always = |numbers: &[i64], action: Action| {
        all.extend(numbers.iter().map(|number| Rule::always(*number, action)));
    };
    let numbers =
        |calls: &[(i64, &str)]| calls.iter().map(|(number, _)| *number).collect::<Vec<_>>();
    always(&numbers(syscalls::REFUSED), refused(libc::EPERM));
    always(syscalls::MISSING, Action::Fail(libc::ENOSYS));
    if rules.is_limited_in_writing() {
        always(&numbers(syscalls::METADATA), refused(libc::EPERM));
    }
    if rules.is_limited_in_running() {
        // What is in memory has no path that a rule could be about.
        always(&[libc::SYS_memfd_create], Action::Fail(libc::ENOSYS));
    }
    if ask {
        always(syscalls::SEEN, Action::Ask);
    }
    all.push(new_namespaces(libc::SYS_clone));
    all.push(new_namespaces(libc::SYS_unshare));
    all.push(Rule {
        number: number(libc::SYS_ioctl),
        cases: vec![
            // What is typed into a terminal this way is run by the shell that is there.
            (vec![argument(1, TIOCSTI)], Action::Fail(libc::EPERM)),
            (vec![argument(1, TIOCLINUX)], Action::Fail(libc::EPERM)),
        ],
        otherwise: Action::Allow,
    });
    all.push(Rule {
        number: number(libc::SYS_prlimit64),
        cases: vec![(vec![argument(0, 0)], Action::Allow)],
        // The limits of another process of the same user could be changed.
        otherwise: Action::Fail(libc::EPERM),
    });
    all.extend(priorities());
    if let Net::Limited { ports, udp, unix } = &rules.net {
        all.push(sockets(
            !ports.is_empty(),
            *udp,
            *unix,
            refused(libc::EACCES),
        ));
        if !unix {
            // A datagram socket can be connected again, to a socket with a path.
            all.push(Rule {
                number: number(libc::SYS_socketpair),
                cases: vec![(
                    vec![masked(1, SOCKET_TYPE, DATAGRAM)],
                    refused(libc::EACCES),
                )],
                otherwise: Action::Allow,
            });
        }
        // Landlock does not see a connection that is made by sending.
        for (call, flags) in [
            (libc::SYS_sendto, 3),
            (libc::SYS_sendmsg, 2),
            (libc::SYS_sendmmsg, 3),
        ] {
            all.push(Rule {
                number: number(call),
                cases: vec![(
                    vec![masked(flags, FAST_OPEN, FAST_OPEN)],
                    Action::Fail(libc::EACCES),
                )],
                otherwise: Action::Allow,
            });
        }
    }
    all
}

/// A process may change its own priorities, but not those of other processes of the same user.
fn priorities() -> Vec<Rule> {
    /// A process, and not a group or a user.
    const PROCESS: u32 = 0;
    const IO_PROCESS: u32 = 1;
    let only = |call: i64, tests: Vec<Test>| Rule {
        number: number(call),
        cases: vec![(tests, Action::Allow)],
        otherwise: Action::Fail(libc::EPERM),
    };
    // 0 is the calling process.
    vec![
        only(
            libc::SYS_setpriority,
            vec![argument(0, PROCESS), argument(1, 0)],
        ),
        only(
            libc::SYS_ioprio_set,
            vec![argument(0, IO_PROCESS), argument(1, 0)],
        ),
        only(libc::SYS_sched_setscheduler, vec![argument(0, 0)]),
        only(libc::SYS_sched_setparam, vec![argument(0, 0)]),
        only(libc::SYS_sched_setattr, vec![argument(0, 0)]),
        only(libc::SYS_sched_setaffinity, vec![argument(0, 0)]),
    ]
}

const TIOCSTI: u32 = 0x5412;
const TIOCLINUX: u32 = 0x541c;
const FAST_OPEN: u32 = 0x2000_0000;
/// The rest of a socket's type are flags.
const SOCKET_TYPE: u32 = 0xf;
const STREAM: u32 = 1;
const DATAGRAM: u32 = 2;

/// Sockets by family, type and protocol. Only plain TCP is seen by Landlock: its relatives (MPTCP,
/// SMC, SCTP) are not, so they are refused.
fn sockets(tcp: bool, udp: bool, unix: bool, refused: Action) -> Rule {
    const TCP: u32 = 6;
    const UDP: u32 = 17;
    let mut cases = Vec::new();
    for family in [libc::AF_INET, libc::AF_INET6] {
        for (is_allowed, kind, protocol) in [(tcp, STREAM, TCP), (udp, DATAGRAM, UDP)] {
            for protocol in [0, protocol] {
                if is_allowed {
                    let tests = vec![
                        argument(0, family.unsigned_abs()),
                        masked(1, SOCKET_TYPE, kind),
                        argument(2, protocol),
                    ];
                    cases.push((tests, Action::Allow));
                }
            }
        }
    }
    if unix {
        let family = argument(0, libc::AF_UNIX.unsigned_abs());
        cases.push((vec![family], Action::Allow));
    }
    Rule {
        number: number(libc::SYS_socket),
        cases,
        otherwise: refused,
    }
}

/// In a namespace of its own a process has rights that the rest of the kernel was not tested with.
fn new_namespaces(call: i64) -> Rule {
    const NEW_TIME: u32 = 0x80;
    let all = libc::CLONE_NEWNS
        | libc::CLONE_NEWCGROUP
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUSER
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNET;
    let mut flags: Vec<u32> = (0..32)
        .map(|bit| 1 << bit)
        .filter(|flag| all.unsigned_abs() & flag != 0)
        .collect();
    // In clone this bit is part of the signal at exit.
    if call == libc::SYS_unshare {
        flags.push(NEW_TIME);
    }
    Rule {
        number: number(call),
        cases: flags
            .into_iter()
            .map(|flag| (vec![masked(0, flag, flag)], Action::Fail(libc::EPERM)))
            .collect(),
        otherwise: Action::Allow,
    }
}

#[cfg(test)]
mod tests {
    use super::bpf::tests::run;
    use super::*;

    fn limited(ports: &[u16], udp: bool, unix: bool) -> Vec<Instruction> {
        let rules = Rules {
            net: Net::Limited {
                ports: ports.to_vec(),
                udp,
                unix,
            },
            ..Rules::default()
        };
        program(&rules, false, true).unwrap()
    }

    #[test]
    fn sockets_are_distinguished() {
        let allow = Action::Allow.operand();
        let (inet, inet6, unix, netlink) = (2, 10, 1, 16);
        let (stream, datagram, raw) = (1, 2, 3);
        let cloexec = 0x80000;
        for (filter, family, kind, protocol, expected) in [
            (limited(&[], false, false), inet, stream, 0, false),
            (limited(&[], false, false), unix, stream, 0, false),
            (limited(&[80], false, false), inet, stream, 0, true),
            (
                limited(&[80], false, false),
                inet6,
                stream | cloexec,
                6,
                true,
            ),
            (limited(&[80], false, false), inet, stream, 262, false),
            (limited(&[80], false, false), inet, datagram, 0, false),
            (limited(&[80], false, false), inet, raw, 1, false),
            (limited(&[], true, false), inet, datagram, 17, true),
            (limited(&[], true, false), inet, stream, 0, false),
            (limited(&[], false, true), unix, stream, 0, true),
            (limited(&[80], true, true), netlink, raw, 0, false),
        ] {
            let arguments = [family, kind, protocol, 0, 0, 0];
            let answer = run(&filter, libc::SYS_socket, arguments);
            assert_eq!(answer == allow, expected, "{arguments:?}");
        }
    }

    #[test]
    fn threads_may_be_made_and_namespaces_may_not() {
        let filter = limited(&[], false, false);
        let allow = Action::Allow.operand();
        let threads = (libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND) as u64;
        let clone = |flags: u64| run(&filter, libc::SYS_clone, [flags, 0, 0, 0, 0, 0]);
        assert_eq!(clone(threads), allow);
        assert_ne!(clone(threads | libc::CLONE_NEWUSER as u64), allow);
        assert_ne!(clone(libc::CLONE_NEWNS as u64 | 17), allow);
        assert_eq!(run(&filter, libc::SYS_read, [0; 6]), allow);
    }

    #[test]
    fn connecting_by_sending_is_refused() {
        let filter = limited(&[80], false, false);
        let allow = Action::Allow.operand();
        let send = |flags| run(&filter, libc::SYS_sendto, [3, 0, 0, flags, 0, 0]);
        assert_eq!(send(0x4000), allow);
        assert_ne!(send(0x4000 | u64::from(FAST_OPEN)), allow);
    }

    #[test]
    fn priorities_of_others_stay() {
        let filter = limited(&[], false, false);
        let allow = Action::Allow.operand();
        let set = |call, arguments: [u64; 2]| {
            run(&filter, call, [arguments[0], arguments[1], 0, 0, 0, 0]) == allow
        };
        assert!(set(libc::SYS_setpriority, [0, 0]));
        assert!(!set(libc::SYS_setpriority, [0, 1]));
        assert!(!set(libc::SYS_setpriority, [2, 0]));
        assert!(set(libc::SYS_sched_setaffinity, [0, 8]));
        assert!(!set(libc::SYS_sched_setaffinity, [1, 8]));
    }

    #[test]
    fn without_a_cgroup_no_process_leaves_the_group() {
        let leave = |has_cgroup| {
            let filter = program(&Rules::default(), false, has_cgroup).unwrap();
            run(&filter, libc::SYS_setsid, [0; 6])
        };
        assert_eq!(leave(true), Action::Allow.operand());
        assert_eq!(leave(false), Action::Fail(0).operand());
    }

    #[test]
    fn fits_into_the_kernel() {
        let everything = program(&Rules::default(), true, false).unwrap();
        assert!(everything.len() < 4096, "{}", everything.len());
    }
}
