"""Tests of Cubus: a second, naive reading of its rules, and what is held against it."""
