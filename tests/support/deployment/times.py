"""How long services need to end, beside what their settings say."""

from datetime import timedelta

GOODBYE_LIMIT = timedelta(seconds=5)
"""How long a table repeats its goodbye until the lobby has given its room to another one."""
SPARE = timedelta(seconds=10)
"""For the process to close its connections on a busy machine."""
