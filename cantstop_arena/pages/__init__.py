"""What pages are made of: documents, HTML elements, axes, marks in SVG, tables with plots."""
