"""The formulations, as the core declares them (params.hpp)."""

from __future__ import annotations

from .. import _core

FORMULATIONS = _core.formulations()  # by name, in the order of their numbers in files
CLASSIFIERS = tuple(name for name, has in FORMULATIONS.items() if has["classes"])
REGRESSIONS = tuple(name for name, has in FORMULATIONS.items() if has["numbers"])
SIDES = tuple(name for name, has in FORMULATIONS.items() if has["sides"])  # for which nobody gives targets
WITH_NU = tuple(name for name, has in FORMULATIONS.items() if has["nu"])
NU_FOR_C = tuple(name for name in WITH_NU if not FORMULATIONS[name]["C"])  # nu takes the place of C
