"""A casino of processes withstands all attacks while it plays, and tells nobody a secret."""

import json
import re
import sqlite3
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from casino.attack.attack_base import AttackVerdict, Result
from casino.commands.attack import ATTACKS
from casino_agentkit.protocol import CARD_PATH
from casino_contracts import HandRecord, RoomKey, TableEvent, seat_token
from casino_games.shuffle import derive_seed
from support.attack.arena import CLOSED_ROOM, ROOM, attacked, begin
from support.casino.auditor import RoomAudit
from support.casino.casino import Casino, process
from support.casino.commands import finished_beside
from support.casino.members import Process
from support.casino.overheard import Overheard, cards_in, hidden_by_hand
from support.processes import PATIENCE_S, eventually

pytestmark = [pytest.mark.full, pytest.mark.timeout(300)]

OPERATOR_KEY, FLEET_KEY = "planted-operator-key-7c1e", "planted-fleet-key-90ab31"
SEED = "planted-seed-of-the-room"
PLAYER_KEYS = {style: f"planted-key-of-player-{style}" for style in ("tight", "caller", "random")}
HANDS = f"/v1/rooms/{ROOM}/hands"
PAGES = (
    "/v1/config", "/v1/rooms", f"/v1/rooms/{ROOM}", f"/v1/rooms/{CLOSED_ROOM}", "/v1/tables",
    f"/v1/rooms/{ROOM}/events?limit=5000", HANDS, f"{HANDS}/1", f"{HANDS}/1/record", "/api/games",
    "/api/games/kuhn_poker/spec", "/openapi.json", "/", "/metrics", "/healthz", "/readyz",
    CARD_PATH,
)  # fmt: skip
STREAMS = ("/v1/stream", f"/v1/rooms/{ROOM}/stream", f"/v1/rooms/{ROOM}/stream?feed=commentator")
CARD = re.compile(r"(?<![A-Za-z0-9])(?:10|[2-9TJQKA])[hdcs♥♦♣♠](?![A-Za-z0-9])")


@dataclass
class Siege:
    """A casino that was attacked, with everything that it wrote and that the attacker received."""

    casino: Casino
    lobby: Process
    data: Path
    public_cards: list[str]
    logs: list[str] = field(default_factory=list)
    heard: list[bytes] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    hands_before: int = 0
    seated_after: list[str] = field(default_factory=list)
    events: list[TableEvent] = field(default_factory=list)
    records: dict[str, HandRecord] = field(default_factory=dict)
    """Of all hands that were completed, by their id."""
    secrets: dict[str, str] = field(default_factory=dict)
    """By name: what the test set, and what the casino made."""

    async def get(self, path: str) -> httpx.Response:
        return (await self.casino.http.get(path)).raise_for_status()

    async def attack(self) -> None:
        """Run every attack while the game goes on, then read what was played."""
        self.hands_before = await self.casino.count(ROOM)
        self.results = await attacked(
            ATTACKS, self.lobby.url, self.public_cards, OPERATOR_KEY, self.heard.append
        )
        summary = (await self.casino.room(ROOM)).summary
        assert summary is not None
        self.seated_after = [seat.display_name for seat in summary.players]
        await self.casino.hands(2, ROOM)
        self.events = await self.casino.events(ROOM, epoch=1)
        for event in self.events:
            if event.event_type == "hand_completed" and event.hand_id:
                reply = await self.get(f"{HANDS}/{event.hand_id.rpartition('/')[2]}/record")
                self.records[event.hand_id] = HandRecord.model_validate_json(reply.content)
        self.secrets = self._secrets()

    def _secrets(self) -> dict[str, str]:
        found = {"operator key": OPERATOR_KEY, "fleet key": FLEET_KEY, "seed": SEED}
        found |= {f"key of {style}": key for style, key in PLAYER_KEYS.items()}
        for number in range(1, len(self.records) + 1):
            found[f"seed of hand {number}"] = derive_seed(SEED, "hand", str(number))
        for environment in [one.environ() for one in psutil.Process(self.lobby.pid).children()]:
            assert OPERATOR_KEY not in str(environment)
            found["launch key"] = environment["CASINO_TABLE_FLEET_KEY"]
        with sqlite3.connect(f"file:{self.data}/casino.db?mode=ro", uri=True) as database:
            rooms = [json.loads(row[0]) for row in database.execute("SELECT content FROM room")]
        database.close()
        for room in rooms:
            name, secret = room["room_id"], room["secret"]
            found[f"secret of {name}"] = secret
            for epoch in (room["epoch"], room["epoch"] + 1):
                key = RoomKey.of_epoch(secret, epoch)
                rights = {"key": key.secret, "table right": key.table, "events right": key.events}
                found |= {f"{right} of {name}, {epoch}": one for right, one in rights.items()}
            for number in range(1, 10):
                found[f"seat token {number} in {name}"] = seat_token(secret, f"player-{number}")
        return found

    def bare(self, text: str) -> None:
        """Assert that none of the secrets stands in a text."""
        assert [name for name, value in self.secrets.items() if value in text] == []


@asynccontextmanager
async def siege(data: Path, key_file: Path) -> AsyncIterator[Siege]:
    """Start a casino of processes and attack it."""
    logs: list[str] = []
    async with AsyncExitStack() as stack:

        async def started(module: str, *arguments: str, **settings: str) -> Process:
            settings = {"CASINO_LOBBY_DATA": str(data), **settings}
            arguments = (*arguments, "--port", "0")
            running = process(module, module, arguments, settings=settings, on_log=logs.append)
            return await stack.enter_async_context(running)

        lobby = await started(
            "casino_lobby",
            CASINO_LOBBY_OPERATOR_TOKEN_FILE=str(key_file),
            CASINO_LOBBY_FLEET_KEY=FLEET_KEY,
            CASINO_LOBBY_LOG_LEVEL="DEBUG",
        )
        players = [
            await started(
                "casino_player_example", style, CASINO_PLAYER_THINK="100ms", CASINO_PLAYER_KEY=key
            )
            for style, key in PLAYER_KEYS.items()
        ]
        headers = {"authorization": f"Bearer {OPERATOR_KEY}"}
        http = httpx.AsyncClient(
            base_url=lobby.url, headers=headers, trust_env=False, timeout=PATIENCE_S
        )
        casino = Casino(await stack.enter_async_context(http))
        await begin(casino, [player.cards[0] for player in players], seed=SEED)
        await started(
            "casino_table", CASINO_TABLE_LOBBY_URL=lobby.url, CASINO_TABLE_FLEET_KEY=FLEET_KEY
        )

        async def has_free_table() -> bool:
            tables = (await http.get("/v1/tables")).json()["tables"]
            return any("roomId" not in table for table in tables)

        await eventually(has_free_table)
        opened = Siege(casino, lobby, data, [player.url + CARD_PATH for player in players], logs)
        await opened.attack()
        yield opened
        await casino.close(ROOM)  # the players answer to the last hand


# What has to hold afterwards.


async def every_attack_is_refused(siege: Siege) -> None:
    """Each had something to attack."""
    wrong = {
        one.attack.name: one.outcome
        for one in siege.results
        if one.outcome.verdict is not AttackVerdict.REFUSED and not one.attack.needs
    }
    assert not wrong
    assert len(siege.results) == len(ATTACKS)


async def the_session_was_not_hindered(siege: Siege) -> None:
    """No hand was cancelled, no decision timed out, and every chip is there."""
    audit, kinds, outcomes = RoomAudit(ROOM), set[str | None](), set[str]()
    for event in siege.events:
        audit.take(event)
        kinds.add((event.payload or {}).get("kind"))
        if event.event_type == "action_taken":
            outcomes.add((event.payload or {})["outcome"])
    audit.check_whole()
    assert not kinds & {"hand_cancelled", "paused", "sat_out"}
    assert "table_error" not in {event.event_type for event in siege.events}
    assert outcomes == {"ok"}
    room = await siege.casino.room(ROOM)
    assert room.summary is not None
    assert (room.epoch, room.summary.status) == (1, "running")
    assert len(siege.records) > siege.hands_before + 5
    assert sorted(siege.seated_after) == ["Caller", "Random", "Tight"]  # the bot leaves at once
    assert await siege.casino.count(CLOSED_ROOM) == 0


async def the_attacker_learned_nothing(siege: Siege) -> None:
    """No card beside those that were shown, and no secret."""
    overheard = Overheard(siege.heard)
    hidden = hidden_by_hand(siege.events, siege.records)
    assert sum(map(bool, hidden.values())) > 3, "cards stayed hidden"
    overheard.holds_none_of(hidden)
    assert overheard.events > 50
    siege.bare(b"".join(siege.heard).decode(errors="replace"))


async def there_are_secrets_of_each_kind(siege: Siege) -> None:
    """All of them differ, and are found."""
    values = siege.secrets.values()
    assert len(set(values)) == len(siege.secrets) > 30
    assert min(map(len, values)) > 15
    with pytest.raises(AssertionError, match="launch key"):
        siege.bare(f"… {siege.secrets['launch key']} …")


async def secrets_and_cards_are_in_no_log(siege: Siege) -> None:
    """Of lobby, tables and players, with DEBUG of the lobby; not even shown cards."""
    log = "\n".join(siege.logs)
    assert "hand_completed" in log
    assert "table_launched" in log
    siege.bare(log)
    assert not CARD.search(log)
    assert '"rank"' not in log


async def secrets_are_in_no_page_and_no_stream(siege: Siege) -> None:
    """For the operator; records have decks, and no seed of the next one."""
    for path in PAGES:
        reply = await siege.get(path)
        siege.bare(reply.text + str(reply.headers))
    record = (await siege.get(f"{HANDS}/1/record")).json()
    assert record["deck"]
    assert "seed" not in json.dumps(record)
    assert not CARD.search((await siege.get("/metrics")).text)
    for path in STREAMS:
        async with siege.casino.http.stream("GET", path) as reply:
            received = b""
            async for chunk in reply.aiter_bytes():
                received += chunk
                if received.count(b"data:") > 2:
                    break
        siege.bare(received.decode())


async def events_and_hands_show_only_shown_cards(siege: Siege) -> None:
    """Hand by hand, compared with the operator's records."""
    hidden = hidden_by_hand(siege.events, siege.records)
    for event in siege.events:
        cards = cards_in(event.model_dump(mode="json"))
        assert not cards & hidden.get(event.hand_id or "", set()), event.event_type
    for hand_id, cards in hidden.items():
        hand = await siege.get(f"{HANDS}/{hand_id.rpartition('/')[2]}")
        assert not cards_in(hand.json()) & cards


async def secrets_are_in_no_card_and_no_error(siege: Siege) -> None:
    """Wrong input is neither sent back nor logged; a capability address is its caller's alone."""
    tables = (await siege.get("/v1/tables")).json()["tables"]
    rights = [
        value
        for name, value in siege.secrets.items()
        if name.endswith(", 1") or name.startswith("seat token 1")
    ]
    bodies: tuple[Any, ...] = (
        {"config": SEED},
        {"roomId": ROOM, "config": {"seed": SEED}},
        {"requestId": rights[0], "unknown": rights},
        rights,
    )
    async with httpx.AsyncClient(
        base_url=siege.lobby.url, trust_env=False, timeout=PATIENCE_S
    ) as http:
        for card in (*siege.public_cards, *(table["agentCardUrl"] for table in tables)):
            origin = card.removesuffix(CARD_PATH)
            for url in (card, f"{origin}/metrics", f"{origin}/readyz"):
                siege.bare((await http.get(url)).raise_for_status().text)
        await http.get(f"/t/{siege.secrets[f'events right of {ROOM}, 1']}{CARD_PATH}")
        siege.bare((await http.get(CARD_PATH)).text)
        for token in (*rights, FLEET_KEY):
            headers = {"authorization": f"Bearer {token}"}
            for path in ("/v1/rooms", f"/v1/rooms/{ROOM}/players", "/v1/nowhere"):
                for body in bodies:
                    reply = await http.post(path, json=body, headers=headers)
                    assert reply.is_error
                    siege.bare(reply.text)
            assert (await http.get(f"/t/{token}/nowhere")).is_error
    siege.bare("\n".join(siege.logs))


async def secrets_are_in_no_process_list_and_no_readable_file(siege: Siege) -> None:
    """Every user of the machine may read command lines."""
    lines = [" ".join(one.info["cmdline"] or ()) for one in psutil.process_iter(["cmdline"])]
    assert any("casino_lobby" in line for line in lines)
    siege.bare("\n".join(lines))
    files = [path for path in siege.data.rglob("*") if path.is_file()]
    assert {"casino.db", ".journal"} <= {path.name for path in files} | {p.suffix for p in files}
    assert {oct(path.stat().st_mode & 0o777) for path in files} == {"0o600"}
    assert not [path for path in files if OPERATOR_KEY.encode() in path.read_bytes()]


async def secrets_are_in_no_output_of_the_console(siege: Siege) -> None:
    """Of a room, its hands and its stream."""
    settings = {"CASINO_OPERATOR_TOKEN": OPERATOR_KEY}
    for line in (f"room show {ROOM} --json", f"room hand {ROOM} 1", f"watch {ROOM} --hands 1"):
        command = (*line.split(), "--lobby", siege.lobby.url)
        ended = await finished_beside(*command, settings=settings)
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout
        siege.bare(ended.stdout + ended.stderr)


async def the_command_ends_with_0(siege: Siege) -> None:
    """With a line for each attack; all received bytes are in a file for its owner."""
    kept = siege.data.parent / "received"
    command = ("attack", siege.lobby.url, "--group", "events", "--received", str(kept))
    ended = await finished_beside(*command)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert kept.read_bytes().count(b"UNAUTHORIZED") > 20
    head, *lines, last = ended.stdout.splitlines()
    assert head.split() == ["group", "attack", "outcome", "evidence"]
    tried = {one.name for one in ATTACKS if one.group == "events"}
    assert {line.split()[1] for line in lines} == tried
    assert last == f"{len(tried)} refused, 0 SUCCEEDED, 0 not applicable"


async def the_command_ends_with_1_where_an_attack_succeeds(siege: Siege) -> None:
    """As on a player without a key that sits nowhere; with a bot in the room."""
    arguments = ("caller", "--name", "Public", "--port", "0")
    async with process("public", "casino_player_example", arguments) as public:
        cards = [*siege.public_cards, public.cards[0]]
        command = (
            *("attack", siege.lobby.url, "--group", "seats", "--seat", ROOM, "--json"),
            *(part for card in cards for part in ("--player", card)),
        )
        settings = {"CASINO_LOBBY_OPERATOR_TOKEN": OPERATOR_KEY}
        ended = await finished_beside(*command, settings=settings)
    found = {line["attack"]: line for line in map(json.loads, ended.stdout.splitlines())}
    assert found.keys() == {one.name for one in ATTACKS if one.group == "seats"}
    open_ways = {name for name, line in found.items() if line["outcome"] == "SUCCEEDED"}
    assert open_ways == {"question-player-elsewhere"}
    assert ended.returncode == 1
    assert all(line["evidence"] for line in found.values())
    siege.bare(ended.stdout)


CHECKS = (
    every_attack_is_refused,
    the_session_was_not_hindered,
    the_attacker_learned_nothing,
    there_are_secrets_of_each_kind,
    secrets_and_cards_are_in_no_log,
    secrets_are_in_no_page_and_no_stream,
    events_and_hands_show_only_shown_cards,
    secrets_are_in_no_card_and_no_error,
    secrets_are_in_no_process_list_and_no_readable_file,
    secrets_are_in_no_output_of_the_console,
    the_command_ends_with_0,
    the_command_ends_with_1_where_an_attack_succeeds,
)


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    path.write_text(OPERATOR_KEY)
    path.chmod(0o600)
    return path


async def failure_of(check: Callable[[Siege], Awaitable[None]], siege: Siege) -> Exception | None:
    try:
        await check(siege)
    except (AssertionError, httpx.HTTPError) as error:
        error.add_note(f"in {check.__name__}")
        return error
    return None


async def test_a_casino_withstands_every_attack(tmp_path: Path, key_file: Path) -> None:
    """One test, so that the casino is attacked once in a run, by whichever worker."""
    async with siege(tmp_path / "data", key_file) as opened:
        failures = [await failure_of(check, opened) for check in CHECKS]
    if failed := [error for error in failures if error is not None]:
        raise ExceptionGroup("what does not hold after the siege", failed)
