"""Memory of each service after large calls that it refuses or accepts, at each of its interfaces.

For each skill of each agent card, and each route, 400 calls of the largest body that the interface
takes: the process may have at most 24 MiB more after them than after 40. Calls are refused for
their input, or for their size: bodies of a megabyte are refused unread, unless the caller may send
them. Accepted are the calls of the package `accepted`, which are examples here.
WebSockets get frames as large as they take, and gRPC messages. Prints one JSON line, with the
examples that were not accepted each time; `--table` prints a row for each kind of call before it.
`--without` switches defences off, by name.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import httpx
from casino_agentkit.protocol import BODY_LIMIT, CARD_PATH, INPUT_LIMIT

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "tests")]
from accepted.calls import FLEET_KEY, KEY, Accepted, Around, Example, Frames, hosted
from accepted.evaluator import levels_file, of_evaluator, of_match
from accepted.gateway import of_gateway
from accepted.lobby import of_lobby
from accepted.sending import GrpcCaller, send_frames
from accepted.table import of_table
from rig import BENCH, free_port, print_report
from support.attack.large_calls import (
    NUMBER,
    PAD,
    Call,
    Growth,
    Victim,
    calls_of,
    growth,
    padded,
    victim,
)

MOST_MIB: Final = 24.0
_EXAMPLE: Final = "an example"
_GOLDEN: Final = BENCH.parent / "tests" / "contracts" / "golden"
_SOCKETS: Final = {"gateway": ("/ws", "/bgp/ws", "/bots")}
_GRPC_SIZE: Final = INPUT_LIMIT - 2_000
"""Bytes of JSON of a call that gRPC takes; its message's id fills the rest."""
_ANY_NUMBER: Final = {
    "CASINO_LOBBY_COMMANDS_PER_MINUTE": "0",
    "CASINO_LOBBY_LAUNCH_TABLES": "false",
    "CASINO_LOBBY_ANNOUNCED_TABLES_PER_ORIGIN": "64",
}
_TABLES: Final = {"CASINO_TABLE_COUNT": "16", "CASINO_TABLE_PROCESSES": "1"}
_PLAYERS: Final = {"CASINO_PLAYER_COUNT": "6"}
_SERVICES: Final[dict[str, tuple[tuple[str, ...], dict[str, str]]]] = {
    "player": (("casino_player_example", "caller"), {}),
    "table": (("casino_table",), _TABLES),
    "lobby": (
        ("casino_lobby",),
        {
            **_ANY_NUMBER,
            "CASINO_LOBBY_OPERATOR_TOKEN": KEY,
            "CASINO_LOBBY_FLEET_KEY": FLEET_KEY,
        },
    ),
    "gateway": (
        ("casino_gateway",),
        {
            "CASINO_GATEWAY_LOGINS_PER_ADDRESS": "0",
            "CASINO_GATEWAY_CREATE_ROOMS": "true",
            "CASINO_GATEWAY_ROOMS_PER_ADDRESS": "1000",
        },
    ),
    "evaluator": (("casino_evaluator",), {"CASINO_EVALUATOR_REQUESTS_PER_MINUTE": "0"}),
    "match": (("casino_match",), {"CASINO_MATCH_OPERATOR_TOKEN": KEY}),
}


ACCEPTED: Final[Mapping[str, Callable[[Victim, Around], Accepted]]] = {
    "player": lambda _target, _around: Accepted(),
    "table": of_table,
    "lobby": of_lobby,
    "gateway": of_gateway,
    "evaluator": of_evaluator,
    "match": of_match,
}


def refused_calls(service: str, target: Victim) -> Iterator[tuple[str, Call]]:
    """Yield calls that a service refuses, each with the words that name it."""
    headers = _key_of(service, target)
    for card_url in target.cards[:1]:
        base = card_url.removeprefix(target.url).removesuffix(CARD_PATH)
        for skill in skills_of(card_url):
            for interface, call in calls_of(base, skill, [PAD]).items():
                yield f"{skill} over {interface}, wrong input", call
        for interface, call in calls_of(base, "unknown", {"pad": PAD}, BODY_LIMIT).items():
            yield f"any skill over {interface}, a megabyte", call
    for method, path in target.routes:
        at = path.replace("{card_id}", "x").replace("{", "").replace("}", "")
        wrong = padded({"pad": PAD})
        yield f"{method} {path}, wrong fields", Call(method, at, wrong, headers)
        large = padded({"pad": PAD}, BODY_LIMIT)
        yield f"{method} {path}, a megabyte", Call(method, at, large)
        if path.startswith(("/v1/matches/", "/v1/leagues/")) and method == "PUT":
            yield f"{method} {path}, a megabyte of the operator", Call(method, at, large, headers)


def _key_of(service: str, target: Victim) -> dict[str, str]:
    """Return the headers of a caller whose requests are read."""
    if service == "evaluator":
        key = httpx.get(f"{target.url}/api/games/anonkey", trust_env=False).json()
        return {"X-API-Key": next(iter(key.values()))}
    if service == "gateway":
        login = httpx.post(f"{target.url}/api/auth/guest", json={}, trust_env=False).json()
        return {"Authorization": f"Bearer {login['token']}"}
    return {"Authorization": f"Bearer {KEY}"}


def examples(target: Victim, accepted: Accepted) -> Iterator[tuple[str, Example]]:
    """Yield an input that is accepted of each skill, by default the golden one."""
    for card_url in target.cards[:1]:
        card = httpx.get(card_url, trust_env=False).json()
        typed = [
            item
            for extension in card["capabilities"].get("extensions", [])
            for item in extension.get("params", {}).get("entrypoints", [])
        ]
        schemas = {item["skill"]: item["input"] for item in typed}
        for skill in skills_of(card_url):
            yield skill, accepted.skills.get(skill) or _golden(skill, schemas[skill])


def _golden(skill: str, schema: Mapping[str, Any]) -> Example:
    """Return the golden input of a skill; what has an id is another one each time."""
    cases = json.loads((_GOLDEN / f"{schema['title']}.json").read_text())
    example = cases.get("written") or next(iter(cases.values()))
    if "requestId" in schema["properties"]:
        example["requestId"] = f"{skill} {NUMBER}"
    return Example(example)


def filled(target: Victim, skill: str, example: Example) -> dict[str, Call]:
    """Return the calls of an example, by interface.

    They are filled by an unknown field, or where the service refuses it, by metadata and spaces.
    """
    more = {} if example.is_full else {"pad": PAD}
    built = calls_of(example.base, skill, {**example.data, **more}, example.size)
    if more:
        probe = growth(target, _authorized(built["JSON-RPC"], example), 1, 1)
        if b"pad" in probe.reply[:600] and not probe.accepted:
            built = calls_of(example.base, skill, example.data, example.size, pad=PAD)
    return {interface: _authorized(call, example) for interface, call in built.items()}


def _authorized(call: Call, example: Example) -> Call:
    headers = {"Authorization": f"Bearer {example.token}"} if example.token else {}
    return replace(call, headers={**call.headers, **headers}, renew=example.renew)


def row(service: str, what: str, seen: Growth | str, count: int) -> dict[str, Any]:
    """Return a row of the table, or only why there is none."""
    if isinstance(seen, str):
        return {"service": service, "call": what, "why": seen}
    return {
        "service": service,
        "call": what,
        "accepted": seen.accepted,
        "is_accepted": seen.accepted == count,
        "status": seen.status,
        "mib": round(seen.mib, 1),
        "reply": "" if seen.accepted == count else seen.reply[:300].decode(errors="replace"),
    }


def measure(
    service: str, without: Sequence[str], first: int, count: int, only: str
) -> Iterator[Any]:
    """Yield a row for each kind of call of a service whose name has a text."""
    (module, *arguments), settings = _SERVICES[service]
    port = free_port()
    prefix = f"CASINO_{module.removeprefix('casino_').removesuffix('_example').upper()}"
    with ExitStack() as running:
        around = _around(running, service)
        levels = levels_file(Path(running.enter_context(TemporaryDirectory())))
        environment = {
            **settings,
            f"{prefix}_GRPC_PORT": str(port),
            "CASINO_EVALUATOR_LEVELS": str(levels),
        }
        if around.lobby_url:
            environment[f"{prefix}_LOBBY_URL"] = around.lobby_url
        command = (module, *arguments, "--port", "0")
        target = running.enter_context(victim(*command, without=without, settings=environment))

        refused = _refused(service, target, port, first, count)
        accepted = _accepted(target, port, ACCEPTED[service](target, around), first, count)
        for what, leave in chain(refused, accepted):
            if only in what:
                yield row(service, what, leave if isinstance(leave, str) else leave(), count)


def _refused(
    service: str, target: Victim, port: int, first: int, count: int
) -> Iterator[tuple[str, Callable[[], Growth]]]:
    """Yield each kind of refused call by the words that name it, and what measures it."""
    for what, call in refused_calls(service, target):
        yield what, partial(growth, target, call, first, count)
    for card_url in target.cards[:1]:
        base = card_url.removeprefix(target.url).removesuffix(CARD_PATH)
        for skill in skills_of(card_url):
            call = calls_of(base, skill, [PAD], _GRPC_SIZE)["HTTP+JSON"]
            sender = GrpcCaller(port, base)
            yield f"{skill} over gRPC", partial(growth, target, call, first, count, sender)
    for path in _SOCKETS.get(service, ()):
        frames = Frames(path, "", padded({"type": "unknown", "pad": PAD}).decode(), "")
        yield f"frames at {path}", partial(send_frames, target, frames, first, count)


def _accepted(
    target: Victim, port: int, accepted: Accepted, first: int, count: int
) -> Iterator[tuple[str, Callable[[], Growth] | str]]:
    """Yield each kind of accepted call, and what measures it, or why nobody may make it."""
    for skill, example in examples(target, accepted):
        for interface, call in filled(target, skill, example).items():
            if (what := f"{skill} over {interface}") not in accepted.never:
                yield f"{what}, {_EXAMPLE}", partial(growth, target, call, first, count)
        small = replace(accepted.grpc.get(skill, example), size=_GRPC_SIZE)
        call = filled(target, skill, small)["HTTP+JSON"]
        sender = GrpcCaller(port, small.base)
        yield f"{skill} over gRPC, {_EXAMPLE}", partial(growth, target, call, first, count, sender)
    for call in accepted.routes:
        what = f"{call.method} {call.path}, {_EXAMPLE} of {len(call.body)} bytes"
        yield what, partial(growth, target, call, first, count)
    for frames in accepted.frames:
        what = f"{frames.name} at {frames.path}, {_EXAMPLE}"
        yield what, partial(send_frames, target, frames, first, count)
    yield from accepted.never.items()


def _around(running: ExitStack, service: str) -> Around:
    """Start what a service needs around it."""
    url, takers = running.enter_context(hosted(2))
    lobby_url, tables = "", dict(_TABLES)
    if service in {"gateway", "evaluator"}:
        lobby = running.enter_context(victim("casino_lobby", "--port", "0", settings=_ANY_NUMBER))
        lobby_url = tables["CASINO_TABLE_LOBBY_URL"] = lobby.url
    (player, *style), _ = _SERVICES["player"]
    players = running.enter_context(victim(player, *style, "--port", "0", settings=_PLAYERS))
    table = running.enter_context(victim("casino_table", "--port", "0", settings=tables))
    return Around(players, table, lobby_url, url, takers)


def skills_of(card_url: str) -> list[str]:
    """Return the skills of a card."""
    return [item["id"] for item in httpx.get(card_url, trust_env=False).json()["skills"]]


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("services", nargs="*")
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--first", type=int, default=40)
    parser.add_argument("--without", default="", help="defences of `support.attack.weakened`")
    parser.add_argument("--only", default="", help="a text that is in the name of the calls")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    without = [name for name in arguments.without.split(",") if name]
    rows: list[dict[str, Any]] = []
    never: list[str] = []
    for item in chain.from_iterable(
        measure(service, without, arguments.first, arguments.calls, arguments.only)
        for service in arguments.services or _SERVICES
    ):
        if "why" in item:
            never.append("{service}: {call}: {why}".format(**item))
            continue
        rows.append(item)
        if arguments.table:
            with suppress(BrokenPipeError):
                print("{service:10} {status:4} {accepted:4} {mib:6} MiB  {call}".format(**item))
    accepted = [item for item in rows if item["is_accepted"]]
    refused = [item for item in rows if not item["is_accepted"]]
    print_report(
        {
            "bench": "refused_memory",
            "calls": arguments.calls,
            "without": without,
            "kinds_refused": len(refused),
            "kinds_accepted": len(accepted),
            "worst_refused": _worst(refused),
            "worst_accepted": _worst(accepted),
            "not_accepted": [
                *never,
                *(
                    f"{item['service']}: {item['call']}: {item['reply']}"
                    for item in refused
                    if _EXAMPLE in item["call"]
                ),
            ],
            "floor": {"mib": MOST_MIB},
            "missed": [
                f"{item['service']}: {item['call']}: {item['mib']}"
                for item in rows
                if item["mib"] > MOST_MIB
            ],
        }
    )


def _worst(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the row with the most memory of each service."""
    by_memory = sorted(rows, key=lambda item: item["mib"])
    return {item["service"]: f"{item['mib']} MiB: {item['call']}" for item in by_memory}


if __name__ == "__main__":
    main()
