"""Run a service as `python -m MODULE` does, with defences switched off by name.

`python -m support.attack.weakened NAMES MODULE ARGUMENT…`: NAMES are comma-separated. It prints the
paths of the service's own routes that take a body, then what the service prints.
"""

import gc
import json
import runpy
import sys
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any

from casino_agentkit import run
from casino_agentkit.protocol import BODY_LIMIT
from casino_agentkit.server import (
    call_execution,
    connections,
    invoke_routes,
    request_guard,
    serving,
)
from casino_agentkit.server.call_execution import CallFailure, CallMetrics
from casino_agentkit.server.sdk import handler

WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})


def _forget_limits() -> None:
    vars(request_guard)["INPUT_LIMIT"] = BODY_LIMIT


def _keep_errors() -> None:
    """Let each refused call keep itself, as it did before."""
    run = call_execution.run

    async def keeping(skill: str, answer: Awaitable[bytes], calls: CallMetrics) -> bytes:
        kept: list[CallFailure] = []
        try:
            return await run(skill, answer, calls)
        except CallFailure as error:
            kept.append(error)
            raise

    for module in (call_execution, invoke_routes):
        vars(module)["run"] = keeping
    handler.untrace = lambda: None


def _never_collect() -> None:
    connections.Collection.__init__.__defaults__ = (lambda: None, sys.maxsize)


def _no_python_collection() -> None:
    gc.disable()


def _ignore_proxies() -> None:
    """Let an evaluator without keys take whoever reaches it by its own machine for that machine."""
    module = import_module("casino_evaluator.assessment.assessment_agent")
    admit = module.KeyOrLoopback.admit

    def trusting(rule: Any, caller: Any, message: Any) -> None:
        vars(rule)["_is_reachable"] = False
        admit(rule, caller._replace(is_forwarded=False), message)

    module.KeyOrLoopback.admit = trusting


def _ask_for_no_signature() -> None:
    """Let a login link every wallet, as if the wallet had signed it."""
    module = import_module("casino_gateway.a2g.authentication")
    module.Authentication._proved = lambda _self, wallet, *_proof: wallet


def _parse_no_hands() -> None:
    """Take published matches without parsing their hands, so hostile ones as well."""
    module = import_module("casino_lobby.service.match_publishing")
    vars(module)["kept_hands"] = lambda _match_id, _result: "[]"


OFF: dict[str, Callable[[], None]] = {
    "limits": _forget_limits,
    "release": _keep_errors,
    "collection": _never_collect,
    "python's collection": _no_python_collection,
    "proxies": _ignore_proxies,
    "signatures of wallets": _ask_for_no_signature,
    "hands parsed at the door": _parse_no_hands,
}
"""What switches a defence off, by its name; Python's own collection is none of ours."""


def _routes(service: Any) -> list[tuple[str, str]]:
    found = []
    for route in service.routes:
        operations = getattr(route, "_operations", None)
        methods = operations or getattr(route, "methods", None) or ()
        found += [(method, route.path) for method in methods if method in WITH_BODY]
    return found


def _serve(build: Callable[[str], Any], **given: Any) -> None:
    def built(url: str) -> Any:
        service = build(url)
        sys.stdout.write(json.dumps({"routes": _routes(service)}) + "\n")
        sys.stdout.flush()
        return service

    serving.serve(built, **given)


def main() -> None:
    """Switch off, and run the service."""
    _, names, module, *arguments = sys.argv
    for name in filter(None, names.split(",")):
        OFF[name]()
    vars(run)["serve"] = _serve
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__")


if __name__ == "__main__":
    main()
