"""scikit-learn's own tests of its support vector machines, from the installed wheel, run on our classes.

Their modules are loaded with our classes in the place of scikit-learn's. Everything runs but what SKIPPED names.
"""

import importlib.util
import sys
import types

import pytest

import dcsvm

sklearn_svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is not installed")
pytest.importorskip("sklearn", minversion="1.9", reason="the tests of scikit-learn 1.9 are the ones that hold here")

OURS = ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR")
SKIPPED = {
    "test_libsvm_iris": "calls scikit-learn's private module _libsvm",
}

# Their tests are not written for -W error: probability is deprecated, few steps do not converge, and classes overlap.
pytestmark = pytest.mark.filterwarnings(
    "ignore:The `probability` parameter was deprecated:FutureWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:the margin r of nu_svc is not above tol:UserWarning",
)


@pytest.fixture
def global_random_seed():
    return 42  # scikit-learn's default


def load(name):
    """scikit-learn's test module, in which `svm` and what is imported from it are ours."""
    spec = importlib.util.find_spec(f"sklearn.svm.tests.{name}")
    module = types.ModuleType(f"{__name__}.{name}")
    source = spec.loader.get_data(spec.origin)
    replaced = types.ModuleType("svm")
    replaced.__dict__.update(vars(sklearn_svm), **{c: getattr(dcsvm, c) for c in OURS})
    sklearn = sys.modules["sklearn"]
    with pytest.MonkeyPatch.context() as patch:  # parametrize looks at the classes while the module is loaded
        patch.setattr(sklearn, "svm", replaced)
        patch.setitem(sys.modules, "sklearn.svm", replaced)
        exec(compile(source, spec.origin, "exec"), vars(module))
    return module


def listed(mark):
    """The same mark of pytest's, whose values are a list: newer releases take no iterators."""
    if mark.name != "parametrize":
        return mark
    return pytest.mark.parametrize(mark.args[0], list(mark.args[1]), **mark.kwargs).mark


LOADED = [load("test_svm"), load("test_sparse")]
for _module in LOADED:
    for _name, _test in list(vars(_module).items()):
        if _name.startswith("test_") and callable(_test) and _name not in SKIPPED:
            _test.pytestmark = [listed(mark) for mark in getattr(_test, "pytestmark", [])]
            globals()[_name if _module is LOADED[0] else f"{_name}_sparse"] = _test


def test_ours_are_what_is_tested():
    for module in LOADED:
        assert module.svm.SVC is dcsvm.SVC
    assert LOADED[0].NuSVR is dcsvm.NuSVR
    assert sklearn_svm.SVC is not dcsvm.SVC  # and scikit-learn is as it was


def test_every_skipped_function_exists():
    known = {name for module in LOADED for name in vars(module)}
    assert known >= SKIPPED.keys()
