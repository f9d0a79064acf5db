"""Small nets that estimate the value of a position, as the champion uses them."""
