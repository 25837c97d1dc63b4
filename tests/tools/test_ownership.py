"""Rooms and tables change themselves: nobody else assigns to their fields."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OWNERS = {
    "services/lobby/casino_lobby": {"room", "served", "_room"},
    "services/table/casino_table": {"table", "_table"},
}
"""Below each package: the names of its variables that hold a room, or a table."""


def assignments(tree: ast.AST, names: set[str]) -> Iterator[str]:
    """Yield the assignments to a field of a variable or an attribute of one of these names."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Store):
            continue
        holder = node.value
        name = holder.id if isinstance(holder, ast.Name) else getattr(holder, "attr", "")
        if name in names:
            yield f"{node.lineno}: {name}.{node.attr}"


@pytest.mark.parametrize("package", OWNERS)
def test_only_the_domain_assigns_to_its_fields(package: str) -> None:
    """Everybody else calls a method that says what happens."""
    found = {
        str(path.relative_to(ROOT)): faults
        for path in (ROOT / package).rglob("*.py")
        if "domain" not in path.parts
        and (faults := list(assignments(ast.parse(path.read_text()), OWNERS[package])))
    }
    assert not found


def test_an_assignment_is_found() -> None:
    """In each form."""
    tree = ast.parse("room.phase = 'open'\nself.room.state, x = None, 1\nroom.epoch += 1\ny.z = 1")
    assert sorted(assignments(tree, {"room"})) == [
        "1: room.phase",
        "2: room.state",
        "3: room.epoch",
    ]
