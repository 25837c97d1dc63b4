"""No fault of any process loses or repeats a chip, an event or a hand.

`make chaos ROUNDS=200`; CASINO_CHAOS_SEED repeats the same rounds. A failure leaves its evidence in
`.chaos/SEED`, or in that of the directory CASINO_CHAOS_EVIDENCE: `failure.txt`, and the log, the
lobby's database and the journals of the casino, which is killed in that moment.
"""

import asyncio
import os
import secrets
import shutil
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.casino.auditor import Auditor, audit_journal, audit_store
from support.fault_proxy import DELIVERED_TWICE

from .chaos_casino import (
    LAUNCHED,
    TABLES,
    ChaosCasino,
    PlannedFault,
    chaos_casino,
    plan,
    room_of,
)

ROUNDS = int(os.environ.get("CASINO_CHAOS_ROUNDS", "1"))
SEED = int(os.environ.get("CASINO_CHAOS_SEED", "") or secrets.randbits(32))
HANDS_A_ROUND = 2
EVIDENCE = Path(
    os.environ.get("CASINO_CHAOS_EVIDENCE", "") or Path(__file__).parents[2] / ".chaos", str(SEED)
)

pytestmark = [pytest.mark.full, pytest.mark.timeout(240 + 180 * ROUNDS)]


async def test_chaos_loses_and_repeats_nothing(tmp_path: Path) -> None:
    """Each round has kills, ends, freezes, lost tails or network faults, then an audit."""
    tell(f"\nchaos: seed {SEED}, {ROUNDS} rounds; CASINO_CHAOS_SEED={SEED} repeats them")
    async with chaos_casino(tmp_path, SEED) as casino:
        auditor, number = Auditor(casino.http), 0
        try:
            await casino.begin()
            for number in range(1, ROUNDS + 1):
                await one_round(casino, auditor, number, plan(SEED, number))
            await the_end(casino, auditor)
            report(casino, auditor)
        except BaseException as error:
            error.add_note(f"chaos: seed {SEED}, round {number} of {ROUNDS}: {plan(SEED, number)}")
            await casino.kill()
            keep_evidence(casino, auditor, error)
            raise


def keep_evidence(casino: ChaosCasino, auditor: Auditor, error: BaseException) -> None:
    """Write down how a run failed, beside copies of all files of its casino."""
    shutil.rmtree(EVIDENCE, ignore_errors=True)
    shutil.copytree(casino.data, EVIDENCE)
    rounds = [f"round {number}: {plan(SEED, number)}" for number in range(1, ROUNDS + 1)]
    details = [f"seed {SEED}", *rounds, f"blows {dict(casino.counts)}", *casino.log.faults]
    details += [*map(str, auditor.rooms.values()), *traceback.format_exception(error)]
    (EVIDENCE / "failure.txt").write_text("\n".join(details))
    tell(f"chaos: seed {SEED} failed; the evidence is in {EVIDENCE}")


async def one_round(
    casino: ChaosCasino, auditor: Auditor, number: int, round_faults: Sequence[PlannedFault]
) -> None:
    """Apply the faults of a round, wait until every room plays on, and audit new events."""
    began = time.monotonic()
    await casino.apply(round_faults)
    await casino.played(HANDS_A_ROUND)
    await auditor.read()
    assert not casino.log.faults
    faults = ", ".join(f"{one.fault} {one.victim} {one.lasts_s}s" for one in round_faults)
    tell(f"chaos: round {number} took {time.monotonic() - began:.1f} s: {faults}")


async def the_end(casino: ChaosCasino, auditor: Auditor) -> None:
    """Stop the tables, then audit all events, the store and the journals."""
    for name in TABLES:
        await casino.leave(name)
    await auditor.read()
    again = Auditor(casino.http)
    await again.read()
    for room_id, audit in auditor.rooms.items():
        if room_id == room_of(LAUNCHED):  # it plays on: what was read before is still the same
            assert again.rooms[room_id].completed >= audit.completed
            auditor.rooms[room_id] = again.rooms[room_id]
        else:
            assert again.rooms[room_id] == audit
    await casino.end()
    await the_books(casino, auditor)
    every_resumed_hand_was_played(casino, auditor)
    assert not casino.log.faults


async def the_books(casino: ChaosCasino, auditor: Auditor) -> None:
    """Compare ledger and journals with the events."""
    rooms = await audit_store(casino.lobby_data, auditor.rooms.values())
    for room_id, journal in casino.journals().items():
        audit = auditor.rooms[room_id]
        await asyncio.to_thread(audit_journal, journal, rooms[room_id], audit)


def every_resumed_hand_was_played(casino: ChaosCasino, auditor: Auditor) -> None:
    """Check that every interrupted hand was completed, or cancelled after a lost tail.

    An epoch is counted if it has events: where a request that begins one is lost, the lobby begins
    the next one.
    """
    for room_id, hand, decisions in casino.log.resumed:
        audit = auditor.rooms[room_id]
        assert hand in audit.completed | audit.cancelled, (room_id, hand)
        assert hand in audit.cancelled or audit.actions[hand] >= decisions, (room_id, hand)
    for table in (*TABLES, LAUNCHED):
        audit = auditor.rooms[room_of(table)]
        epochs, cut = len(audit.digests), casino.counts[f"cut {table}"]
        assert len(audit.cancelled) <= epochs - 1 <= cut, (table, audit.cancelled, epochs, cut)


def report(casino: ChaosCasino, auditor: Auditor) -> None:
    """Print the faults and their effects."""
    toxics: Counter[str] = Counter()
    for proxy in casino.proxies.values():
        toxics.update(proxy.counts)
    twice = sum(toxics[toxic] for toxic in DELIVERED_TWICE)
    tell(f"chaos: blows {dict(sorted(casino.counts.items()))}")
    tell(f"chaos: toxics {dict(toxics)}, of which {twice} deliver twice")
    for room_id, audit in auditor.rooms.items():
        resumed = [hand for name, hand, _ in casino.log.resumed if name == room_id]
        played_on = [hand for hand in resumed if hand in audit.completed]
        tell(
            f"chaos: {room_id}: {audit.events} events in {len(audit.digests)} of {audit.epoch}"
            f" epochs, {len(audit.completed)} hands, {len(audit.cancelled)} cancelled;"
            f" interrupted hands resumed {len(resumed)}, of which completed {len(played_on)}"
        )


def tell(line: str) -> None:
    """Print a line that `-s` shows."""
    sys.stdout.write(line + "\n")
