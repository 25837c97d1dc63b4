"""Options of `casino up` that do not fit are explained before anything is started."""

import pytest
from support.console_side import StreamStub, casino


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["--players", "caller,genius"], "genius"),
        (["--players", "caller"], "2 to 10"),
        (["--players", "none"], "name your bots with --seat"),
        (["--small-blind", "5"], "--big-blind"),
        (["--seats", "3"], "3 seats are too few for 6 players"),
        (["--stack", "1"], "startingStack, 1"),
        (["--tables", "2", "--table-processes", "3"], "name at most 2, or more --tables"),
        (["--tables", "2", "--save", "runs/1"], "leave --tables or --save out"),
        (["--tables", "500", "--players", "caller,caller,caller"], "1500 players of one style"),
        (
            ["--tables", "2", "--players", "tight", "--seat", "http://a", "--seat", "http://b"],
            "every other room would have 1 sample player",
        ),
    ],
)
async def test_options_that_do_not_fit_are_explained(arguments: list[str], reported: str) -> None:
    ended = await casino("up", *arguments, to=StreamStub())
    assert ended.exit_code == 2, ended
    assert reported in " ".join(ended.stderr.replace("│", " ").split())
