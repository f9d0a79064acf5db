"""The training of the champion's nets: practice games, and learning from them."""
