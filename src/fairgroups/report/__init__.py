"""From an audit to what people read."""
