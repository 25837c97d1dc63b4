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
    each for module in _MODULES for each in vars(module).values() if isinstance(each, Attack)
)
GROUPS = tuple(dict.fromkeys(attack.group for attack in ATTACKS))
