"""The solvers of linear models, as the core declares them (linear.hpp)."""

from __future__ import annotations

from .. import _core

SOLVERS = _core.linear_solvers()  # by name, in the order of their numbers in files
REGRESSIONS = tuple(name for name, has in SOLVERS.items() if has["numbers"])
SIDES = tuple(name for name, has in SOLVERS.items() if not has["classes"] and not has["numbers"])  # nobody gives targets
