"""A bot that is a function of a file."""

from pathlib import Path


def bot_file(folder: Path, body: str, head: str = "def act(turn):") -> str:
    """Write a bot's file; returns what the command takes."""
    file = folder / "bot.py"
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    file.write_text(f"import asyncio, math, time\n\n{head}\n{lines}\n")
    return f"{file}:act"
