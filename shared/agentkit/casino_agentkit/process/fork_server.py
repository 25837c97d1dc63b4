"""Processes of one service as copies of a process that has imported it.

Importing a service takes a second of a core and most of its memory; a copy shares both. The first
copy that is wanted starts the server, `python -m casino_agentkit.process.fork_server MODULE`, which
has no thread, opens nothing, and only copies itself. If it ends, its copies go on, and the next one
that is wanted starts another server.

Each request is a line of JSON with descriptors: `{"id": 1, "arguments": […], "environment": {…}}`
with standard input, output and error, and the socket on which the copy listens. The server writes
`{"id": 1, "pid": …}` or `{"id": 1, "error": …}`, and at a copy's end `{"id": 1, "code": …}`.
"""

import asyncio
import contextlib
import gc
import os
import select
import signal
import socket
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from importlib import import_module
from itertools import count
from typing import Any, Final

import orjson

import casino_agentkit.process.lean  # noqa: F401  before anything that imports structlog
from casino_agentkit.errors import ChildFailed
from casino_agentkit.process.child import LINE_LIMIT, Child

UNSEEN_END: Final = 255
"""Exit code of a copy that ended after its server."""
_PIPES: Final = 3
_DESCRIPTORS: Final = 65_536
"""Above every descriptor of a process that has just begun."""
_READY: Final = b"ready\n"


class _Ended(Exception):
    """The server has ended."""


class CopiedProcess:
    """A copy of the server, as an `asyncio.subprocess.Process` is a process of its own."""

    def __init__(self, stdout: "_Output", stderr: "_Output", stdin: int) -> None:
        self.pid = 0
        self.stdout, self.stderr = stdout.reader, stderr.reader
        self._closed = stderr.closed
        self._stdin = stdin
        self._code = asyncio.get_running_loop().create_future()

    @property
    def returncode(self) -> int | None:
        return self._code.result() if self._code.done() else None

    async def wait(self) -> int:
        code: int = await asyncio.shield(self._code)
        return code

    def terminate(self) -> None:
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._send(signal.SIGKILL)

    def end(self, code: int) -> None:
        """Note its end; only the first one counts."""
        if not self._code.done():
            self._code.set_result(code)
            os.close(self._stdin)

    async def end_unseen(self) -> None:
        """Wait until it has closed its standard error, as nobody reports its end."""
        await self._closed.wait()
        self.end(UNSEEN_END)

    def _send(self, number: signal.Signals) -> None:
        if self._code.done() or not self.pid:
            raise ProcessLookupError
        os.kill(self.pid, number)


class _Output(asyncio.StreamReaderProtocol):
    """What a copy writes, and whether it has closed it."""

    def __init__(self) -> None:
        self.reader = asyncio.StreamReader(limit=LINE_LIMIT)
        self.closed = asyncio.Event()
        super().__init__(self.reader)

    def eof_received(self) -> bool:
        super().eof_received()
        self.closed.set()
        return False  # so that every loop closes the pipe

    @classmethod
    async def begin(cls, descriptor: int) -> "_Output":
        pipe = os.fdopen(descriptor, "rb", buffering=0)
        _, output = await asyncio.get_running_loop().connect_read_pipe(cls, pipe)
        return output


class ForkServer:
    """Starts copies of `python -m MODULE`, whose `__main__` has `main()` and `warm_up()`.

    `environment` is the server's; each copy has one of its own. The server ends with this process,
    and so do its copies, as every `Child`.
    """

    def __init__(self, module: str, environment: Mapping[str, str]) -> None:
        self._module = module
        self._environment = dict(environment)
        self._one_request = asyncio.Lock()
        self._numbers = count(1)
        self._server: _Server | None = None

    async def start(
        self,
        name: str,
        arguments: Sequence[str] = (),
        *,
        environment: Mapping[str, str],
        listener: socket.socket,
        timeout: timedelta = timedelta(seconds=20),
        on_log: Callable[[str], None] = lambda _line: None,
    ) -> Child:
        """Start a copy that listens on `listener`, and return it once it is ready.

        `environment` is its complete environment, `listener` stays open here. Raises ChildFailed.
        """
        try:
            async with asyncio.timeout(timeout.total_seconds()):
                process = await self._copy(name, arguments, environment, listener)
        except TimeoutError:
            fault = f"not ready within {timeout.total_seconds():g} s; it was not begun"
            raise ChildFailed(name, fault, ()) from None
        return await Child.ready(name, process, timeout, on_log)

    async def close(self) -> None:
        """End the server; its copies go on."""
        if self._server is not None:
            await self._server.close()
            self._server = None

    async def _copy(
        self,
        name: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        listener: socket.socket,
    ) -> CopiedProcess:
        number = next(self._numbers)
        request = {"id": number, "arguments": [*arguments], "environment": dict(environment)}
        line = orjson.dumps(request) + b"\n"
        async with self._one_request:  # so that it fits into the socket, and never waits for space
            for _ in range(2):
                if self._server is None or self._server.has_ended:
                    self._server = await _Server.begin(name, self._module, self._environment)
                with contextlib.suppress(_Ended):
                    return await self._server.copy(name, number, line, listener)
                await self.close()
        raise ChildFailed(name, "its fork server ended twice", ())


class _Server:
    """A running server, with the copies that have not ended."""

    def __init__(self, process: asyncio.subprocess.Process, control: socket.socket) -> None:
        self._process = process
        self._control = control
        self._copies: dict[int, CopiedProcess] = {}
        self._begun: dict[int, asyncio.Future[Any]] = {}
        self._unseen: set[asyncio.Task[None]] = set()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def begin(cls, name: str, module: str, environment: Mapping[str, str]) -> "_Server":
        """Start a server; raises ChildFailed if it cannot import its module."""
        control, other = socket.socketpair()
        with other:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", __spec__.name, module, str(other.fileno())),
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=PIPE,
                env=dict(environment),
                pass_fds=(other.fileno(),),
                start_new_session=True,
            )
        assert process.stdout is not None  # noqa: S101  both were asked for as PIPE
        assert process.stderr is not None  # noqa: S101
        is_ready = False
        try:
            is_ready = await process.stdout.readline() == _READY
        finally:
            if not is_ready:
                control.close()
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if is_ready:
            return cls(process, control)
        log = (await process.stderr.read()).decode(errors="replace").splitlines() or [""]
        raise ChildFailed(name, f"its fork server did not start: {log[-1]}", log)

    @property
    def has_ended(self) -> bool:
        return self._reading.done()

    async def copy(
        self, name: str, number: int, line: bytes, listener: socket.socket
    ) -> CopiedProcess:
        """Return a copy, which may not be ready yet; raises ChildFailed, _Ended."""
        pipes = [os.pipe() for _ in range(_PIPES)]
        (its_input, stdin), (stdout, its_output), (stderr, its_error) = pipes
        process = CopiedProcess(await _Output.begin(stdout), await _Output.begin(stderr), stdin)
        self._begun[number] = begun = asyncio.get_running_loop().create_future()
        try:
            try:
                descriptors = [its_input, its_output, its_error, listener.fileno()]
                socket.send_fds(self._control, [line], descriptors)
            except OSError as error:
                raise _Ended from error
            finally:
                for descriptor in (its_input, its_output, its_error):
                    os.close(descriptor)
            answer = await begun
        except BaseException:
            process.end(UNSEEN_END)  # closes its standard input: if it has begun, it ends
            raise
        finally:
            del self._begun[number]
        if "error" in answer:
            process.end(UNSEEN_END)
            raise ChildFailed(name, answer["error"], ())
        process.pid, self._copies[number] = answer["pid"], process
        return process

    async def close(self) -> None:
        self._control.close()
        await self._reading

    async def _read(self) -> None:
        assert self._process.stdout is not None  # noqa: S101  it was asked for as PIPE
        async for line in self._process.stdout:
            report = orjson.loads(line)
            number = report["id"]
            if "code" not in report:
                if number in self._begun:
                    self._begun[number].set_result(report)
                    await asyncio.sleep(0)  # `copy` notes it before its end is read
            elif number in self._copies:
                self._copies.pop(number).end(report["code"])
        await self._process.wait()
        self._control.close()
        for begun in self._begun.values():
            begun.set_exception(_Ended())
        for process in self._copies.values():
            task = asyncio.create_task(process.end_unseen())
            self._unseen.add(task)
            task.add_done_callback(self._unseen.discard)


def _serve(module: str, control: socket.socket) -> bool:
    """Copy this process for each request; return whether this is a copy, else the parent is gone.

    A copy returns with its descriptors, environment and arguments in place.
    """
    woken, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    numbers: dict[int, int] = {}
    _report(_READY)
    while True:
        readable, _, _ = select.select([control.fileno(), woken], [], [])
        if woken in readable:
            os.read(woken, select.PIPE_BUF)
            _report_ends(numbers)
        if control.fileno() not in readable:
            continue
        request, descriptors = _read_request(control)
        if request is None:
            return False
        try:
            pid = os.fork()
        except OSError as error:
            _report(orjson.dumps({"id": request["id"], "error": f"{error.strerror}"}) + b"\n")
        else:
            if not pid:
                os.close(woken)
                os.close(waker)
                control.close()
                _become(module, request, descriptors)
                return True
            numbers[pid] = request["id"]
            _report(orjson.dumps({"id": request["id"], "pid": pid}) + b"\n")
        for descriptor in descriptors:
            os.close(descriptor)


def _read_request(control: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    line, descriptors, _, _ = socket.recv_fds(control, LINE_LIMIT, _PIPES + 1)
    while line and not line.endswith(b"\n"):
        line += (more := control.recv(LINE_LIMIT))
        if not more:
            return None, []
    return (orjson.loads(line) if line else None), descriptors


def _report_ends(numbers: dict[int, int]) -> None:
    while numbers:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        code = os.waitstatus_to_exitcode(status)
        _report(orjson.dumps({"id": numbers.pop(pid), "code": code}) + b"\n")


def _report(line: bytes) -> None:
    os.write(sys.stdout.fileno(), line)


def _become(module: str, request: Mapping[str, Any], descriptors: Sequence[int]) -> None:
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    *pipes, listener = descriptors
    for number, descriptor in enumerate(pipes):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = [module, "--supervised", "--listener", str(listener), *request["arguments"]]


def main() -> None:
    """Serve until the parent ends; a copy runs the module's `main`."""
    _, module, descriptor = sys.argv
    control = int(descriptor)
    os.closerange(_PIPES, control)  # uvloop leaves ends of this process's own pipes open
    os.closerange(control + 1, _DESCRIPTORS)
    service = import_module(f"{module}.__main__")
    service.warm_up()
    gc.collect()
    gc.freeze()  # else the collector of every copy would write to what they share
    if _serve(module, socket.socket(fileno=control)):
        service.main()


if __name__ == "__main__":
    main()
