"""Every training with the parameters that the core declares for it."""

import dcsvm

_PUBLIC = [getattr(dcsvm, name) for name in dcsvm.__all__ if name.startswith("train")]
TRAININGS = {function: function.declared_as for function in _PUBLIC if hasattr(function, "declared_as")}
