"""From Python to machine code: what is compiled, where it is kept, and who plays by it."""
