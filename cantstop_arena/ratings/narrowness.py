"""How narrow the intervals of a tournament are, for those who play until they are narrow enough."""
