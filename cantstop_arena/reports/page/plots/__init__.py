"""The project's own drawings for pages: HTML elements, axes, marks in SVG, tables with plots."""
