"""Tries to get out of the sandbox it is started in, in every way it knows.

Prints a line for each attempt: "refused NAME" or "ESCAPED NAME ...". It is told by its environment
what to go for.
"""

import ctypes
import errno
import os
import platform
import signal
import socket
import struct
import sys

SECRET = os.environ["SECRET"]  # a file that may not be read
OUTSIDE = os.environ["OUTSIDE"]  # a folder that may not be written to
OUT = os.environ["OUT"]  # a folder that may be written to and read
HOST = os.getppid()
PORT = int(os.environ["PORT"])  # where somebody listens, TCP and UDP
UNIX = os.environ["UNIX"]  # a socket somebody listens on
DATAGRAMS = os.environ["DATAGRAMS"]  # and one for datagrams
ABSTRACT = os.environ["ABSTRACT"]  # and one without a path

libc = ctypes.CDLL(None, use_errno=True)
REFUSALS = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EXDEV)
IS_X86 = platform.machine() == "x86_64"


class Refused(Exception):
    pass


def call(x86, arm, *arguments):
    """A system call by its number. Any answer but a refusal is one too many."""
    number = x86 if IS_X86 else arm
    arguments = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *arguments)
    problem = ctypes.get_errno()
    if result == -1 and problem in REFUSALS:
        raise Refused
    return f"{result} {errno.errorcode.get(problem)}"


def contents(path, flags=os.O_RDONLY):
    descriptor = os.open(path, flags)
    return os.read(descriptor, 100)


ATTEMPTS = []


def attempt(function):
    ATTEMPTS.append((function.__name__, function))
    return function


# Reading.


@attempt
def read():
    return contents(SECRET)


@attempt
def read_for_writing_too():
    return contents(SECRET, os.O_RDWR)


@attempt
def read_by_a_symbolic_link():
    link = os.path.join(OUT, "symbolic")
    os.symlink(SECRET, link)
    return contents(link)


@attempt
def read_by_a_hard_link():
    link = os.path.join(OUT, "hard")
    os.link(SECRET, link)
    return contents(link)


@attempt
def read_after_moving():
    moved = os.path.join(OUT, "moved")
    os.rename(SECRET, moved)
    text = contents(moved)
    os.rename(moved, SECRET)
    return text


@attempt
def read_by_own_root():
    return contents("/proc/self/root" + SECRET)


@attempt
def read_by_the_working_folder():
    os.chdir(os.path.dirname(SECRET))
    return contents("/proc/self/cwd/" + os.path.basename(SECRET))


@attempt
def read_through_the_folder():
    folder = os.open(os.path.dirname(SECRET), os.O_PATH)
    return os.open(os.path.basename(SECRET), os.O_RDONLY, dir_fd=folder)


@attempt
def read_by_opening_a_path_again():
    descriptor = os.open(SECRET, os.O_PATH)
    return contents(f"/proc/self/fd/{descriptor}")


@attempt
def read_by_handle():
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 136)
    mount = ctypes.c_int()
    path = SECRET.encode()
    if libc.name_to_handle_at(-100, path, handle, ctypes.byref(mount), 0) != 0:
        raise Refused
    folder = os.open("/", os.O_PATH)
    return call(304, 265, folder, handle, os.O_RDONLY)


@attempt
def read_by_io_uring():
    return call(425, 425, 8, ctypes.create_string_buffer(120))


@attempt
def read_by_x32():
    if not IS_X86:
        raise Refused
    return call(0x40000000 + 257, 0, -100, SECRET.encode(), 0)


@attempt
def list_the_folder():
    return os.listdir(os.path.dirname(SECRET))


@attempt
def read_what_was_left_open():
    found = []
    for descriptor in range(3, 256):
        try:
            os.lseek(descriptor, 0, os.SEEK_SET)
            found.append(os.read(descriptor, 100))
        except OSError:
            pass
    if not any(b"secret" in text for text in found):
        raise Refused
    return found


@attempt
def read_by_another_program():
    return os.popen(f"cat {SECRET} 2>/dev/null").read() or raise_refused()


@attempt
def read_by_the_loader():
    for loader in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"):
        if os.path.exists(loader):
            reader, writer = os.pipe()
            if os.fork() == 0:
                os.dup2(writer, 1)
                try:
                    os.execv(loader, [loader, "/bin/cat", SECRET])
                finally:
                    os._exit(1)
            os.close(writer)
            os.wait()
            return os.read(reader, 100) or raise_refused()
    raise Refused


# The host.


@attempt
def environment_of_the_host():
    return contents(f"/proc/{HOST}/environ")


@attempt
def command_line_of_the_host():
    return contents(f"/proc/{HOST}/cmdline")


@attempt
def memory_of_the_host():
    return os.open(f"/proc/{HOST}/mem", os.O_RDWR)


@attempt
def files_by_the_host():
    return contents(f"/proc/{HOST}/root{SECRET}")


@attempt
def descriptors_of_the_host():
    return os.listdir(f"/proc/{HOST}/fd")


@attempt
def trace_the_host():
    return call(101, 117, 0x4206, HOST, 0, 0)  # PTRACE_SEIZE


@attempt
def read_the_hosts_memory():
    return call(310, 270, HOST, 0, 0, 0, 0, 0)


@attempt
def take_a_descriptor_of_the_host():
    if not hasattr(os, "pidfd_open"):
        raise Refused
    return call(438, 438, os.pidfd_open(HOST), 0, 0)


@attempt
def signal_the_host():
    os.kill(HOST, signal.SIGURG)
    return "sent"


@attempt
def starve_the_host():
    os.setpriority(os.PRIO_PROCESS, HOST, 19)
    return "starved"


@attempt
def starve_the_host_of_processors():
    os.sched_setaffinity(HOST, {0})
    return "starved"


@attempt
def signal_the_host_by_descriptor():
    if not hasattr(signal, "pidfd_send_signal"):
        raise Refused
    signal.pidfd_send_signal(os.pidfd_open(HOST), signal.SIGURG)
    return "sent"


@attempt
def limits_of_the_host():
    return call(302, 261, HOST, 7, ctypes.create_string_buffer(16), 0)


@attempt
def shared_memory():
    return call(29, 194, 0, 4096, 0o600)


@attempt
def shared_messages():
    return call(68, 186, 0, 0o600)


@attempt
def message_queue():
    return call(240, 180, b"test", os.O_RDONLY, 0, 0)


# Writing.


@attempt
def create_outside():
    return open(os.path.join(OUTSIDE, "new"), "w")


@attempt
def append_outside():
    return open(SECRET, "a")


@attempt
def truncate_outside():
    return os.truncate(SECRET, 0) or "truncated"


@attempt
def truncate_by_opening():
    return os.open(os.path.join(OUTSIDE, "readable"), os.O_RDONLY | os.O_TRUNC)


@attempt
def remove_outside():
    return os.unlink(SECRET) or "removed"


@attempt
def folder_outside():
    return os.mkdir(os.path.join(OUTSIDE, "folder")) or "made"


@attempt
def link_outside():
    return os.symlink("/", os.path.join(OUTSIDE, "link")) or "made"


@attempt
def pipe_outside():
    return os.mkfifo(os.path.join(OUTSIDE, "pipe")) or "made"


@attempt
def move_outside():
    inside = os.path.join(OUT, "inside")
    open(inside, "w").close()
    return os.rename(inside, os.path.join(OUTSIDE, "moved")) or "moved"


@attempt
def mode_outside():
    return os.chmod(SECRET, 0o777) or "changed"


@attempt
def mode_by_descriptor():
    readable = os.open(os.path.join(OUTSIDE, "readable"), os.O_RDONLY)
    return os.fchmod(readable, 0o777) or "changed"


@attempt
def owner_outside():
    return os.chown(SECRET, os.getuid(), os.getgid()) or "changed"


@attempt
def times_outside():
    return os.utime(SECRET, (1, 1)) or "changed"


@attempt
def attributes_outside():
    return os.setxattr(SECRET, "user.test", b"1") or "changed"


@attempt
def device_in_an_allowed_folder():
    return os.mknod(os.path.join(OUT, "device"), 0o600 | 0o020000, os.makedev(1, 1)) or "made"


@attempt
def setting_of_the_kernel():
    return open("/proc/sys/kernel/core_pattern", "w")


# The network.


def connected(family, kind, address, protocol=0):
    with socket.socket(family, kind, protocol) as one:
        one.connect(address)
        return "connected"


@attempt
def tcp():
    return connected(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PORT))


@attempt
def multipath_tcp():
    return connected(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PORT), 262)


@attempt
def tcp_by_sending():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as one:
        return one.sendto(b"x", 0x20000000, ("127.0.0.1", PORT))


@attempt
def listening():
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as one:
        one.bind(("127.0.0.1", 0))
        return "bound"


@attempt
def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        return one.sendto(b"x", ("127.0.0.1", PORT))


@attempt
def raw():
    return socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)


@attempt
def packets():
    return socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)


@attempt
def netlink():
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)


@attempt
def vsock():
    return socket.socket(40, socket.SOCK_STREAM, 0)


@attempt
def unix():
    return connected(socket.AF_UNIX, socket.SOCK_STREAM, UNIX)


@attempt
def abstract():
    return connected(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + ABSTRACT)


@attempt
def datagrams_from_a_pair():
    one, _other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.connect(DATAGRAMS)
    return one.send(b"x")


# Programs.


@attempt
def start_a_shell():
    return os.posix_spawn("/bin/sh", ["sh", "-c", "exit 0"], {})


@attempt
def start_what_it_wrote():
    program = os.path.join(OUT, "program")
    # Its mode cannot be changed, but set when it is made.
    descriptor = os.open(program, os.O_WRONLY | os.O_CREAT, 0o755)
    os.write(descriptor, b"#!/bin/sh\n")
    os.close(descriptor)
    return os.posix_spawn(program, ["program"], {})


@attempt
def start_from_memory():
    descriptor = os.memfd_create("program", 0)
    with open("/bin/true", "rb") as program:
        os.write(descriptor, program.read())
    return os.posix_spawn(f"/proc/self/fd/{descriptor}", ["true"], {})


# The kernel.


@attempt
def user_namespace():
    return call(272, 97, 0x10000000)


@attempt
def mount_namespace():
    return call(272, 97, 0x00020000)


@attempt
def namespace_by_clone():
    return call(56, 220, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)


@attempt
def namespace_by_clone3():
    return call(435, 435, ctypes.create_string_buffer(88), 88)


@attempt
def mount():
    return call(165, 40, b"none", OUT.encode(), b"tmpfs", 0, 0)


@attempt
def bind_mount():
    return call(428, 428, -100, b"/", 1)


@attempt
def new_root():
    return call(161, 51, OUT.encode())


@attempt
def bpf():
    return call(321, 280, 0, 0, 0)


@attempt
def performance_events():
    return call(298, 241, 0, 0, -1, -1, 0)


@attempt
def page_faults():
    return call(323, 282, 0)


@attempt
def keys():
    return call(250, 219, 0, -3, 0)


@attempt
def modules():
    return call(313, 273, -1, b"", 0)


@attempt
def another_user():
    os.setuid(65534 if os.getuid() == 0 else 0)
    return "changed"


@attempt
def capabilities():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("CapEff:"):
                # To open files of others, within the rules, is what root keeps.
                rest = int(line.split()[1], 16) & ~(1 << 1)
                if not rest:
                    raise Refused
                return hex(rest)


@attempt
def more_privileges():
    # PR_GET_NO_NEW_PRIVS, and PR_GET_PDEATHSIG: the host's death is still this one's.
    signal_at_death = ctypes.c_int()
    libc.prctl(2, ctypes.byref(signal_at_death), 0, 0, 0)
    if libc.prctl(39, 0, 0, 0, 0) == 1 and signal_at_death.value == signal.SIGKILL:
        raise Refused
    return signal_at_death.value


def raise_refused():
    raise Refused


def main():
    here = os.getcwd()
    for name, function in ATTEMPTS:
        os.chdir(here)
        try:
            result = function()
        except Refused:
            print("refused", name)
        except OSError as problem:
            is_refused = problem.errno in REFUSALS
            print("refused" if is_refused else "ESCAPED", name, "" if is_refused else problem)
        else:
            print("ESCAPED", name, result)
        sys.stdout.flush()


main()
