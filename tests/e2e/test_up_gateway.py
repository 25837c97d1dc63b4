"""`casino up` with its gateway, where somebody sits down, and with an evaluator."""

import json
import signal
import subprocess
import sys
from typing import Any

import httpx
import pytest
from support.casino.live import ENVIRONMENT

pytestmark = [pytest.mark.full, pytest.mark.timeout(120)]

COMMAND = [sys.executable, "-m", "casino", "up", "--json", "--port", "0", "--hands", "2"]
PLAYERS = ("--players", "caller,caller")
IMPATIENT = {**ENVIRONMENT, "CASINO_GATEWAY_PRESENCE": "1s"}
"""Nobody is thought to be at a seat a second after it was heard of last."""


def until(up: subprocess.Popen[str], text: str) -> list[dict[str, Any]]:
    """Return the lines up to the first that contains a text."""
    assert up.stdout is not None
    lines = []
    for line in up.stdout:
        lines.append(json.loads(line))
        if text in line:
            return lines
    raise AssertionError(f"it ended before {text!r}: {lines}")


def test_a_guest_sits_down_and_the_room_plays_again() -> None:
    """The lobby names the gateway, whose page-side calls are allowed; nobody holds the hands up."""
    with subprocess.Popen(
        [*COMMAND, *PLAYERS], env=IMPATIENT, stdout=subprocess.PIPE, text=True
    ) as up:
        lines = until(up, "stays open")
        (gateway,) = (line["url"] for line in lines if line.get("text", "").startswith("gateway"))
        lobby = next(line["url"] for line in lines if line.get("text", "").startswith("lobby"))
        assert any(line["text"] == f"sit down: {lobby}/rooms/main" for line in lines[-2:])
        with httpx.Client(trust_env=False, timeout=30) as http:
            config = http.get(f"{lobby}/v1/config").json()
            assert config["gatewayUrl"] == gateway
            assert [bot["name"] for bot in config["sampleBots"]] == ["Caller"]
            seat = http.post(
                f"{gateway}/bgp/seats",
                json={"match_id": "main", "name": "Guest", "type": "human"},
                headers={"origin": lobby},
            )
            assert seat.status_code == 201, seat.text
            assert seat.headers["access-control-allow-origin"] == lobby
            guest = seat.json()["agent_id"]
            played = [line for line in until(up, '"results"') if line["event"] == "hand"]
            assert guest in played[-1]["changes"]
            assert [hand["hand"] for hand in played] == [3, 4]
            elsewhere = http.post(
                f"{gateway}/bgp/seats", headers={"origin": "https://evil.example"}
            )
            assert elsewhere.status_code == 403
        up.send_signal(signal.SIGINT)
        assert up.wait(60) == 0


def test_an_agent_is_examined_beside_the_casino() -> None:
    """The evaluator's rooms play at tables of their own, which stand ready."""
    command = [*COMMAND, *PLAYERS, "--no-gateway", "--evaluator"]
    with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as up:
        lines = until(up, "stays open")
        (evaluator,) = (
            line["url"] for line in lines if line.get("text", "").startswith("evaluator")
        )
        with httpx.Client(base_url=evaluator, trust_env=False, timeout=30) as http:
            http.headers["x-api-key"] = http.get("/api/games/anonkey").json()["api_key"]
            card = http.post("/api/scorecard/open", json={}).json()
            frame = http.post("/api/cmd/RESET", json={"game_id": "kuhn", **card}).json()
            assert (frame["state"], frame["win_score"]) == ("NOT_FINISHED", 3)
            table = {
                room["tableAgentCardUrl"] for room in rooms_of(lines) if "eval-" in room["roomId"]
            }
            assert all("/tables/" in url for url in table)
            assert table
        up.send_signal(signal.SIGINT)
        assert up.wait(60) == 0


def rooms_of(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rooms of the lobby that the lines name."""
    lobby = next(line["url"] for line in lines if line.get("text", "").startswith("lobby"))
    rooms: list[dict[str, Any]] = httpx.get(f"{lobby}/v1/rooms", trust_env=False).json()["rooms"]
    return rooms
