"""The compiled parts of Cubus, and those stored on disk: libraries, searches, complete games."""
