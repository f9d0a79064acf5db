"""The built-in bots of Cubus: a module for each, with the functions of `strategies`."""
