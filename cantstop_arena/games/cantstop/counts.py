"""What is counted in a game of Can't Stop, seat by seat, and the quotients that tell a style."""

COUNTS = ("turns", "rolls", "busts")
RATES = {
    "turns_per_game": ("turns", "games"),
    "bust_rate": ("busts", "turns"),
    "rolls_per_turn": ("rolls", "turns"),
}
