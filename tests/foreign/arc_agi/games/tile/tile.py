"""A game of three levels: action 1 completes a level, 2 loses, 3, 4 and 6 change nothing."""

from arcengine import ARCBaseGame, GameAction, Level, Sprite

_LEVELS = 3


class Tile(ARCBaseGame):
    """One tile, of another colour in each level."""

    def __init__(self) -> None:
        levels = [Level([Sprite([[number + 1]], name="tile")]) for number in range(_LEVELS)]
        super().__init__("tile", levels, available_actions=[1, 2, 3, 4, 6])

    def step(self) -> None:
        """Take an action."""
        if self.action.id == GameAction.ACTION1:
            if self.level_index + 1 == _LEVELS:
                self._score += 1
                self.win()
            else:
                self.next_level()
        elif self.action.id == GameAction.ACTION2:
            self.lose()
        self.complete_action()
