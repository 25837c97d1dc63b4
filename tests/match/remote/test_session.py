"""Blocks with agents over real connections, for a program without an event loop."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from casino_agentkit import Service
from casino_match.domain.plan import Plan
from casino_match.errors import MatchSuspended, PlayerFailed
from casino_match.play.block import play_block
from casino_match.play.remote_session import BlocksWithAgents, version_of_agent
from casino_match.players.local import local_players
from casino_player_example.app import player_agent
from casino_player_example.styles.catalogue import decide_of
from support.match.agent_side import plan_of
from support.players.faulty_player import faulty_player
from support.served import serving


def entrant(name: str, url: str, **more: object) -> dict[str, object]:
    return {"name": name, "player": url, **more}


@pytest.fixture
def agents() -> Iterator[str]:
    """Serve agents that play `tight` and `caller`; gives the URL that their paths follow."""
    service = Service(
        {
            f"/{style}": player_agent(style, "Plays.", decide_of(style))
            for style in ("tight", "caller")
        }
    )
    with serving(service.asgi(), service) as url:
        yield url


def plan_at(url: str) -> Plan:
    """Return the plan of a match between the two agents."""
    return plan_of(entrant("tight", f"{url}/tight"), entrant("caller", f"{url}/caller"), decks=5)


def test_blocks_over_http_are_those_of_the_same_styles_in_process(agents: str) -> None:
    with BlocksWithAgents(plan_at(agents)) as blocks:
        block = blocks.play(0)
    styles = (entrant(style, f"style:{style}") for style in ("tight", "caller"))
    plan = plan_of(*styles, decks=5)
    assert block.decks == play_block(plan, 0, local_players(plan)).decks


def test_the_version_of_an_agent_is_read_before_the_match(agents: str) -> None:
    """It is the same at each reading, and another for another agent."""
    tight, caller = plan_at(agents).players
    assert version_of_agent(tight) == version_of_agent(tight)
    assert version_of_agent(tight) != version_of_agent(caller)
    assert version_of_agent(tight).startswith("sha256:")


def test_an_agent_that_closes_connections_suspends_the_match(agents: str) -> None:
    """With what the connection says; the block is not written."""
    with faulty_player("closes") as closing:
        plan = plan_of(
            entrant("closing", closing.card_url),
            entrant("caller", f"{agents}/caller"),
            rules={"clock": timedelta(milliseconds=200)},
            faults={"patience": timedelta(milliseconds=300)},
        )
        with (
            BlocksWithAgents(plan) as blocks,
            pytest.raises(MatchSuspended, match="closing at .*closed without a reply"),
        ):
            blocks.play(0)
        assert closing.asked >= 2


@pytest.mark.parametrize("fault", ["prose", "wrong action", "error", "failed task"])
def test_nonsense_counts_and_the_match_goes_on(fault: str, agents: str) -> None:
    with faulty_player(fault) as player:
        plan = plan_of(
            entrant("bad", player.card_url), entrant("caller", f"{agents}/caller"), decks=2
        )
        with BlocksWithAgents(plan) as blocks:
            block = blocks.play(0)
    assert set(block.conduct[0].outcomes) == {"malformed"}
    assert all(sum(deck.net) == 0 for deck in block.decks)


def test_entering_fails_without_the_agents() -> None:
    """And leaves nothing open; the error says which agent."""
    plan = plan_of(entrant("a", "http://127.0.0.1:9/"), entrant("b", "http://127.0.0.1:9/"))
    with pytest.raises(PlayerFailed, match="a cannot be signed up"), BlocksWithAgents(plan):
        pytest.fail("the match has begun")
