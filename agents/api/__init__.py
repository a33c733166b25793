"""The REST API of custom agents."""
