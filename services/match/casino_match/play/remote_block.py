"""A block of a match with agents: several hands at the same time, and the same result in any order.

Each seating has tables of its own, so that an agent that remembers a table does not meet a deck
twice there. The decks of a block come in another order at each, and no id tells which deck it is.
At each table one hand is played after the other; what came of the hands is put together in the
order of the decks.
"""

import asyncio
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from casino_agentkit import AgentClient, Conversation, new_key
from casino_games.holdem import Hand
from casino_games.shuffle import derive_seed
from casino_play.hand_questions import HandNames, HandQuestions, NamedPlayer
from casino_play.turn import Clock

from casino_match.domain.block import PlayedBlock
from casino_match.domain.plan import Plan, deck_of, seatings_of
from casino_match.domain.plan_file import is_remote
from casino_match.errors import MatchSuspended
from casino_match.play.decision_counter import DecisionCounter
from casino_match.play.match_hand import deal_hand, decisions, dice_seed, names_of, seed_generators
from casino_match.play.played_block import settled_deck, watched
from casino_match.players.local_players import local_player
from casino_match.players.match_player import Decided, HandPlace, Player
from casino_match.players.remote_calls import OnPause, beside_loop, gather_limited, unseen
from casino_match.players.remote_player import RemoteHand, RemotePlayer, Signup, player_id


class HandDice:
    """The random numbers of one hand, which is played while others are."""

    def __init__(self, plan: Plan, deck: int) -> None:
        self._seed = dice_seed(plan.deal.seed, deck)
        self._states: tuple[Any, Any] | None = None

    def resume(self) -> None:
        """Let the generators of the process go on where this hand left them."""
        if self._states is None:
            seed_generators(self._seed)
            return
        own, of_numpy = self._states
        random.setstate(own)
        numpy = sys.modules.get("numpy")
        if numpy is not None and of_numpy is not None:
            numpy.random.set_state(of_numpy)

    def leave(self) -> None:
        """Keep where the generators are."""
        numpy = sys.modules.get("numpy")
        self._states = random.getstate(), None if numpy is None else numpy.random.get_state()


class LocalPlayers:
    """Asks the players of this process, one after the other."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._asking = asyncio.Lock()
        self._has_failed = False

    async def decide(
        self, player: Player, fields: HandQuestions, place: HandPlace, dice: HandDice
    ) -> Decided:
        """Return a decision, watched; raises PlayerWrong, MatchSuspended, also after any error."""
        if not player.runs_code:
            player.begin_hand(place)
            return player.decide(fields)

        def ask() -> Decided:
            player.begin_hand(place)
            dice.resume()
            try:
                decided = player.decide(fields)
            except Exception:
                raise
            except BaseException:
                player.end_block()  # it was left to itself, and nobody else does
                raise
            dice.leave()
            return decided

        async with self._asking:
            if self._has_failed:
                raise MatchSuspended("a hand at the same time was not played to its end")
            try:
                return await beside_loop(lambda: watched(ask, (player,), self._plan))
            except BaseException:
                self._has_failed = True  # the function may still be running
                raise


_ID_DIGITS: Final = 16
_ALGORITHM: Final = len("sha256:")

Ended = dict[HandPlace, tuple[Hand, str]]
"""Hands that are over, with their actions."""


class RemoteTables:
    """The tables of a plan, numbered from 0."""

    def __init__(self, plan: Plan, *, runs_code: bool) -> None:
        """With `runs_code`, each seating has one table: functions remember a seating's hands."""
        self._plan = plan
        self._seatings = seatings_of(len(plan.players), plan.deal.seatings)
        self.at_once = min(who.games_at_once for who in plan.players if is_remote(who.player))
        """Maximum number of hands at the same time."""
        self._for_each = 1 if runs_code else max(1, self.at_once // len(self._seatings))
        self.ids = tuple(
            f"match-{plan.digest[_ALGORITHM:][:_ID_DIGITS]}-{number + 1}"
            for number in range(self._for_each * len(self._seatings))
        )

    def hands(self, block: int, table: int) -> Iterator[tuple[HandPlace, HandNames]]:
        """Yield the hands of a block at a table, in the order in which they are played."""
        seating, part = divmod(table, self._for_each)
        decks = self._plan.decks_of(block)
        order = list(decks)
        Random(derive_seed(self._plan.deal.seed, "order", block, seating)).shuffle(order)  # noqa: S311
        for place, deck in enumerate(order):
            if place % self._for_each == part:
                yield HandPlace(deck, seating), self._names(table, seating, decks.start + place + 1)

    def _names(self, table: int, seating: int, number: int) -> HandNames:
        table_id = self.ids[table]
        seated = tuple(
            NamedPlayer(player_id(player), f"Player {player + 1}", seat)
            for seat, player in enumerate(self._seatings[seating])
        )
        return HandNames(table_id, f"{table_id}/{number}", number, seated)


async def match_with_agents(
    plan: Plan,
    client: AgentClient,
    *,
    folder: Path = Path(),
    clock: Clock | None = None,
    on_pause: OnPause = unseen,
    secret: str | None = None,
) -> "MatchWithAgents":
    """Sign agents up by tokens of `secret`; raises PlayerFailed, InvalidPlan, MatchSuspended."""
    local = {
        index: local_player(plan, index, folder)
        for index, entrant in enumerate(plan.players)
        if not is_remote(entrant.player)
    }
    tables = RemoteTables(plan, runs_code=any(player.runs_code for player in local.values()))
    signup = Signup(
        client=client,
        plan=plan,
        tables=tables.ids,
        secret=secret or new_key(),
        clock=clock or Clock(),
        on_pause=on_pause,
    )
    remote = {
        index: await signup.sign_up(index)
        for index, entrant in enumerate(plan.players)
        if is_remote(entrant.player)
    }
    return MatchWithAgents(plan, tables, remote, local)


class MatchWithAgents:
    """Plays the blocks of a plan, one after the other."""

    def __init__(
        self,
        plan: Plan,
        tables: RemoteTables,
        remote: dict[int, RemotePlayer],
        local: dict[int, Player],
    ) -> None:
        self._plan = plan
        self._tables = tables
        self._remote = remote
        self._local = local
        self._seatings = seatings_of(len(plan.players), plan.deal.seatings)
        self._asking = LocalPlayers(plan)

    async def play(self, number: int) -> PlayedBlock:
        """Play a block; after PlayerWrong, MatchSuspended, InvalidPlan nothing came of it."""
        conduct = DecisionCounter(self._plan, self._seatings)
        for index, agent in self._remote.items():
            if agent.model:
                conduct.decides_with(index, agent.model)
            if agent.signer:
                conduct.signed_with(index, agent.signer)
        ended: Ended = {}
        places = asyncio.Semaphore(self._tables.at_once)
        try:
            for player in self._local.values():
                player.begin_block(len(self._seatings))
            tables = range(len(self._tables.ids))
            await gather_limited(
                lambda table: self._play_at(table, number, places, conduct, ended),
                tables,
                at_once=len(tables),
            )
        finally:
            for player in self._local.values():
                if player.busy_since is None:  # otherwise it is left to itself
                    player.end_block()
        decks = tuple(
            settled_deck(
                self._plan,
                deck,
                self._seatings,
                [ended[HandPlace(deck, seating)] for seating in range(len(self._seatings))],
                conduct,
            )
            for deck in self._plan.decks_of(number)
        )
        return PlayedBlock(self._plan.digest, number, decks, conduct.finish())

    async def _play_at(
        self,
        table: int,
        block: int,
        places: asyncio.Semaphore,
        conduct: DecisionCounter,
        ended: Ended,
    ) -> None:
        for place, names in self._tables.hands(block, table):
            async with places:
                ended[place] = await self._play_hand(place, table, names, conduct)

    async def _play_hand(
        self, place: HandPlace, table: int, names: HandNames, conduct: DecisionCounter
    ) -> tuple[Hand, str]:
        plan = self._plan
        seating = self._seatings[place.seating]
        cards = deck_of(plan.deal.seed, place.deck, len(seating))
        hand = deal_hand(plan.rules, cards, len(seating))
        fields = HandQuestions(hand, names)
        dice = HandDice(plan, place.deck)
        hands = {index: RemoteHand(place, table, cards, Conversation()) for index in self._remote}
        course = decisions(hand, names_of(plan, place.deck))
        decided: Decided | None = None
        while True:
            try:
                seat, question = next(course) if decided is None else course.send(decided)
            except StopIteration as over:
                return hand, over.value
            who = seating[seat]
            if who in self._remote:
                decided = await self._remote[who].decide(fields, hands[who])
            else:
                player = self._local[who]
                decided = await self._asking.decide(player, question, place, dice)
            conduct.decided(who, decided)
