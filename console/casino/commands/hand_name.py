"""A hand on the command line: its room and number, such as `main/17`."""

import typer


def hand_of(text: str, option: str) -> tuple[str, int]:
    """Return the room's id and the hand's number; raises BadParameter."""
    room, _, number = text.rpartition("/")
    if not room or not number.isdecimal():
        raise typer.BadParameter(
            "must be a room and a hand's number, such as main/17", param_hint=option
        )
    return room, int(number)
