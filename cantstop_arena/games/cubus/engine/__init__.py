"""All of Cubus that is compiled or kept on disk: libraries, searches, whole games."""
