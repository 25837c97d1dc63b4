"""An option that would have no effect beside the others is refused, with the name of the other."""

from typing import Any

import pytest
import typer
from casino.__main__ import app
from casino.commands.lazy_command import EFFECTS, Effect
from support.console_side import casino
from typer.main import get_command

ROWS = [
    pytest.param(command, effect, option, id=f"{command}: {option} and {effect.counterpart}")
    for command, effects in EFFECTS.items()
    for effect in effects
    for option in effect.options
]

VALUES = {
    "--lobby": "http://a",
    "--gateway": "http://a",
    "--order": "newest",
    "--sort": "newest",
    "--style": "llm",
    "--rows": "actions",
    "--rebuy": "auto",
}
"""What options take that take no number."""


def parse(command: str, *options: tuple[str, str]) -> None:
    """Parse a command with its arguments and these options; "" stands for any value."""
    *groups, name = command.split()
    group: Any = get_command(app)
    context = typer.Context(group, info_name="casino")
    for part in groups:
        group = group.commands[part]
        context = typer.Context(group, context, info_name=part)
    parameters = group.commands[name].implementation().params
    words = ["http://a" for parameter in parameters if parameter.param_type_name == "argument"]
    for option, value in options:
        (parameter,) = (one for one in parameters if option in (*one.opts, *one.secondary_opts))
        words += [option] if parameter.is_flag else [option, value or VALUES.get(option, "1")]
    group.commands[name].make_context(name, words, parent=context)


@pytest.mark.parametrize(("command", "effect", "option"), ROWS)
def test_an_option_without_effect_is_refused(command: str, effect: Effect, option: str) -> None:
    """By the name of the other one; with what it needs it is taken."""
    own, other = (option, ""), (effect.other, effect.values[0] if effect.values else "")
    wrong, right = ([own, other], [own]) if effect.is_without else ([own], [own, other])
    with pytest.raises(typer.BadParameter, match="has no effect") as refused:
        parse(command, *wrong)
    assert refused.value.param_hint == option
    assert effect.counterpart in refused.value.message
    parse(command, *right)


async def test_a_variable_may_be_there_for_other_commands() -> None:
    """As that of the lobby, which `--up` does not ask."""
    ended = await casino("join", "no-such-bot.py", "--up", url="http://lobby")
    assert (ended.exit_code, "no-such-bot.py" in ended.stderr) == (1, True), ended.stderr


async def test_a_lobby_before_the_command_is_an_option_of_it() -> None:
    refused = await casino("--lobby", "http://lobby", "join", "bot.py", "--up")
    text = " ".join(refused.stderr.replace("│", " ").split())
    assert (refused.exit_code, "--lobby: has no effect with --up" in text) == (2, True)
