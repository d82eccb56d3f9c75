"""Identities, sessions and sign-in with accounts of other sites."""
