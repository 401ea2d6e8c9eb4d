"""The paper's protocol on faces: scores of a ResNet-18 for people it was not trained on, beside their skin tone.

Training and predicting need torch (extra `faces`).
"""

from fairgroups.faces.celeba import CelebA, read_celeba
from fairgroups.faces.protocol import Settings

__all__ = ["CelebA", "Settings", "read_celeba"]
