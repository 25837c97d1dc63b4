"""Ends well when the service on a port of this container is ready: every image's health check.

By a bare socket, since it is asked again and again: an HTTP client costs three times as much to
import, and may take a proxy that is meant for others.
"""
# ruff: noqa: INP001  a script, not a package

import socket
import sys

with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=3) as asked:
    asked.sendall(b"GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n")
    sys.exit(b" 200 " not in asked.recv(64))
