"""`casino attack` against a casino of real processes while a game is being played."""

import asyncio
import json
import stat
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from casino.attack.catalogue import ATTACKS, GROUPS
from casino.attack.outcome import Verdict
from casino.attack.reach import is_private
from support.attack.overheard import Overheard, hidden_by_hand
from support.attack.siege import CLOSED_ROOM, OPERATOR_KEY, ROOM, Siege
from support.casino.auditor import RoomAudit
from support.console_side import casino

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="session"),
]


class TestTheAttacks:
    """All attacks, without a seat and with a bot at the table."""

    @pytest.mark.parametrize("name", [one.name for one in ATTACKS])
    async def test_each_attack_is_refused(self, under_attack: Siege, name: str) -> None:
        """Each had something to attack."""
        outcome = under_attack.outcomes[name].outcome
        assert outcome.verdict is Verdict.REFUSED, outcome.evidence

    async def test_the_session_was_not_hindered(self, under_attack: Siege) -> None:
        """Hands were completed meanwhile, none was cancelled, no decision timed out."""
        kinds = [(event.payload or {}).get("kind") for event in under_attack.events]
        types = {event.event_type for event in under_attack.events}
        assert "hand_cancelled" not in kinds
        assert "paused" not in kinds
        assert "sat_out" not in kinds
        assert "table_error" not in types
        assert {event.epoch for event in under_attack.events} == {1}
        room = (await under_attack.http.get(f"/v1/rooms/{ROOM}")).json()
        assert (room["epoch"], room["summary"]["status"]) == (1, "running")
        outcomes = {
            (event.payload or {})["outcome"]
            for event in under_attack.events
            if event.event_type == "action_taken"
        }
        assert outcomes == {"ok"}
        assert len(under_attack.records) > under_attack.hands_before + 5

    async def test_the_bot_leaves_before_it_stops(self, under_attack: Siege) -> None:
        """Its table would wait for its clock at every decision."""
        assert sorted(under_attack.seated_after) == ["Caller", "Random", "Tight"]

    async def test_every_chip_is_there(self, under_attack: Siege) -> None:
        """After every event of the room."""
        audit = RoomAudit(ROOM)
        for event in under_attack.events:
            audit.take(event)
        audit.check_whole()
        closed = (await under_attack.http.get(f"/v1/rooms/{CLOSED_ROOM}")).json()
        assert closed["summary"]["handCount"] == 0

    async def test_the_attacker_learned_no_card(self, under_attack: Siege) -> None:
        """It received no bytes of cards beside those that were shown."""
        overheard = Overheard(under_attack.heard)
        hidden = hidden_by_hand(under_attack.events, under_attack.records)
        assert sum(map(bool, hidden.values())) > 3, "cards stayed hidden"
        overheard.holds_none_of(hidden)
        assert overheard.events > 50

    async def test_the_attacker_received_no_secret(self, under_attack: Siege) -> None:
        """Neither its neighbours' tokens nor a key."""
        heard = b"".join(under_attack.heard).decode(errors="replace")
        assert under_attack.secrets().found_in(heard) == []


async def _command(siege: Siege, *arguments: str, **environment: str) -> tuple[int, str, str]:
    """Run `casino attack` as a process to its end, without blocking the test's loop."""
    ended = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "casino", "attack", *arguments],
        env={**siege.environment, **environment},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert "Traceback" not in ended.stderr
    return ended.returncode, ended.stdout, ended.stderr


class TestTheCommand:
    """Output and exit codes of the command."""

    async def test_a_casino_that_withstands_ends_with_0(
        self, under_attack: Siege, tmp_path: Path
    ) -> None:
        """A table has a line for each attack; all received bytes are in a file."""
        kept = tmp_path / "received"
        code, out, err = await _command(
            under_attack, under_attack.lobby.url, "--group", "events", "--received", str(kept)
        )
        assert (code, err) == (0, "")
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert kept.read_bytes().count(b"UNAUTHORIZED") > 20
        lines = out.splitlines()
        assert lines[0].split() == ["group", "attack", "outcome", "evidence"]
        assert {line.split()[1] for line in lines[1:-1]} == {
            one.name for one in ATTACKS if one.group == "events"
        }
        assert lines[-1] == "6 refused, 0 SUCCEEDED, 0 not applicable"

    async def test_json_has_a_line_for_each_attack(self, under_attack: Siege) -> None:
        """With a bot in the room and named players; the exit code is 1 where one succeeded."""
        public = await under_attack.start("casino_player_example", "caller", "--name", "Public")
        cards = [*under_attack.player_cards, public.cards[0]]
        players = [part for card in cards for part in ("--player", card)]
        code, out, _ = await _command(
            under_attack,
            under_attack.lobby.url,
            *("--group", "seats", "--seat", ROOM, "--json"),
            *players,
            CASINO_LOBBY_OPERATOR_TOKEN=OPERATOR_KEY,
        )
        found = {line["attack"]: line for line in map(json.loads, out.splitlines())}
        assert found.keys() == {one.name for one in ATTACKS if one.group == "seats"}
        open_ways = {name for name, line in found.items() if line["outcome"] == "SUCCEEDED"}
        assert open_ways == {"question-player-elsewhere"}, "the one without a key sits nowhere"
        assert code == 1
        assert all(line["evidence"] for line in found.values())
        assert under_attack.secrets().found_in(out) == []

    async def test_a_bot_needs_an_existing_room(self, under_attack: Siege) -> None:
        """The error quotes the lobby."""
        async with httpx.AsyncHTTPTransport() as network:
            ended = await casino("attack", under_attack.lobby.url, "--seat", "nowhere", to=network)
        assert (ended.exit_code, ended.stdout) == (1, "")
        assert "room nowhere gives the bot no seat" in ended.stderr


NOTHING_THERE = httpx.MockTransport(lambda _request: httpx.Response(404))


class TestTheOptions:
    """Options that are checked before any attack."""

    async def test_list_prints_the_attacks(self) -> None:
        """Nothing is attacked."""
        ended = await casino("attack", "http://192.0.2.1", "--list", "--json", to=NOTHING_THERE)
        assert ended.exit_code == 0
        lines = [json.loads(line) for line in ended.stdout.splitlines()]
        assert [line["attack"] for line in lines] == [one.name for one in ATTACKS]
        assert {line["group"] for line in lines} == set(GROUPS)
        assert all(line["tries"].endswith(".") for line in lines)

    @pytest.mark.parametrize(
        "arguments",
        [
            ("http://192.0.2.1:4000",),
            ("http://127.0.0.1:4000", "--player", "http://192.0.2.1/"),
            ("http://127.0.0.1:4000", "--table", "http://192.0.2.1/"),
        ],
    )
    async def test_a_public_address_needs_confirmation(self, arguments: tuple[str, ...]) -> None:
        """Only loopback and private networks do not."""
        ended = await casino("attack", *arguments, to=NOTHING_THERE)
        assert (ended.exit_code, ended.stdout) == (2, "")
        assert "--yes-it-is-mine" in ended.stderr

    async def test_an_operator_can_confirm_a_public_address(self) -> None:
        """The address is then called; no lobby answers here."""
        ended = await casino(
            "attack", "http://192.0.2.1:4000", "--yes-it-is-mine", to=NOTHING_THERE
        )
        assert (ended.exit_code, ended.stdout) == (1, "")
        assert "is not a lobby" in ended.stderr

    async def test_an_unknown_group_is_refused(self) -> None:
        """The error lists the groups."""
        ended = await casino("attack", "--group", "magic", to=NOTHING_THERE)
        assert ended.exit_code == 2
        assert "magic is none of" in " ".join(ended.stderr.replace("│", " ").split())

    async def test_a_file_that_cannot_be_written_is_refused(self) -> None:
        """The error names option and reason before any attack."""
        ended = await casino(
            *("attack", "http://127.0.0.1:1", "--received", "/nowhere/kept"), to=NOTHING_THERE
        )
        assert (ended.exit_code, ended.stdout) == (2, "")
        message = " ".join(ended.stderr.replace("│", " ").split())
        assert "--received" in message
        assert "/nowhere/kept: No such file or directory" in message

    async def test_a_missing_key_file_is_refused(self) -> None:
        """The error names the setting."""
        setting = {"CASINO_LOBBY_OPERATOR_TOKEN_FILE": "/nowhere/key"}
        ended = await casino("attack", "http://127.0.0.1:1", to=NOTHING_THERE, environment=setting)
        assert ended.exit_code == 2
        assert "CASINO_LOBBY_OPERATOR_TOKEN_FILE" in ended.stderr


class TestWhereItMayGo:
    """Loopback and private networks are attacked without asking."""

    @pytest.mark.parametrize(
        "address",
        [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.9",
            "192.168.7.7",
            "::1",
            "fd00::1",
            "::ffff:127.0.0.1",
        ],
    )
    async def test_local_addresses_need_no_confirmation(self, address: str) -> None:
        """By any name."""
        assert is_private("http://casino:4000", lambda _host: [address])

    @pytest.mark.parametrize(
        "addresses",
        [
            [],
            ["192.0.2.1"],
            ["169.254.169.254"],
            ["100.64.0.1"],
            ["127.0.0.1", "192.0.2.1"],
            ["2001:db8::1"],
            ["::ffff:192.0.2.1"],
            ["0.0.0.0"],
        ],
    )
    async def test_other_addresses_need_confirmation(self, addresses: list[str]) -> None:
        """Also a name with one public address, or with none."""
        assert not is_private("http://casino:4000", lambda _host: addresses)
