"""`casino watch`: a stream followed and rendered in the terminal."""
