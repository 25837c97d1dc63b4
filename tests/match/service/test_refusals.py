"""What the service does not do: refused with the field, and nothing is kept."""

from pathlib import Path
from typing import Any

import pytest
from casino_agentkit import InvalidSettings, RemoteRefused
from casino_match.settings import MatchSettings

from .conftest import LONG_MS, PLAN, match_service, play_here


async def refusal(folder: Path, token: str | None = None, **request: Any) -> RemoteRefused:
    """Return how a call with the key, or with another token, is refused; nothing is kept."""
    settings = {"decks": 1_000, "call_addresses": "public"}
    async with match_service(folder, play_here, **settings) as service:
        with pytest.raises(RemoteRefused) as refused:
            await (service.run(**request) if token is None else service.run(token, **request))
        assert service.kept == []
    return refused.value


def planned(player: str = "style:tight", **parts: Any) -> dict[str, Any]:
    return {**PLAN, "players": [{"player": player}, {"player": "style:caller"}], **parts}


@pytest.mark.parametrize("player", ["bots/mine.py:act", "/etc/passwd", "file:///bots/mine.py"])
async def test_a_function_of_a_file_is_no_player(tmp_path: Path, player: str) -> None:
    refused = await refusal(tmp_path, plan=planned(player))
    (violation,) = refused.violations
    assert violation.field == "plan.players.0.player"
    assert "style:tight" in violation.message
    assert "casino match" in violation.message


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:8080/", "http://10.0.0.1/", "http://[::1]:8080/", "http://169.254.169.254/"],
)
async def test_an_address_beyond_the_policy_is_not_called(tmp_path: Path, url: str) -> None:
    refused = await refusal(tmp_path, plan=planned(url))
    (violation,) = refused.violations
    assert refused.reason == "AGENT_UNREACHABLE"
    assert violation.field == "plan.players.0.player"
    assert "addresses are not called from here" in violation.message


@pytest.mark.parametrize(
    ("token", "reason"), [("", "UNAUTHORIZED"), ("another key of a test", "FORBIDDEN")]
)
async def test_only_the_operator_runs_matches(tmp_path: Path, token: str, reason: str) -> None:
    assert (await refusal(tmp_path, token, plan=PLAN)).reason == reason


@pytest.mark.parametrize(
    ("parts", "field", "message"),
    [
        ({"deal": {"decks": 1_001}}, "deal.decks", "must be at most 1000"),
        ({"deal": {"decksPerBlock": 10_001}}, "deal.decksPerBlock", "must be at most 10000"),
        ({"rules": {"clock": "11m"}}, "rules.clock", "must be at most 600s"),
        ({"faults": {"patience": "1h"}}, "faults.patience", "must be at most 600s"),
        # Named as on the wire, not as in the plan file, whose names have underscores.
        ({"deal": {"decksPerBlock": 0}}, "deal.decksPerBlock", "must be at least 1"),
    ],
)
async def test_a_plan_has_bounds(
    tmp_path: Path, parts: dict[str, Any], field: str, message: str
) -> None:
    """Of settings, or of what the service can hold."""
    deal = {"decks": 10, **parts.get("deal", {})}
    refused = await refusal(tmp_path, plan=planned(**{**parts, "deal": deal}))
    assert refused.reason == "INVALID_PLAN"
    violations = [(each.field, each.message) for each in refused.violations]
    assert violations == [(f"plan.{field}", message)]


async def test_an_unknown_field_of_a_plan_is_refused(tmp_path: Path) -> None:
    """Another match would be played than is meant."""
    (violation,) = (await refusal(tmp_path, plan=planned(deal={"deck": 10}))).violations
    assert (violation.field, violation.message) == ("plan.deal.deck", "is unknown")


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        (planned("style:nobody"), "plan.players.0.player: must be one of style:"),
        (planned(rules={"stack": 1}), "stack does not cover the big blind"),
    ],
)
async def test_a_plan_that_cannot_be_played_is_refused(
    tmp_path: Path, plan: dict[str, Any], text: str
) -> None:
    refused = await refusal(tmp_path, plan=plan)
    assert refused.reason == "INVALID_PLAN"
    assert text in refused.message


@pytest.mark.parametrize(
    "match_id", ["..", "../../etc", "tight-caller", "x-0123456789abcdef", "x/y-0123456789abcdef"]
)
async def test_an_id_names_a_match_that_has_begun(tmp_path: Path, match_id: str) -> None:
    refused = await refusal(tmp_path, matchId=match_id)
    fields = [violation.field for violation in refused.violations]
    assert refused.reason == "MATCH_NOT_FOUND" or fields == ["matchId"]


async def test_a_plan_is_not_begun_only_to_look(tmp_path: Path) -> None:
    """With `resume: false`; and plan and id are of one match, else one of them is a mistake."""
    assert (await refusal(tmp_path, plan=PLAN, resume=False)).reason == "MATCH_NOT_FOUND"
    refused = await refusal(tmp_path, plan=PLAN, matchId="x-0123456789abcdef")
    assert refused.reason == "INVALID_PLAN"


async def test_no_more_matches_are_kept_than_the_settings_say(tmp_path: Path) -> None:
    async with match_service(tmp_path, play_here, kept=1) as service:
        first = await service.run(plan=PLAN, waitMs=LONG_MS)
        with pytest.raises(RemoteRefused, match="CASINO_MATCH_KEPT") as refused:
            await service.run(plan=planned(deal={"decks": 9}))
        assert refused.value.reason == "TOO_MANY_MATCHES"
        assert await service.run(plan=PLAN) == first
        assert len(service.kept) == 1


def test_it_does_not_listen_to_others_without_a_key() -> None:
    """Anybody there could run matches."""
    with pytest.raises(InvalidSettings, match="CASINO_MATCH_OPERATOR_TOKEN"):
        MatchSettings.load({"CASINO_MATCH_HOST": "0.0.0.0"})
