"""The example of a hand history in the OpenAPI document."""

HISTORY = """[1]
variant = "NT"
ante_trimming_status = true
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [200, 200]
actions = [
  "d dh p1 ????",
  "d dh p2 ????",
  "p2 cbr 6",
  "p1 f",
]
players = ["Ada", "Bob"]
finishing_stacks = [198, 202]
winnings = [0, 4]
seats = [1, 2]
table = "green"
hand = 1
time = 19:43:00
time_zone = "UTC"
day = 20
month = 11
year = 2026
_hand_id = "green/1"
_players = ["player-1", "player-2"]

"""
