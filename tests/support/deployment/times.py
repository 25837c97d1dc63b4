"""How long services need to end, beside what their settings say."""

from datetime import timedelta

SPARE = timedelta(seconds=10)
"""For the process to close its connections on a busy machine."""
