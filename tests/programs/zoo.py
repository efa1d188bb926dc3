#!/usr/bin/env python3
"""A player of Planowanie that plays the first of its legal acts, and misbehaves in the way that its argument names, when
it starts or when it is first asked. It speaks with an arbiter, or with Drover as a user's bot: the first line that it
hears says which. What becomes of each way stands in tests/it/zoo.rs."""

import functools
import itertools
import json
import os
import signal
import socket
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


def attempt(what):
    """Does something that must not succeed, and says on standard error if it does."""
    try:
        what()
    except OSError:
        return
    sys.stderr.write("ESCAPED\n")
    sys.stderr.flush()


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
        told = json.loads(line)
        if told["type"] == "hello":
            write(b'{"type": "ready", "protocol": 1}\n')
        elif told["type"] == "ask" and not told["past"]:
            framed = functools.partial(act, told["number"])
            value = json.dumps(told["acts"][0]).encode()
            if decided:
                write(framed(value))
            else:
                first(value, framed)
            decided += 1
        elif told["type"] == "end" and FAULT == "ignores_term":
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
    heard = sys.stdin.readline()
    lines = itertools.chain([heard], sys.stdin)
    (bot if heard.startswith("{") else player)(lines)


main()
