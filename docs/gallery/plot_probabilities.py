"""
Probabilities, and whether they are true
========================================

With ``probability=True`` the decision values are turned into probabilities by one sigmoid, fitted in a cross-validation
(Platt, 2000). Of all rows that are given 80 %, about 80 % should be of the class: the curve should follow the diagonal.
It does for the linear kernel here; under a narrow rbf kernel no single sigmoid fits, and the picture shows it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import CalibrationDisplay

import dcsvm


def overlapping(n, seed):
    """Two classes, each a cloud in two dimensions, that overlap."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 2)) + 0.8 * y[:, None], y


X, y = overlapping(6_000, seed=0)
X_test, y_test = overlapping(6_000, seed=1)

figure, axes = plt.subplots(1, 2, figsize=(9, 4.3), layout="constrained", sharey=True)
for ax, parameters in zip(axes, ({"kernel": "linear"}, {"gamma": 0.5}), strict=True):
    model = dcsvm.train(X, y, C=1, probability=True, **parameters)
    probabilities = model.predict_proba(X_test)[:, 1]
    CalibrationDisplay.from_predictions(
        y_test, probabilities, n_bins=12, ax=ax, name=str(parameters)
    )
    ax.set_title(
        f"mean squared error of the probabilities: {np.mean((probabilities - y_test) ** 2):.4f}",
        fontsize=10,
    )
plt.show()
