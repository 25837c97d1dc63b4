"""A module whose import takes as long as a test wants."""

from support.gated import GATE

IS_DONE = GATE.wait(30)
