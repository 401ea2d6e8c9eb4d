"""Second opinions on an audit: permutation, monotonicity, firmness of borders, model against label."""
