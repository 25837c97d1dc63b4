"""A player with a key answers whoever has it; seat tokens keep tables apart and admit nobody."""

from http import HTTPStatus

import httpx
import pytest
from casino.attack.attack_target import AttackedAgent
from casino.attack.binding_calls import BINDINGS, Depth
from support.attack.seated_player import (
    KEY,
    QUESTION,
    invitation,
    sample_player,
    seated_player,
)
from support.casino.keyed_casino import OPERATOR_KEY, keyed_casino
from support.players.model_server import ModelServer, sensible
from support.table.any_game import question


class TestQuestions:
    async def test_only_the_key_admits(self) -> None:
        """Over every binding, whatever seat token is sent, the right one included."""
        async with seated_player(key=KEY) as casino:
            public = casino.player_agent("victim")
            tokens = (None, casino.seat_token("player-1", "r1"), OPERATOR_KEY, "m" * 512)
            for token in tokens:
                for binding in BINDINGS:
                    reply = await casino.call(public, "act", QUESTION, token, binding)
                    if reply.depth is not Depth.ABSENT:
                        assert reply.depth is Depth.DENIED, binding.name
            keyed = AttackedAgent("victim", f"http://victim/t/{KEY}")
            reply = await casino.call(keyed, "act", QUESTION, tokens[1])
            assert reply.depth is Depth.ANSWERED

    @pytest.mark.parametrize("key", [KEY, None])
    async def test_a_player_with_a_key_answers_no_unknown_table(self, key: str | None) -> None:
        """Its answers would reveal its policy, and cost a language model's tokens.

        Without a key it is open to every casino, and answers.
        """
        async with seated_player(key=key) as casino:
            victim, ours = casino.player_agent("victim"), "mallory" * 5
            unknown = await casino.call(victim, "act", {**QUESTION, "tableId": "nowhere"})
            invited = await casino.call(victim, "signup", invitation("r1", ours))
            asked = await casino.call(victim, "act", QUESTION, ours)
            expected = Depth.DENIED if key else Depth.ANSWERED
            assert {unknown.depth, invited.depth, asked.depth} == {expected}

    @pytest.mark.parametrize("has_key", [False, True])
    async def test_third_parties_make_no_model_think(self, *, has_key: bool) -> None:
        """A player of a model makes a key where none is set, so nobody else spends its tokens."""
        model = ModelServer(sensible)
        async with sample_player("llm", model=model) as player, player.running():
            assert player.capability is not None
            path = f"/t/{player.capability}" if has_key else ""
            transport = httpx.ASGITransport(player.asgi())
            async with httpx.AsyncClient(transport=transport, base_url="http://victim") as http:
                for number in range(40):
                    asked = question(requestId=f"t1/{number}")
                    reply = await http.post(f"{path}/entrypoints/act/invoke", content=asked.wire())
                    assert reply.is_success is has_key, reply.text
            assert bool(model.asked) is has_key

    async def test_a_player_with_a_key_says_how_it_is_registered(self) -> None:
        async with keyed_casino() as casino, sample_player("caller", KEY) as player:
            casino.serve("victim", player)
            await casino.operator().open("r1", 1, seed=None)
            reply = await casino.operator().seat("victim", "r1")
            assert reply.status_code != HTTPStatus.CREATED
            assert "/t/KEY/.well-known/agent-card.json" in reply.text
            assert KEY not in reply.text

    async def test_the_key_of_a_stopped_player_is_not_shown(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        async with seated_player(
            key=KEY, actionTimeoutMs=300, maxTimeouts=1000, rebuy="auto"
        ) as casino:
            del casino.transport.apps["http://victim"]
            operator = casino.operator()
            refused = await operator.seat(f"victim/t/{KEY}", "r2")
            assert not refused.is_success
            await operator.post("/v1/rooms/r1/start")
            await casino.until("r1", "idle")
            events = await operator.http.get("/v1/rooms/r1/events?limit=5000")
            assert '"unreachable"' in events.text
            logged = capsys.readouterr()
            for said in (refused.text, events.text, logged.out, logged.err):
                assert KEY not in said

    async def test_invitations_change_nothing_for_the_table(self) -> None:
        """Neither with other tokens nor to other tables, nor after a restart of the player."""
        async with seated_player() as casino:
            victim, right = casino.player_agent("victim"), casino.seat_token("player-1", "r1")
            before = await casino.call(victim, "act", {**QUESTION, "requestId": "r1/1"}, right)
            async with sample_player("caller") as restarted:
                for again in (False, True):
                    if again:
                        casino.serve("victim", restarted)
                    for number in range(200):
                        table = "r1" if number % 2 else f"m{number}"
                        forged = invitation(table, f"{number:032}")
                        await casino.call(victim, "signup", forged)
                    asked = {**QUESTION, "requestId": "r1/1"}
                    assert (await casino.call(victim, "act", asked, right)).data == before.data
