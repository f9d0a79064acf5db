"""The views of Cubus: text, pictures, pages, and the terminal of a person."""
