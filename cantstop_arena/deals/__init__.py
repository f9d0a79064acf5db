"""Deals as plain data: their seeds, their seatings and their results."""
