"""The extensions that ship with the arena, a folder each; one may be deleted."""
