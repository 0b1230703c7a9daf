"""
Novelty detection
=================

A one-class SVM learns the region where the training rows lie (Schölkopf et al., 2001). At most a share nu of them is
left outside.
"""

import matplotlib.pyplot as plt
import numpy as np

import dcsvm

rng = np.random.default_rng(0)
normal = np.concatenate(
    [rng.normal([-1.5, 0], 0.4, (400, 2)), rng.normal([1.5, 0.5], [0.6, 0.3], (400, 2))]
)
strange = rng.uniform(-4, 4, (60, 2))

side = np.linspace(-4, 4, 200)
points = np.array(np.meshgrid(side, side)).reshape(2, -1).T
figure, axes = plt.subplots(1, 2, figsize=(9, 4.3), layout="constrained", sharey=True)
for ax, nu in zip(axes, (0.02, 0.2), strict=True):
    model = dcsvm.train(normal, formulation="one_class", nu=nu, gamma=1)
    values = model.decision_function(points).reshape(200, 200)
    ax.contourf(side, side, values, levels=[0, values.max()], colors=["#dbe7f5"])
    ax.contour(side, side, values, levels=[0], colors="black", linewidths=0.8)
    ax.plot(*normal.T, ".", ms=3, color="#4c78a8", label="training rows")
    ax.plot(*strange.T, "x", ms=5, color="#e45756", label="other rows")
    outside = (model.predict(normal) == -1).mean()
    ax.set(
        title=f"nu = {nu}: {outside:.1%} of the training rows are outside",
        aspect="equal",
    )
axes[0].legend(loc="lower left")
plt.show()
