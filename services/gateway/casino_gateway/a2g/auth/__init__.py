"""Sign-in of A2G clients: guests, wallets, tokens and links."""
