"""What a seat is asked and shown, and what it may answer."""
