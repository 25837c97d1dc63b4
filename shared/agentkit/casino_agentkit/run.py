"""The entry point of a service: its command line, its settings, its logs, and its end.

>>> run_service("casino_table", TableSettings, build_app, about=__doc__)
"""

import argparse
import gc
import sys
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import NoReturn, TypeVar

import orjson

import casino_agentkit.process.lean  # noqa: F401  before anything that imports structlog
from casino_agentkit.errors import CardKeyFailed, InvalidSettings, KitReason, PortTaken
from casino_agentkit.process.child import GRACE
from casino_agentkit.process.logs import configure_logs
from casino_agentkit.server.service_app import Service
from casino_agentkit.server.serving import serve
from casino_agentkit.settings import ServiceSettings

SettingsT = TypeVar("SettingsT", bound=ServiceSettings)
_INTERRUPTED = 130
"""The exit code of a shell for a process that Ctrl-C ended."""
Prepare = Callable[[SettingsT, argparse.Namespace], Callable[[str], Service] | None]
"""Returns what builds the service for its URL; None if there is nothing to serve."""


def run_service(
    program: str,
    settings: type[SettingsT],
    prepare: Prepare[SettingsT],
    *,
    about: str | None,
    errors: tuple[type[Exception], ...] = (),
    secret_keys: Iterable[str] = (),
    options: Callable[[argparse.ArgumentParser], object] = lambda _parser: None,
) -> None:
    """Serve `python -m PROGRAM` until SIGTERM; its own `errors` end it as those of the kit do.

    `options` adds to the command line; an option that is named as a setting goes before it.
    Values of `secret_keys` are not logged.
    """
    ends: tuple[type[Exception], ...] = (CardKeyFailed, InvalidSettings, PortTaken, *errors)
    parser = argparse.ArgumentParser(prog=f"python -m {program}", description=about)
    options(parser)
    parser.add_argument("--port", type=int, help="the port; 0 takes a free one")
    parser.add_argument(
        "--supervised", action="store_true", help="announce readiness, end with the parent"
    )
    parser.add_argument("--listener", type=int, metavar="FD", help=argparse.SUPPRESS)
    grace = GRACE.total_seconds()
    parser.add_argument("--orphan-grace", type=float, default=grace, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    given = {
        name: value for name, value in vars(arguments).items() if name in settings.model_fields
    }
    try:
        loaded = settings.load(**given)
        service_name = settings.prefix.removeprefix("CASINO_").removesuffix("_").lower()
        configure_logs(service_name, level=loaded.log_level, secret_keys=secret_keys)
        build = prepare(loaded, arguments)
        if build is None:
            return
        serve(
            lambda url: _kept(build(url), loaded),
            host=loaded.host,
            port=loaded.port,
            public_url=loaded.public_url,
            supervised=arguments.supervised,
            inherited=arguments.listener,
            orphan_grace=timedelta(seconds=arguments.orphan_grace),
            limits=loaded.server_limits,
            tls=loaded.server_tls(),
            grpc=loaded.grpc_listener(),
        )
        if loaded.tracing is not None:
            loaded.tracing.close()
    except ends as error:
        _exit_with(program, error, supervised=arguments.supervised)
    except KeyboardInterrupt:  # before it served, or while it ended in order
        sys.exit(_INTERRUPTED)


def _kept(service: Service, settings: ServiceSettings) -> Service:
    """Return the service with its traces, which the garbage collector passes over from now on.

    Collections are made rarer, too: repeated walks over long-lived objects cost a tenth of the time
    of a decision. `Collection` makes up for it.
    """
    service.traces = settings.tracing
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    return service


def _exit_with(program: str, error: Exception, *, supervised: bool) -> NoReturn:
    """End the process with code 1 and the error's message on standard error.

    A supervised process also writes `{"error": {"reason": …, "message": …}}` to standard output, in
    place of its announcement: its parent reads the reason there, not in the message. The reason of
    an error that declares none is `FAILED`.
    """
    if supervised:
        reason = getattr(error, "reason", KitReason.FAILED)
        line = orjson.dumps({"error": {"reason": reason, "message": str(error)}})
        sys.stdout.buffer.write(line + b"\n")
        sys.stdout.buffer.flush()
    sys.exit(f"{program}: {error}")
