"""
Decision regions of an exact and an early model
===============================================

A checkerboard of 20,000 points. The exact model solves one problem over all rows. The early model of DC-SVM (Hsieh, Si,
Dhillon, 2014) solves one small problem for each cluster of rows, which is much less work; a point is predicted by the
model of its nearest cluster.
"""

import matplotlib.pyplot as plt
import numpy as np

import dcsvm

X, y = dcsvm.datasets.make_checkerboard(20_000, noise=0.05, random_state=0)
X_test, y_test = dcsvm.datasets.make_checkerboard(5_000, random_state=1)
exact = dcsvm.train(X, y, C=10, gamma=4)
early = dcsvm.train(X, y, C=10, gamma=4, early_level=2)

# %%
# Both models over a grid of points; the lines are where the decision value is 0.
side = np.linspace(X.min(), X.max(), 250)
points = np.array(np.meshgrid(side, side)).reshape(2, -1).T
figure, axes = plt.subplots(1, 2, figsize=(9, 4.4), layout="constrained", sharey=True)
for ax, model, name in zip(axes, (exact, early), ("exact", "early"), strict=True):
    values = model.decision_function(points).reshape(250, 250)
    ax.contourf(side, side, values > 0, levels=1, colors=["#dbe7f5", "#fbe3d0"])
    ax.contour(side, side, values, levels=[0], colors="black", linewidths=0.7)
    accuracy = (model.predict(X_test) == y_test).mean()
    ax.set(
        title=f"{name}: {accuracy:.1%} right, {sum(model.report.seconds.values()):.2f} s",
        aspect="equal",
    )
plt.show()
