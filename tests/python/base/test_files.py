"""Model files, bytes and pickles; svmlight text."""

import bz2
import copy
import gzip
import lzma
import os
import pickle
import signal
import stat
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import dcsvm
from dcsvm import liblinearutil, svmutil

KEYS = ("alpha", "support_", "dual_coef_", "intercept_", "support_vectors_", "classes_", "n_support_", "report")


def same(a, b, x):
    np.testing.assert_array_equal(a.decision_function(x), b.decision_function(x))
    for key in KEYS:
        one, other = getattr(a, key), getattr(b, key)
        np.testing.assert_equal(*((v.toarray() if sp.issparse(v) else v) for v in (one, other)))
    for key in ("kernel", "gamma", "degree", "coef0", "prediction", "clustered", "n_features_in_"):
        assert getattr(a, key) == getattr(b, key)


@pytest.fixture(params=["binary", "classes", "early", "sparse", "float32", "precomputed"])
def case(request, model, early_model, board, blobs):
    x, y = board
    return {
        "binary": lambda: (model, x),
        "classes": lambda: (dcsvm.train(*blobs, kernel="poly", degree=2, coef0=0.5), blobs[0]),
        "early": lambda: (early_model, x),
        "sparse": lambda: (dcsvm.train(sp.csr_matrix(x), y, gamma=4), x),
        "float32": lambda: (dcsvm.train(x.astype(np.float32), y, gamma=4), x),
        "precomputed": lambda: (dcsvm.train(x @ x.T, y, kernel="precomputed"), x @ x.T),
    }[request.param]()


def test_round_trips(case, tmp_path):
    m, x = case
    path = tmp_path / "a.model"
    m.save(path)
    assert path.read_bytes() == m.to_bytes()
    for other in (dcsvm.load_model(path), dcsvm.load_model(os.fspath(path)), dcsvm.Model.from_bytes(m.to_bytes())):
        same(m, other, x)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        same(m, pickle.loads(pickle.dumps(m, protocol)), x)
    same(m, copy.deepcopy(m), x)
    assert dcsvm.load_model(path).to_bytes() == m.to_bytes()


@pytest.mark.parametrize("end", [".gz", ".bz2", ".xz"])
def test_compressed_models(model, board, end, tmp_path):
    x, y = board
    line = dcsvm.train_linear(x, y)
    for one, how in [(model, {}), (model, {"format": "libsvm"}), (line, {}), (line, {"format": "liblinear"})]:
        one.save(tmp_path / "plain", **how)
        one.save(tmp_path / f"m{end}", **how)
        opened = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}[end](tmp_path / f"m{end}")
        with opened as file:
            assert file.read() == (tmp_path / "plain").read_bytes()
        again = dcsvm.load_model(tmp_path / f"m{end}")
        np.testing.assert_array_equal(again.decision_function(x), dcsvm.load_model(tmp_path / "plain").decision_function(x))
    (tmp_path / f"m{end}").write_bytes(b"no archive")
    with pytest.raises(ValueError, match=f"m{end}: cannot be unpacked"):
        dcsvm.load_model(tmp_path / f"m{end}")


def test_save_replaces_whole_files_and_leaves_no_others(model, tmp_path):
    path = tmp_path / "m"
    path.write_bytes(b"old")
    model.save(path)
    assert path.read_bytes() == model.to_bytes()
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_path_names(model, tmp_path):
    path = tmp_path / "größe 模型"
    model.save(path)
    assert dcsvm.load_model(os.fsencode(path)).to_bytes() == model.to_bytes()
    with pytest.raises(ValueError, match="null"):
        model.save("a\0b")
    with pytest.raises(TypeError):
        model.save(3)


def test_file_errors_are_os_errors(model, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        dcsvm.load_model(tmp_path / "absent")
    assert caught.value.filename == str(tmp_path / "absent")
    with pytest.raises(FileNotFoundError):
        model.save(tmp_path / "absent" / "m")
    with pytest.raises(FileNotFoundError):
        dcsvm.load_svmlight(tmp_path / "absent")
    with pytest.raises(OSError, match="directory"):
        dcsvm.load_svmlight(tmp_path)
    with pytest.raises(OSError, match="directory"):
        dcsvm.load_model(tmp_path)


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_permissions(model, tmp_path):
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(PermissionError):
        model.save(tmp_path / "m")


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="no /dev/stdout here")
def test_dev_stdout_that_is_a_file_is_not_replaced(model, tmp_path):
    """What was printed before stays, what is printed afterwards follows."""
    model.save(tmp_path / "m")
    code = (
        "import dcsvm, sys; m = dcsvm.load_model(sys.argv[1]); print('before', flush=True); m.save('/dev/stdout'); print('after')"
    )
    (tmp_path / "out").write_bytes(b"first\n")
    with open(tmp_path / "out", "ab") as out:
        subprocess.run([sys.executable, "-c", code, tmp_path / "m"], stdout=out, check=True)
    assert (tmp_path / "out").read_bytes() == b"first\nbefore\n" + (tmp_path / "m").read_bytes() + b"after\n"


def linear_model():
    x, y = dcsvm.datasets.make_twonorm(50)
    return dcsvm.train_linear(x, y)


def saved_by_liblinearutil(path):
    model = liblinearutil.train([1, -1], [{1: 1}, {1: -1}], "-q")
    liblinearutil.save_model(path, model)


def saved_by_svmutil(path):
    model = svmutil.svm_train([1, -1], [{1: 1}, {1: -1}], "-q")
    svmutil.svm_save_model(path, model)


@pytest.mark.parametrize(
    "save",
    [
        lambda path: dcsvm.train([[0.0], [1.0]], [0, 1], gamma=1).save(path),
        lambda path: dcsvm.train([[0.0], [1.0]], [0, 1], gamma=1).save(path, format="libsvm"),
        lambda path: linear_model().save(path, format="liblinear"),
        saved_by_svmutil,
        saved_by_liblinearutil,
        svmutil.svm_load_model,
        liblinearutil.load_model,
    ],
    ids=["native", "libsvm", "liblinear", "svmutil", "liblinearutil", "svmutil, load", "liblinearutil, load"],
)
def test_a_pipe_without_another_side_is_interrupted(save, tmp_path):
    def stop(*_):
        raise KeyboardInterrupt

    path = tmp_path / "pipe"
    os.mkfifo(path)
    before = signal.signal(signal.SIGALRM, stop)
    held = os.open(path, os.O_RDWR) if save in (svmutil.svm_load_model, liblinearutil.load_model) else None  # a silent writer
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            save(path)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if held is not None:
            os.close(held)


@pytest.mark.parametrize("save", [saved_by_svmutil, saved_by_liblinearutil])
def test_util_modules_say_that_a_model_was_not_saved(save, tmp_path, capsys):
    save(tmp_path / "model")
    assert "can't" not in capsys.readouterr().out
    save(tmp_path / "no folder" / "model")
    assert f"can't save model to file {tmp_path / 'no folder' / 'model'}" in capsys.readouterr().out


def test_truncated_models(model):
    data = model.to_bytes()
    for n in [*range(64), *range(64, len(data), len(data) // 150), len(data) - 1]:
        with pytest.raises(dcsvm.ModelError):
            dcsvm.Model.from_bytes(data[:n])
    with pytest.raises(dcsvm.ModelError):
        dcsvm.Model.from_bytes(data + b"x")


def test_altered_models(early_model):
    data = early_model.to_bytes()
    rng = np.random.default_rng(0)
    for position in [*range(48), *rng.integers(0, len(data), 300).tolist()]:
        changed = bytearray(data)
        changed[position] ^= 1 << int(rng.integers(8))
        with pytest.raises(dcsvm.ModelError):
            dcsvm.Model.from_bytes(bytes(changed))


def test_not_a_model(tmp_path):
    path = tmp_path / "x"
    for content in (b"", b"svm_type c_svc\n", os.urandom(1000)):
        path.write_bytes(content)
        with pytest.raises(dcsvm.ModelError, match=str(path)):
            dcsvm.load_model(path)
    assert issubclass(dcsvm.ModelError, ValueError)
    assert pickle.loads(pickle.dumps(dcsvm.ModelError("a"))).args == ("a",)


# svmlight


def test_svmlight_round_trip(tmp_path):
    rng = np.random.default_rng(1)
    x = rng.standard_normal((200, 30)) * 10.0 ** rng.integers(-300, 300, (200, 30))
    x[rng.random((200, 30)) < 0.7] = 0
    x[-1, -1] = 1
    y = rng.standard_normal(200)
    path = tmp_path / "d.txt"
    single = np.clip(x, -1e38, 1e38).astype(np.float32)
    for data in (single, np.asfortranarray(x), sp.csr_matrix(x), x[::-1][::-1]):
        for zero_based in (False, True):
            dcsvm.save_svmlight(path, data, y, zero_based=zero_based)
            back, labels = dcsvm.load_svmlight(path, zero_based=zero_based)
            assert sp.issparse(back)
            expected = data.toarray() if sp.issparse(data) else data
            np.testing.assert_array_equal(back.toarray().astype(expected.dtype), expected)  # the shortest text of the type
            np.testing.assert_array_equal(labels, y)
    dense, _ = dcsvm.load_svmlight(path, zero_based=True, dense=True, n_features=40)
    assert dense.shape == (200, 40)
    np.testing.assert_array_equal(dense[:, :30], back.toarray())


@pytest.mark.parametrize("end", [".gz", ".bz2", ".xz"])
def test_svmlight_of_a_compressed_file(tmp_path, end):
    x, y = dcsvm.datasets.make_twonorm(50, random_state=0)
    plain, packed = tmp_path / "d", tmp_path / f"d{end}"
    dcsvm.save_svmlight(plain, x, y)
    dcsvm.save_svmlight(packed, x, y)
    unpack = {".gz": gzip, ".bz2": bz2, ".xz": lzma}[end].decompress
    assert unpack(packed.read_bytes()) == plain.read_bytes()
    for path in (packed, os.fsencode(packed)):
        rows, labels = dcsvm.load_svmlight(path, dense=True)
        np.testing.assert_array_equal(rows, x)
        np.testing.assert_array_equal(labels, y)
    for content, said in ((packed.read_bytes()[:-9], "cannot be unpacked"), (b"1 1:2\n", "cannot be unpacked")):
        packed.write_bytes(content)
        with pytest.raises(ValueError, match=f"d{end}: {said}"):
            dcsvm.load_svmlight(packed)
    packed.write_bytes({".gz": gzip, ".bz2": bz2, ".xz": lzma}[end].compress(b"1 1:2\n1 1:x\n"))
    with pytest.raises(ValueError, match=f"d{end}:2:5: "):
        dcsvm.load_svmlight(packed)
    with pytest.raises(FileNotFoundError, match=f"absent/d{end}"):
        dcsvm.save_svmlight(tmp_path / f"absent/d{end}", x, y)
    with pytest.raises(FileNotFoundError, match=f"absent{end}"):
        dcsvm.load_svmlight(tmp_path / f"absent{end}")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["d", f"d{end}"], "nothing is left behind"


def test_svmlight_like_scikit_learn(tmp_path):
    datasets = pytest.importorskip("sklearn.datasets", reason="scikit-learn is not installed")
    path = tmp_path / "d.txt"
    path.write_text("+1 1:0.5 3:-2e-3 # a comment\n\n# a line of comment\n-1 2:1e10\n3.5\n1 1:1 2:2 3:3\n")
    x, y = dcsvm.load_svmlight(path)
    x2, y2 = datasets.load_svmlight_file(str(path))
    np.testing.assert_array_equal(x.toarray(), x2.toarray())
    np.testing.assert_array_equal(y, y2)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("1 1:1\n1 2:1 1:1\n", ":2:7"),
        ("1 1:1 1:2\n", ":1:7"),
        ("1 1:a\n", ":1:5"),
        ("1 0:1\n", ":1:3"),
        ("a 1:1\n", ":1:1"),
        ("1 1:1\n1 5:1\n", ":2:3"),
        ("1 1:nan\n", ":1:5"),
        ("1 1\n", ":1:"),
    ],
)
def test_svmlight_errors_name_file_line_and_column(tmp_path, text, place):
    path = tmp_path / "bad.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=str(path)) as caught:
        dcsvm.load_svmlight(path, n_features=4)
    assert f"{path}{place}" in str(caught.value)


def test_svmlight_without_scipy(tmp_path, monkeypatch):
    path = tmp_path / "d.txt"
    path.write_text("1 1:1\n-1 2:1\n1 1:2\n-1 2:3\n")
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    x, y = dcsvm.load_svmlight(path)
    assert isinstance(x, dcsvm.CsrMatrix)
    np.testing.assert_array_equal(x.toarray(), [[1, 0], [0, 1], [2, 0], [0, 3]])
    np.testing.assert_array_equal(dcsvm.train(x, y).predict(x), y)


def test_svmlight_bad_parameters(tmp_path):
    path = tmp_path / "d.txt"
    path.write_text("1 1:1\n")
    with pytest.raises(ValueError, match="n_features"):
        dcsvm.load_svmlight(path, n_features=0)
    with pytest.raises(ValueError, match="zero_based"):
        dcsvm.load_svmlight(path, zero_based="no")
    with pytest.raises(ValueError, match=r"y must have shape"):
        dcsvm.save_svmlight(path, np.eye(3), [1, 2])
    with pytest.raises(ValueError, match="NaN at row 0, column 1"):
        dcsvm.save_svmlight(path, [[1, np.nan]], [1])
    assert path.read_text() == "1 1:1\n", "a failed save leaves the old file"


@pytest.mark.parametrize("n_pairs", [1, 3])
def test_alpha_takes_memory_for_what_is_stored(n_pairs):
    """A file of a few hundred bytes may declare 2^28 training rows, 2 GB of dual variables for each pair of classes."""
    import resource
    import struct
    import zlib

    n_classes = 2 if n_pairs == 1 else 3
    x = np.arange(float(n_classes))[:, None]
    data = bytearray(dcsvm.train(x, np.arange(n_classes)).to_bytes())
    start = data.index(b"META")
    (size,) = struct.unpack_from("<Q", data, start + 8)
    n_train = start + 16 + size - 8  # the last field of the section
    assert struct.unpack_from("<q", data, n_train) == (n_classes,)
    struct.pack_into("<q", data, n_train, 2**28)
    struct.pack_into("<I", data, start + 16 + size, zlib.crc32(data[start : start + 16 + size]))
    model = dcsvm.Model.from_bytes(data)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    alpha = model.alpha
    assert alpha.shape == ((2**28,) if n_pairs == 1 else (n_pairs, 2**28))
    assert ((alpha.reshape(n_pairs, -1)[:, :n_classes] > 0).sum(axis=1) == 2).all()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**18  # kB
