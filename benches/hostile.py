"""Strangers against a running daemon, from addresses of their own (127.0.0.2 and up).

Usage: hostile.py takeover [--drover FILE]                every way to take a seat over, and the match's result
       hostile.py runaway [--drover FILE]                 rows that cannot be, and then a decision, in 18 matches
       hostile.py load [--drover FILE] [--minutes M]      floods next to honest matches, and what those noticed

Starts and stops all it needs in a folder of its own. Linux only: every 127.x.y.z is this machine.
"""

import argparse
import glob
import http.client
import http.server
import json
import os
import random
import re
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse


def get(address, path, source="127.0.0.1", method="GET", headers=None, body=None, timeout=10):
    """One request from a source address: status and text; status 0 if nothing came back."""
    host, port = address.rsplit(":", 1)
    talk = http.client.HTTPConnection(host, int(port), timeout=timeout, source_address=(source, 0))
    try:
        talk.request(method, path, body=body, headers=headers or {})
        answer = talk.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return 0, str(error)
    finally:
        talk.close()


class Player(http.server.BaseHTTPRequestHandler):
    """A foreign Koehandel player: bids by chance up to 150, offers no trade, lets the server pay."""

    protocol_version = "HTTP/1.1"
    pause = 0.0

    def do_GET(self):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query, keep_blank_values=True))
        reply = ""
        if query.get("type") == "start":
            time.sleep(self.pause)
            reply = "?type=auction"
        elif query.get("type") == "auction" and "auctioneer" in query:
            price = sum({"t": 10, "f": 50, "h": 100, "T": 200, "F": 500}.get(card, 0) for card in query.get("money", ""))
            if price < 150 and random.random() < 0.5:
                reply = "?money=" + "t" * (price // 10 + 1)
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply.encode())

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256


def player(pause=0.0):
    """Starts a foreign player; gives its URL."""
    handler = type("Slow", (Player,), {"pause": pause})
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


class Daemon:
    """Our process and where it listens."""

    def __init__(self, drover, folder, words, config="", port=None):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.log = folder, os.path.join(folder, "log")
        if config:
            path = os.path.join(folder, "drover.toml")
            with open(path, "w") as file:
                file.write(config)
            words = words + ["--config", path]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DROVER")}
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [drover] + words, stdout=subprocess.PIPE, stderr=log, text=True, env=environment
            )
        if port:
            self.wait_for(port)
        else:
            self.at = dict(re.findall(r"(\w+)=(\S+:\d+)", self.process.stdout.readline()))
            if not self.at:
                sys.exit(f"it did not start: {open(self.log).read()[-2000:]}")
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def wait_for(self, port):
        until = time.time() + 20
        while time.time() < until:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)
        sys.exit(f"it did not start: {open(self.log).read()[-2000:]}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "killed"

    def memory_mib(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) // 1024

    def descriptors(self):
        return len(glob.glob(f"/proc/{self.process.pid}/fd/*"))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def connect(referee, urls):
    query = "&".join(f"url{at}={urllib.parse.quote(url, safe='')}" for at, url in enumerate(urls, 1))
    status, text = get(referee, f"/?connect&{query}")
    numbers = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", text)}
    return status, text, numbers


def takeover(options, folder):
    """A match of three foreign programs and our champion, under attack; every attempt and its answer."""
    config = "[thinking]\nbudget_ms_koehandel = 50\n"
    words = ["serve", "--listen", f"0.0.0.0:{free_port()}", "--api-listen", "127.0.0.1:0", "--data", folder]
    referee_at = f"127.0.0.1:{free_port()}"
    config += f'[referee.koehandel]\nlisten = "{referee_at}"\n'
    config += '[[callbacks.referee]]\nname = "final"\nsecret = "only-the-organiser-knows"\n'
    daemon = Daemon(options.drover, folder, words, config)
    port = daemon.at["callbacks"].rsplit(":", 1)[1]
    callbacks, api = f"127.0.0.1:{port}", daemon.at["api"]
    own = f"http://{callbacks}/koehandel/champion"
    pause = 0.25
    status, text, numbers = connect(referee_at, [own] + [player(pause) for _ in range(3)])
    print(f"the match begins: {status} {text.strip()}")
    market, seat = numbers["market"], numbers["id1"]
    # A second match, of a foreign referee: a process of its own that calls us by our plain URL.
    foreign_at = f"127.0.0.1:{free_port()}"
    foreign = Daemon(
        options.drover,
        os.path.join(folder, "foreign"),
        ["referee", "koehandel", "--listen", foreign_at, "--store", os.path.join(folder, "foreign", "f.db")],
        port=int(foreign_at.rsplit(":", 1)[1]),
    )
    plain = f"http://{callbacks}/koehandel/champion"
    _, _, foreign_numbers = connect(foreign_at, [plain] + [player(pause) for _ in range(3)])
    time.sleep(3)
    end = "type=end&message=S0W9000N0E0"
    asks = ["type=information&message=begin", "type=start", "type=auction&goods=A&opponent=W&money=t&auctioneer=W",
            "type=collect&opponent=W&money=t", "type=receive&money=F", end]
    here, there = (market, seat), (foreign_numbers["market"], foreign_numbers["id1"])
    ways = [
        ("our referee's name in the path", here, "/koehandel/champion/drover", {}),
        ("the masked name that REST shows", here, "/koehandel/champion/***", {}),
        ("no name, from another address", here, "/koehandel/champion", {}),
        ("the referee's address as the name", there, "/koehandel/champion/127.0.0.1", {}),
        ("no name, from another address", there, "/koehandel/champion", {}),
        ("a forwarded address, no trusted proxy", there, "/koehandel/champion", {"X-Forwarded-For": "127.0.0.1"}),
        ("a configured referee, no secret", here, "/koehandel/champion/final", {}),
        ("a configured referee, a wrong secret", here, "/koehandel/champion/final:guess", {}),
    ]
    for what, (match, ident), path, headers in ways:
        said = []
        for ask in asks:
            status, text = get(callbacks, f"{path}?market={match}&id={ident}&{ask}", "127.0.0.2", headers=headers)
            said.append(f"{status} {text[:40].strip()!r}")
        print(f"  {what:40} {path:34} {' | '.join(said)}")
    for what, address, method, path, source, headers in [
        ("a stranger reads our hand by ?log", referee_at, "GET", f"/?log={seat}", "127.0.0.2", {}),
        ("the same through a proxy on this host", referee_at, "GET", f"/?log={seat}", "127.0.0.1", {"X-Forwarded-For": "192.0.2.7"}),
        ("a drain through a proxy on this host", api, "POST", "/api/v1/drain?dry", "127.0.0.1", {"X-Forwarded-For": "192.0.2.7"}),
        ("a drain by a rebound name", api, "POST", "/api/v1/drain?dry", "127.0.0.1", {"Host": "evil.example"}),
        ("a drain from a foreign page", api, "POST", "/api/v1/drain?dry", "127.0.0.1", {"Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}),
        ("a match from a foreign page", referee_at, "GET", "/?connect&url1=http://127.0.0.1:1/", "127.0.0.1", {"Sec-Fetch-Site": "cross-site"}),
        ("a match by a rebound name", referee_at, "GET", "/?connect&url1=http://127.0.0.1:1/", "127.0.0.1", {"Host": "evil.example"}),
    ]:
        status, text = get(address, path, source, method, headers)
        print(f"  {what:40} {method} {path[:40]:40} {status} {text[:60].strip()!r}")
    report(api, market, "our referee's match")
    report(api, foreign_numbers["market"], "the foreign referee's match", foreign=foreign_at, ident=foreign_numbers["id1"])
    foreign.stop()
    print(f"the daemon ends with {daemon.stop()}")
    verify = subprocess.run([options.drover, "db", "verify", "--store", os.path.join(folder, "drover.db")],
                            capture_output=True, text=True)
    print("db verify:", (verify.stdout + verify.stderr).strip().splitlines()[-1])


def report(api, market, what, foreign=None, ident=None, wait_s=90):
    """Waits for the end of the true match of this number; what its record holds of strangers."""
    until = time.time() + wait_s
    while True:
        items = json.loads(get(api, "/api/v1/matches?limit=250")[1])["items"]
        matches = [row for row in items if row["market"] == market]
        live = [row for row in matches if row.get("cause") is None and row.get("ended") is None]
        if matches and not live or time.time() > until:
            break
        time.sleep(1)
    for row in matches:
        lines = get(api, f"/api/v1/matches/{row['id']}/entries.ndjson")[1].splitlines()
        texts = [json.loads(line)["text"] for line in lines]
        strange = sum("W9000" in text for text in texts)
        scores = [seat.get("score") for seat in row.get("seats", [])] if isinstance(row.get("seats"), list) else None
        print(f"{what} {row['id']} (referee {row['referee']}): cause {row.get('cause')}, scores {row.get('scores') or scores}, "
              f"{len(texts)} entries, of strangers {strange}")
    if foreign:
        status, text = get(foreign, f"/?log={ident}")
        ends = [line for line in text.splitlines() if "type=end" in line]
        print(f"{what}: its own log of our seat ends with {ends[-1][:160] if ends else (status, text[:200])!r}")


def runaway(options, folder):
    """Repeated rows that leave no card in the deck; then a decision that needs thought, in 18 matches."""
    words = ["serve", "--listen", "127.0.0.1:0", "--api-listen", "127.0.0.1:0", "--data", folder]
    daemon = Daemon(options.drover, folder, words, "[thinking]\nbudget_ms_koehandel = 50\n")
    callbacks, api = daemon.at["callbacks"], daemon.at["api"]

    def send(match, rest, source="127.0.0.2"):
        began = time.time()
        status, text = get(callbacks, f"/koehandel/champion?market={match}&id=1&{rest}", source)
        return f"{status} {text!r} after {time.time() - began:.1f} s"

    bid = "type=auction&goods=J&opponent=W&money=t&auctioneer=W&message=W10"
    send(1, "type=information&message=begin", "127.0.0.1")
    print("an honest match asks:", send(1, bid, "127.0.0.1"))
    for match in range(2, 20):
        send(match, "type=information&message=begin")
        for number in range(40):
            # The same two sales over and over: a referee that repeats itself.
            send(match, f"type=information&goods={'AB'[number % 2]}&opponent={'WN'[number % 2]}&money=-Q10")
        print(f"match {match}, after its rows, asks:", send(match, bid))
    print("an honest match asks:", send(1, bid.replace("goods=J", "goods=I"), "127.0.0.1"))
    status, text = get(api, "/readyz")
    print("readyz:", status, text)
    ticks = lambda: sum(int(word) for word in open(f"/proc/{daemon.process.pid}/stat").read().rsplit(")", 1)[1].split()[11:13])
    before = ticks()
    time.sleep(5)
    print(f"processor time in 5 s without a question: {(ticks() - before) / os.sysconf('SC_CLK_TCK'):.1f} s")
    daemon.process.kill()


ATTACKERS = [f"127.0.0.{last}" for last in range(2, 10)]


class Attack(threading.Thread):
    """One kind of attack from one address at a bounded rate, until `end`."""

    def __init__(self, source, targets, rate, end):
        super().__init__(daemon=True)
        self.source, self.targets, self.rate, self.end = source, targets, rate, end
        self.counts = {}
        self.held = []

    def note(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    def run(self):
        number = 0
        while time.time() < self.end:
            began = time.time()
            try:
                self.act(number)
            except (OSError, http.client.HTTPException) as error:
                self.note(type(error).__name__)
            number += 1
            time.sleep(max(0.0, 1 / self.rate - (time.time() - began)))
        for held in self.held:
            held.close()

    def hold(self, address, text):
        """Opens a connection, says a part and keeps it."""
        host, port = address.rsplit(":", 1)
        held = socket.create_connection((host, int(port)), timeout=5, source_address=(self.source, 0))
        held.sendall(text)
        held.setblocking(False)
        self.held.append(held)
        # What was closed on us makes room for the next.
        if len(self.held) > 600:
            self.held.pop(0).close()
        self.note("held")


class Begins(Attack):
    """Begins of matches that nobody plays."""

    def act(self, number):
        numbers = f"market={random.randrange(1, 2**31)}&id={random.randrange(1, 2**31)}"
        status, _ = get(self.targets["callbacks"], f"/koehandel/champion?{numbers}&type=information&message=begin",
                        self.source, timeout=5)
        self.note(status)


class HalfHeads(Attack):
    """Heads that never end, on every HTTP listener in turn."""

    def act(self, number):
        which = ("callbacks", "api", "referee")[number % 3]
        self.hold(self.targets[which], b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")


class Silent(Attack):
    """Connections to the hub that say nothing."""

    def act(self, number):
        self.hold(self.targets["hub"], b"")


class Flood(Attack):
    """Requests in quick succession, most of them nonsense."""

    def act(self, number):
        paths = ["/koehandel/champion?market=1&id=1&type=start", "/koehandel/nobody", "/%ff?" + "A" * 9000,
                 "/koehandel/champion/127.0.0.1?market=1&id=1&type=end", "/koehandel/champion?market=x"]
        status, _ = get(self.targets["callbacks"], paths[number % len(paths)], self.source, timeout=5)
        self.note(status)


class Thinking(Attack):
    """Matches that ask the champion for one costly decision after the other."""

    def act(self, number):
        numbers = f"market={number // 20 + 1}&id={self.source.rsplit('.', 1)[1]}"
        asks = ["type=information&message=begin", "type=auction&goods=J&opponent=W&auctioneer=W"]
        asks += [f"type=auction&goods=J&opponent=N&money={'t' * n}&auctioneer=W&message=N{n}0" for n in range(1, 19)]
        status, _ = get(self.targets["callbacks"], f"/koehandel/champion?{numbers}&{asks[number % 20]}", self.source, timeout=6)
        self.note(status)


def load(options, folder):
    """Hostile callers next to honest matches of a foreign referee."""
    config = f'[referee.koehandel]\nlisten = "127.0.0.1:{free_port()}"\n'
    config += f'[referee.smartdog]\nlisten = "127.0.0.1:{free_port()}"\n[thinking]\nbudget_ms_koehandel = 50\n'
    if options.referee:
        config += '[[callbacks.referee]]\nname = "final"\naddresses = ["127.0.0.1"]\n'
    words = ["serve", "--listen", "127.0.0.1:0", "--api-listen", "127.0.0.1:0", "--data", folder]
    daemon = Daemon(options.drover, folder, words, config)
    named = "/final" if options.referee else ""
    foreign_at = f"127.0.0.1:{free_port()}"
    foreign = Daemon(options.drover, os.path.join(folder, "foreign"),
                     ["referee", "koehandel", "--listen", foreign_at, "--store", os.path.join(folder, "foreign", "f.db")],
                     port=int(foreign_at.rsplit(":", 1)[1]))
    url = f"http://{daemon.at['callbacks']}/koehandel/champion{named}"
    end = time.time() + options.minutes * 60
    targets = dict(daemon.at)
    print(f"listening: {targets}")
    before = (daemon.memory_mib(), daemon.descriptors())
    started, finished, refused = 0, [], 0
    running = []
    attackers = []
    child = os.fork()
    if child == 0:
        os.nice(19)
        kinds = [(Begins, 100), (Begins, 100), (HalfHeads, 50), (HalfHeads, 50), (Silent, 50), (Silent, 50), (Flood, 200), (Thinking, 50)]
        attackers = [kind(source, targets, rate, end) for source, (kind, rate) in zip(ATTACKERS, kinds)]
        for attacker in attackers:
            attacker.start()
        for attacker in attackers:
            attacker.join()
        for attacker, (kind, rate) in zip(attackers, kinds):
            counts = ", ".join(f"{what}: {count}" for what, count in sorted(attacker.counts.items(), key=str))
            print(f"  {attacker.source} {kind.__name__:10} at most {rate}/s: {counts}", flush=True)
        os._exit(0)
    peaks = [0, 0]
    ready = {}
    while time.time() < end or running:
        while time.time() < end and len(running) < options.matches:
            status, text, numbers = connect(foreign_at, [url] * 4)
            if status != 200:
                print("a match was not begun:", status, text[:200])
                break
            running.append(numbers)
            started += 1
        still = []
        for numbers in running:
            status, text = get(foreign_at, f"/?log={numbers['id1']}")
            (finished if status == 200 and "type=end" in text else still).append(numbers)
        running = still
        peaks = [max(peaks[0], daemon.memory_mib()), max(peaks[1], daemon.descriptors())]
        status, _ = get(daemon.at["api"], "/readyz", timeout=5)
        ready[status] = ready.get(status, 0) + 1
        if time.time() > end + 300:
            break
        time.sleep(1)
    os.waitpid(child, 0)
    calls, late, slow = 0, 0, []
    for numbers in finished:
        for at in range(1, 5):
            _, text = get(foreign_at, f"/?log={numbers[f'id{at}']}", timeout=60)
            for line in text.splitlines()[1:]:
                _, query, reply, took = line.split("\t")
                calls += 1
                late += reply == "(late)"
                refused += "429" in reply or "503" in reply or reply.startswith("(failed")
                slow.append(float(took))
    slow.sort()
    rank = lambda share: slow[int(share * (len(slow) - 1))] if slow else None
    print(f"honest matches: {started} begun, {len(finished)} finished; {calls} calls, late {late}, refused {refused}; "
          f"ms p50 {rank(.5)}, p99 {rank(.99)}, p99.9 {rank(.999)}, longest {rank(1)}")
    facts = fallbacks(daemon.at["api"])
    print(f"fallbacks in honest matches: {facts}")
    time.sleep(5)
    after = (daemon.memory_mib(), daemon.descriptors())
    print(f"memory MiB, descriptors: before {before}, most {tuple(peaks)}, after {after}; /readyz {ready}")
    foreign.stop()
    print(f"the daemon ends with {daemon.stop()}")


def fallbacks(api):
    """How many decisions of the latest honest matches were answered by the fallback, by cause."""
    counts = {}
    for row in json.loads(get(api, "/api/v1/matches?limit=250&cause=normal")[1])["items"]:
        facts = json.loads(get(api, f"/api/v1/matches/{row['id']}/facts?kind=fallback")[1])["items"]
        for fact in facts:
            cause = fact["data"].get("cause")
            counts[cause] = counts.get(cause, 0) + 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["takeover", "runaway", "load"])
    parser.add_argument("--drover", default="target/release/drover")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--referee", action="store_true", help="the honest referee is configured by name")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        {"takeover": takeover, "runaway": runaway, "load": load}[options.what](options, folder)


if __name__ == "__main__":
    main()
