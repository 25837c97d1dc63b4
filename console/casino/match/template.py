"""The plan that `casino match new` writes: every field, with what it means."""

TEMPLATE = """\
# The plan of a match: casino match match.toml
# Two or more players play the same decks in every seat, with the same stack before each hand.

# name = "tight-or-equity"         # the name of the directory; by default the players' names

[[players]]
player = "style:tight"            # a style: caller, equity, maniac, random, tight

[[players]]
player = "style:equity"
# name = "challenger"             # by default that of the style, the file or the host

# [[players]]
# player = "bots/mine.py:act"     # a Python function; paths start at the folder of this file
# arguments = { bluff = 0.1 }     # passed to the function as keywords

# [[players]]
# player = "http://127.0.0.1:9000/"  # an agent over A2A
# games_at_once = 4               # maximum number of hands that it plays at the same time

[rules]
stack = 200                       # chips before every hand
small_blind = 1
big_blind = 2
ante = 0
clock = "10s"                     # the time for a decision

[deal]
decks = 5000                      # at most so many
seatings = "rotations"            # "all": every order of the players
# seed = "any text"               # by default 128 random bits; who has it can compute the decks

[stop]
rule = "decks"                    # "sprt": stop as soon as one of two hypotheses is accepted
low = 0.0                         # the first player wins at most so many bb/100 more ...
high = 5.0                        # ... or at least so many
alpha = 0.05                      # probability to accept high although low is true
beta = 0.05                       # probability to accept low although high is true

[faults]
wrong_answer = "default"          # after a second wrong answer: check or fold; or "stop"
no_answer = "pause"               # an agent is late or gone: wait for it; or "default"
patience = "60s"                  # how long a pause waits before the match is suspended
"""
