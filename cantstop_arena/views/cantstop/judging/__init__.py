"""What decisions lose, for people: the command, its errands, its text and page."""
