"""A player answers the table of its seat and nobody else."""

from http import HTTPStatus

import pytest
from casino.attack.attacks.reply import Depth
from casino.attack.bindings import BINDINGS
from casino.attack.target import Agent
from support.attack.seated_player import (
    KEY,
    QUESTION,
    data_of,
    invitation,
    sample_player,
    seated_player,
)
from support.casino.keyed_casino import OPERATOR_KEY, keyed_casino


class TestQuestions:
    async def test_a_player_answers_only_the_table_of_its_seat(self) -> None:
        """Each seat token is accepted for its own table only."""
        async with seated_player() as casino:
            victim = casino.player_agent("victim")
            tokens = {room: casino.seat_token("player-1", room) for room in ("r1", "r2")}
            for room in ("r1", "r2"):
                for name, token in tokens.items():
                    for binding in BINDINGS:
                        given = {**QUESTION, "tableId": room}
                        reply = await casino.call(victim, "act", given, token, binding)
                        if reply.depth is not Depth.ABSENT:
                            is_right = name == room
                            expected = Depth.ANSWERED if is_right else Depth.DENIED
                            assert reply.depth is expected, (room, name, binding.name)
            wrong = (None, casino.seat_token("player-2", "r1"), OPERATOR_KEY, "m" * 1024 * 1024)
            for shown in wrong:
                reply = await casino.call(victim, "act", QUESTION, shown)
                assert reply.depth is Depth.DENIED

    @pytest.mark.parametrize("key", [KEY, None])
    async def test_a_player_with_a_key_answers_no_unknown_table(self, key: str | None) -> None:
        """Its answers would reveal its policy, and cost a language model's tokens.

        Without a key it is open to every casino, and answers: it may have been restarted since
        that table signed it up.
        """
        async with seated_player(key=key) as casino:
            victim, ours = casino.player_agent("victim"), "mallory" * 5
            unknown = await casino.call(victim, "act", {**QUESTION, "tableId": "nowhere"})
            invited = await casino.call(victim, "signup", invitation("r1", ours))
            asked = await casino.call(victim, "act", QUESTION, ours)
            expected = Depth.DENIED if key else Depth.ANSWERED
            assert {unknown.depth, invited.depth, asked.depth} == {expected}

    @pytest.mark.parametrize("style", ["caller", "generic"])
    async def test_a_player_with_a_key_asks_for_the_seat_token_too(self, style: str) -> None:
        """Other tables that have its key lack the token of this seat."""
        async with seated_player(style, KEY) as casino:
            asked = [
                data_of(one.body)
                for one in casino.wire.to(f"http://victim/t/{KEY}/")
                if b'"act"' in one.body
            ]
            question = next(one for one in asked if one["tableId"] == "r1")
            public = casino.player_agent("victim")
            victim = Agent("victim", f"http://victim/t/{KEY}")
            for token in (None, casino.seat_token("player-1", "r2"), "m" * 32):
                reply = await casino.call(victim, "act", question, token)
                assert reply.depth is Depth.DENIED, token
            right = casino.seat_token("player-1", "r1")
            assert (await casino.call(victim, "act", question, right)).depth is Depth.ANSWERED
            assert (await casino.call(public, "act", question, right)).depth is Depth.DENIED

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

    async def test_invitations_do_not_displace_the_table(self) -> None:
        """Neither with other tokens nor to other tables: one that is forgotten needs none."""
        async with seated_player() as casino:
            victim = casino.player_agent("victim")
            for number in range(8):
                await casino.call(victim, "signup", invitation("r1", f"{number}" * 32))
            for number in range(1_001):
                await casino.call(victim, "signup", invitation(f"m{number}", "m" * 32))
            assert (await casino.call(victim, "act", QUESTION)).depth is Depth.DENIED
            reply = await casino.call(victim, "act", QUESTION, casino.seat_token("player-1", "r1"))
            assert reply.depth is Depth.ANSWERED
