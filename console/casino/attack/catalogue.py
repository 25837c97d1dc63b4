"""Catalogue of all attacks, in the order of their execution."""

from casino.attack.attack import Attack
from casino.attack.attacks import (
    browser,
    commands,
    fleet,
    forgery,
    resources,
    seats,
    services,
    takeover,
)

_MODULES = (takeover, forgery, fleet, seats, commands, services, browser, resources)
ATTACKS = tuple(
    item for module in _MODULES for item in vars(module).values() if isinstance(item, Attack)
)
GROUPS = tuple(dict.fromkeys(attack.group for attack in ATTACKS))
