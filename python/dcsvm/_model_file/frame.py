"""What a user calls the classes and the features of a model: kept with the model, and in its file as section NAME.

docs/model-format.md describes the frame that is read and written here; the core skips the section.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core

_HEADER = struct.Struct("<8sIIQII")  # magic, version, sections, bytes of the file, 0, CRC-32 of what is before
_HEAD = struct.Struct("<4sIQ")  # tag, flags, bytes of the payload, which a CRC-32 follows
_TAG = b"NAME"


class Names(NamedTuple):
    """labels: of the classes that the core numbers 0, 1, ...; None: the core's own. features: of X's columns, or None.
    estimator: what ``save`` of an estimator keeps beside its model. training: version, date and parameters of the training."""

    labels: npt.NDArray[Any] | None = None
    features: tuple[str, ...] | None = None
    estimator: dict[str, Any] | None = None
    training: dict[str, Any] | None = None

    def __bool__(self) -> bool:
        return any(name is not None for name in self)


def names_of(labels: npt.NDArray[Any] | None = None, features: Any = None) -> Names:
    """Names with the labels as text or numbers; labels 0, 1, ... need none."""
    if labels is not None:
        if labels.dtype.kind not in "iufU":
            labels = labels.astype(np.int64) if labels.dtype.kind == "b" else labels.astype(str)
        if labels.dtype.kind != "U" and np.array_equal(labels, np.arange(len(labels))):
            labels = None
    return Names(labels, None if features is None else tuple(map(str, features)))


def _section(names: Names) -> bytes:
    """The section NAME."""
    labels = names.labels
    fields = {
        "labels": None if labels is None else labels.tolist(),
        "dtype": None if labels is None or labels.dtype.kind == "U" else labels.dtype.str,
        "features": names.features,
        "estimator": names.estimator,
        "training": names.training,
    }
    payload = json.dumps(fields).encode()
    section = _HEAD.pack(_TAG, 0, len(payload)) + payload
    return section + struct.pack("<I", zlib.crc32(section))


def with_names(model: bytes, names: Names) -> bytes:
    """A model file with the names in it."""
    if not names:
        return model
    section = _section(names)
    return b"".join((_longer_by(section, model), memoryview(model)[_HEADER.size :], section))


def _longer_by(section: bytes, header: bytes) -> bytes:
    """The header of a file with one section more."""
    magic, version, sections, size, reserved, _ = _HEADER.unpack_from(header)
    longer = _HEADER.pack(magic, version, sections + 1, size + len(section), reserved, 0)[:-4]
    return longer + struct.pack("<I", zlib.crc32(longer))


def save_with_names(path: str | os.PathLike[str], save: Callable[[str], None], names: Names) -> None:
    """Writes a model file whole, which `save` writes without names. The model is not copied in memory."""
    section = _section(names)

    def write(temporary: Path) -> None:
        save(str(temporary))
        with temporary.open("r+b") as file:
            header = _longer_by(section, file.read(_HEADER.size))
            file.seek(0, os.SEEK_END)
            file.write(section)
            file.seek(0)
            file.write(header)
            file.flush()
            os.fsync(file.fileno())

    _write(path, write)


def write_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Writes a file that appears complete or not at all."""

    def write(temporary: Path) -> None:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())

    _write(path, write)


def _write(path: str | os.PathLike[str], write: Callable[[Path], None]) -> None:
    """The same of a file that `write` makes under another name."""
    target = Path(os.path.realpath(os.fsdecode(path)))  # a symbolic link stays a link
    try:
        output = _own_output(target)
        if output is not None or (target.exists() and not target.is_file()):  # a pipe
            with tempfile.TemporaryDirectory(prefix="dcsvm-") as folder:
                write(whole := Path(folder) / "model")
                with target.open("wb") if output is None else os.fdopen(os.dup(output), "wb") as file:
                    file.write(whole.read_bytes())
            return
        temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
        try:
            write(temporary)
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o777)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        error.filename = os.fsdecode(path)
        raise


def _own_output(target: Path) -> int | None:
    """The descriptor of this process's standard output or error when that is the file, as under the name /dev/stdout. What was
    printed stays then."""
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(descriptor), target.stat()):
                return descriptor
    return None


def sections(model: memoryview) -> Iterator[tuple[bytes, memoryview]]:
    """Tag and payload of each section of a model file that the core has written or read."""
    at = _HEADER.size
    while at + _HEAD.size <= len(model):
        tag, _, size = _HEAD.unpack_from(model, at)
        at += _HEAD.size
        yield tag, model[at : at + size]
        at += size + 4


def is_own_format(head: bytes) -> bool:
    """Whether a file that begins so is a model in dcsvm's format, not in LIBSVM's or LIBLINEAR's text."""
    return head[1:6] == b"DCSVM"


def names_in_file(path: str | os.PathLike[str], n_classes: int, n_features: int) -> Names:
    """The same of a file, of which only the heads of sections and the names are read. LIBSVM's and LIBLINEAR's have none."""
    if not Path(os.fsdecode(path)).is_file():  # a pipe, which cannot be read twice
        return Names()
    with open(path, "rb") as file:
        found = file.read(_HEADER.size)
        if len(found) < _HEADER.size or not is_own_format(found):
            return Names()
        while len(head := file.read(_HEAD.size)) == _HEAD.size:
            tag, _, size = _HEAD.unpack(head)
            if tag == _TAG:
                return names_in(found + head + file.read(size), n_classes, n_features)
            file.seek(size + 4, os.SEEK_CUR)
    return Names()


def names_in(model: Any, n_classes: int, n_features: int) -> Names:
    """The names in a model file that the core has read without an error. Raises dcsvm.ModelError."""
    for tag, payload in sections(memoryview(model).cast("B")):
        if tag != _TAG:
            continue
        try:
            fields = json.loads(bytes(payload))
            labels, features, estimator = fields["labels"], fields["features"], fields["estimator"]
            kind = None if fields["dtype"] is None else np.dtype(fields["dtype"])
            if kind is not None and kind.kind not in "iuf":  # text of a given length could take any memory
                raise ValueError(f"labels of type {kind}")
            found = None if labels is None else np.array(labels, dtype=str if kind is None else kind)
            if found is not None and (found.shape != (n_classes,) or found.dtype.kind not in "iufU"):
                raise ValueError(f"{len(labels)} labels for {n_classes} classes")
            if features is not None and (len(features) != n_features or not all(isinstance(f, str) for f in features)):
                raise ValueError(f"{len(features)} names for {n_features} features")
            training = fields.get("training")  # files of versions before 0.1 have none
            if any(kept is not None and not isinstance(kept, dict) for kept in (estimator, training)):
                raise ValueError("estimator or training is not an object")
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            raise _core.ModelError(f"model: section NAME: {error}") from None
        return Names(found, None if features is None else tuple(features), estimator, training)
    return Names()
