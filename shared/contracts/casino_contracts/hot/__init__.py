"""Messages of which there are many, read by msgspec in a tenth of the time; needs that package."""
