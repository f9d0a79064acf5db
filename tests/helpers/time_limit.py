"""How long tests wait."""

TIME_LIMIT = 900.0
"""Seconds until what a test waits for counts as hanging, on a machine with much else to do."""
