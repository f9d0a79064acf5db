"""The counts of a game of Can't Stop, by seat, and the rates that describe a style of play.

turns, rolls    the turns started and the rolls made
busts           the turns that ended in a bust
decisions       the decisions of the seat: between moves, or to roll or stop
spaces          the spaces banked by stopping
columns         the columns claimed at the end
won             the games won, alone or shared
winning_turns   the seat's own turns in games it won
leads           how often it took the sole lead from another seat
half_leads      the games that it led alone after half of all turns
half_wins       what it won of those games, in units of 1 / WIN_UNITS of a game
margin          the columns by which it was ahead of the next seat, in games it won alone

The leader is the seat with most columns claimed and, among equals, with most progress: the sum of
its spaces as shares of the columns' lengths. It is determined at the end of each turn. Games in
which the lead swings more than 256 times have no leader at half-time.

Games are also counted by length: the turns of all seats, in the classes of `lengths`.
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
"""The sums over the games and seats of a deal, stored for each deal if the measures are needed;
"games" are those that no fault ended."""

HIGHLIGHTS = ("longest", "closest", "comeback")
"""The highlights: the game with most turns, the one with the smallest lead of the winner at its
end, and the one in which the winner had been farthest behind the leader, both measured as the lead
is. Games that nobody won, or that a fault ended, are excluded."""
