"""Memory of each service after large calls that it refuses or accepts, at each of its interfaces.

For each skill of each agent card, and each route that takes a body, 400 calls of the largest body
that the interface takes: the process may have at most 24 MiB more after them than after 40. Calls
are refused for their input; those with the example of the skill's input are accepted where the
service is in a state for it. Bodies of a megabyte are refused unread, unless the caller may send
them.
WebSockets get frames as large as they take, and gRPC messages. Prints one JSON line; `--table`
prints a row for each kind of call before it. `--without` switches defences off, by name.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import chain
from pathlib import Path
from typing import Any, Final

import grpc
import httpx
from a2a.types import a2a_pb2, a2a_pb2_grpc
from casino_agentkit.protocol import BODY_LIMIT, CARD_PATH, INPUT_LIMIT
from google.protobuf.json_format import ParseDict
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

sys.path += [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "tests")]
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
KEY: Final = "operator-key-of-the-bench"
_AUTHORIZED: Final = {"Authorization": f"Bearer {KEY}"}
_GOLDEN: Final = BENCH.parent / "tests" / "contracts" / "golden"
_SOCKETS: Final = {"gateway": ("/ws", "/bgp/ws", "/bots")}
_SERVICES: Final[dict[str, tuple[tuple[str, ...], dict[str, str]]]] = {
    "player": (("casino_player_example", "caller"), {}),
    "table": (("casino_table",), {}),
    "lobby": (
        ("casino_lobby",),
        {
            "CASINO_LOBBY_OPERATOR_TOKEN": KEY,
            "CASINO_LOBBY_COMMANDS_PER_MINUTE": "0",
            "CASINO_LOBBY_LAUNCH_TABLES": "false",
        },
    ),
    "gateway": (("casino_gateway",), {}),
    "evaluator": (("casino_evaluator",), {"CASINO_EVALUATOR_REQUESTS_PER_MINUTE": "0"}),
    "match": (("casino_match",), {}),
}


def calls(service: str, target: Victim, others: Mapping[str, Victim]) -> Iterator[tuple[str, Call]]:
    """Yield what a service is called with, each with the words that name it."""
    headers = _key_of(service, target)
    for card_url in target.cards:
        base = card_url.removeprefix(target.url).removesuffix(CARD_PATH)
        card = httpx.get(card_url, trust_env=False).json()
        extensions = card["capabilities"].get("extensions", [])
        typed = [
            item
            for extension in extensions
            for item in extension.get("params", {}).get("entrypoints", [])
        ]
        schemas = {item["skill"]: item["input"] for item in typed}
        for skill in (item["id"] for item in card["skills"]):
            for interface, call in calls_of(base, skill, [PAD]).items():
                yield f"{skill} over {interface}, wrong input", call
            if example := _example(skill, schemas.get(skill, {}), others):
                for interface, call in _accepted(target, base, skill, example).items():
                    yield f"{skill} over {interface}, an example", call
        for interface, call in calls_of(base, "unknown", {"pad": PAD}, BODY_LIMIT).items():
            yield f"any skill over {interface}, a megabyte", call
    examples = _examples(target) if service == "lobby" else {}
    for method, path in target.routes:
        at = path.replace("{card_id}", "x").replace("{", "").replace("}", "")
        wrong = padded({"pad": PAD})
        yield f"{method} {path}, wrong fields", Call(method, at, wrong, headers)
        large = padded({"pad": PAD}, BODY_LIMIT)
        yield f"{method} {path}, a megabyte", Call(method, at, large)
        if (method, path) in examples:
            body = padded(examples[method, path])
            yield f"{method} {path}, an example", Call(method, at, body, dict(_AUTHORIZED))
        if path.startswith(("/v1/matches/", "/v1/leagues/")) and method == "PUT":
            yield (
                f"{method} {path}, a megabyte of the operator",
                Call(method, at, large, dict(_AUTHORIZED)),
            )
            body = padded(examples[method, path], BODY_LIMIT)
            yield (
                f"{method} {path}, a published megabyte",
                Call(method, at, body, dict(_AUTHORIZED)),
            )


def _key_of(service: str, target: Victim) -> dict[str, str]:
    """Return the headers of a caller whose requests are read."""
    if service == "evaluator":
        key = httpx.get(f"{target.url}/api/games/anonkey", trust_env=False).json()
        return {"X-API-Key": next(iter(key.values()))}
    if service == "gateway":
        login = httpx.post(f"{target.url}/api/auth/guest", json={}, trust_env=False).json()
        return {"Authorization": f"Bearer {login['token']}"}
    return dict(_AUTHORIZED)


def _example(skill: str, schema: Mapping[str, Any], others: Mapping[str, Victim]) -> Any:
    """Return an input that a skill may accept, with agents that exist; None if none is known."""
    golden = _GOLDEN / f"{schema.get('title')}.json"
    if not golden.exists():
        return None
    cases = json.loads(golden.read_text())
    example = cases.get("written") or next(iter(cases.values()))
    if "requestId" in schema["properties"]:
        # What changes a table is done once, and its reply repeated.
        example["requestId"] = f"{skill} {NUMBER.decode()}" if skill == "act" else skill
    if "agentCardUrl" in example and others:
        example["agentCardUrl"] = others["table" if skill == "registerTable" else "player"].cards[0]
    return example


def _accepted(target: Victim, base: str, skill: str, example: Any) -> dict[str, Call]:
    """Return calls with an input; spaces fill them where the service refuses unknown fields."""
    filled = calls_of(base, skill, {**example, "pad": PAD})
    for call in filled.values():
        call.headers.update(_AUTHORIZED)
    if b"pad: is unknown" in growth(target, filled["JSON-RPC"], 1, 1).reply:
        for interface, call in calls_of(base, skill, example).items():
            filled[interface].body = call.body
    return filled


def _examples(target: Victim) -> dict[tuple[str, str], Any]:
    """Return the example of the body of each operation in the lobby's OpenAPI document."""
    document = httpx.get(f"{target.url}/openapi.json", trust_env=False).json()

    def resolved(value: Any) -> Any:
        while isinstance(value, dict) and "$ref" in value:
            parts = value["$ref"].removeprefix("#/").split("/")
            value = document
            for part in parts:
                value = value[part]
        return value

    bodies = {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            body = resolved(operation.get("requestBody", {})) if method != "parameters" else {}
            content = body.get("content", {}).get("application/json", {})
            named = [resolved(item) for item in content.get("examples", {}).values()]
            if example := content.get("example", named[0]["value"] if named else None):
                bodies[method.upper(), path] = example
    return bodies


def frames(target: Victim, path: str, first: int, count: int) -> Growth:
    """Send the largest frame to a WebSocket, again and again; open another when it is closed."""
    frame = padded({"type": "unknown", "pad": PAD}).decode()
    reply, first_mib, sent = "", 0.0, 0
    while sent < count:
        try:
            with connect(target.url.replace("http", "ws") + path, proxy=None) as socket:
                while sent < count:
                    sent += 1
                    socket.send(frame)
                    with suppress(TimeoutError):  # not every frame is answered
                        reply = str(socket.recv(timeout=0.02))
                    first_mib = target.mib() if sent <= first else first_mib
        except (WebSocketException, OSError) as error:
            reply = repr(error)
            sent += 1
            first_mib = target.mib() if sent <= first else first_mib
    return Growth(0, reply.encode(), first_mib, target.mib())


def grpc_calls(target: Victim, port: int, skill: str, first: int, count: int) -> Growth:
    """Send the largest gRPC message to the agent of a process, again and again."""
    content = json.loads(calls_of("", skill, {"pad": PAD}, 1_000)["HTTP+JSON"].body)
    request = ParseDict(content, a2a_pb2.SendMessageRequest())
    pad = request.message.parts[0].data.struct_value.fields["pad"]
    pad.string_value += "x" * (INPUT_LIMIT - request.ByteSize() - 16)
    reply, first_mib = "", 0.0
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = a2a_pb2_grpc.A2AServiceStub(channel)  # type: ignore[no-untyped-call]
        for number in range(1, count + 1):
            try:
                reply = str(stub.SendMessage(request))
            except grpc.RpcError as error:
                reply = error.details()
            if number == first:
                first_mib = target.mib()
    return Growth(0, reply.encode(), first_mib, target.mib())


def row(service: str, what: str, seen: Growth) -> dict[str, Any]:
    """Return a row of the table."""
    is_accepted = seen.status in range(200, 300) and b'"error"' not in seen.reply[:400]
    return {
        "service": service,
        "call": what,
        "accepted": is_accepted,
        "status": seen.status,
        "mib": round(seen.mib, 1),
        "reply": "" if is_accepted else seen.reply[:160].decode(errors="replace"),
    }


def measure(service: str, without: Sequence[str], first: int, count: int) -> Iterator[Any]:
    """Yield a row for each kind of call of a service."""
    (module, *arguments), settings = _SERVICES[service]
    port = free_port()
    name = module.removeprefix("casino_").removesuffix("_example").upper()
    ports = {f"CASINO_{name}_GRPC_PORT": str(port)}
    command = (module, *arguments, "--port", "0")
    with ExitStack() as running:
        others = {
            other: running.enter_context(victim(*_SERVICES[other][0], "--port", "0"))
            for other in ("player", "table")
        }
        environment = {**settings, **ports}
        target = running.enter_context(victim(*command, without=without, settings=environment))
        if service == "lobby":
            announcement = calls_of("", "registerTable", {"agentCardUrl": others["table"].cards[0]})
            growth(target, announcement["JSON-RPC"], 1, 1)
        for what, call in calls(service, target, others):
            yield row(service, what, growth(target, call, first, count))
        skills = [] if not target.cards else _skills(target.cards[0])
        for skill in skills:
            seen = grpc_calls(target, port, skill, first, count)
            yield row(service, f"{skill} over gRPC", seen)
        for path in _SOCKETS.get(service, ()):
            yield row(service, f"frames at {path}", frames(target, path, first, count))


def _skills(card_url: str) -> list[str]:
    return [item["id"] for item in httpx.get(card_url, trust_env=False).json()["skills"]]


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("services", nargs="*", help="of the six; by default all")
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--first", type=int, default=40)
    parser.add_argument("--without", default="", help="defences of `support.attack.weakened`")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    without = [name for name in arguments.without.split(",") if name]
    rows = []
    for item in chain.from_iterable(
        measure(service, without, arguments.first, arguments.calls)
        for service in arguments.services or _SERVICES
    ):
        rows.append(item)
        if arguments.table:
            with suppress(BrokenPipeError):
                print("{service:10} {status:4} {accepted!s:6} {mib:6} MiB  {call}".format(**item))
    worst = max(rows, key=lambda item: item["mib"])
    print_report(
        {
            "bench": "refused_memory",
            "calls": arguments.calls,
            "without": without,
            "kinds_refused": sum(not item["accepted"] for item in rows),
            "kinds_accepted": sum(item["accepted"] for item in rows),
            "worst": worst,
            "floor": {"mib": MOST_MIB},
            "missed": [
                f"{item['service']}: {item['call']}: {item['mib']}"
                for item in rows
                if item["mib"] > MOST_MIB
            ],
        }
    )


if __name__ == "__main__":
    main()
