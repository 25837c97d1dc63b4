"""Commands `casino match run`, `show`, `verify` and `new`."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from casino.commands.context import (
    AsJson,
    AsJsonLines,
    at_lobby,
    context_of,
    one_line_for,
    url_or_none,
)
from casino.publishing import match_id_of, match_link, publish_match

if TYPE_CHECKING:
    from casino.match_session import MatchSession


@contextmanager
def with_matches(context: typer.Context) -> Iterator[None]:
    """Write an error of a match as one line, with exit code 1, or 2 for a wrong plan."""
    from casino_match.errors import InvalidPlan, MatchError  # noqa: PLC0415  takes 0.1 s

    with one_line_for(context, MatchError), one_line_for(context, InvalidPlan, code=2):
        yield


@contextmanager
def playing(context: typer.Context, *, as_json: bool) -> Iterator["MatchSession"]:
    """Provide what plays matches, for a command."""
    with with_matches(context):
        from rich.console import Console  # noqa: PLC0415  as the session

        from casino.match_session import MatchSession  # noqa: PLC0415  the same

        yield MatchSession(context_of(context).output(), Console(stderr=True), as_json)


_PLAN = "The plan"


SeatingsChoice = Literal["rotations", "all"]
WrongAnswerChoice = Literal["default", "stop"]
NoAnswerChoice = Literal["pause", "default"]


def _option(text: str, *names: str, **options: Any) -> Any:
    return typer.Option(*names, help=text, rich_help_panel=_PLAN, **options)


Jobs = Annotated[int | None, typer.Option(min=1, help="Number of processes. Default: all cores.")]
OnCluster = Annotated[
    str | None,
    typer.Option(
        metavar="ray|ADDRESS", help="Play on a Ray cluster: a local one, or the one there."
    ),
]
Name = Annotated[str | None, _option("Name of the match. Default: the names of the players.")]
Decks = Annotated[
    int | None, _option("Number of decks, each played in every seating. Default: 5000.")
]
DecksPerBlock = Annotated[
    int | None, _option("Decks of a block, which is played as a whole. Default: by the decks.")
]
Seed = Annotated[
    str | None,
    _option("What the decks follow from. Default: random, or that of the match that goes on."),
]
SeatingsOption = Annotated[
    SeatingsChoice | None, _option("all: every order of the players. Default: rotations.")
]
Stack = Annotated[int | None, _option("Chips of everybody before every hand. Default: 200.")]
SmallBlind = Annotated[int | None, _option("The small blind. Default: 1.")]
BigBlind = Annotated[int | None, _option("The big blind. Default: 2.")]
Ante = Annotated[int | None, _option("The ante of each player. Default: 0.")]
Clock = Annotated[
    str | None, _option("The time for a decision, such as 500ms or 10s. Default: 10s.")
]
StopBetter = Annotated[
    str | None,
    _option(
        "Stop early by a sequential test (SPRT): whether the first player wins at most LOW or at"
        " least HIGH bb/100 more than the second.",
        metavar="LOW:HIGH",
    ),
]
Alpha = Annotated[
    float | None, _option("Maximum probability to accept HIGH although LOW is true. Default: 0.05.")
]
Beta = Annotated[
    float | None, _option("Maximum probability to accept LOW although HIGH is true. Default: 0.05.")
]
WrongAnswer = Annotated[
    WrongAnswerChoice | None,
    _option("After a second wrong answer: check or fold (default), or stop the match."),
]
NoAnswer = Annotated[
    NoAnswerChoice | None,
    _option("When an agent is late, gone or only defaults: pause (default), or check or fold."),
]
Patience = Annotated[
    str | None, _option("How long a pause lasts before the match is suspended. Default: 60s.")
]
GamesAtOnce = Annotated[
    int | None, _option("Maximum number of hands that each agent plays at once. Default: 4.")
]


def bounds_of(text: str) -> dict[str, Any]:
    """Return the fields of the stopping rule of `LOW:HIGH`; raises BadParameter.

    >>> bounds_of("0:5")
    {'rule': 'sprt', 'low': 0.0, 'high': 5.0}
    """
    low, _, high = text.partition(":")
    hint = "--stop-better"
    try:
        rates = float(low), float(high)
    except ValueError as error:
        raise typer.BadParameter(
            f"{text!r}: write two win rates in bb/100, such as 0:5", param_hint=hint
        ) from error
    if not all(map(isfinite, rates)):
        raise typer.BadParameter(
            f"{text!r}: write two finite win rates in bb/100, such as 0:5", param_hint=hint
        )
    return {"rule": "sprt", "low": rates[0], "high": rates[1]}


def chosen(**values: Any) -> dict[str, Any]:
    """Return the values that are there."""
    return {name: value for name, value in values.items() if value is not None}


def run(  # noqa: PLR0913, PLR0917  the options of a command
    context: typer.Context,
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT BOT ...|PLAN.toml|DIR",
            help="The players: a style (equity, tight, ...), a function (bots/mine.py:act), the URL"
            " of an agent, each also as NAME=BOT. Or a plan. Or the directory of a match that"
            " goes on.",
        ),
    ],
    decks: Decks = None,
    seed: Seed = None,
    name: Name = None,
    stack: Stack = None,
    small_blind: SmallBlind = None,
    big_blind: BigBlind = None,
    ante: Ante = None,
    clock: Clock = None,
    seatings: SeatingsOption = None,
    decks_per_block: DecksPerBlock = None,
    stop_better: StopBetter = None,
    alpha: Alpha = None,
    beta: Beta = None,
    wrong_answer: WrongAnswer = None,
    no_answer: NoAnswer = None,
    patience: Patience = None,
    games_at_once: GamesAtOnce = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The match's files. Default: matches/NAME-DIGEST."),
    ] = None,
    jobs: Jobs = None,
    on: OnCluster = None,
    block: Annotated[
        str | None,
        typer.Option(metavar="I/N", help="Play only this share of the blocks: for job arrays."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Begin anew, also if there is such a match.")
    ] = False,
    publish: Annotated[
        str | None,
        typer.Option(
            metavar="LOBBY", callback=url_or_none, help="Publish the result at this lobby's page."
        ),
    ] = None,
    as_json: AsJsonLines = False,
) -> None:
    """Play a match between bots, or go on with it, and say which of them is better.

    Every deck is played in every seating with equal stacks. The same command again plays only what
    is missing. docs/matches.md explains the result.
    """
    values = {
        "name": name,
        "deal": chosen(decks=decks, seed=seed, seatings=seatings, decks_per_block=decks_per_block),
        "rules": chosen(
            stack=stack, small_blind=small_blind, big_blind=big_blind, ante=ante, clock=clock
        ),
        "stop": {
            **(bounds_of(stop_better) if stop_better else {}),
            **chosen(alpha=alpha, beta=beta),
        },
        "faults": chosen(wrong_answer=wrong_answer, no_answer=no_answer, patience=patience),
    }
    options = {field: value for field, value in values.items() if value}
    with playing(context, as_json=as_json) as session:
        from casino.match_session import order_of  # noqa: PLC0415  the same

        order = order_of(
            players, options, games_at_once, out=out, is_fresh=fresh, jobs=jobs, on=on, share=block
        )
        code, result = session.run(order)
    if publish is not None and result is not None:
        at_lobby(context, publish, lambda api: publish_match(api, result))
        link = match_link(publish, match_id_of(result))
        output = context_of(context).output()
        if as_json:
            output.json({"event": "published", "link": link})
        else:
            output.line(f"page   {link}")
    if code:
        raise typer.Exit(code)


MatchDir = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of the match.")]


def show(context: typer.Context, directory: MatchDir, as_json: AsJson = False) -> None:
    """Show the result of a match, or of what is played of it so far."""
    output = context_of(context).output()
    with with_matches(context):
        from casino_match.run.stored_match import StoredMatch  # noqa: PLC0415  an extra

        from casino.match_text import write_result  # noqa: PLC0415  as the extra

        result = StoredMatch(directory).result()
    if as_json:
        output.json(result)
    else:
        write_result(output, result)


def verify(
    context: typer.Context,
    directory: MatchDir,
    blocks: Annotated[
        int, typer.Option(min=0, help="Number of blocks to play again, of players without a wire.")
    ] = 2,
    as_json: AsJson = False,
) -> None:
    """Check a match: compute its result again, its hands, and play some of its blocks again."""
    output = context_of(context).output()
    with with_matches(context):
        from casino_match.run.verification import verify as verified  # noqa: PLC0415  an extra

        report = verified(directory, blocks)
    if as_json:
        output.json(report.as_json())
    else:
        output.lines(report.lines())
    if not report.is_right:
        raise typer.Exit(1)


def new(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The plan.")] = Path("match.toml"),
) -> None:
    """Write a plan with every field and what it means, to be changed."""
    from casino.match_text import TEMPLATE  # noqa: PLC0415  only this command needs it

    output = context_of(context).output()
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(TEMPLATE)
    except OSError as error:
        typer.echo(f"{context.command_path}: {file}: {error.strerror}", err=True)
        raise typer.Exit(1) from error
    output.line(f"{file}   play it: casino match {file}")
