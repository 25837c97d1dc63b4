"""Seats that are played from outside: player agents whose answers somebody else gives."""
