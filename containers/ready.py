"""Ends well when the service on a port of this container is ready: every image's health check.

Without a proxy, which an operator may have set for the container's calls to others.
"""
# ruff: noqa: INP001  a script, not a package

import sys
from http import HTTPStatus
from http.client import HTTPConnection

asked = HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=3)
asked.request("GET", "/readyz")
sys.exit(asked.getresponse().status != HTTPStatus.OK)
