"""Health check of the images: exit code 0 if the service on a local port is ready or stands by.

A lobby that stands by must not be replaced: it waits for its turn.

It uses a bare socket because it runs often: an HTTP client takes three times as long to import and
may use a configured proxy. The certificate of a TLS service is not verified: it names the public
host, and the connection stays on the container's loopback.
"""
# ruff: noqa: INP001  a script, not a package

import os
import socket
import sys

with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=3) as connection:
    settings = {name: value for name, value in os.environ.items() if name.startswith("CASINO_")}
    if any(value for name, value in settings.items() if name.endswith("_TLS_CERT")):
        import ssl

        unchecked = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        unchecked.check_hostname, unchecked.verify_mode = False, ssl.CERT_NONE
        connection = unchecked.wrap_socket(connection)  # noqa: PLW2901  closes the socket too
    connection.sendall(b"GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n")
    response = b"".join(iter(lambda: connection.recv(4096), b""))
    sys.exit(b" 200 " not in response[:64] and b'"status":"standby"' not in response)
