"""
How training converges
======================

The largest KKT violation, the objective, and the number of support vectors (on the right) against seconds, as
``dcsvm.History`` records them. Divide and conquer (``solver="dc"``; Hsieh, Si, Dhillon, 2014) first solves clusters of
rows one by one, and the whole problem then starts from their solutions.
"""

import matplotlib.pyplot as plt

import dcsvm

X, y = dcsvm.datasets.make_checkerboard(20_000, noise=0.05, random_state=0)
histories = {}
for name, solver in (("one solve", "smo"), ("divide and conquer", "dc")):
    histories[name] = dcsvm.History()
    model = dcsvm.train(X, y, C=10, gamma=4, solver=solver, callback=histories[name])
    print(
        f"{name:18} objective {model.report.objective:.3f}, violation {model.report.violation:.1e}"
    )

# %%
# Both stop at the same solution, to within ``tol``.
dcsvm.plotting.convergence(histories)
plt.show()
