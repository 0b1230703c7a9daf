"""Kernels that are functions in machine code."""

from __future__ import annotations

import ctypes
from _ctypes import CFuncPtr
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from .. import _core
from .validate import FloatArray, threads

_WANTED = "double kernel(const double *x, const double *z, long n_features)"
_ROWS = (ctypes.POINTER(ctypes.c_double), ctypes.c_void_p)  # what x and z may be declared as
_WHOLE = (ctypes.c_long, ctypes.c_longlong, ctypes.c_ssize_t)
_WORDS = ("long", "longlong", "longint", "int64_t", "Py_ssize_t", "ssize_t", "npy_intp", "intptr_t")


class CompiledKernel:
    """A kernel in machine code, for the parameter ``kernel`` of estimators.

    It is given where a Python function may be, of dcsvm's estimators and of scikit-learn's, and called with two matrices it
    returns the matrix of kernel values. The function is called for one pair of rows at a time, by several threads at once and
    without Python's lock. It must be ``double kernel(const double *x, const double *z, long n_features)``; n_features is any
    integer of 64 bits. A kernel is symmetric: for the training rows only the pairs i <= j are computed.

    Parameters
    ----------
    function : ctypes function, numba.cfunc, scipy.LowLevelCallable or PyCapsule
        A function of ctypes needs its ``restype`` and ``argtypes``; a capsule has its signature as its name, as those in
        ``__pyx_capi__`` of Cython's modules. It is kept as long as this object.
    n_jobs : int or None, default=None
        Threads; None: DCSVM_NUM_THREADS, else OMP_NUM_THREADS, else every core; -1: every core. The values do not depend on it.

    Raises
    ------
    TypeError
        For another kind of object, and for another signature.

    See Also
    --------
    SVC : Takes it as ``kernel``.

    Notes
    -----
    Pickles and model files cannot hold machine code: keep the estimator's parameters, and train again. Clones share it.

    Examples
    --------
    >>> import ctypes, dcsvm
    >>> row = ctypes.POINTER(ctypes.c_double)
    >>> @ctypes.CFUNCTYPE(ctypes.c_double, row, row, ctypes.c_long)  # in place of numba.cfunc, or of a function in C
    ... def product(x, z, n_features):
    ...     return sum(x[k] * z[k] for k in range(n_features))
    >>> kernel = dcsvm.CompiledKernel(product)
    >>> kernel([[1, 2]], [[3, 4], [5, 6]]).tolist()
    [[11.0, 17.0]]
    >>> model = dcsvm.SVC(kernel=kernel).fit([[0, 1], [1, 0], [2, 1], [1, 2]], [0, 0, 1, 1])
    """

    def __init__(self, function: Any, n_jobs: int | None = None) -> None:
        self.function = function
        self.n_jobs = n_jobs
        self._address = _address_of(function)

    def __call__(self, X: Any, Z: Any) -> FloatArray:
        """The kernel values of all rows of X with all rows of Z.

        Parameters
        ----------
        X : array-like of shape (n, n_features)
            Rows, dense; float64 in C order is not copied.
        Z : array-like of shape (m, n_features)
            Rows, dense. X itself: the function is called for pairs i <= j alone.

        Returns
        -------
        ndarray of shape (n, m)
            As the function returned them.

        Raises
        ------
        ValueError
            For NaN and infinity in rows, and for rows that do not have as many features as the others.
        TypeError
            For sparse matrices.
        """
        rows = _rows("X", X)
        others = rows if Z is X else _rows("Z", Z)
        if rows.shape[1] != others.shape[1]:
            raise ValueError(f"X has {rows.shape[1]} features, but Z has {others.shape[1]}")
        return _core.function_values(rows, others, self._address, threads(self.n_jobs))

    def __repr__(self) -> str:
        return f"CompiledKernel({self.function!r})"

    def __deepcopy__(self, memo: Any) -> CompiledKernel:
        return self  # as Python's functions; clones of estimators copy their parameters

    def __reduce__(self) -> NoReturn:
        raise TypeError("a CompiledKernel is machine code of this process, which a pickle cannot hold")


def is_machine_code(function: Any) -> bool:
    """Whether it is something that a CompiledKernel is made of."""
    numba = hasattr(function, "address") and hasattr(function, "ctypes")
    return numba or isinstance(function, CFuncPtr) or type(function).__name__ in ("PyCapsule", "LowLevelCallable")


def _rows(name: str, X: Any) -> npt.NDArray[np.float64]:
    if hasattr(X, "tocsr"):
        raise TypeError(f"{name} is sparse, and a compiled kernel takes dense rows: give {name}.toarray()")
    rows = np.ascontiguousarray(X, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(f"{name} must have two dimensions, got the shape {rows.shape}")
    return rows


def _address_of(function: Any) -> int:
    """Where the machine code is. TypeError unless it is declared to be a kernel."""
    if not is_machine_code(function):
        raise TypeError(
            "function must be a ctypes function, a numba.cfunc, a scipy.LowLevelCallable or a PyCapsule, got "
            f"{type(function).__name__}; a Python function is given as kernel by itself"
        )
    function = getattr(function, "ctypes", function)  # numba's
    if isinstance(function, CFuncPtr):
        _check_types(function)
        address = ctypes.cast(function, ctypes.c_void_p).value
    elif type(function).__name__ == "PyCapsule":
        address = _inside(function)
    else:  # of scipy: a tuple, whose first item is a capsule
        if function.user_data is not None:
            raise TypeError(f"function has user_data, which a kernel does not get: expected {_WANTED}")
        address = _inside(next(iter(function)))
    if not address:
        raise TypeError("function is a null pointer")
    return address


def _check_types(function: Any) -> None:
    given = function.argtypes
    if given is None:
        raise TypeError(
            "function has no argtypes, so nobody knows what it takes: set restype = c_double and "
            f"argtypes = [POINTER(c_double), POINTER(c_double), c_long] of {_WANTED}"
        )
    good = len(given) == 3 and all(one in _ROWS for one in given[:2]) and given[2] in _WHOLE
    if not good or function.restype is not ctypes.c_double:
        shown = ", ".join(one.__name__ for one in given)
        raise TypeError(f"expected {_WANTED}; function is declared as {getattr(function.restype, '__name__', None)} ({shown})")


def _inside(capsule: Any) -> int | None:
    """The pointer in a capsule, whose name is the signature."""
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name: bytes | None = name_of(capsule)
    signature = (name or b"").decode(errors="replace")
    plain = signature.replace("const", "").replace(" ", "")
    if plain not in [f"double(double*,double*,{word})" for word in _WORDS]:
        raise TypeError(f"expected {_WANTED}; the capsule's signature is {signature!r}")
    found: int | None = pointer_of(capsule, name)
    return found
