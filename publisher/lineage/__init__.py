"""Where columns come from and who reads them, through all views that the state knows."""
