"""Pictures of results, as Altair charts."""
