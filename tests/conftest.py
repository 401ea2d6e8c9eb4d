"""Workers run side by side; linear algebra that starts threads of its own in each would slow all of them down."""

import os

for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")
