"""`casino attack`: the attacks that an operator fires at a casino of their own.

An attacker has a client of their own, so nothing here speaks through the kit's client.
"""
