"""A bot that is a URL, and misbehaves as it is asked to. It prints its port."""

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HOW = sys.argv[1]
known = {}


def act(ask, talk):
    if HOW == "illegal":
        return "no such act"
    if HOW == "hangs":
        time.sleep(99)
    # Something of the match's beginning is needed: a server that loses it must receive it again.
    assert known[talk]["type"] == "match"
    return ask["acts"][0] if ask["acts"] else []


class Bot(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0" if HOW == "closes" else "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        messages = [json.loads(line) for line in body.splitlines()]
        talk, last = self.headers["drover-talk"], messages[-1]
        if messages[0]["type"] == "hello":
            if HOW == "leaves" and known:
                os._exit(1)
            known[talk] = messages[1]
        elif HOW == "forgets" and last.get("number", 0) % 7 == 3:
            known.clear()
        if talk not in known or HOW == "fails":
            return self.answer(404 if talk not in known else 500, b"what match?")
        if HOW == "html":
            return self.answer(200, b"<html>welcome</html>")
        if last["type"] != "ask":
            return self.answer(500 if HOW == "ends badly" else 204, b"")
        said = {"type": "act", "number": last["number"], "act": act(last, talk)}
        mark = "\ufeff" if HOW == "marked" else ""
        self.answer(200, (mark + json.dumps(said)).encode())

    def answer(self, status, body):
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *about):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client):
        pass


server = Server(("127.0.0.1", 0), Bot)
print(server.server_address[1], flush=True)
server.serve_forever()
