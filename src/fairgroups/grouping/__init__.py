"""How many groups and which, as the data calls for; the scikit-learn estimators."""
