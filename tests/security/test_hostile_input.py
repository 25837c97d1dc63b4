"""What outsiders choose, and what lies beside a table on its machine.

Each attack tells whether it succeeded: against what there is, and against what there was before,
where it must succeed.
"""

import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import ANYONE
from casino_contracts import SignupResponse, WireModel
from casino_lobby.domain.lobby_events import MessageBus
from casino_lobby.settings import PortRange
from casino_lobby.table_launcher import TableLauncher
from support.casino.casino_side import Operator, casino_harness


class FormerSignup(SignupResponse):
    action_skill: str = "act"


class Anything(WireModel):
    """An input without validation."""


async def is_seated_with(skill: str) -> bool:
    """Attack: sign up with an action skill that is kept and shown to all."""
    async with casino_harness() as casino:
        operator = Operator(casino)
        await operator.open()
        casino.player("eve")
        player = casino.players["eve"].agent()

        @player.entrypoint("boast", who=ANYONE)
        async def boast(_given: Anything) -> FormerSignup:
            return FormerSignup(display_name="Eve", action_skill=skill)

        casino.agent("eve", player)
        return (await operator.seat("eve", signupSkill="boast")).status_code == 201


async def test_a_signup_does_not_bloat_the_room() -> None:
    assert not await is_seated_with("x" * 700_000)
    assert await is_seated_with("x" * 128)


async def says_that_it_is_seeded(**rules: Any) -> bool:
    async with casino_harness() as casino:
        operator = Operator(casino)
        await operator.open(**rules)
        (line,) = (await operator.http.get("/v1/rooms")).json()["rooms"]
        snapshot = (await operator.http.get("/v1/rooms/r1")).json()
        assert "seed" not in snapshot["config"]
        return bool(line.get("seeded") and snapshot.get("seeded"))


async def test_a_seeded_room_says_so() -> None:
    assert await says_that_it_is_seeded(seed="2026")
    assert not await says_that_it_is_seeded(seed=None)


SECRETS = {
    "OPENAI_API_KEY": "sk-1",
    "AWS_SECRET_ACCESS_KEY": "aws-1",
    "CASINO_PLAYER_LLM_KEY": "llm-1",
    "CASINO_LOBBY_OPERATOR_TOKEN": "operator-1",
    "CASINO_LOBBY_FLEET_KEY": "fleet-1",
    "DATABASE_URL": "postgresql://casino:pw@db/casino",
}


async def finds_secrets(
    folder: Path, environment: Mapping[str, str], secrets: Mapping[str, str]
) -> set[str]:
    """Attack: read the lobby's secrets in a launched table, by a game that somebody wrote."""
    found = folder / "found"
    (folder / "thief.py").write_text(
        "import os, pathlib\n"
        "first = pathlib.Path('/proc/self/environ').read_text().replace('\\0', '\\n')\n"
        "now = '\\n'.join(f'{name}={value}' for name, value in os.environ.items())\n"
        f"pathlib.Path({str(found)!r}).write_text(first + now)\n"
    )
    launcher = TableLauncher(
        PortRange(0, 0),
        bus=MessageBus(),
        on_log=lambda _line: None,
        environment={**environment, "PYTHONPATH": str(folder), "CASINO_TABLE_GAMES": "thief"},
        secrets=secrets,
        grace=timedelta(seconds=10),
    )
    try:
        await launcher.launch("r1", None)
    finally:
        await launcher.stop_all()
    lines = set(found.read_text().splitlines())
    return {name for name in SECRETS if f"{name}={SECRETS[name]}" in lines}


@pytest.mark.full
async def test_a_launched_table_gets_no_other_service_s_secrets(tmp_path: Path) -> None:
    """Its environment holds only what is passed on purpose."""
    everything, passed = {**os.environ, **SECRETS}, {"OPENAI_API_KEY": "sk-1"}
    assert await finds_secrets(tmp_path, everything, {}) == set()
    assert await finds_secrets(tmp_path, everything, passed) == {"OPENAI_API_KEY"}
