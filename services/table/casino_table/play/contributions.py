"""Asks the lobby and the players of a table for their parts in its deal, up to three times a block.

First everybody who wants a part commits to 32 random bytes, then the table to its decks, and then
each gives its bytes. Nobody has longer than `LIMIT` for each, and nobody is asked without a lease.
Who committed itself and does not contribute is named, and left out until the session ends, so a
block of a table whose contributors fall silent is committed anew at most once for each of them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import cache
from hashlib import sha256
from typing import Any, Final, Literal, NamedTuple

from casino_agentkit import AgentError, CardSigner, Malformed, Unreachable
from casino_agentkit.canonical_json import decoded, encoded
from casino_agentkit.fair_deal import DeckPlan, block_root, commitment_to
from casino_contracts import (
    ContributeInput,
    ContributeOutput,
    Contribution,
    DealContributed,
    EntropyCommitment,
    MissingContribution,
    RoomKey,
    SigningKey,
)
from casino_games.shuffle import derive_seed
from casino_play.turn import Clock, PlayerDirectory

from casino_table.errors import LeaseOver
from casino_table.journal.journal import EventDraft
from casino_table.journal.journal_log import JournalRecord
from casino_table.play.changes import BlockCommitted, BlockContributed, Change, JournaledTable
from casino_table.play.deal_block import CommittedBlock, Contributor
from casino_table.play.lease import Lease
from casino_table.play.running_hand import deck_plan
from casino_table.table_metrics import BlockOutcome

SKILL: Final = "contribute"
LIMIT: Final = timedelta(seconds=2)
_PAUSE_S = 0.2
_HANDS = 100
_BRIEF = "A table asks for your part in its deal, so that nobody can choose the cards."
Absence = Literal["silent", "wrong"]
"""Why a contributor is missing; wrong: what came does not fit its commitment."""

Commit = Callable[[JournalRecord, Sequence[EventDraft]], Awaitable[None]]


class DealOutlets(NamedTuple):
    """What the deal needs of its process.

    `entropy` returns a fresh seed. `delivered` waits, at most so long, until the lobby has all
    events. `signer` has the key of the table's card, where it has one.
    """

    entropy: Callable[[], str]
    delivered: Callable[[timedelta], Awaitable[bool]]
    signer: CardSigner | None


class _Address(NamedTuple):
    """Where a contributor is called."""

    who: Contributor
    card_url: str
    token: str | None


class FairDeal:
    """Makes the blocks of one session; `commit` commits a record with its events.

    `count` gets what came of each block.
    """

    def __init__(
        self,
        state: JournaledTable,
        players: PlayerDirectory,
        clock: Clock,
        lease: Lease,
        commit: Commit,
        outlets: DealOutlets,
        count: Callable[[BlockOutcome], None],
    ) -> None:
        self._state = state
        self._players = players
        self._clock = clock
        self._lease = lease
        self._commit = commit
        self._outlets = outlets
        self._count = count
        self._plan = cache(lambda seats: deck_plan(state.table, seats))
        config = state.table.config
        self.is_wanted = config.fair_deal is not False and not config.seed
        """Whether hands are dealt from blocks."""
        if self.is_wanted:  # the card may be another one than in the last session
            players.forget(state.configuration.casino_callback.agent_card_url)

    async def is_ready(self) -> bool:
        """Return whether the next hand can be dealt; otherwise go one step towards that.

        After a step seats, session and lease may be others, so the caller looks at them again. A
        step that the end of the lease interrupts is repeated, with the same requests.
        """
        if not self.is_wanted:
            return True
        table, block = self._state.table, self._state.deal.block
        plan = self._plan(len(table.coming_deal(table.button_rule).seats))
        players = [table.seats[number].player_id for number in sorted(table.seats)]
        if block is None or not block.fits(table.hand_number + 1, plan, players):
            whole = self._plan(len(players)) if plan.leaves else plan
            step = self._begin(whole, tuple(players))  # also who sits out may be dealt in later
        elif block.commitment is not None:
            step = self._finish(block)
        else:
            return True
        with suppress(LeaseOver):
            await step
        return False

    # The steps.

    async def _begin(self, plan: DeckPlan, players: tuple[str, ...]) -> None:
        """Ask who wants a part, and commit to the decks of a block."""
        table, number = self._state.table, self._state.deal.number + 1
        name = f"{table.table_id}/{table.epoch}/{number}"
        commitments = await self._commitments(name)
        block = CommittedBlock(
            name,
            table.game_type,
            table.hand_number + 1,
            min(table.config.deal_block or _HANDS, max(1, table.hands_left)),
            *plan,
            players,
            encoded(bytes.fromhex(derive_seed(self._outlets.entropy(), "block"))),
            commitments,
        )
        committed = self._state.deal.committed(await self._committed(block))
        await self._apply(BlockCommitted(committed))

    async def _committed(self, block: CommittedBlock) -> CommittedBlock:
        roots: list[bytes] = []
        signer = self._outlets.signer
        for hand in range(block.first_hand, block.first_hand + block.hands):
            roots.append(block.root_of(hand))
            await asyncio.sleep(0)  # the other tables of the process go on
        key = SigningKey.model_validate(signer.jwk) if signer else None
        fields = block.committed(roots, key).model_dump(mode="json")
        if signer:
            fields["signature"] = encoded(signer.sign(block_root(fields)))
        return replace(block, commitment=fields)

    async def _finish(self, block: CommittedBlock) -> None:
        """Ask for what was committed to, tell what came of it, and publish that.

        It is told before: so a table that is killed between the two tells it again.
        """
        asked = [address for address in self._addresses() if address.who in block.contributors]
        given = await asyncio.gather(*(self._entropy(block, address) for address in asked))
        by_contributor = dict(zip([address.who for address in asked], given, strict=True))
        contributions: list[Contribution] = []
        missing: list[MissingContribution] = []
        for one in block.commitments:
            who, entropy = one.player_id, by_contributor.get(one.player_id, "silent")
            if isinstance(entropy, bytes) and commitment_to(entropy) == one.commitment:
                contributions.append(Contribution(player_id=who, entropy=encoded(entropy)))
            else:
                reason: Absence = "silent" if entropy == "silent" else "wrong"
                missing.append(MissingContribution(player_id=who, reason=reason))
        contributed = DealContributed(
            block=block.name, contributions=tuple(contributions), missing=tuple(missing) or None
        )
        told = contributed.model_dump(mode="json")
        await asyncio.gather(
            *(self._ask(block.name, address, contributed=told) for address in asked)
        )
        self._count("missing" if missing else "contributed" if asked else "none")
        await self._apply(BlockContributed(contributed))

    async def _apply(self, change: Change) -> None:
        drafts = change.apply(self._state)
        await self._commit(change.record(), drafts)

    # The contributors.

    def _addresses(self) -> list[_Address]:
        """Return the lobby and the players, by seat."""
        callback = self._state.configuration.casino_callback
        token = RoomKey(callback.secret).events if callback.secret else None
        seats = self._state.table.seats
        players = [seats[number] for number in sorted(seats)]
        return [
            _Address(None, callback.agent_card_url, token),
            *(_Address(seat.player_id, seat.card_url, seat.token) for seat in players),
        ]

    async def _commitments(self, block: str) -> tuple[EntropyCommitment, ...]:
        out = {seat.player_id for seat in self._state.table.seats.values() if seat.sits_out}
        asked = [
            address
            for address in self._addresses()
            if address.who not in out and address.who not in self._state.deal.left_out
        ]
        replies = await asyncio.gather(*(self._ask(block, address) for address in asked))
        return tuple(
            EntropyCommitment(player_id=address.who, commitment=reply.commitment)
            for address, reply in zip(asked, replies, strict=True)
            if isinstance(reply, ContributeOutput) and reply.commitment
        )

    async def _entropy(self, block: CommittedBlock, address: _Address) -> bytes | Absence:
        """Return what a contributor gives; the lobby needs the commitment's event before."""
        if address.who is None:
            await self._outlets.delivered(LIMIT)
        reply = await self._ask(block.name, address, commitment=block.commitment)
        if not isinstance(reply, ContributeOutput):
            return reply
        return decoded(reply.entropy) if reply.entropy else "silent"

    async def _ask(
        self,
        block: str,
        address: _Address,
        *,
        commitment: dict[str, Any] | None = None,
        contributed: dict[str, Any] | None = None,
    ) -> ContributeOutput | Absence:
        step = "outcome" if contributed else "entropy" if commitment else "commitment"
        once = sha256(f"{block}:{address.who or ''}".encode()).hexdigest()
        request = ContributeInput(
            table_id=self._state.table.table_id,
            block=block,
            player_id=address.who,
            commitment=commitment,
            contributed=contributed,
            request_id=f"{step}:{once}",
        )
        try:
            async with asyncio.timeout(LIMIT.total_seconds()):
                return await self._call(address, request.wire(), is_owed=commitment is not None)
        except Malformed:
            return "wrong"
        except (AgentError, TimeoutError):
            return "silent"

    async def _call(self, address: _Address, content: bytes, *, is_owed: bool) -> ContributeOutput:
        """Call a contributor whose card has the skill; what it owes until it can be reached."""
        while True:
            try:
                agent = await self._players.joined(address.card_url, LIMIT)
                if SKILL not in agent.skills:
                    return ContributeOutput()
                self._lease.require(self._clock.now())
                return await agent.call(
                    SKILL,
                    content,
                    ContributeOutput,
                    timeout=LIMIT,
                    brief=_BRIEF,
                    token=address.token,
                )
            except Unreachable:
                self._players.forget(address.card_url)
                if not is_owed:
                    raise
                await self._clock.sleep(_PAUSE_S)
