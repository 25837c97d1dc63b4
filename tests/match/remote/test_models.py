"""A match whose agent is a language model, whose provider behaves in any of its ways."""

import re
from itertools import cycle

import httpx
import pytest
from casino_match.domain.block import block_from_json, block_to_json
from casino_match.errors import MatchSuspended
from casino_match.results import result_of
from casino_player_example.any_game import build_players
from casino_player_example.settings import PlayerSettings
from support.match.agent_side import MatchSide, by_cards, outcomes, plan_of
from support.players.model_server import KEY, MODELS, PROTOCOLS, WAYS, ModelServer, sensible
from support.table.table_side import Player


@pytest.mark.parametrize(("way", "protocol"), list(zip(WAYS, cycle(PROTOCOLS), strict=False)))
async def test_a_match_of_a_model_that_fails_never_ends_with_a_verdict(
    way: str, protocol: str
) -> None:
    """It is suspended in the provider's words; a model that decides has its name and its cost."""
    expected, server = WAYS[way], ModelServer(sensible)
    settings = PlayerSettings.load({}, style="llm", llm_model=MODELS[protocol], llm_api_key=KEY)
    players = build_players(
        settings, httpx.AsyncClient(), lambda: 0.0, key=None, provider=server.transport()
    )
    side = MatchSide(Player("b", by_cards))
    side.serve("llm", players.agent("llm"))
    plan = plan_of({"name": "llm", "player": "http://llm", "games_at_once": 1}, "b", decks=1)
    match = await side.match(plan)
    server.replies = [expected.reply]
    if expected.reason is not None:
        words = f"llm at http://llm .*{expected.reason}: .*{re.escape(expected.words)}"
        with pytest.raises(MatchSuspended, match=words) as suspended:
            await match.play(0)
        assert KEY not in str(suspended.value)
    else:
        block = await match.play(0)
        assert set(outcomes(block)) == {"ok"}
        player, _ = result_of(plan, [block_from_json(block_to_json(block), plan, 0)]).players
        assert player.models == (MODELS[protocol].partition(":")[2],)
        assert player.costs is not None
        assert player.costs.input_tokens == 40 * player.decisions
        assert player.costs.usd_per_100_hands
    await players.stop()
