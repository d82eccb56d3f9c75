"""Agents at the tables of the web pages: an MCP server whose seats are those of people."""
