"""Draws graphs: values, a layered layout, and writers for SVG, DOT and Mermaid. Everything here is pure."""
