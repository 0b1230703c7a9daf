"""
Choosing C and gamma
====================

``dcsvm.cross_validate`` scores a grid of C and gamma. The folds and values of C of one gamma share their kernel rows,
and each C starts from the solution of the one before.
"""

import matplotlib.pyplot as plt

import dcsvm

X, y = dcsvm.datasets.make_checkerboard(3_000, noise=0.1, random_state=0)
found = dcsvm.cross_validate(
    X, y, C=[0.1, 1, 10, 100, 1000], gamma=[0.25, 1, 4, 16, 64], cv=5
)
dcsvm.plotting.grid(found)
plt.show()

# %%
# ``dcsvm.tune`` finds them without a grid of yours: all pairs race on a sample of the rows, those that fall behind drop out,
# and the last ones are trained on all rows.
race = dcsvm.tune(X, y, random_state=0)
dcsvm.plotting.race(race)
plt.show()
print(race)

# %%
# The best pair, on other rows. Their labels are all right; some of those above are wrong (``noise``), which no model can know.
X_test, y_test = dcsvm.datasets.make_checkerboard(5_000, random_state=1)
model = dcsvm.train(X, y, **found.best_params)
print(found.best_params, f"{(model.predict(X_test) == y_test).mean():.1%} right")
