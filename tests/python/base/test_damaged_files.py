"""Model files of every kind and checkpoints with bytes changed, cut and added: an error that says so, or a model.

Own files are changed twice: as they are, where a checksum tells, and with new checksums, as someone would who means harm.
"""

import io
import json
import struct
import warnings
import zlib
from contextlib import redirect_stderr, redirect_stdout
from random import Random

import numpy as np
import pytest

import dcsvm
from dcsvm._command import cli

X, Y = dcsvm.datasets.make_checkerboard(150, random_state=0)
HEADER, HEAD = struct.Struct("<8sIIQII"), struct.Struct("<4sIQ")
TIMES = 60


def binary(model):
    return model.to_bytes()


def text(model, form, folder):
    model.save(folder / "text", format=form)
    return (folder / "text").read_bytes()


def frame(labels):
    pandas = pytest.importorskip("pandas")
    return dcsvm.train(pandas.DataFrame(X, columns=["first", "second"]), labels, gamma=4.0)


KINDS = {
    "svm": lambda _: binary(dcsvm.train(X, Y, gamma=4.0)),
    "svm with names": lambda _: binary(frame(np.where(Y > 0, "up", "dówn"))),
    "early": lambda _: binary(dcsvm.train(X, Y, gamma=4.0, early_level=1, branching=2)),
    "low rank": lambda _: binary(dcsvm.train_low_rank(X, Y, gamma=4.0, n_landmarks=10)),
    "dc_pred": lambda _: binary(dcsvm.train_dc_pred(X, Y, gamma=4.0)),
    "ls_svm": lambda _: binary(dcsvm.train_ls_svm(X, Y, gamma=4.0)),
    "linear": lambda _: binary(dcsvm.train_linear(X, Y)),
    "ldkl": lambda _: binary(dcsvm.train_ldkl(X, Y)),
    "libsvm": lambda folder: text(dcsvm.train(X, Y, gamma=4.0, probability=True), "libsvm", folder),
    "libsvm regression": lambda folder: text(dcsvm.train(X, Y, gamma=4.0, formulation="epsilon_svr"), "libsvm", folder),
    "liblinear": lambda folder: text(dcsvm.train_linear(X, Y % 3, solver="logistic"), "liblinear", folder),
}


def changed(data, random):
    """The bytes with some changed, cut off, or added."""
    out = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 3, 10))):
        at, how = random.randrange(len(out)), random.randrange(5)
        if how == 0:
            out[at] ^= 1 << random.randrange(8)
        elif how == 1:
            out[at] = random.choice(b"\xff\x80\xc3\x00\x1b\n 0:-e.x")
        elif how == 2:
            out[at:at] = random.randbytes(random.randrange(1, 9))
        elif how == 3:
            del out[at : at + random.randrange(1, 9)]
        elif random.random() < 0.3:
            del out[at:]
        if not out:
            break
    return bytes(out)


def with_changed_payloads(data, random):
    """An own file whose sections are changed, with sizes and checksums that are right."""
    _, version, count, _, _, _ = HEADER.unpack_from(data)
    at, body = HEADER.size, b""
    for _ in range(count):
        tag, flags, size = HEAD.unpack_from(data, at)
        payload = data[at + HEAD.size : at + HEAD.size + size]
        at += HEAD.size + size + 4
        if payload and random.random() < 0.5:
            payload = changed(payload, random)
        section = HEAD.pack(tag, flags, len(payload)) + payload
        body += section + struct.pack("<I", zlib.crc32(section))
    head = HEADER.pack(data[:8], version, count, HEADER.size + len(body), 0, 0)[:-4]
    return head + struct.pack("<I", zlib.crc32(head)) + body


def error_of(call):
    try:
        call()
    except Exception as error:
        return error
    return None


def info(path):
    """Exit code, output and errors of dcsvm info, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = cli.main(["info", str(path)])
    return code, out.getvalue(), err.getvalue()


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_only_model_errors(kind, tmp_path):
    data, random, path = KINDS[kind](tmp_path), Random(kind), tmp_path / "model"
    own = data[1:6] == b"DCSVM"
    loaded = 0
    for i in range(TIMES):
        path.write_bytes(with_changed_payloads(data, random) if own and i % 2 else changed(data, random))
        error = error_of(lambda: repr((m := dcsvm.load_model(path), m.report)))
        assert error is None or type(error) is dcsvm.ModelError or isinstance(error, OSError), repr(error)
        assert str(error).isprintable(), ascii(str(error))
        loaded += error is None
        if i % 6 == 0:
            code, _, err = info(path)
            assert code in (0, 1)
            assert code == 0 or err.startswith("dcsvm: error: "), err
    assert loaded < TIMES


@pytest.mark.parametrize("kind", ["libsvm", "liblinear"])
def test_each_byte_that_is_no_text(kind, tmp_path):
    """Issue: UnicodeDecodeError from the error's own text."""
    data, path = KINDS[kind](tmp_path), tmp_path / "model"
    for at in range(min(len(data) - 1, 160)):
        path.write_bytes(data[:at] + b"\xff" + data[at + 1 :])
        with pytest.raises(dcsvm.ModelError) as caught:
            dcsvm.load_model(path)
        assert str(caught.value).isprintable()
        if at % 10:
            continue
        code, _, err = info(path)
        assert (code, err.startswith(f"dcsvm: error: {path}: ")) == (1, True), err


def test_a_name_that_is_no_text(tmp_path):
    """The path is in the error's text; file systems take any bytes."""
    path = bytes(tmp_path) + b"/\xff\xfe.model"
    with pytest.raises(FileNotFoundError) as caught:
        dcsvm.load_model(path)
    assert caught.value.filename == path.decode(errors="surrogateescape")
    try:
        with open(path, "wb") as file:
            file.write(b"svm_type \xff\n")
    except OSError:
        pytest.skip("this file system wants UTF-8")
    with pytest.raises(dcsvm.ModelError, match=r"\\xff\\xfe\.model: line 1: unknown svm type"):
        dcsvm.load_model(path)


@pytest.mark.parametrize("dtype", ["U1000000000", "O", "V8", "M8[s]", ["x"], {"a": 1}, "no type"])
def test_types_of_labels_that_no_model_has(dtype):
    data = dcsvm.train(X, Y, gamma=4.0)._core.to_bytes(True)  # without the section
    payload = json.dumps({"labels": ["a", "b"], "dtype": dtype, "features": None, "estimator": None}).encode()
    section = HEAD.pack(b"NAME", 0, len(payload)) + payload
    body = data[HEADER.size :] + section + struct.pack("<I", zlib.crc32(section))
    _, version, count, _, _, _ = HEADER.unpack_from(data)
    head = HEADER.pack(data[:8], version, count + 1, HEADER.size + len(body), 0, 0)[:-4]
    with pytest.raises(dcsvm.ModelError, match="section NAME"):
        dcsvm.Model.from_bytes(head + struct.pack("<I", zlib.crc32(head)) + body)


def stopped_search(path, rows=900):
    """A cross-validation that is stopped once it has a checkpoint."""
    x, y = dcsvm.datasets.make_checkerboard(rows, noise=0.1, random_state=0)

    def watch(progress):
        if path.exists():
            raise KeyboardInterrupt

    call = {"C": [1, 10, 100], "gamma": [1.0, 4.0], "cv": 3, "checkpoint": path, "checkpoint_interval": 1e-9}
    with pytest.raises(KeyboardInterrupt):
        dcsvm.cross_validate(x, y, callback=watch, **call)
    return lambda: dcsvm.cross_validate(x, y, **call)


def test_checkpoints(tmp_path):
    path = tmp_path / "checkpoint"
    again = stopped_search(path)
    data, random = path.read_bytes(), Random(5)
    assert data[1:6] == b"DCSVC"
    for i in range(TIMES):
        body = changed(data[:-4], random)
        path.write_bytes(body + struct.pack("<I", zlib.crc32(body)) if i % 2 else changed(data, random))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            error = error_of(again)
        assert error is None or type(error) is ValueError or isinstance(error, OSError), repr(error)
        assert str(error).isprintable(), ascii(str(error))
