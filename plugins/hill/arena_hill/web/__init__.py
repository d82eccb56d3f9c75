"""The pages and the HTTP interface of a hill."""
