"""The calls that a lobby accepts, with rooms in which hands are played, and reported."""

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, Final

from accepted.calls import FLEET_KEY, KEY, RULES, Accepted, Around, Client, Example, until
from casino_agentkit.protocol import BODY_LIMIT, CAPABILITY_PATH, CARD_PATH
from support.attack.large_calls import PAD, Call, Renew, Victim, padded

_PLAYER: Final = "@player@".ljust(12, "@")
"""A text of calls, as long as what replaces it."""
_EVENT_TEXT: Final = 63_000
"""Characters of the largest event, which has at most 64 KiB as JSON."""


def of_lobby(target: Victim, around: Around) -> Accepted:
    """Return the calls that a lobby accepts, with rooms in which hands are played, and reported."""
    lobby = Client(target.url, KEY)
    cards = iter(around.tables.cards)
    created = {"roomId": "created", "config": RULES, "tableAgentCardUrl": next(cards)}
    for room in ("seating", "played", "closing"):
        lobby.open(room, next(cards))
    player = {"agentCardUrl": around.players.cards[2]}
    for number in range(2):
        lobby.seat("played", around.players.cards[number])
    lobby.post("/v1/rooms/played/start", {}, "start")
    until(lambda: lobby.get("/v1/rooms/played")["summary"]["status"] == "idle")
    lobby.delete("/v1/rooms/closing")
    until(lambda: lobby.get("/v1/rooms/closing")["state"] == "closed")
    examples = _examples(lobby)
    published: list[Call] = []
    for kind in ("matches", "leagues"):
        path = next(path for path in examples if path.startswith(f"/v1/{kind}/"))
        body = examples[path]
        lobby.put(f"/v1/{kind}/kept", body)

        def again(_reply: bytes, path: str = f"/v1/{kind}/x", body: Any = body) -> dict[str, str]:
            lobby.put(path, body)
            return {}

        published += [
            Call("PUT", f"/v1/{kind}/x", padded(body)),
            Call("PUT", f"/v1/{kind}/x", padded(body, BODY_LIMIT)),
            Call("DELETE", f"/v1/{kind}/x", padded({"pad": PAD}), renew=again),
        ]

    def command(method: str, path: str, data: Any, key: str) -> Call:
        return Call(method, path, padded(data), {"Idempotency-Key": key})

    def seated(_reply: bytes) -> dict[str, str]:
        return {_PLAYER: lobby.seat("seating", around.players.cards[3])["playerId"]}

    routes = [
        command("POST", "/v1/rooms", created, "create"),
        command("POST", "/ui/rooms", created, "create"),
        command("POST", "/v1/rooms/seating/players", player, "seat"),
        command("POST", "/ui/rooms/seating/register", player, "seat"),
        command("POST", "/v1/rooms/played/start", {}, "start"),
        command("POST", "/ui/rooms/played/start", {}, "start"),
        Call(
            "DELETE",
            f"/v1/rooms/seating/players/{_PLAYER}",
            padded({"pad": PAD}),
            renew=seated,
        ),
        command("POST", "/v1/rooms/closing/close", {}, "close"),
        command("DELETE", "/v1/rooms/closing", {"pad": PAD}, "close"),
        *published,
        *(Call("GET", path, padded({"pad": PAD})) for path in _readings(lobby)),
    ]
    for call in routes:
        call.headers["Authorization"] = f"Bearer {KEY}"
    skills = {
        "createRoom": Example({**created, "requestId": "create"}, KEY),
        "registerPlayer": Example({"roomId": "seating", **player, "requestId": "seat"}, KEY),
        "startRoom": Example({"roomId": "played", "requestId": "start"}, KEY),
        "leaveRoom": Example({"roomId": "seating", "playerId": _PLAYER}, KEY, renew=seated),
        "listRooms": Example({}, KEY),
        "registerTable": Example({"agentCardUrl": around.tables.cards[-1]}, FLEET_KEY),
    }
    reported, grpc = _reported(lobby, around)
    return Accepted({**skills, **reported}, grpc, routes)


def _reported(lobby: Client, around: Around) -> tuple[dict[str, Example], dict[str, Example]]:
    """Return reports of events of rooms at the bench's own tables: over HTTP, and smaller ones."""
    large, small = {}, {}
    for number, skill in enumerate(("recordGameEvent", "recordTableEvents")):
        room = lobby.open(skill, f"{around.agents}/tables/{number}{CARD_PATH}")
        configuration = around.takers[number].received[0][1]
        callback = configuration["casinoCallback"]["agentCardUrl"]
        token = callback.partition(CAPABILITY_PATH)[2].partition("/")[0]
        sequences = count(1)

        def batch(first: int, events: int, table: str = room["tableId"]) -> dict[str, Any]:
            return {
                "events": [
                    {
                        "tableId": table,
                        "eventType": "table_status",
                        "message": "a note",
                        "timestamp": "2026-11-20T19:43:00.123Z",
                        "payload": {"kind": "note", "text": "x" * _EVENT_TEXT},
                        "sequence": f"@{first + at}@",
                        "epoch": 1,
                    }
                    for at in range(events)
                ]
            }

        def numbered(sequences: Iterator[int], events: int) -> Renew:
            return lambda _reply: {f'"@{at}@"': str(next(sequences)) for at in range(events)}

        def parts(many: int, events: int, token: str, batch: Callable[..., Any]) -> dict[str, Any]:
            return {
                "tables": [
                    {"roomToken": token, **batch(events * part, events)} for part in range(many)
                ]
            }

        is_whole = skill == "recordGameEvent"
        few = batch(0, 1) if is_whole else parts(1, 1, token, batch)
        many = batch(0, 4) if is_whole else parts(4, 4, token, batch)
        events = 4 if is_whole else 16
        large[skill] = Example(many, token, "", BODY_LIMIT, numbered(sequences, events), True)
        small[skill] = Example(few, token, renew=numbered(sequences, 1), is_full=True)
    return large, small


def _examples(lobby: Client) -> dict[str, Any]:
    """Return the example of each body that is put, by path."""
    document = lobby.get("/openapi.json")
    bodies = {}
    for path, operations in document["paths"].items():
        if "put" in operations:
            content = operations["put"]["requestBody"]["content"]["application/json"]
            bodies[path] = content.get("example") or _value(content, document)
    return bodies


def _value(content: Mapping[str, Any], document: Any) -> Any:
    example = next(iter(content["examples"].values()))
    for part in example.get("$ref", "#/").removeprefix("#/").split("/"):
        example = document[part] if part == "components" else example.get(part, example)
    return example["value"]


def _readings(lobby: Client) -> Iterator[str]:
    """Yield the paths that a lobby answers at once: all but its streams."""
    values = {
        "{roomId}": "played",
        "{playerId}": "player-1",
        "{handNumber}": "1",
        "{slug}": "invalid-request",
        "{gameType}": "texas-holdem",
        "{matchId}": "kept",
        "{leagueId}": "kept",
    }
    for path in lobby.get("/openapi.json")["paths"]:
        read = path
        for name, value in values.items():
            read = read.replace(name, value)
        if "get" in lobby.get("/openapi.json")["paths"][path] and not path.endswith("/stream"):
            yield read
