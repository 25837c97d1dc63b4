"""Database of seats, logins and answers."""
