"""Keys, tokens, seeds and hidden cards appear nowhere outside their owners."""

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.attack.overheard import cards_in, hidden_by_hand
from support.attack.siege import CLOSED_ROOM, FLEET_KEY, OPERATOR_KEY, ROOM, SEED, Secrets, Siege

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(300),
    pytest.mark.asyncio(loop_scope="session"),
]

CARD_PATH = "/.well-known/agent-card.json"
PAGES = (
    "/v1/config",
    "/v1/rooms",
    f"/v1/rooms/{ROOM}",
    f"/v1/rooms/{CLOSED_ROOM}",
    f"/v1/rooms/{ROOM}/events?limit=5000",
    f"/v1/rooms/{ROOM}/hands?limit=100",
    f"/v1/rooms/{ROOM}/hands/1",
    f"/v1/rooms/{ROOM}/hands/1/record",
    "/v1/tables",
    "/api/games",
    "/api/games/kuhn_poker/spec",
    "/openapi.json",
    "/",
    "/metrics",
    "/healthz",
    "/readyz",
    CARD_PATH,
)
STREAMS = (
    "/v1/stream",
    f"/v1/rooms/{ROOM}/stream",
    f"/v1/rooms/{ROOM}/stream?feed=commentator",
)
CARD = re.compile(r"(?<![A-Za-z0-9])(?:10|[2-9TJQKA])[hdcs♥♦♣♠](?![A-Za-z0-9])")


def _bare(secrets: Secrets, text: str) -> None:
    assert secrets.found_in(text) == []


class TestSecrets:
    """Each secret is searched for in everything that leaves a process."""

    async def test_there_are_secrets_of_each_kind(self, under_attack: Siege) -> None:
        """All of them differ."""
        values = under_attack.secrets().values
        assert {values["operator key"], values["fleet key"], values["seed"]} == {
            OPERATOR_KEY,
            FLEET_KEY,
            SEED,
        }
        assert len(set(values.values())) == len(values)
        assert min(map(len, values.values())) > 15
        assert any(name.startswith("seat token") for name in values)
        assert any(name.startswith("seed of hand") for name in values)
        assert under_attack.secrets().found_in(f"… {values['launch key']} …") == ["launch key"]

    async def test_secrets_are_in_no_log(self, under_attack: Siege) -> None:
        """Of lobby, tables and players, with DEBUG of the lobby."""
        log = "\n".join(under_attack.logs)
        assert "hand_completed" in log
        assert "table_launched" in log
        _bare(under_attack.secrets(), log)

    async def test_secrets_are_in_no_page_of_the_lobby(self, under_attack: Siege) -> None:
        """For the public and for the operator."""
        secrets = under_attack.secrets()
        for path in PAGES:
            reply = await under_attack.http.get(path)
            assert reply.is_success, path
            _bare(secrets, reply.text + str(reply.headers))

    async def test_secrets_are_in_no_stream(self, under_attack: Siege) -> None:
        """From its first event."""
        secrets = under_attack.secrets()
        for stream in await asyncio.gather(*map(under_attack.stream, STREAMS)):
            assert "data:" in stream
            _bare(secrets, stream)

    async def test_secrets_are_in_no_agent_card_and_no_metric(self, under_attack: Siege) -> None:
        """A card behind a capability address names that address only."""
        secrets = under_attack.secrets()
        tables = (await under_attack.http.get("/v1/tables")).json()["tables"]
        cards = [*under_attack.player_cards, *(table["agentCardUrl"] for table in tables)]
        async with httpx.AsyncClient(trust_env=False, timeout=30) as http:
            for card in cards:
                origin = card.removesuffix(CARD_PATH)
                for url in (card, f"{origin}/metrics", f"{origin}/readyz"):
                    reply = await http.get(url)
                    assert reply.is_success, url
                    _bare(secrets, reply.text)
            key = secrets.values[f"events right of {ROOM}, epoch 1"]
            await http.get(f"{under_attack.lobby.url}/t/{key}{CARD_PATH}")
            _bare(secrets, (await http.get(under_attack.lobby.url + CARD_PATH)).text)

    async def test_secrets_are_in_no_error(self, under_attack: Siege) -> None:
        """Wrong input is neither sent back nor logged."""
        secrets = under_attack.secrets()
        rights = [
            secrets.values[name]
            for name in secrets.values
            if name.endswith("epoch 1") or name.startswith("seat token of player-1")
        ]
        bodies: tuple[Any, ...] = (
            {"config": SEED},
            {"roomId": ROOM, "config": {"seed": SEED}},
            {"requestId": rights[0], "unknown": rights},
            rights,
        )
        async with httpx.AsyncClient(
            base_url=under_attack.lobby.url, trust_env=False, timeout=30
        ) as http:
            for token in (*rights, FLEET_KEY):
                headers = {"authorization": f"Bearer {token}"}
                for path in ("/v1/rooms", f"/v1/rooms/{ROOM}/players", "/v1/nowhere"):
                    for body in bodies:
                        reply = await http.post(path, json=body, headers=headers)
                        assert reply.is_error
                        _bare(secrets, reply.text)
                reply = await http.get(f"/t/{token}/nowhere")
                assert reply.is_error
        _bare(secrets, "\n".join(under_attack.logs))

    async def test_secrets_are_in_no_process_list(self, under_attack: Siege) -> None:
        """Every user of the machine may read it."""
        secrets = under_attack.secrets()
        lines = _command_lines()
        assert any("casino_lobby" in line for line in lines)
        _bare(secrets, "\n".join(lines))

    async def test_secrets_are_in_no_output_of_the_console(self, under_attack: Siege) -> None:
        """Of a room, its hands, its stream, and the settings."""
        secrets = under_attack.secrets()
        url = under_attack.lobby.url
        commands = (
            ("rooms", "--json"),
            ("room", "show", ROOM, "--json"),
            ("room", "hands", ROOM),
            ("room", "hand", ROOM, "1"),
            ("watch", ROOM, "--hands", "1", "--json"),
        )
        for command in commands:
            ended = await asyncio.to_thread(
                subprocess.run,
                [sys.executable, "-m", "casino", *command, "--lobby", url],
                env={
                    **under_attack.environment,
                    "CASINO_LOBBY_OPERATOR_TOKEN": OPERATOR_KEY,
                },
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert ended.returncode == 0, ended.stderr
            assert ended.stdout
            _bare(secrets, ended.stdout + ended.stderr)

    async def test_files_are_readable_by_their_owner_only(self, under_attack: Siege) -> None:
        """Database and journals."""
        files = [path for path in under_attack.data.rglob("*") if path.is_file()]
        assert any(path.name == "casino.db" for path in files)
        assert any(path.suffix == ".journal" for path in files)
        assert {oct(path.stat().st_mode & 0o777) for path in files} == {"0o600"}


def _command_lines() -> list[str]:
    lines = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return lines


class TestCards:
    """Hole cards that were not shown."""

    async def test_cards_are_in_no_log(self, under_attack: Siege) -> None:
        """Not even shown ones."""
        for line in under_attack.logs:
            assert not CARD.search(line), line
            assert '"rank"' not in line

    async def test_events_and_hands_show_only_shown_cards(self, under_attack: Siege) -> None:
        """Hand by hand, compared with the operator's records."""
        hidden = hidden_by_hand(under_attack.events, under_attack.records)
        for event in under_attack.events:
            cards = cards_in(event.model_dump(mode="json"))
            assert not cards & hidden.get(event.hand_id or "", set()), event.event_type
        for hand_id, cards in hidden.items():
            number = hand_id.rpartition("/")[2]
            path = f"/v1/rooms/{ROOM}/hands/{number}"
            hand = (await under_attack.http.get(path)).raise_for_status().json()
            assert not cards_in(hand) & cards
        assert sum(map(bool, hidden.values())) > 3

    async def test_cards_are_in_no_metric(self, under_attack: Siege) -> None:
        """Metrics are numbers."""
        page = (await under_attack.http.get("/metrics")).text
        assert not CARD.search(page)
        assert "casino_events_recorded_total" in page

    async def test_a_hand_record_has_no_seed(self, under_attack: Siege) -> None:
        """It would reveal the cards of the next hand."""
        reply = await under_attack.http.get(f"/v1/rooms/{ROOM}/hands/1/record")
        record = reply.raise_for_status().json()
        assert record["deck"]
        assert "seed" not in json.dumps(record)
