"""What is counted in a game of Can't Stop, seat by seat, and the quotients that tell a style.

turns, rolls    the turns begun and the rolls made
busts           the turns that ended in a bust
decisions       how often the seat had a choice: between moves, or to roll or stop
spaces          the spaces banked by stopping
columns         the columns claimed at the end
won             the games won, alone or shared
winning_turns   the seat's own turns in games it won
leads           how often it took the sole lead from another seat
half_leads      the games that it led alone after half of all turns
half_wins       what it won of those games, in parts of WHOLE
margin          the columns by which it was ahead of the next seat, in games it won alone

The leader has claimed most columns, and of those who have, made most progress in all columns
together, each counted as a share of its length. It is looked at when a turn has ended. Games in
which the lead swings more than 256 times have no leader at half-time.

Games are told apart by length, too: the turns of all seats, in the classes of `lengths`.
"""

COUNTS = (
    "turns",
    "rolls",
    "busts",
    "decisions",
    "spaces",
    "columns",
    "won",
    "winning_turns",
    "leads",
    "half_leads",
    "half_wins",
    "margin",
)
RATES = {
    "turns_per_game": ("turns", "games"),
    "turns_to_win": ("winning_turns", "won"),
    "bust_rate": ("busts", "turns"),
    "rolls_per_turn": ("rolls", "turns"),
    "spaces_per_turn": ("spaces", "turns"),
    "columns_per_game": ("columns", "games"),
}
MEASURES = ("games", "unfinished", *COUNTS)
"""What is kept of every deal where asked for, all its games and seats added up; "games" without
those that a fault ended."""

HIGHLIGHTS = ("longest", "closest", "comeback")
"""The games that are remembered: the one with most turns, that in which the winner was the least
ahead at its end, and that in which the winner had been farthest behind the leader, both measured
as the lead is. Games that nobody won, or that a fault ended, are none of them."""
