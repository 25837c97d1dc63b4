"""A service as a process: announced, drained, supervised, never orphaned."""

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from datetime import timedelta
from pathlib import Path

import pytest
from casino_agentkit import AgentClient, Child, ChildFailed
from casino_agentkit.errors import PortTaken
from casino_agentkit.server.serving import bind, url_of
from support.players.sample_agent import Bill, Order
from support.processes import is_gone, wait_for

pytestmark = pytest.mark.full

MODULE = "support.players.sample_agent"
TESTS = str(Path(__file__).parents[2])
PATHS = os.pathsep.join((TESTS, os.environ.get("PYTHONPATH", "")))
ENVIRONMENT = {**os.environ, "PYTHONPATH": PATHS}
GRACE = timedelta(seconds=5)


async def sample_process(how: str = "well", timeout: timedelta = timedelta(seconds=20)) -> Child:
    return await Child.start("sample", MODULE, [how], environment=ENVIRONMENT, timeout=timeout)


class TestChild:
    async def test_it_announces_itself_and_answers(self) -> None:
        """A child that is ready answers its first call."""
        child = await sample_process()
        try:
            client = AgentClient()
            peer = await client.resolve(child.cards[0], timeout=GRACE)
            bill = await peer.call("order", Order(dish="soup", plates=3), Bill, timeout=GRACE)
            assert bill.total == 3
            await client.close()
        finally:
            assert await child.stop(GRACE) == 0

    async def test_sigterm_drains_and_ends_with_zero(self, tmp_path: Path) -> None:
        """Work that had begun is finished."""
        mark = tmp_path / "mark"
        child = await sample_process(f"drain:{mark}")
        assert await child.stop(GRACE) == 0
        assert mark.read_text() == "drained"

    async def test_a_child_that_does_not_end_is_killed(self) -> None:
        child = await sample_process("hang")
        assert await child.stop(timedelta(seconds=0.5)) == -signal.SIGKILL

    async def test_a_crash_at_the_start_shows_the_log(self) -> None:
        with pytest.raises(ChildFailed, match="ended with code 1 before it was ready") as failed:
            await sample_process("crash")
        assert any("cannot start" in line for line in failed.value.log)

    async def test_a_child_that_is_never_ready_is_killed(self) -> None:
        with pytest.raises(ChildFailed, match="not ready within 0.3 s; its|it printed"):
            await sample_process("never", timeout=timedelta(milliseconds=300))

    async def test_the_end_of_a_child_is_seen(self) -> None:
        child = await sample_process()
        waiting = asyncio.ensure_future(child.wait())
        os.kill(child.pid, signal.SIGKILL)
        assert await waiting == child.exit_code == -signal.SIGKILL


class TestDescriptors:
    """Connections must not take the files that a process needs."""

    async def test_the_limit_of_open_files_is_raised(self) -> None:
        code = """
            import resource
            from casino_agentkit.server.server_limits import raise_descriptor_limit
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 512))
            print(raise_descriptor_limit(), resource.getrlimit(resource.RLIMIT_NOFILE))
        """
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", textwrap.dedent(code), stdout=subprocess.PIPE
        )
        output, _ = await process.communicate()
        assert output.decode().strip() == "512 (512, 512)"


class TestLifeline:
    """No orphan is left, even when the parent is killed."""

    @staticmethod
    def orphan(child_code: str) -> int:
        """Start a child, kill its parent, and return the child's process id."""
        parent_code = f"""
            import subprocess, sys, time
            child = subprocess.Popen([sys.executable, "-c", {child_code!r}],
                                     stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            child.stdout.readline()
            print(child.pid, flush=True)
            time.sleep(60)
        """
        with subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(parent_code)],
            stdout=subprocess.PIPE,
            env=ENVIRONMENT,
        ) as parent:
            assert parent.stdout is not None
            pid = int(parent.stdout.readline())
            assert not is_gone(pid)
            parent.kill()
        return pid

    def test_a_service_ends_with_its_parent(self) -> None:
        code = "import sys; sys.argv = ['k', '--supervised', 'well'];"
        pid = self.orphan(f"{code} from support.players.sample_agent import main; main()")
        wait_for(lambda: is_gone(pid))

    def test_a_hanging_service_ends_with_its_parent(self) -> None:
        """A process that ignores SIGTERM is ended after its grace."""
        code = """
            import signal
            from datetime import timedelta
            from casino_agentkit.process.child import exit_with_parent
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            exit_with_parent(timedelta(seconds=0.3))
            print("up", flush=True)
            while True: pass
        """
        pid = self.orphan(textwrap.dedent(code))
        wait_for(lambda: is_gone(pid))


class TestSocket:
    def test_a_taken_port_is_refused(self) -> None:
        first = bind("127.0.0.1", 0)
        port = first.getsockname()[1]
        with pytest.raises(PortTaken, match=f"127.0.0.1:{port} cannot be used"):
            bind("127.0.0.1", port)
        first.close()

    @pytest.mark.parametrize(
        ("host", "url"),
        [
            ("127.0.0.1", "http://127.0.0.1:4000"),
            ("0.0.0.0", "http://127.0.0.1:4000"),
            ("::", "http://127.0.0.1:4000"),
            ("::1", "http://[::1]:4000"),
            ("lobby", "http://lobby:4000"),
        ],
    )
    def test_the_url_of_a_listener_can_be_reached(self, host: str, url: str) -> None:
        """It is never 0.0.0.0."""
        assert url_of(host, 4000) == url
