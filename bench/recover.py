"""Recovery time of a table: from process start to the decision at which it was killed.

The journal holds a session of 10,000 six-seat hands and an unfinished hand.
Prints one JSON line, with the start time of a table without a journal. Limit: less than 2 s.
"""

import argparse
import asyncio
import random
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn
import uvloop
from casino_agentkit import ANYONE, Agent, Service
from casino_contracts import (
    ActionRequest,
    ActionResponse,
    ConfigureTableInput,
    SeatPlayerInput,
    StartGameInput,
    TableConfig,
)
from casino_games.shuffle import derive_seed
from casino_play.turn import Decision
from casino_table.domain.admission import seat_for, session_start
from casino_table.domain.table import Table
from casino_table.journal.journal import Journal
from casino_table.journal.journal_log import JournalRecord
from casino_table.journal.table_journals import JournalOptions, file_name, open_journals
from casino_table.play.running_hand import RunningHand
from rig import free_port, print_report, server, wait_for_port

SEATS = 6
MOST_S = 2.0
JOURNAL = file_name(1, 1)
"""The file of a process of one table."""
FOLDS = 0.45
CUT_AFTER = 2
"""Number of decisions in the unfinished hand."""


def configuration() -> ConfigureTableInput:
    """Return the configuration of the room, with an unreachable lobby."""
    config = TableConfig(
        starting_stack=1_000_000,
        small_blind=1,
        big_blind=2,
        min_buy_in=1,
        max_buy_in=1_000_000,
        max_hands=1_000_000,
        max_seats=SEATS,
        rebuy="auto",
        seed="recover",
    )
    callback = {"agentCardUrl": "http://127.0.0.1:1/", "eventSkill": "recordGameEvent"}
    return ConfigureTableInput.model_validate(
        {
            "tableId": "bench",
            "casinoName": "Bench",
            "config": config.model_dump(mode="json"),
            "casinoCallback": callback,
        }
    )


def write_session(directory: Path, hands: int, card_url: str) -> str:
    """Write the journal of a table; returns the id of the open question."""
    request = configuration()
    [log] = open_journals(directory, [1], JOURNAL, JournalOptions(synchronous="off"))
    journal = Journal("bench", 1, lambda: "2026-11-20T19:43:00.000Z", log)
    dice = random.Random(7)
    table = Table("bench", "Bench", request.config, 1, "texas-holdem", {})

    def full_record(kind: str) -> JournalRecord:
        return JournalRecord(kind, {"by": request.model_dump(mode="json")}, table.to_json())

    for number in range(SEATS):
        table.take_seat(
            seat_for(
                table,
                SeatPlayerInput(
                    player_id=f"p{number}",
                    display_name=f"Player {number}",
                    agent_card_url=card_url,
                    action_skill="act",
                    starting_stack=1_000_000,
                ),
            )[0]
        )
    table.begin(session_start(table, StartGameInput()))
    journal.commit(full_record("session"))
    for _ in range(hands):
        hand, _decisions = play(table, journal, dice, limit=None)
        journal.commit(full_record("settled"), hand.settle())
        journal.delivered(journal.last_sequence)
    hand, decisions = play(table, journal, dice, limit=CUT_AFTER)
    log.close()
    return f"bench/{hand.deal.number}:{decisions + 1}:1"


def play(
    table: Table, journal: Journal, dice: random.Random, limit: int | None
) -> tuple[RunningHand, int]:
    """Play a hand to its end, or at most `limit` decisions of it."""
    deal = table.next_deal()
    seed = derive_seed("recover", "hand", str(deal.number))
    hand = RunningHand(table, deal, seed)
    journal.commit(JournalRecord("hand", {"seed": seed}), hand.started())
    decisions = 0
    while not hand.is_over and decisions != limit:
        (seat,) = hand.pending
        question = hand.question(seat)
        default = question.default["action_type"]
        # As at a real table: most players fold early, the others call.
        folds = dice.random() < FOLDS
        action = {"action_type": "call" if default == "fold" and not folds else default}
        content = {"action": action, "outcome": "ok"}
        journal.commit(JournalRecord("decided", content), hand.act(Decision(action, "ok")))
        decisions += 1
    return hand, decisions


class Waiting:
    """A player that records when it is asked, and never answers."""

    def __init__(self) -> None:
        self.requests: asyncio.Queue[tuple[str, float]] = asyncio.Queue()
        self.released = asyncio.Event()

    def service(self) -> Service:
        """Return the service of this player."""
        agent = Agent("Waiting", "Never acts.")

        @agent.entrypoint("act", who=ANYONE)
        async def act(request: ActionRequest) -> ActionResponse:
            """Record the request and wait."""
            await self.requests.put((str(request.request_id), time.perf_counter()))
            await self.released.wait()
            return ActionResponse(action="fold")

        return Service({"": agent})


async def resumed_after_s(directory: Path, player: Waiting, question_id: str) -> float:
    """Start a table on its journal; returns seconds until it asks the open question."""
    started = time.perf_counter()
    environment = {"CASINO_TABLE_DATA": str(directory)}
    with server("-m", "casino_table", "--port", "0", environment=environment) as process:
        request_id, received_at = await asyncio.wait_for(player.requests.get(), 60)
        process.kill()
    if request_id != question_id:
        raise RuntimeError(f"the table asked {request_id} instead of {question_id}")
    return received_at - started


async def empty_after_s() -> float:
    """Start a table without a journal; returns seconds until it listens."""
    port = free_port()
    started = time.perf_counter()
    with server("-m", "casino_table", "--port", str(port)):
        await wait_for_port(port)
        return time.perf_counter() - started


async def measure(hands: int, rounds: int) -> dict[str, Any]:
    """Write the session once and recover it `rounds` times."""
    port, player = free_port(), Waiting()
    config = uvicorn.Config(player.service().asgi(), port=port, log_level="error", lifespan="off")
    web = uvicorn.Server(config)
    serving = asyncio.create_task(web.serve())
    with ExitStack() as stack:
        directory = Path(stack.enter_context(TemporaryDirectory()))
        question_id = await asyncio.to_thread(
            write_session, directory, hands, f"http://127.0.0.1:{port}/"
        )
        await wait_for_port(port)
        size = (directory / JOURNAL).stat().st_size
        resumed, empty = [], []
        for _ in range(rounds):
            empty.append(await empty_after_s())
            resumed.append(await resumed_after_s(directory, player, question_id))
        web.force_exit = web.should_exit = True
        player.released.set()
        await serving
    seconds = median(resumed)
    return {
        "bench": "recover",
        "hands": hands,
        "journal_megabytes": round(size / 2**20),
        "seconds_to_the_open_decision": round(seconds, 2),
        "seconds_of_an_empty_start": round(median(empty), 2),
        "floor": {"seconds_to_the_open_decision": MOST_S},
        "missed": ["seconds_to_the_open_decision"] if seconds >= MOST_S else [],
    }


def main() -> None:
    """Parse the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print_report(uvloop.run(measure(arguments.hands, arguments.rounds)))


if __name__ == "__main__":
    main()
