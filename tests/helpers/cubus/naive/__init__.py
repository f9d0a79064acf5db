"""A second, naive reading of the rules of Cubus, kept apart from the engine on purpose.

Written from the rules alone, to be read next to them: no tables, no speed, no import from the
project.  "Rn" in a docstring is statement n of the rules, "C1" a fact stated there.
"""
