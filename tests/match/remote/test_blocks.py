"""Blocks with agents, in this process and over connections, are those of the same players."""

import asyncio
from collections.abc import Awaitable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from casino_agentkit import Service
from casino_contracts import ActionRequest, ActionResponse
from casino_match.domain.block import block_digest, block_from_json, block_to_json
from casino_match.domain.plan import Plan
from casino_match.errors import MatchSuspended
from casino_match.executors.agent_session import BlocksWithAgents
from casino_match.play.played_block import play_block
from casino_match.play.remote_block import RemoteTables
from casino_match.players.local_players import local_players
from casino_player_example.holdem_agent import player_agent
from casino_player_example.style_catalogue import decide_of
from support.match.agent_side import MatchSide, by_cards, plan_of
from support.players.any_player import AnyPlayer
from support.players.faulty_player import faulty_player
from support.served import serving
from support.table.table_side import Decide, Player


def styled(name: str, style: str) -> Player:
    return Player(name, decide_of(style))


def late(decide: Decide, steps: int) -> Decide:
    """Return a player that lets others run for so many steps of the loop, by its cards."""

    async def decided(request: ActionRequest) -> ActionResponse:
        for _ in range(steps * len(str(request.hole_cards)) % 7):
            await asyncio.sleep(0)
        answer = decide(request)
        return await answer if isinstance(answer, Awaitable) else answer

    return decided


async def test_agents_play_as_the_same_players_in_process() -> None:
    side = MatchSide(styled("tight", "tight"), styled("caller", "caller"))
    block = await (await side.match(plan_of("tight", "caller", decks=20))).play(0)
    plan = plan_of(
        *({"name": name, "player": f"style:{name}"} for name in ("tight", "caller")), decks=20
    )
    local = play_block(plan, 0, local_players(plan))
    assert block.decks == local.decks
    assert [conduct.play for conduct in block.conduct] == [c.play for c in local.conduct]
    assert [conduct.outcomes for conduct in block.conduct] == [c.outcomes for c in local.conduct]
    assert any(any(deck.net) for deck in block.decks)


async def test_the_result_does_not_depend_on_the_order_of_answers() -> None:
    """Whoever is slow: the block is the same to the byte, but for the times."""
    plan = plan_of("a", "b", "c", decks=4)
    digests = set()
    for slow in ((0, 0, 0), (3, 0, 1), (0, 5, 2)):
        players = [
            Player(name, late(by_cards, steps))
            for name, steps in zip(("a", "b", "c"), slow, strict=True)
        ]
        block = await (await MatchSide(*players).match(plan)).play(0)
        digests.add(block_digest(block))
        assert block_from_json(block_to_json(block), plan, 0) == block
    assert len(digests) == 1


@pytest.mark.parametrize(("of_a", "of_b", "most"), [(1, 4, 1), (2, 3, 2), (8, 4, 4)])
async def test_an_agent_plays_as_many_hands_at_once_as_the_plan_says(
    of_a: int, of_b: int, most: int
) -> None:
    """No more, and so many whenever there are hands left."""
    at_once = set[int]()
    hands = set[str]()

    async def noting(request: ActionRequest) -> ActionResponse:
        hands.add(request.hand_id or "")
        at_once.add(len(hands))
        for _ in range(50):  # others get their questions meanwhile
            await asyncio.sleep(0)
        hands.discard(request.hand_id or "")
        return ActionResponse(action="fold" if "fold" in request.legal_actions else "check")

    side = MatchSide(Player("a", noting), Player("b", noting))
    players = [
        {"name": name, "player": f"http://{name}", "games_at_once": number}
        for name, number in (("a", of_a), ("b", of_b))
    ]
    await (await side.match(plan_of(*players, decks=6))).play(0)
    assert max(at_once) == most


def written(folder: Path, source: str) -> dict[str, str]:
    """Write the function of a player; returns the player."""
    file = folder / "bot.py"
    file.write_text(source)
    return {"name": "function", "player": f"{file}:act"}


DICE = """
import random

def act(turn):
    legal = turn["legalActions"]
    return {"action": random.choice([kind for kind in legal if kind not in ("bet", "raise")])}
"""


@pytest.mark.parametrize("games_at_once", [1, 4])
async def test_a_function_beside_agents_has_the_dice_that_it_has_in_process(
    games_at_once: int, tmp_path: Path
) -> None:
    """Hands that are played at the same time do not share random numbers."""
    function = written(tmp_path, DICE)
    side = MatchSide(Player("caller"))
    caller = {"name": "caller", "player": "http://caller", "games_at_once": games_at_once}
    block = await (await side.match(plan_of(function, caller, decks=8))).play(0)
    plan = plan_of(function, {"name": "caller", "player": "style:caller"}, decks=8)
    assert block.decks == play_block(plan, 0, local_players(plan)).decks


async def test_an_agent_that_plays_any_game_is_asked_by_the_specification() -> None:
    """Its actions are those of the game, and count as others' do."""
    wild = AnyPlayer("wild")
    side = MatchSide(wild, Player("caller"))
    block = await (await side.match(plan_of("wild", "caller", decks=6))).play(0)
    assert all(sum(deck.net) == 0 for deck in block.decks)
    assert set(block.conduct[0].outcomes) == {"ok"}
    assert len(wild.asked) == block.conduct[0].outcomes["ok"]
    first = wild.asked[0]
    assert first.game_type == "texas-holdem"
    assert len(first.state["private"]["hole_cards"]) == 2
    assert len({request.request_id for request in wild.asked}) == len(wild.asked)


async def test_a_block_is_the_same_again() -> None:
    """Also the ids of its questions, so that an agent that keeps answers gives the same ones."""
    plan = plan_of("a", "b")

    async def asked() -> list[str]:
        player = Player("a", by_cards)
        side = MatchSide(player, Player("b", by_cards))
        await (await side.match(plan)).play(0)
        return sorted(request.request_id or "" for request in player.asked)

    first = await asked()
    assert first == await asked()
    assert len(set(first)) == len(first)


def test_other_plans_have_other_tables() -> None:
    """So an answer that an agent keeps never serves another match."""
    plans = [plan_of("a", "b"), plan_of("a", "b", decks=5), plan_of("b", "a")]
    assert len({table_id(plan) for plan in plans}) == 3


def table_id(plan: Plan) -> str:
    return RemoteTables(plan, runs_code=False).ids[0]


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
