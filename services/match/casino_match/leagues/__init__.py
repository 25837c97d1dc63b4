"""Leagues: every two players of a folder play a match, and the table says who is surely better."""
