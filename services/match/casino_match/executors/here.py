"""Play blocks in this process, one after the other."""

import sys
from collections.abc import Iterable
from contextlib import redirect_stdout

from casino_match.executors.executor import Job, Played


class Here:
    """Plays in this process; what players print goes to standard error."""

    def play(self, job: Job, numbers: Iterable[int]) -> Played:
        """Yield each block; see `Executor`."""
        with redirect_stdout(sys.stderr):
            play = job.start()
        for number in numbers:
            with redirect_stdout(sys.stderr):
                content = play(number)
            yield number, content
