"""Repeated and guessed questions do not reveal a player's hole cards."""

import asyncio
import os
import random
from itertools import count

import pytest
from casino.attack.attack_target import NO_TOKEN, Token
from casino.attack.binding_calls import BINDINGS, Depth
from casino.attack.question_attacks import DECK, cached_answers, last_question
from casino_agentkit import ANYONE, Agent, CommandRefused, IdempotencyCache
from casino_agentkit.idempotency_cache import RequestId
from casino_contracts import ActionRequest, ActionResponse, Reason
from casino_player_example.style_catalogue import ANY_GAME_STYLES, STYLES
from support.attack.seated_player import QUESTION, THINK, Json, data_of, sample_player
from support.attack.undefended import open_player
from support.casino.keyed_casino import KeyedCasino, Sent, keyed_casino
from support.table.table_side import calling

pytestmark = pytest.mark.long

HANDS = int(os.environ.get("CASINO_ORACLE_HANDS", "3"))
"""Hands against each style; 50 of them take some minutes."""


class SharedMemory(IdempotencyCache):
    """Returns to everybody the answer that another caller got."""

    def _sent(self, skill: str, request_id: str) -> RequestId:
        return RequestId(skill, request_id, "")


class Oracle:
    """A player that guesses the other player's cards before each decision of its own.

    It is given every word that the other was asked, and so is more than any attacker can be: it
    asks again with the very cards, and with others, as everybody whom it can play.
    """

    def __init__(self, casino: KeyedCasino) -> None:
        self._casino = casino
        self._victim = casino.player_agent("victim")
        self._asked: list[Json] = []
        self._dice = random.Random(7)
        self.hands: set[str] = set()
        self.tries = 0
        self.answers: list[str] = []
        self.hits: list[str] = []

    async def tap(self, sent: Sent) -> None:
        """Keep a question that the table asked the other player."""
        if sent.url.startswith("http://victim") and b'"act"' in sent.body:
            self._asked.append(data_of(sent.body))

    async def decide(self, request: ActionRequest) -> ActionResponse:
        """Try everything, then call."""
        asked, self._asked = self._asked[-1:], []
        for question in asked:
            self.hands.add(str(question["handId"]))
            await self._repeat(question)
            await self._probe(question)
        return calling(request)

    async def _repeat(self, question: Json) -> None:
        """Repeat a question with the right cards over every binding, and with others quickly."""
        for token in self._tokens():
            for binding in BINDINGS if token.value is None else BINDINGS[:1]:
                one = await self._casino.target.call(self._victim, "act", question, token, binding)
                self._note(one.reply.depth, f"{token.name} over {binding.name}")
        wrong = [_with_cards(question, self._dice.sample(DECK, 2)) for _ in range(4)]
        guesses = [*wrong, question]
        self.hits += [
            str(hit["handId"])
            for hit in await cached_answers(self._casino.target, self._victim, guesses, NO_TOKEN)
            if hit == question
        ]

    async def _probe(self, question: Json) -> None:
        """Send the question with other cards and a new id."""
        other = _with_cards(question, self._dice.sample(DECK, 2))
        for token in self._tokens():
            given = {**other, "requestId": f"probe-{self.tries}"}
            one = await self._casino.target.call(self._victim, "act", given, token)
            self._note(one.reply.depth, f"{token.name} probing")

    def _tokens(self) -> list[Token]:
        own = self._casino.players["mallory"].invited[-1].seat_token
        return [NO_TOKEN, Token("its own seat token", own), Token("garbage", "sesame" * 4)]

    def _note(self, depth: Depth, how: str) -> None:
        self.tries += 1
        if depth is Depth.ANSWERED:
            self.answers.append(how)


def _with_cards(question: Json, cards: list[dict[str, str]]) -> Json:
    """Return a question with other hole cards, in whatever words it is."""
    if "holeCards" in question:
        return {**question, "holeCards": cards}
    names = [card["rank"] + card["suit"][0] for card in cards]
    state = {**question["state"], "private": {"hole_cards": names}}
    return {**question, "state": state}


async def _played(casino: KeyedCasino, hands: int) -> Oracle:
    """Play heads-up against the victim, and return what the oracle found."""
    oracle = Oracle(casino)
    casino.player("mallory", oracle.decide)
    casino.players["victim"] = casino.players["mallory"]  # seated by its name alone
    casino.wire.tap = oracle.tap
    await casino.play("r1", 1, "victim", "mallory", maxHands=hands, rebuy="auto", maxSeats=2)
    casino.wire.tap = None
    return oracle


class TestTheOracle:
    @pytest.mark.timeout(900)
    @pytest.mark.parametrize("style", sorted(STYLES | ANY_GAME_STYLES))
    async def test_the_oracle_gets_no_answer(self, style: str) -> None:
        async with keyed_casino() as casino, sample_player(style) as player:
            casino.serve("victim", player)
            oracle = await _played(casino, HANDS)
        assert len(oracle.hands) >= max(1, HANDS // 2), "hands in which the victim was asked"
        assert oracle.tries > 10 * len(oracle.hands)
        assert oracle.answers == []
        assert oracle.hits == []

    async def test_without_the_defences_the_oracle_knows_the_cards(self) -> None:
        """The player answers everybody, and remembers for all callers together."""
        async with keyed_casino() as casino:
            memory = SharedMemory(ignoring=("deadlineMs",), size=256)
            casino.agent("victim", open_player("Victim", "tight", 5 * THINK, memory))
            oracle = await _played(casino, 2)
        assert oracle.answers
        assert len(set(oracle.hits)) == len(oracle.hands) > 0

    async def test_a_memory_for_each_caller_reveals_no_cards(self) -> None:
        """Also of a player that answers everybody: no guess is answered sooner."""
        async with keyed_casino() as casino:
            memory = IdempotencyCache(ignoring=("deadlineMs",), size=256)
            casino.agent("victim", open_player("Victim", "caller", 5 * THINK, memory))
            oracle = await _played(casino, 2)
            question = oracle_question(casino)
            wrong = [_with_cards(question, [DECK[i], DECK[i + 1]]) for i in range(6)]
            asked = Token("another caller", "o" * 32)
            found = await cached_answers(
                casino.target, casino.player_agent("victim"), [*wrong, question], asked
            )
        assert oracle.answers
        assert found == []

    @pytest.mark.parametrize("how", ["busy", "remembers", "refuses all others"])
    async def test_only_a_player_that_remembers_is_found_out(self, how: str) -> None:
        """Also one that is busy as on a slow machine, or refuses what it does not remember."""
        calls, question = count(), {**QUESTION, "requestId": "asked"}
        cards = ActionRequest.model_validate(question).hole_cards
        agent = Agent("Victim", "A player with a memory.", infers_skill=True)

        @agent.entrypoint("act", who=ANYONE)
        async def act(request: ActionRequest) -> ActionResponse:
            is_known = request.request_id == "asked" and request.hole_cards == cards
            if how == "refuses all others" and not is_known:
                raise CommandRefused(Reason.INVALID_SEATS, "This question was not asked before.")
            if how == "busy" or not is_known:
                times = 1 if next(calls) % 3 == 0 else 3  # two of three take three times as long
                await asyncio.sleep(times * 5 * THINK.total_seconds())
            return calling(request)

        wrong = [_with_cards(question, [DECK[i], DECK[i + 1]]) for i in range(6)]
        async with keyed_casino() as casino:
            casino.agent("victim", agent)
            victim = casino.player_agent("victim")
            found = await cached_answers(casino.target, victim, [*wrong, question], NO_TOKEN)
        assert found == ([] if how == "busy" else [question])

    async def test_everything_but_the_cards_is_public(self) -> None:
        async with keyed_casino() as casino, sample_player("random") as player:
            casino.serve("victim", player)
            asked: list[Json] = []

            async def tap(sent: Sent) -> None:
                if sent.url.startswith("http://victim") and b'"act"' in sent.body:
                    asked.append(data_of(sent.body))

            casino.player("mallory", calling)
            casino.players["victim"] = casino.players["mallory"]
            casino.wire.tap = tap
            rules = {"maxHands": 8, "rebuy": "auto", "maxSeats": 2}
            await casino.play("r1", 1, "victim", "mallory", **rules)
            reply = await casino.operator().http.get("/v1/rooms/r1/events?limit=5000")
            events = reply.json()["events"]
        made = {}
        for number in range(1, len(events) + 1):
            question = last_question(events[:number], "player-1", "r1")
            if question is not None:
                made[question["requestId"]] = question
        real = {one["requestId"]: one for one in asked}
        assert len(real) > 8
        assert made.keys() == real.keys()
        for request_id, question in made.items():
            hidden = {"deadlineMs": 0, "holeCards": []}
            assert {**question, **hidden} == {**real[request_id], **hidden}


def oracle_question(casino: KeyedCasino) -> Json:
    """Return the last question of the table to the victim."""
    sent = [one for one in casino.wire.to("http://victim") if b'"act"' in one.body]
    return data_of(sent[-1].body)
