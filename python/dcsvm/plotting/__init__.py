"""Pictures of models, trainings and searches, with matplotlib.

Each function draws on ``ax``, or on new axes, and returns a :class:`Display` with the axes and what was drawn on them, as
scikit-learn's displays do.
"""

from ._display import Display
from ._regions import decision_regions
from ._results import cost, grid, race, roc
from ._trainings import convergence, levels

__all__ = [
    "Display",
    "convergence",
    "cost",
    "decision_regions",
    "grid",
    "levels",
    "race",
    "roc",
]

for _name in __all__:
    globals()[_name].__module__ = "dcsvm.plotting"
