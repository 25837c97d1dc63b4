"""Options of `casino up` that do not fit are explained before anything is started."""

import pytest
import typer
from casino.commands.up import check_variables
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


@pytest.mark.parametrize(
    ("variable", "reported"),
    [
        ("CASINO_TABLE_PORT", "use --tables-port"),
        ("CASINO_PLAYER_COUNT", "use --players"),
        ("CASINO_GATEWAY_LOBBY_URL", "its services know the lobby"),
    ],
)
def test_a_variable_that_the_command_sets_itself_is_refused(variable: str, reported: str) -> None:
    """An empty one counts as absent."""
    check_variables({"CASINO_LOBBY_PORT": "7000", variable: ""})
    with pytest.raises(typer.BadParameter) as refused:
        check_variables({variable: "1"})
    assert refused.value.message == f"{variable} has no effect here: unset it; {reported}"
