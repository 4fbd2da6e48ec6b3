"""The whole story on embedded parts, printed for a colleague to look at."""
