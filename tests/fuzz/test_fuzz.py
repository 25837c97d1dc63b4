"""A run of the fuzzer: no 5xx, no hang, no leak, and play goes on.

A real casino on real sockets plays all the while. CASINO_FUZZ_CASES is how much `make fuzz` sends,
CASINO_FUZZ_SEED says what is sent, and with CASINO_FUZZ_CASE only that case is: a failure prints
both, and the bytes.
"""

import os
import secrets
import sys
from pathlib import Path

import pytest
from fuzz.cases import LIVE_ROOM, Cases, Keys
from fuzz.casino import fuzzed_casino, places_of, ports_of
from fuzz.run import Held, Report, Run
from fuzz.services import services_beside
from fuzz.typed_calls import AgentName
from fuzz.verdict import fault_log
from support.attack.arena import FLEET_KEY, OPERATOR_KEY
from support.on_uvloop import on_uvloop

CASES = int(os.environ.get("CASINO_FUZZ_CASES") or 2_000)
SEED = int(os.environ.get("CASINO_FUZZ_SEED", "1") or secrets.randbits(32))
"""The short form sends the same at every run; `make fuzz` sends something new."""
CASE = os.environ.get("CASINO_FUZZ_CASE", "")
GROWTH_MB = 8.0
LONG = 20_000
"""A shorter run ends before caches and pools are full: its memory says nothing."""

pytestmark = [pytest.mark.long, pytest.mark.timeout(0)]


@on_uvloop
async def test_nothing_that_is_sent_does_harm(tmp_path: Path) -> None:
    """The run finds no fault and the process holds no more than before."""
    report = Report(SEED)
    nothing = Held.now()
    with fault_log() as log:
        async with fuzzed_casino(tmp_path) as casino:
            beside = await services_beside(casino, tmp_path / "services")
            bases: dict[AgentName, str] = {"lobby": "", "table": "/tables/1", "player": ""}
            bases |= dict.fromkeys(beside, "")
            cases = Cases(SEED, places_of(casino), Keys(OPERATOR_KEY, FLEET_KEY), bases, beside)
            ports = {**ports_of(casino), **{name: place.port for name, place in beside.items()}}
            run = Run(ports, cases, report)
            playing = Held.now()
            quarter = CASES // 4
            for begin in (int(CASE),) if CASE else range(1, 4 * quarter, quarter):
                await run.send(range(begin, begin + (1 if CASE else quarter)))
            # Connections of their pools come and go as they play: HTTP of six services with both
            # ends in this process, and the store's readers with two files each.
            await playing.comes_back(more=32)
            await casino.hands(2, LIVE_ROOM)
            report.hands = len((await casino.audit(LIVE_ROOM)).completed)
        # The loop's own, and the pipes of the process that starts processes of matches.
        await nothing.comes_back(more=4)
    tell(report.line())
    assert not report.faults, report.text()
    assert not log.faults, "\n".join([f"CASINO_FUZZ_SEED={SEED}", *log.faults])
    if CASES >= LONG and not CASE:
        growth = report.memory_mb[-1] - report.memory_mb[1]
        assert growth < GROWTH_MB, f"CASINO_FUZZ_SEED={SEED}: {growth:.1f} MB more"


def tell(line: str) -> None:
    sys.stdout.write(f"\nfuzz: {line}\n")
    sys.stdout.flush()
