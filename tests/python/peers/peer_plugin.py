"""A pytest plugin: dcsvm's classes stand in the place of scikit-learn's in scikit-learn's own modules and tests.

DCSVM_PEERS=patched: those of ``dcsvm.patch_sklearn``. DCSVM_PEERS=own: ``dcsvm.SVC`` and so on themselves.
"""

import os
import sys

import dcsvm
from dcsvm import patched

dcsvm.patch_sklearn()
if os.environ["DCSVM_PEERS"] == "own":
    OWN = {getattr(patched, name): getattr(dcsvm, name) for name in patched.__all__}

    def pytest_collection_modifyitems() -> None:
        for name, module in list(sys.modules.items()):
            if name.startswith(("sklearn", "peer_")):
                for key, value in list(vars(module).items()):
                    if isinstance(value, type) and value in OWN:
                        setattr(module, key, OWN[value])

    pytest_collection_modifyitems()
