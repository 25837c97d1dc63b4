"""Ends well when the service on a port of this container is ready: every image's health check.

By a bare socket, since it is asked again and again: an HTTP client costs three times as much to
import, and may take a proxy that is meant for others. The certificate of a service with TLS is not
checked: it names the service as others reach it, and nobody else answers on this container's
loopback.
"""
# ruff: noqa: INP001  a script, not a package

import os
import socket
import sys

with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=3) as asked:
    ours = {name: value for name, value in os.environ.items() if name.startswith("CASINO_")}
    if any(value for name, value in ours.items() if name.endswith("_TLS_CERT")):
        import ssl

        unchecked = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
        asked = unchecked.wrap_socket(asked)  # noqa: PLW2901  closed with what it is around
    asked.sendall(b"GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n")
    sys.exit(b" 200 " not in asked.recv(64))
