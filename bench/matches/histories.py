"""10,000 exported hands of a match, read by others: `bench/matches/histories.py [--hands N]`.

Plays a match of sample styles, half of the hands heads-up and half six-handed, exports it in every
format, and has others read it: pokerkit plays every PHH and every fifth text of PokerStars again,
`poker` reads every text if it is installed, pandas loads CSV and Parquet. A hand whose stacks
pokerkit sees differently is counted by the situation in which its rules are others; without such a
situation it is a failure. Memory is that of exporting, and must not grow with the hands.
Prints one JSON line. Exits with 1 if something was read otherwise than it was played.
"""

import argparse
import io
import json
import sys
import time
import tracemalloc
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from casino_histories import HandHistory
from casino_histories.history_files import FORMATS, Format, hand_file
from casino_histories.phh import phh
from casino_histories.pokerstars_writer import pokerstars_text
from casino_match.domain.plan import Deal, Entrant, Plan
from casino_match.hand_export import MatchHands
from casino_match.play.played_block import play_block
from casino_match.players.local_players import local_players
from pokerkit import HandHistory as TheirHistory

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from support.histories.pokerkit_deviations import deviation_of

STYLES = ("tight", "caller", "maniac", "random", "tight", "maniac")
DECKS_PER_BLOCK = 50
TEXT_EVERY = 5
"""pokerkit reads the text of every fifth hand: it takes longer than PHH."""
MOST_GROWTH = 2 * 1024 * 1024


def plan_of(seats: int, hands: int) -> Plan:
    """Return a plan with at least so many hands."""
    return Plan(
        name=f"bench {seats}",
        players=tuple(
            Entrant(name=f"{style} {number}", player=f"style:{style}")
            for number, style in enumerate(STYLES[:seats])
        ),
        deal=Deal(seed="histories", decks=-(-hands // seats), decks_per_block=DECKS_PER_BLOCK),
    )


def hands_of(plan: Plan) -> Iterator[HandHistory]:
    """Play a match, and yield its hands as an export does."""
    players = local_players(plan, Path())
    hands = MatchHands(plan)
    for number in range(plan.blocks):
        yield from hands.of_block(play_block(plan, number, players))


def stacks_of(theirs: TheirHistory) -> tuple[int, ...] | None:
    """Return the stacks at the end of pokerkit's play; None if it does not come to an end."""
    try:
        *_, state = theirs
    except ValueError:
        return None
    return None if state.status else tuple(state.stacks)


def compare(
    hands: list[HandHistory], read: Callable[[HandHistory], TheirHistory]
) -> dict[str, Any]:
    """Have pokerkit play every hand again; count those with other stacks, by situation."""
    agree, others = 0, Counter[str]()
    for hand in hands:
        if stacks_of(read(hand)) == hand.finishing_stacks:
            agree += 1
        else:
            others[deviation_of(hand) or "unexplained"] += 1
    return {"hands": len(hands), "agree": agree, "other_rules": dict(others)}


def from_text(hand: HandHistory) -> TheirHistory:
    """Return what pokerkit reads in the text of PokerStars."""
    (theirs,) = TheirHistory.from_pokerstars(pokerstars_text(hand), error_status=True)
    return theirs


def read_by_poker(hands: list[HandHistory]) -> int | None:
    """Return how many texts the package `poker` reads with the same pot; None without it."""
    try:
        from poker.room.pokerstars import PokerStarsHandHistory  # noqa: PLC0415  optional
    except ImportError:
        return None
    count = 0
    for hand in hands:
        theirs = PokerStarsHandHistory(pokerstars_text(hand))
        theirs.parse()
        count += int(theirs.total_pot) == hand.pot
    return count


def load(content: bytes, form: Format, hands: list[HandHistory]) -> bool:
    """Return whether pandas finds every row, and chips that sum to 0."""
    file = io.BytesIO(content)
    frame = pd.read_csv(file) if form == "csv" else pd.read_parquet(file)
    is_whole = len(frame) == sum(len(hand.seats) for hand in hands)
    return is_whole and int(frame["net"].sum()) == 0


def export(hands: list[HandHistory], form: Format, folder: Path) -> tuple[bytes, float, int]:
    """Return the file, the seconds for it, and the memory that stays after the first tenth."""
    path = folder / form
    began = time.process_time()
    with path.open("wb") as file:
        target = hand_file(file, form)
        for hand in hands:
            target.add(hand)
        target.close()
    seconds = time.process_time() - began
    tracemalloc.start()
    with (folder / "again").open("wb") as file:
        target = hand_file(file, form)
        for number, hand in enumerate(hands):
            if number == len(hands) // 10:
                first = tracemalloc.get_traced_memory()[0]
            target.add(hand)
        target.close()
    growth = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    return path.read_bytes(), seconds, growth


def main() -> None:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=10_000)
    wanted = parser.parse_args().hands
    warnings.simplefilter("ignore")  # pokerkit warns about cards that it did not shuffle
    hands = [hand for seats in (2, 6) for hand in hands_of(plan_of(seats, wanted // 2))]
    report: dict[str, Any] = {
        "hands": len(hands),
        "phh": compare(hands, lambda hand: TheirHistory.loads(phh(hand))),
        "pokerstars": compare(hands[::TEXT_EVERY], from_text),
        "poker": read_by_poker(hands),
    }
    missed = [
        f"{read}: unexplained"
        for read in ("phh", "pokerstars")
        if "unexplained" in report[read]["other_rules"]
    ]
    if report["poker"] not in {None, len(hands)}:
        missed.append("poker")
    with TemporaryDirectory() as folder:
        for form in FORMATS:
            content, seconds, growth = export(hands, form, Path(folder))
            entry = {"hands_per_s": round(len(hands) / seconds), "bytes": len(content)}
            report[f"export_{form}"] = {**entry, "growth": growth}
            if form != "parquet" and growth > MOST_GROWTH:  # Parquet keeps a group of rows
                missed.append(f"{form}: memory")
            if form in {"csv", "parquet"} and not load(content, form, hands):
                missed.append(f"{form}: pandas")
    print(json.dumps({**report, "missed": missed}))
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
