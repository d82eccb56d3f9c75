"""The results of a stored tournament: ratings, standings, tables, charts and exports."""
