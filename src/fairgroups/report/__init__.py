"""Results as pages and files: HTML, Markdown, CSV, JUnit; nothing is computed here."""
