"""From nothing to the champion's nets: practice games, and what is learned from them."""
