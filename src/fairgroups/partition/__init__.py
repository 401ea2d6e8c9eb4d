"""The groups, as a value that everything else passes on."""
