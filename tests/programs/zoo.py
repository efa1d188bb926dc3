#!/usr/bin/env python3
"""A player of Planowanie that plays the first of its legal acts, and misbehaves in the way that its argument names, when
it starts or when it is first asked. It speaks with an arbiter, or with Drover as a user's bot: the first line that it
receives says which. The outcome of each way stands in tests/it/zoo.rs."""

import ctypes
import fcntl
import functools
import itertools
import json
import mmap
import os
import platform
import resource
import signal
import socket
import struct
import subprocess
import sys
import time

FAULT = sys.argv[1]
out = sys.stdout.buffer


def write(text):
    out.write(text if isinstance(text, bytes) else text.encode())
    out.flush()


def reply(value=b""):
    """To an arbiter."""
    return b"= " + value + b"\n\n"


def act(number, value):
    """To Drover."""
    return b'{"type": "act", "number": %d, "act": %s}\n' % (number, value)


def answer(value=""):
    write(reply(value.encode()))


def forever():
    while True:
        time.sleep(3600)


def attempt(what, name=""):
    """Does something that must not succeed, and says on standard error if it does."""
    try:
        what()
    except OSError:
        return
    sys.stderr.write("ESCAPED %s\n" % name)
    sys.stderr.flush()


LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long


def call(name, *arguments):
    """A system call by its number on this machine; an error is raised."""
    number = CALLS[name][platform.machine() == "aarch64"]
    if LIBC.syscall(ctypes.c_long(number), *arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


# By x86-64 and aarch64.
CALLS = {
    "inotify_init1": (294, 26),
    "prctl": (157, 167),
    "vmsplice": (278, 75),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "add_key": (248, 217),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_setup": (206, 0),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "name_to_handle_at": (303, 264),
}
NEW_USER = 0x10000000


def enlarge(option):
    """Asks for a larger buffer of a socket; that nothing changes is as good as an error."""
    with socket.socket(socket.AF_UNIX) as own:
        before = own.getsockopt(socket.SOL_SOCKET, option)
        own.setsockopt(socket.SOL_SOCKET, option, 4 << 20)
        if own.getsockopt(socket.SOL_SOCKET, option) <= before:
            raise OSError


def inherits():
    """Looks for files that are neither its own streams nor the list itself."""
    listed = [int(name) for name in os.listdir("/proc/self/fd")]
    if not any(number > 2 and is_open(number) for number in listed):
        raise OSError


def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def others():
    """Looks for processes that are not its own: the first one, itself, and what it starts."""
    numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    if len(numbers) < 4:
        raise OSError


def write_to(path):
    os.close(os.open(path, os.O_WRONLY))


def read_from(path):
    with open(path, "rb") as file:
        if not file.read(1):
            raise OSError


def in_a_child(what):
    """What may cost its life."""
    child = os.fork()
    if child == 0:
        try:
            what()
        except BaseException:
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        raise OSError


def as_i386():
    """Asks for its number as a 32-bit program does."""
    if platform.machine() != "x86_64":
        raise OSError
    page = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
    page.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    place = ctypes.addressof(ctypes.c_char.from_buffer(page))
    if ctypes.CFUNCTYPE(ctypes.c_int)(place)() != os.getpid():
        raise OSError


def as_x32():
    if platform.machine() != "x86_64" or LIBC.syscall(ctypes.c_long(0x40000000 + 39)) < 0:
        raise OSError


def attack_by_file():
    """Changes what others may read of a file that is its user's."""
    own = os.path.realpath(sys.executable)
    about = os.stat(own)
    attempt(lambda: os.chmod(own, about.st_mode & 0o7777), "chmod")
    attempt(lambda: os.utime(own), "utime")
    attempt(lambda: os.setxattr(own, "user.zoo", b"x"), "setxattr")
    raise OSError


def raise_limit(which, most):
    try:
        resource.setrlimit(which, (most, most))
    except ValueError as why:
        # How Python says that the system refuses it.
        raise OSError from why


def see(folder):
    if not os.listdir(folder):
        raise OSError


# What no confined program may do, each tried once.
TRIES = {
    "inherits": inherits,
    "sees others": others,
    "pins pages": lambda: call("vmsplice", os.pipe()[1], None, 0, 0),
    "shares memory": lambda: call("shmget", 0x5A4F, 65_536, 0o1600),
    "shares a queue": lambda: call("msgget", 0x5A4F, 0o1600),
    "shares a semaphore": lambda: call("semget", 0x5A4F, 1, 0o1600),
    "opens a queue": lambda: call("mq_open", b"zoo", os.O_CREAT | os.O_RDWR, 0o600, None),
    "keeps a key": lambda: call("add_key", b"user", b"zoo", b"x", 1, ctypes.c_int(-3)),
    "finds a key ring": lambda: call("keyctl", 0, ctypes.c_int(-4), 1),
    "hides memory": lambda: call("memfd_create", b"x", 0),
    "keeps memory secret": lambda: call("memfd_secret", 0),
    "handles faults": lambda: call("userfaultfd", 1),
    "makes a ring": lambda: call("io_uring_setup", 4, bytes(120)),
    "makes a context": lambda: call("io_setup", 4, ctypes.byref(ctypes.c_ulong(0))),
    "enlarges a pipe": lambda: fcntl.fcntl(os.pipe()[1], 1031, 1 << 20),
    "enlarges a send buffer": lambda: enlarge(socket.SO_SNDBUF),
    "enlarges a receive buffer": lambda: enlarge(socket.SO_RCVBUF),
    "dials the machine's host": lambda: socket.socket(40, socket.SOCK_STREAM),
    "encrypts in the kernel": lambda: socket.socket(38, socket.SOCK_SEQPACKET),
    "sends frames": lambda: socket.socket(17, socket.SOCK_RAW),
    "sends raw packets": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1),
    "finds others by name": lambda: socket.socket(socket.AF_UNIX).connect("\0zoo"),
    "traces": lambda: call("ptrace", 16, os.getppid() or 1, 0, 0),
    "traces itself": lambda: in_a_child(lambda: call("ptrace", 0, 0, 0, 0)),
    "reads another's memory": lambda: call("process_vm_readv", 1, None, 0, None, 0, 0),
    "makes a user namespace": lambda: in_a_child(lambda: call("unshare", NEW_USER)),
    "enters a namespace": lambda: in_a_child(
        lambda: call("setns", os.open("/proc/self/ns/net", os.O_RDONLY), 0)
    ),
    "mounts": lambda: call("mount", b"x", os.environ["TMPDIR"].encode(), b"tmpfs", 0, None),
    "copies a mount": lambda: call("open_tree", -100, b"/", 1),
    "opens a file system": lambda: call("fsopen", b"tmpfs", 0),
    "runs in the kernel": lambda: call("bpf", 0, bytes(128), 128),
    "measures the kernel": lambda: call("perf_event_open", bytes(128), 0, -1, -1, 0),
    "makes a handle": lambda: call("name_to_handle_at", -100, b"/", struct.pack("I", 120) + bytes(124), bytes(8), 0),
    "speaks as i386": lambda: in_a_child(as_i386),
    "speaks as x32": lambda: in_a_child(as_x32),
    "writes to the terminal": lambda: write_to("/dev/tty"),
    "gets a terminal": lambda: write_to("/dev/ptmx"),
    "writes to the log": lambda: write_to("/dev/kmsg"),
    "reads memory": lambda: read_from("/dev/mem"),
    "reads the kernel": lambda: read_from("/proc/kcore"),
    "reads another's variables": lambda: read_from("/proc/1/environ"),
    "changes the kernel": lambda: write_to("/proc/sys/kernel/core_pattern"),
    "presses keys": lambda: write_to("/proc/sysrq-trigger"),
    "spares itself": lambda: write_to("/proc/self/oom_score_adj"),
    "marks files": attack_by_file,
    "shares pages": lambda: mmap.mmap(-1, 1 << 20),
    "maps zeros": lambda: open("/dev/zero", "r+b"),
    "watches files": lambda: call("inotify_init1", 0),
    "hides": lambda: call("prctl", 4, 0, 0, 0, 0),
    "opens many files": lambda: raise_limit(resource.RLIMIT_NOFILE, 4_096),
    "leaves a core": lambda: raise_limit(resource.RLIMIT_CORE, 1 << 20),
    "has rights": lambda: os.chroot("/"),
    "has another's rights": lambda: os.setgroups([0, 1]),
    "hurries": lambda: os.setpriority(os.PRIO_PROCESS, 0, -20),
    "names the machine": lambda: socket.sethostname(socket.gethostname()),
    "sees what is in /tmp": lambda: see("/tmp"),
    "reads others' homes": lambda: os.listdir("/root" if os.getuid() else "/home"),
    "follows its roots": lambda: read_from("/proc/1/" + "root/etc/shadow"),
}


def try_everything():
    # What it tries would do harm where nothing holds it back.
    if os.environ.get("TMPDIR") != "/dev/shm":
        sys.exit("this is for confined programs only")
    for name, what in TRIES.items():
        try:
            attempt(what, name)
        except Exception as why:
            # It was not refused, but went wrong by itself.
            sys.stderr.write("MISTAKEN %s: %r\n" % (name, why))
    sys.stderr.write("tried %d\n" % len(TRIES))
    sys.stderr.flush()
    if "die" in sys.argv[2:]:
        os._exit(3)


def hold_sockets():
    """Fills sockets in processes of its own."""
    for _ in range(8):
        if os.fork() == 0:
            fill_sockets()
    fill_sockets()


def fill_sockets():
    while True:
        try:
            HELD.append(socket.socketpair())
        except OSError:
            forever()
        for own in HELD[-1]:
            own.setblocking(False)
            try:
                while True:
                    own.send(b"x" * 65_536)
            except OSError:
                pass


def hold_files():
    with open(os.path.join(os.environ["TMPDIR"], "held"), "wb") as file:
        file.write(b"x" * (60 << 20))
    HELD.append(b"x" * (220 << 20))
    forever()


HELD = []


def forks():
    """Starts processes until no more can be, each of which starts more."""
    for _ in range(10_000):
        try:
            if os.fork() == 0:
                continue
        except OSError:
            time.sleep(0.01)


def daemonise():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(3):
                os.close(number)
            os.environ.clear()
            os.execv("/bin/sleep", ["sleep", "981"])
        os._exit(0)


def kill_all():
    for number in range(1, 30_000):
        if number != os.getpid():
            try:
                os.kill(number, signal.SIGKILL)
            except OSError:
                pass


def fill():
    """Writes to its scratch folder until that is full."""
    with open(os.path.join(os.environ["TMPDIR"], "full"), "wb") as file:
        for _ in range(1_000):
            file.write(b"x" * (1 << 20))
    sys.stderr.write("ESCAPED\n")


def dial():
    socket.create_connection(("127.0.0.1", int(sys.argv[2])), 1).sendall(b"x")


def ask_outside():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", int(sys.argv[2])))


def our_variable():
    if "ZOO_SECRET" not in os.environ:
        raise OSError


# What is done before the first word is read.
AT_START = {
    "forks": forks,
    "daemonises": daemonise,
    "kills_everybody": lambda: attempt(lambda: os.kill(-1, signal.SIGKILL)) or kill_all(),
    "kills_its_parent": lambda: os.getppid() > 1 and os.kill(os.getppid(), signal.SIGKILL),
    "ends_well_at_once": lambda: os._exit(0),
    "fails_at_once": lambda: os._exit(1),
    "kills_itself": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "crashes_by_signal": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "floods_stderr": lambda: [os.write(2, b"x" * 65_536) for _ in range(1_600)],
    "closes_stdin": lambda: os.close(0),
    "closes_stdout": lambda: os.close(1),
    "closes_stderr": lambda: os.close(2),
    "ignores_term": lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN),
    "reads_nothing": forever,
    "reads_secrets": lambda: attempt(lambda: open("/etc/shadow").read()),
    "reads_our_variables": lambda: attempt(lambda: our_variable()),
    "lists_other_folders": lambda: attempt(lambda: os.listdir(sys.argv[2])),
    "reads_other_files": lambda: attempt(lambda: open(sys.argv[2]).read()),
    "writes_other_files": lambda: attempt(lambda: open(sys.argv[2], "a").write("x")),
    "writes_its_own_folder": lambda: attempt(lambda: open("written", "w")),
    "removes_other_files": lambda: attempt(lambda: os.remove(sys.argv[2])),
    "fills_its_scratch": lambda: attempt(fill),
    "dials": lambda: attempt(dial),
    "sends_packets": lambda: attempt(ask_outside),
    "dials_a_socket": lambda: attempt(lambda: socket.socket(socket.AF_UNIX).connect(sys.argv[2])),
    "changes_modes": lambda: attempt(lambda: os.chmod(sys.argv[2], 0o666)),
    "listens": lambda: attempt(lambda: socket.create_server(("127.0.0.1", 0))),
    "tries_everything": try_everything,
    "holds_sockets": hold_sockets,
    "holds_files": hold_files,
    "talks_before_asked": lambda: write(b"= 0\n\n"),
}

# What stands in its first answer in place of what it decided.
AS_ANSWER = {
    "sends_nul": b"\0",
    "sends_no_utf8": b"\xff\xfe",
    "sends_a_huge_number": b"9" * 10_000,
    "sends_a_negative_number": b"-1",
    "sends_deep_json": b"[" * 100_000,
    "sends_a_float": b"0.0",
    "sends_controls": b"\x1b[2J\x07",
}


def first(value, framed):
    """Its first decision, which `framed` makes a whole answer of."""
    good = framed(value)
    if FAULT in AS_ANSWER:
        return write(framed(AS_ANSWER[FAULT]))
    if FAULT == "answers_twice":
        return write(good * 2)
    if FAULT == "sends_html":
        return write(b"<html><script>alert(1)</script></html>\n\n")
    if FAULT == "allocates":
        hoard = bytearray(2 << 30)
        for at in range(0, len(hoard), 4096):
            hoard[at] = 1
    elif FAULT == "floods":
        while True:
            write(good * 10_000)
    elif FAULT == "sends_an_endless_line":
        while True:
            write(b"0" * 65_536)
    elif FAULT == "spins":
        while True:
            pass
    elif FAULT == "sleeps":
        forever()
    elif FAULT == "stops_itself":
        os.kill(os.getpid(), signal.SIGSTOP)
    elif FAULT == "is_late":
        time.sleep(12)
    elif FAULT == "exits_when_asked":
        os._exit(0)
    elif FAULT == "writes_byte_by_byte":
        for byte in good:
            write(bytes([byte]))
            time.sleep(0.02)
        return
    elif FAULT == "dribbles_for_ever":
        while True:
            write(b"0")
            time.sleep(0.05)
    elif FAULT == "writes_crlf":
        return write(good.replace(b"\n", b"\r\n"))
    elif FAULT == "closes_stdout_when_asked":
        os.close(1)
        forever()
    elif FAULT == "becomes_another":
        os.execv("/bin/sleep", ["sleep", "982"])
    write(good)


def bot(lines):
    """As a user's bot."""
    decided = 0
    for line in lines:
        message = json.loads(line)
        if message["type"] == "hello":
            write(b'{"type": "ready", "protocol": 1}\n')
        elif message["type"] == "ask" and not message["past"]:
            framed = functools.partial(act, message["number"])
            value = json.dumps(message["acts"][0]).encode()
            if decided:
                write(framed(value))
            else:
                first(value, framed)
            decided += 1
        elif message["type"] == "end" and FAULT == "ignores_term":
            forever()


def player(lines):
    """As an arbiter's program."""
    hand, led, laid, players = [], "", 0, 2
    for line in lines:
        words = line.split()
        if not words:
            continue
        if words[0] == "set_players":
            players = int(words[1])
            answer()
        elif words[0] == "set_cards":
            hand, led, laid = words[2:], "", 0
            answer()
        elif words[0] == "gen_declare":
            first(b"0", reply)
        elif words[0] == "gen_move":
            fits = [card for card in hand if card[1] == led]
            answer((fits or hand)[0])
        elif words[0] == "play":
            if words[2] in hand:
                hand.remove(words[2])
            led = led or words[2][1]
            laid = (laid + 1) % players
            led = led if laid else ""
            answer()
        elif words[0] == "quit":
            answer()
            if FAULT == "ignores_term":
                forever()
            return
        else:
            answer()


def main():
    if FAULT in AT_START:
        AT_START[FAULT]()
    first = sys.stdin.readline()
    lines = itertools.chain([first], sys.stdin)
    (bot if first.startswith("{") else player)(lines)


main()
