"""Run the A2A conformance kit (a2aproject/a2a-tck, branch 1.0-dev) against an agent of our kit.

    python tools/tck.py CHECKOUT

CHECKOUT has the conformance kit and its own environment in `.venv` (`uv sync`, or `pip install -e
.`). The agent is `tests/support/players/tck_agent.py`. The exit status is 0 if exactly the tests of
`KNOWN` fail, each of which also fails with the SDK alone.
"""
# ruff: noqa: T201  a command that prints

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KNOWN = {
    "agent_card/test_agent_card_caching.py::TestAgentCardLastModified::test_last_modified_present":
    "MAY of the specification; the card has an ETag",
    **dict.fromkeys(
        (
            f"core_operations/test_requirements.py::test_must_requirement[CORE-SEND-003-{binding}]"
            for binding in ("grpc", "http_json", "jsonrpc")
        ),
        "expects success where the specification's MUST is an error (a2a-tck #202, #213)",
    ),
    "core_operations/test_transport_behavior.py::TestRestFormat::test_response_content_type":
    "expects application/json; specification and SDK say application/a2a+json (a2a-tck #238)",
}  # fmt: skip
_PATIENCE_S = 60.0
_FAILED = re.compile(r"^(?:FAILED|ERROR) tests/compatibility/(\S+)", re.MULTILINE)


def main() -> None:
    """Run it, and compare its failures with the known ones."""
    checkout = Path(sys.argv[1]).resolve()
    python = checkout / ".venv/bin/python"
    if not python.exists():
        sys.exit(f"{python} is missing: install the conformance kit in {checkout}/.venv")
    with served() as url:
        run = subprocess.run(  # noqa: S603  the arguments are ours
            [python, "-m", "pytest", "tests/compatibility", "-q", "--tb=line", f"--sut-host={url}"],
            cwd=checkout,
            capture_output=True,
            text=True,
            check=False,
        )
    failed = set(_FAILED.findall(run.stdout))
    print(run.stdout.strip().rpartition("\n")[2])
    for name in sorted(failed | KNOWN.keys()):
        state = "known" if name in failed & KNOWN.keys() else "NEW" if name in failed else "passes"
        print(f"{state}: {name}: {KNOWN.get(name, 'fails')}")
    if failed != KNOWN.keys() or not run.stdout:
        sys.exit(1)


@contextmanager
def served() -> Iterator[str]:
    """Serve the agent in a process of its own, and yield its URL."""
    port, grpc_port = free_ports()
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'tests'}:{os.environ.get('PYTHONPATH')}"}
    command = [sys.executable, "-m", "support.players.tck_agent", str(port), str(grpc_port)]
    with subprocess.Popen(command, env=environment) as agent:  # noqa: S603  the arguments are ours
        try:
            wait_for(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            agent.terminate()


def free_ports() -> list[int]:
    """Return two free ports."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(2)]
        for listener in sockets:
            listener.bind(("127.0.0.1", 0))
        return [listener.getsockname()[1] for listener in sockets]


def wait_for(port: int) -> None:
    """Wait until a port is listened on."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.1)
        else:
            return
    sys.exit("the agent does not listen")


if __name__ == "__main__":
    main()
