"""dcsvm.commonutil against libsvm-official: reading, metrics, scaling."""

import io
import os

import numpy as np
import pytest

import dcsvm
from _libsvm_cases import sparse, their_common
from dcsvm import commonutil


def test_read_problem(tmp_path, sample):
    path = tmp_path / "data"
    dcsvm.save_svmlight(path, sample["x"], sample["t"])
    for text in (path.read_text(), "1 1:0 2:5\n-1\n2.5 3:1e3 7:-2\n", "1 0:2 1:3\n2 1:1\n", "1 3:1 2:5\n"):
        path.write_text(text)
        for source in (lambda p=path: str(p), lambda t=text: io.StringIO(t)):
            assert commonutil.svm_read_problem(source()) == their_common.svm_read_problem(source())
            y, x = commonutil.svm_read_problem(source(), return_scipy=True)
            ly, lx = their_common.svm_read_problem(source(), return_scipy=True)
            if "0:2" not in text:  # upstream shifts the indices of rows before the first 0 otherwise than those behind
                assert (y == ly).all()
                assert (x != lx).nnz == 0
                assert x.shape == lx.shape
    for text in ("1 1:0\n\n", "x 1:1\n", "1 1\n", "1 1:a\n"):
        path.write_text(text)
        with pytest.raises(ValueError) as ours:  # noqa: PT011
            commonutil.svm_read_problem(str(path))
        with pytest.raises(ValueError) as other:  # noqa: PT011
            their_common.svm_read_problem(str(path))
        assert str(ours.value) == str(other.value)
    path.write_text("1 1:2 # note\n")  # which LIBSVM's commands accept and its Python module does not
    assert commonutil.svm_read_problem(str(path)) == ([1.0], [{1: 2.0}])
    with pytest.raises(FileNotFoundError):
        commonutil.svm_read_problem(str(tmp_path / "absent"))


@pytest.mark.parametrize("end", [".gz", ".bz2", ".xz"])
def test_read_problem_of_a_compressed_file(tmp_path, sample, end):
    plain, packed = tmp_path / "data", tmp_path / f"data{end}"
    for path in (plain, packed):
        dcsvm.save_svmlight(path, sample["x"], sample["t"])
    assert packed.read_bytes()[:1] != plain.read_bytes()[:1]
    assert (
        commonutil.svm_read_problem(str(packed))
        == commonutil.svm_read_problem(os.fsencode(packed))
        == their_common.svm_read_problem(plain)
    )
    packed.write_text("1 1:a\n")
    with pytest.raises(ValueError, match=f"data{end}: cannot be unpacked"):
        commonutil.svm_read_problem(packed)


def test_evaluations():
    ty, pv = [1.0, 2.0, 3.0, 2.0], [1.0, 2.5, 2.0, 2.0]
    for args in ((ty, pv), (ty, pv, False), (np.array(ty), pv), ([1, 1], [1, 1]), ([1, 1], [1, 1], False)):
        np.testing.assert_allclose(commonutil.evaluations(*args), their_common.evaluations(*args))
    for args in ((ty, pv[:-1]), (ty, pv[:-1], False)):
        with pytest.raises(ValueError, match=r"len\(ty\) must be equal to len\(pv\)"):
            commonutil.evaluations(*args)
    with pytest.raises(TypeError):
        commonutil.evaluations_scipy(ty, pv)


def test_scaling(sample, capsys):
    x = sparse.csr_matrix(np.hstack([sample["x"], np.full((160, 1), 3.0)]))
    for lower in (-1, 0):
        ours, other = commonutil.csr_find_scale_param(x, lower), their_common.csr_find_scale_param(x, lower)
        for key in ("coef", "offset"):
            np.testing.assert_allclose(ours[key], other[key])
        np.testing.assert_allclose(commonutil.csr_scale(x, ours).toarray(), their_common.csr_scale(x, other).toarray())
    few = sparse.csr_matrix(np.eye(160, 6))
    capsys.readouterr()
    common = [commonutil, their_common]
    texts = []
    for module in common:
        module.csr_scale(few, module.csr_find_scale_param(few))
        texts.append(capsys.readouterr().err)
    assert texts[0] == texts[1] != ""
    wider = sparse.hstack([x, x], format="csr")  # upstream fails here
    scaled = commonutil.csr_scale(wider, ours).toarray()
    np.testing.assert_allclose(scaled[:, :6], commonutil.csr_scale(x, ours).toarray())
    assert not scaled[:, 6:].any()
    assert commonutil.csr_scale(x[:, :3], ours).shape == (160, 3)
    with pytest.raises(AssertionError):
        commonutil.csr_scale(sample["x"], ours)
