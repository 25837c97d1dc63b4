"""Check a match: its result follows from its blocks, its hands from the rules and the players."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from casino_agentkit.card_key import PublicCardKey
from pydantic_core import from_json

from casino_match.domain.block import PlayedBlock, PlayedDeck, block_digest, block_from_json
from casino_match.domain.plan import Plan, seatings_of
from casino_match.domain.plan_file import is_remote
from casino_match.errors import MatchError, StoreFailed
from casino_match.executors.executor import BlockJob, LocalExecutor
from casino_match.play.match_hand import replay
from casino_match.results.match_result import result_of_running, wrong_in
from casino_match.results.running_result import RunningResult, defaults_of, not_own
from casino_match.run.stored_match import StoredMatch


@dataclass
class Verification:
    """What was checked, and what is wrong."""

    plan: str
    result: str = ""
    decks: int = 0
    hands: int = 0
    """Those whose actions were played again by the rules."""
    blocks: list[int] = field(default_factory=list)
    """The blocks that the players played again."""
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        return not self.faults

    def lines(self) -> list[str]:
        return [
            f"plan    {self.plan}",
            f"result  {self.result}",
            f"hands   {self.hands} of {self.decks} decks played again by the rules",
            f"blocks  {len(self.blocks)} played again by the players",
            *(f"note    {note}" for note in self.notes),
            *(f"WRONG   {fault}" for fault in self.faults),
            "everything agrees" if self.is_right else "the match is not what it says",
        ]

    def as_json(self) -> dict[str, Any]:
        return {
            "plan": self.plan,
            "result": self.result,
            "decks": self.decks,
            "hands": self.hands,
            "blocksPlayedAgain": self.blocks,
            "notes": self.notes,
            "faults": self.faults,
        }


def verify(path: Path, sample: int) -> Verification:
    """Check a match, and let its players play `sample` blocks again; raises StoreFailed."""
    match = StoredMatch(path)
    report = Verification(match.plan.digest)
    reading = RunningResult(match.plan)
    for block in match.blocks.in_order():
        for deck in block.decks:
            report.decks += 1
            report.hands += len(deck.hands)
            report.faults += _wrong_hands(match.plan, deck)
        reading.add(block)
        if reading.is_over:
            break
    report.result = reading.digest
    _compare(match, report, reading)
    report.notes += _defaults(match.plan, reading)
    _play_again(match, report, reading.next_block, sample)
    return report


def _compare(match: StoredMatch, report: Verification, reading: RunningResult) -> None:
    """Compare the written result with the blocks, and check its signature; raises StoreFailed."""
    written, file = match.written_result(), match.directory.result_file
    if written is None:
        report.notes.append("the match is not complete: there is no result to compare")
        return
    fault = wrong_in(from_json(match.directory.read_result() or b""), result_of_running(reading))
    if fault is not None:
        report.faults.append(f"{file}: {fault}")
    elif written.key is None:
        report.notes.append("its result is not signed: only a service of matches has a card key")
    else:
        signer = PublicCardKey.of_jwk(written.key.model_dump()).thumbprint
        report.notes.append(f"its result is signed with the key {signer}")


def _defaults(plan: Plan, reading: RunningResult) -> Iterator[str]:
    """Yield how many decisions were not a player's own."""
    for entrant, conduct in zip(plan.players, reading.conduct, strict=True):
        counts = not_own(conduct.outcomes, defaults_of(conduct))
        if words := [f"{count} {reason}" for reason, count in counts.items()]:
            yield f"not {entrant.name}'s own decisions: {', '.join(words)}"


def _wrong_hands(plan: Plan, deck: PlayedDeck) -> Iterator[str]:
    players = len(plan.players)
    nets = [0] * players
    for index, seating in enumerate(seatings_of(players, plan.deal.seatings)):
        try:
            hand = replay(plan, deck.number, index, deck.hands[index])
        except StoreFailed as error:
            yield str(error)
            return
        for seat, player in enumerate(seating):
            nets[player] += hand.stacks[seat] - plan.rules.stack
    if tuple(nets) != deck.net:
        yield f"deck {deck.number}: the hands give {nets}, the block says {list(deck.net)}"


def _play_again(match: StoredMatch, report: Verification, blocks: int, sample: int) -> None:
    agents = [entrant.name for entrant in match.plan.players if is_remote(entrant.player)]
    if agents:
        report.notes.append(f"nothing is played again: {agents[0]} is an agent")
        return
    count = min(sample, blocks)
    numbers = [index * blocks // count for index in range(count)]
    job = BlockJob(match.plan, match.folder)
    try:
        for number, content in LocalExecutor().play(job, numbers):
            again = block_from_json(content, match.plan, number)
            stored = match.blocks.read(number)
            report.blocks.append(number)
            if stored is None or block_digest(stored) != block_digest(again):
                report.faults.append(_difference(match.plan, stored, again))
    except MatchError as error:
        report.notes.append(f"not all is played again: {error}")


def _difference(plan: Plan, stored: PlayedBlock | None, again: PlayedBlock) -> str:
    """Return where a block that is played again differs first."""
    seatings = seatings_of(len(plan.players), plan.deal.seatings)
    for before, now in zip(stored.decks if stored else (), again.decks, strict=False):
        for index, (hand, other) in enumerate(zip(before.hands, now.hands, strict=True)):
            if hand != other:
                names = ", ".join(plan.players[player].name for player in seatings[index])
                return (
                    f"deck {before.number}, seating {index} ({names}) is played differently now:"
                    f" {other!r} instead of {hand!r}. A player does not decide by its question"
                    " and the seeded `random` alone"
                )
    return f"block {again.number} is counted differently now, with the same hands"
