#!/usr/bin/env python3
"""idle_clients.py PORT SILENT SPEAKING IDLE_MS - clients of idle_server.c: most are silent, some speak; judges who is closed when.

A silent one has to be closed, and not before it was idle for so long: counted from before its connect.  One that speaks stays
open.  0: all as it should be.  1: the server is wrong.  3: this process was held up for so long that it cannot tell.  How late
the server may be is not judged but for a minute.
"""
import resource
import selectors
import socket
import sys
import time

port, silent, speaking, idle = *map(int, sys.argv[1:4]), int(sys.argv[4]) / 1000
now = time.monotonic
files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
clients, since = [], {}
waiting = selectors.DefaultSelector()


def held_up(client):
    """Between two of our own sends: the server is right to close."""
    if now() - since[client] >= idle:
        print("was held up for longer than the timeout", file=sys.stderr)
        sys.exit(3)


# Those that speak connect last: they may not wait for the others.
for _ in range(silent + speaking):
    client = socket.socket()
    since[client] = now()
    client.connect(("127.0.0.1", port))
    waiting.register(client, selectors.EVENT_READ)
    clients.append(client)
speakers, closed, begun, spoken = set(clients[silent:]), 0, now(), 0.0
# For two timeouts at least, so that one that speaks would be closed too.
while closed < silent or now() < begun + 2 * idle:
    if now() > begun + idle + 60:
        sys.exit("silent connections are not closed")
    if now() >= spoken + idle / 10:
        spoken = now()
        for client in speakers:
            held_up(client)
            since[client] = now()
            client.send(b"x")
    for key, _ in waiting.select(0.01):
        client, heard = key.fileobj, key.fileobj.recv(64)
        if heard and client in speakers:
            continue
        if client in speakers:
            held_up(client)
        if heard or client in speakers or now() - since[client] < idle:
            sys.exit("one that speaks is closed, or a silent one too early or with an answer")
        waiting.unregister(client)
        client.close()
        closed += 1
print(f"{closed} closed, {speaking} stayed")
