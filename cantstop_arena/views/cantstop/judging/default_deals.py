"""How many deals of each bot are judged, unless others are wanted."""

BY_TABLE = 1000
BY_NETS = 100  # which think for a while
