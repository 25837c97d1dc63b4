"""What a link shows where it is posted: title, description and a drawn card."""
