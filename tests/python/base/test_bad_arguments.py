"""Paths, batches and texts in the wrong place get an error that names them."""

import numpy as np
import pytest

import dcsvm
from _trainings import TRAININGS
from dcsvm import liblinearutil, svmutil

X = np.random.default_rng(0).standard_normal((20, 3))
Y = np.arange(20) % 2


@pytest.mark.parametrize("wrong", [3.5, None, ["a"]])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("path", lambda wrong: dcsvm.load_model(wrong)),
        ("path", lambda wrong: dcsvm.load_svmlight(wrong)),
        ("path", lambda wrong: dcsvm.save_svmlight(wrong, X, Y)),
        ("path", lambda wrong: dcsvm.train(X, Y).save(wrong)),
        ("path", lambda wrong: dcsvm.train(X, Y).save(wrong, format="libsvm")),
        ("path", lambda wrong: dcsvm.train_linear(X, Y).save(wrong, format="liblinear")),
        ("path", lambda wrong: dcsvm.train_linear_file(wrong)),
        ("path", lambda wrong: dcsvm.train_low_rank_file(wrong)),
        ("path", lambda wrong: dcsvm.SVC().fit(X, Y).save(wrong)),
        ("path", lambda wrong: dcsvm.SVC.load(wrong)),
        ("model_file_name", lambda wrong: svmutil.svm_load_model(wrong)),
        ("model_file_name", lambda wrong: liblinearutil.save_model(wrong, None)),
        ("cache_dir", lambda wrong: dcsvm.train_linear_file("absent", cache_dir=wrong or 3)),
        ("cache_dir", lambda wrong: dcsvm.train_low_rank_batches([], cache_dir=wrong or 3)),
        ("checkpoint", lambda wrong: dcsvm.train(X, Y, checkpoint=wrong or 3)),
        ("checkpoint", lambda wrong: dcsvm.cross_validate(X, Y, C=[1], gamma=[1], checkpoint=wrong or 3)),
    ],
)
def test_what_is_no_path_is_named(name, call, wrong):
    with pytest.raises(TypeError, match=rf"^{name} must be a str, bytes or os.PathLike object, got "):
        call(wrong)


def test_the_content_of_a_model_is_no_path():
    with pytest.raises(ValueError, match=r"^path contains a null character"):
        dcsvm.load_model(dcsvm.train(X, Y).to_bytes())


@pytest.mark.parametrize(("wrong", "found"), [(3.0, "float"), (None, "NoneType"), (lambda: [(X, Y)], "function: call it")])
def test_batches_are_named(wrong, found):
    with pytest.raises(TypeError, match=rf"^batches must be a sequence or an iterator of pairs \(X, y\), got {found}$"):
        dcsvm.train_low_rank_batches(batches=wrong)


TEXT = np.where(Y > 0, "yes", "no")
REGRESSIONS = {
    "train": lambda y: dcsvm.train(X, y, formulation="epsilon_svr"),
    "train_linear": lambda y: dcsvm.train_linear(X, y, solver="svr_squared"),
    "train_ridge": lambda y: dcsvm.train_ridge(X, y),
    **{
        name: lambda y, name=name: getattr(dcsvm, name)().fit(X, y)
        for name in ("SVR", "NuSVR", "LinearSVR", "KernelRidge", "LSSVR", "DCPredRidge")
    },
}


@pytest.mark.parametrize("y", [TEXT, TEXT.astype(object)], ids=["text", "objects"])
@pytest.mark.parametrize("name", REGRESSIONS)
def test_a_regression_of_text(name, y):
    with pytest.raises(ValueError, match=r"^y holds text \('no' at row 0\), but a regression predicts numbers\..*classifier$"):
        REGRESSIONS[name](y)


def test_a_path_in_the_place_of_rows():
    with pytest.raises(ValueError, match=r"^X must have 2 dimensions .* got the text 'train.txt'; dcsvm.load_svmlight"):
        dcsvm.train("train.txt", Y)


@pytest.mark.parametrize(
    "call",
    [
        lambda: dcsvm.train(X, Y, C=np.float64(-1)),
        lambda: dcsvm.train(X, Y, degree=np.int64(-1), kernel="poly"),
        lambda: dcsvm.OnlineSVC().partial_fit(X, Y + 5, classes=[0, 1]),
        lambda: dcsvm.OnlineSVC().partial_fit(X, TEXT, classes=["a", "b"]),
        lambda: dcsvm.OnlineSVC().partial_fit(X, Y, classes=[0, 1, 2]).finish(),
        lambda: dcsvm.SVC().fit(X, Y, sample_weight=np.full(20, np.nan)),
    ],
)
def test_messages_show_plain_values(call):
    with pytest.raises(ValueError, match=r"^((?!np\.).)*$"):
        call()


@pytest.mark.parametrize("train", TRAININGS, ids=lambda train: train.__name__)
def test_every_training_has_the_same_frame(train):
    with pytest.raises(TypeError, match=rf"^{train.__name__}\(\) has no parameter 'n_threads' \(did you mean 'n_jobs'\?\)"):
        train(X, Y, n_threads=2)
    with pytest.raises(ValueError, match=r"^callback must be callable or None, got 3$"):
        train(X, Y, callback=3)
    with pytest.raises(ValueError, match=r"^verbose must be True or False, got 'yes'$"):
        train(X, Y, verbose="yes")
    watched = train(X, Y, verbose=True, callback=lambda progress: None)
    assert train(X, Y).to_bytes(timings=False) == watched.to_bytes(timings=False)


@pytest.mark.parametrize(
    ("train", "params"), [(dcsvm.train_ridge, {"solver": "cg"}), (dcsvm.train_dc_pred, {}), (dcsvm.train_dc_pred_ridge, {})]
)
def test_verbose_shows_progress(train, params, capfd):
    rows, labels = dcsvm.datasets.make_checkerboard(3000)
    train(rows, labels, verbose=True, **params)
    assert capfd.readouterr().err.splitlines()[-1].split()[2] == "done"
    train(rows, labels, **params)
    assert not capfd.readouterr().err


@pytest.mark.parametrize(
    "call",
    [
        lambda: dcsvm.compress(dcsvm.train(X, Y), X, callback=3),
        lambda: dcsvm.tune(X, Y, callback=3),
        lambda: dcsvm.tune(X, Y, budget=1, callback=3),
        lambda: dcsvm.cross_validate(X, Y, callback=3),
        lambda: dcsvm.linear_path(X, Y, callback=3),
    ],
)
def test_what_is_no_callback_is_refused(call):
    with pytest.raises(ValueError, match=r"^callback must be callable or None, got 3$"):
        call()
