"""A hundred hands, or a thousand, without a hidden card in streams, pages, metrics or logs."""

import asyncio
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from casino_lobby.app import SECRET_KEYS
from casino_table.app import SECRET_KEYS as TABLE_SECRET_KEYS
from support.captured_log import captured_log
from support.casino.casino_side import CasinoHarness, Operator
from support.casino.leak_auditor import SECRET, SEED, Holes, LeakAuditor, cards_in
from support.casino.streams import TOKEN, Client, LiveLobby, StreamEvent, live
from support.direct import DirectTransport
from support.players.holdem_players import lively

PLAYERS = 4


HANDS_PATH = "/v1/rooms/r1/hands"


class PublicReader:
    def __init__(self, network: CasinoHarness, lobby: LiveLobby) -> None:
        self._network = network
        self._lobby = lobby
        self.found: list[Any] = []
        self.texts: list[str] = []

    async def read_current(self) -> None:
        """Read all resources once."""
        async with self._network.http() as http:
            for path in ("/v1/rooms", "/v1/rooms/r1", f"{HANDS_PATH}?order=newest", "/v1/tables"):
                self.found.append((await http.get(path)).json())
            self.texts.append((await http.get("/metrics")).text)
        for path in ("/v1/rooms/r1/stream", "/v1/stream"):
            async with self._lobby.stream(path) as client:
                self.found += [sent.data for sent in await client.until(lambda _: True)]

    async def follow(self, room: Client) -> list[StreamEvent]:
        """Read a stream to the session's end, and all resources every 500 events."""
        streamed: list[StreamEvent] = []
        while not streamed or not is_finished(streamed[-1]):
            streamed += await room.until(lambda _: True)
            if len(streamed) % 500 == 0:
                await self.read_current()
        return streamed

    async def read_all(self) -> list[dict[str, Any]]:
        events: list[dict[str, Any]] = []
        async with self._network.http() as http:
            while True:
                path = f"/v1/rooms/r1/events?after={len(events)}&limit=5000"
                page = (await http.get(path)).json()
                if not page["events"]:
                    return events
                events += page["events"]
                self.found.append(page)

    async def read_hands(self) -> None:
        """Read every hand, as the page does for its graph and its replays."""
        after = ""
        async with self._network.http() as http:
            while True:
                page = (await http.get(f"{HANDS_PATH}?limit=1000{after}")).json()
                self.found.append(page)
                for hand in page["hands"]:
                    self.found.append((await http.get(f"{HANDS_PATH}/{hand['handNumber']}")).json())
                if "next" not in page:
                    return
                after = f"&after={page['next']}"


def is_finished(sent: StreamEvent) -> bool:
    """Return whether the session is over."""
    event = sent.data.get("event", {})
    return bool((event.get("payload") or {}).get("kind") == "finished")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("hands", [100, pytest.param(1_000, marks=pytest.mark.long)])
async def test_nothing_public_has_a_hidden_card(
    log: io.StringIO, tmp_path: Path, hands: int
) -> None:
    """Streams, snapshots, pages, metrics and logs, during play and afterwards."""
    network = CasinoHarness(
        transport=DirectTransport(),
        new_secret=lambda: SECRET,
        table_data=tmp_path,  # in memory the oldest hands are deleted
        operator_token=TOKEN,
        stream_behind=100_000,  # it is played faster than records are made
    )
    async with network.tables.running(), network.lobby.running():
        operator = Operator(network)
        rules: dict[str, Any] = {
            "maxHands": hands,
            "maxSeats": PLAYERS,
            "rebuy": "auto",
            "seed": SEED,
        }
        await operator.open(**rules)
        async with live(network.lobby, network.store) as lobby:
            reader, path = PublicReader(network, lobby), "/v1/rooms/r1/stream"
            async with (
                lobby.stream(path) as room,
                lobby.stream("/v1/stream") as everything,
                lobby.stream(f"{path}?feed=commentator", token=TOKEN) as commentator,
            ):
                for number in range(PLAYERS):
                    network.player(f"p{number}", lively(f"p{number}", all_in=0.03, too_small=0.07))
                    await operator.seat(f"p{number}")
                streamed, of_lobby, late = await asyncio.gather(
                    reader.follow(room),
                    everything.until(is_finished),
                    commentator.until(is_finished),
                )
            await reader.read_current()
            events = await reader.read_all()
            await reader.read_hands()
            async with network.http() as http:
                reader.texts.append((await http.get("/metrics")).text)

    records = [sent.data for sent in late if sent.name == "hand_record"]
    holes: Holes = {
        record["handId"]: {one["playerId"]: set(cards_in(one)) for one in record["holeCards"]}
        for record in records
    }
    assert len(holes) == hands
    asked = {
        (one.hand_id, one.player_id): set(one.hole_cards)
        for player in network.players.values()
        for one in player.asked
    }
    assert (
        asked.items()
        <= {
            (hand, who): cards for hand, dealt in holes.items() for who, cards in dealt.items()
        }.items()
    )  # the records are right about the cards that were dealt

    auditor = LeakAuditor(holes)
    auditor.learn(events)
    auditor.audit(reader.found)
    assert auditor.shown > hands // 10
    assert auditor.mucked > hands
    auditor.audit([sent.data for sent in (*streamed, *of_lobby)])
    auditor.audit([sent.data for sent in late if sent.name != "hand_record"])
    for line in log.getvalue().splitlines():
        assert cards_in(json.loads(line)) == []
    for text in (*reader.texts, log.getvalue()):
        auditor.audit_text(text)
        assert '"rank"' not in text
    assert "hand_completed" in log.getvalue()


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Collect what lobby and table log, debug lines too."""
    with captured_log("casino", {*SECRET_KEYS, *TABLE_SECRET_KEYS}) as stream:
        yield stream
