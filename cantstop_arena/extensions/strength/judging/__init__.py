"""What decisions lose, for people: isolated calls that judge, stored results, text and page."""

MAX_BOARDS = 10  # worst decisions of a bot that are stored and can be drawn
