"""Deals as plain data: what their chance comes from, who sits where, what came of them."""
