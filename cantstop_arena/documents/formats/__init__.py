"""Tables as data, and the formats in which they are written."""
