"""Files from the network in a folder of this user: fetched once, resumed after a broken connection, checked when read."""

from __future__ import annotations

import bz2
import contextlib
import errno
import gzip
import hashlib
import http.client
import lzma
import os
import shutil
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_UNPACK: dict[str, Callable[..., Any]] = {".bz2": bz2.open, ".gz": gzip.open, ".xz": lzma.open}
_BLOCK = 1 << 20
_TIMEOUT = 60.0  # seconds without a byte
_CHANGED, _NO_SUCH_RANGE = 200, 416


def cache_folder() -> Path:
    """``DCSVM_CACHE``, else the folder dcsvm of ``XDG_CACHE_HOME`` or ``~/.cache``."""
    if given := os.environ.get("DCSVM_CACHE"):
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dcsvm"


def checksum(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return _digest(file)


def unpacked_name(file: str) -> str:
    """The name without the ending of compression."""
    return file.removesuffix(Path(file).suffix) if Path(file).suffix in _UNPACK else file


def local_file(address: str, folder: Path, *, download: bool = True, sha256: str | None = None) -> Path:
    """The unpacked file of an address: from the folder, or fetched into it.

    sha256 : of the file at the address; None: the checksum of the first download counts from then on
    Raises OSError: no network, a broken connection (what came stays, and the next call goes on from there), or another checksum.
    """
    packed = address.rsplit("/", 1)[-1]
    target = folder / unpacked_name(packed)
    note = target.with_name(f"{target.name}.sha256")  # two lines: of the file as it is here, and as it was at the address
    if not (target.exists() and note.exists()):
        if not download:
            raise FileNotFoundError(2, "is not downloaded", str(target))
        _make(folder)
        with _locked(folder / f".{target.name}.lock"):
            if not (target.exists() and note.exists()):
                _fetch(address, target, note, packed, sha256)
                return target
    here, there = (line.split()[0] for line in note.read_text().splitlines())
    if checksum(target) != here:
        raise OSError(f"{target}: changed or damaged since it was downloaded; delete it to download it again")
    if sha256 is not None and sha256.lower() != there:
        raise OSError(f"{target}: expected the SHA-256 {sha256}, found {there}; delete it to download it again")
    return target


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return
        number, why = errno.EACCES, os.strerror(errno.EACCES)
    except OSError as error:
        number, why = error.errno or errno.EIO, error.strerror or str(error)
    advice = "name another folder with folder=, or with the environment variable DCSVM_CACHE"
    raise OSError(number, f"cannot write here ({why}); {advice}", str(folder)) from None


def _fetch(address: str, target: Path, note: Path, packed: str, sha256: str | None) -> None:
    part = target.with_name(f"{packed}.part")
    _download(address, part)
    there = checksum(part)
    if sha256 is not None and sha256.lower() != there:
        part.unlink()
        raise OSError(f"{address}: expected a file with the SHA-256 {sha256}, found {there}: it is another file")
    unpack = _UNPACK.get(Path(packed).suffix)
    if unpack is not None:
        plain = target.with_name(f".{target.name}.unpacked")
        try:
            with unpack(part, "rb") as source, plain.open("wb") as file:
                shutil.copyfileobj(source, file, _BLOCK)
        except (OSError, EOFError, lzma.LZMAError) as error:
            plain.unlink(missing_ok=True)
            part.unlink()
            raise OSError(f"{address}: cannot be unpacked ({error})") from None
        plain.replace(target)
        part.unlink()
    else:
        part.replace(target)
    part.with_name(f"{part.name}.tag").unlink(missing_ok=True)
    note.write_text(f"{checksum(target)}  {target.name}\n{there}  {address}\n")


def _download(address: str, part: Path) -> None:
    """The whole file as ``part``, from where an earlier try ended if the server still has the same file."""
    tag_file = part.with_name(f"{part.name}.tag")
    begin = part.stat().st_size if part.exists() and tag_file.exists() else 0
    request = urllib.request.Request(address, headers={"User-Agent": "dcsvm"})
    if begin:
        request.add_header("Range", f"bytes={begin}-")
        request.add_header("If-Range", tag_file.read_text())
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
            if answer.status == _CHANGED:  # the whole file: the server cannot resume, or has another one
                begin = 0
            tag = answer.headers.get("ETag") or answer.headers.get("Last-Modified")
            if tag is not None and not tag.startswith("W/"):
                tag_file.write_text(tag)
            length = answer.headers.get("Content-Length")
            total = None if length is None else begin + int(length)
            with part.open("r+b" if begin else "wb") as file:
                file.seek(begin)
                _copy(answer, file, part.name.removesuffix(".part"), begin, total)
    except urllib.error.HTTPError as error:
        if error.code == _NO_SUCH_RANGE:  # all of it is here already, or it changed
            part.unlink()
            return _download(address, part)
        raise OSError(f"{address}: the server answered {error.code} {error.reason}") from None
    except (urllib.error.URLError, TimeoutError, http.client.HTTPException, ConnectionError) as error:
        reason = getattr(error, "reason", error) or type(error).__name__
        raise OSError(f"{address}: cannot be reached or the connection broke ({reason}); call again to go on") from None
    size = part.stat().st_size
    if total is not None and size != total:
        raise OSError(f"{address}: the connection ended after {size:,} of {total:,} bytes; call again to go on from there")


def _copy(answer: Any, file: Any, name: str, begin: int, total: int | None) -> None:
    from tqdm import tqdm

    shown = sys.stderr is not None and sys.stderr.isatty()
    with tqdm(total=total, initial=begin, desc=name, unit="B", unit_scale=True, disable=not shown) as bar:
        while block := answer.read(_BLOCK):
            file.write(block)
            bar.update(len(block))


def _digest(file: Any) -> str:
    digest = hashlib.sha256()
    while block := file.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """One process at a time, where the system has such locks. The file of the lock is removed at the end."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    while True:
        with path.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if not (path.exists() and os.path.samestat(path.stat(), os.fstat(file.fileno()))):
                continue  # who had the lock before has removed this file
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
            return
