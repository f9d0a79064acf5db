"""Building blocks of HTML pages: documents, elements, axes, SVG marks, tables with plots."""
