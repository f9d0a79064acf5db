"""The checks of `arena bots check`: legal play, reproducibility, state between games, speed."""
