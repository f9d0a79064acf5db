"""The baseline bots of Cubus: a module each, their thinking in `strategies`."""
