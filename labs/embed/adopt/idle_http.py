#!/usr/bin/env python3
"""idle_http.py PORT CONNECTIONS SECONDS - asks once on each connection, keeps it open, and waits for the server to close it.

Each has to be closed within its timeout: not sooner than 0.4 s before (nginx's lazy re-arm), not later than 2 s after, and as
much later as this client itself was held up.
"""
import selectors
import socket
import sys
import time

port, connections, timeout = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
waiting = selectors.DefaultSelector()
asked, answered = {}, {}
for _ in range(connections):
    client = socket.create_connection(("127.0.0.1", port))
    asked[client] = time.monotonic()
    client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    client.setblocking(False)
    waiting.register(client, selectors.EVENT_READ)
early = late = closed = 0
held_up = 0
deadline = time.monotonic() + timeout + 60
while closed < connections and time.monotonic() < deadline:
    ready, begun = waiting.select(1), time.monotonic()
    for key, _ in ready:
        client, now = key.fileobj, time.monotonic()
        if client.recv(65536):
            answered[client] = now
            continue
        early += client not in answered or now - asked[client] < timeout - 0.4
        late += now - answered.get(client, now) > timeout + 2 + held_up
        closed += 1
        waiting.unregister(client)
        client.close()
    held_up = max(held_up, time.monotonic() - begun)
print(f"{closed - early - late} of {connections}")
sys.exit(closed != connections or early + late > 0)
