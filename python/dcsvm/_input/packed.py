"""Files of users that may be compressed, as the ends of their names say."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO

UNPACK: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
# gzip writes no name and no time: equal contents give equal files.
PACK: dict[str, Callable[[BinaryIO, Any], Any]] = {
    ".gz": lambda file, mode: gzip.GzipFile("", mode, fileobj=file, mtime=0),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}


@contextmanager
def unpacked(path: str) -> Iterator[str | Path]:
    """The file itself or, where it is compressed, a temporary one with its content."""
    unpack = UNPACK.get(Path(path).suffix)
    if unpack is None:
        yield path
    else:
        with copied(path, lambda: unpack(path)) as copy:
            yield copy


@contextmanager
def copied(name: str, opened: Callable[[], Any], shown: str = "") -> Iterator[Path]:
    """A temporary copy of what a function opens. Errors about it name what was given, or what is ``shown`` for that."""
    with tempfile.TemporaryDirectory(prefix="dcsvm-") as folder:
        copy = Path(folder) / "data"
        try:
            with opened() as source, copy.open("wb") as target:
                shutil.copyfileobj(source, target)
        except (EOFError, lzma.LZMAError, gzip.BadGzipFile) as e:
            raise ValueError(f"{name}: cannot be unpacked: {e}") from None
        except OSError as e:
            if e.errno is None:  # bz2's word for damage
                raise ValueError(f"{name}: cannot be unpacked: {e}") from None
            raise
        try:
            yield copy
        except (ValueError, OSError) as e:
            if isinstance(e, OSError) and e.filename is not None:
                e.filename = name if str(e.filename) == str(copy) else e.filename
                raise
            raise type(e)(str(e).replace(str(copy), shown or name)) from None


@contextmanager
def to_pack(path: str) -> Iterator[str | Path]:
    """What to write: the file itself or, for a name of a compressed one, a temporary file that is then packed."""
    if Path(path).suffix not in PACK:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="dcsvm-") as folder:
        yield (whole := Path(folder) / "data")
        with whole.open("rb") as source, writing(path) as target:
            shutil.copyfileobj(source, target)


@contextmanager
def writing(path: str) -> Iterator[BinaryIO]:
    """A file that appears complete or not at all, compressed when its name says so."""
    target = Path(os.path.realpath(path))  # a symbolic link stays a link
    try:
        if target.exists() and not target.is_file():  # /dev/null, a pipe
            with target.open("wb") as file:
                yield file
            return
        descriptor, name = tempfile.mkstemp(prefix=".dcsvm-", suffix=".tmp", dir=target.parent)
        temporary = Path(name)  # for the owner alone until it is complete
        try:
            with open(descriptor, "wb") as raw:
                pack = PACK.get(Path(path).suffix)
                with pack(raw, "wb") if pack else nullcontext(raw) as file:
                    yield file
            temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as e:
        if e.filename is None or str(e.filename).startswith(str(target.parent / ".dcsvm-")):  # a full disk, a missing folder
            e.filename = path
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
