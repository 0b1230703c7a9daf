"""Files from the network in a folder: fetched once, resumed after a broken connection, checked when read.

Others may be able to write into the folder, so nothing is written through a name that they can foresee: a new file has a random
name and is renamed, and what an earlier call left (the lock, the part of a file) is used only when it is a file of this user and
neither a symbolic nor a hard link.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import http.client
import lzma
import os
import re
import secrets
import stat
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

from .._input.packed import UNPACK

_BLOCK = 1 << 20
_TIMEOUT = 60.0  # seconds without a byte
_WHOLE, _PART, _NO_SUCH_RANGE = 200, 206, 416
_MOST_RATIO, _SPARE = 100, 16 << 20  # text does not pack more tightly; bytes that any file may have
_TAG = re.compile('"[!-~]{0,1000}"|(?!W/)[ -~]{1,100}')  # a strong ETag, or a date
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


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
    return file.removesuffix(Path(file).suffix) if Path(file).suffix in UNPACK else file


def local_file(address: str, folder: Path, *, download: bool = True, sha256: str | None = None, most: int | None = None) -> Path:
    """The unpacked file of an address: from the folder, or fetched into it.

    sha256 : of the file at the address; None: the checksum of the first download counts from then on
    most : bytes that the file may have, packed or not; None: any number
    Raises OSError: no network, a broken connection (what came stays, and the next call goes on from there), another checksum, or
    more bytes than `most`.
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
                _fetch(address, target, note, packed, sha256, most)
                return target
    here, there = _noted(note)
    if checksum(target) != here:
        raise OSError(f"{target}: changed or damaged since it was downloaded; delete it to download it again")
    if sha256 is not None and sha256.lower() != there:
        raise OSError(f"{target}: expected the SHA-256 {sha256}, found {there}; delete it to download it again")
    return target


def _noted(note: Path) -> list[str]:
    found = [line.partition(" ")[0] for line in note.read_text(errors="replace").splitlines()]
    if len(found) != 2 or not all(re.fullmatch("[0-9a-f]{64}", one) for one in found):
        raise OSError(f"{note}: expected two lines that begin with a SHA-256; delete it to download the file again")
    return found


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


@contextlib.contextmanager
def _replacing(target: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the target's name at the end. After an error nothing of it is left."""
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            yield file
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _left(path: Path, *, make: bool = False) -> IO[bytes] | None:
    """What an earlier call of this user left under this name, to read and write; None: nothing that can be used.

    make : make it when nothing is there, and raise OSError when something else is
    """
    try:
        descriptor = os.open(path, os.O_RDWR | _PLAIN | (os.O_CREAT if make else 0), 0o666)
    except OSError as error:
        if make:
            raise OSError(error.errno, f"cannot be used ({error.strerror}); delete it", str(path)) from None
        return None
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_nlink <= 1 and (os.name == "nt" or found.st_uid == os.geteuid()):
        return os.fdopen(descriptor, "r+b")
    os.close(descriptor)
    if make and found.st_nlink:  # else it was removed meanwhile
        raise OSError(errno.EPERM, "is no file, another user's file, or has a second name; delete it", str(path))
    return None


def _fetch(address: str, target: Path, note: Path, packed: str, sha256: str | None, most: int | None) -> None:
    part = target.with_name(f"{packed}.part")
    _download(address, part, most)
    part.with_name(f"{part.name}.tag").unlink(missing_ok=True)  # nothing is left to come
    here = there = checksum(part)
    if sha256 is not None and sha256.lower() != there:
        part.unlink()
        raise OSError(f"{address}: expected a file with the SHA-256 {sha256}, found {there}: it is another file")
    unpack = UNPACK.get(Path(packed).suffix)
    if unpack is not None:
        try:
            here = _unpack(part, unpack, target, most)
        except (OSError, EOFError, lzma.LZMAError) as error:
            part.unlink()
            raise OSError(f"{address}: cannot be unpacked ({error})") from None
        part.unlink()
    else:
        part.replace(target)
    with _replacing(note) as file:
        file.write(f"{here}  {target.name}\n{there}  {address}\n".encode())


def _unpack(part: Path, unpack: Callable[..., Any], target: Path, most: int | None) -> str:
    """Makes the target of what is packed in ``part``; its checksum."""
    limit = _SPARE + _MOST_RATIO * part.stat().st_size
    limit = limit if most is None else min(limit, most)
    digest, size = hashlib.sha256(), 0
    with unpack(part, "rb") as source, _replacing(target) as file:
        while block := source.read(_BLOCK):
            size += len(block)
            if size > limit:
                raise OSError(f"it holds more than {limit:,} bytes, which is more than this set can have")
            digest.update(block)
            file.write(block)
    return digest.hexdigest()


def _download(address: str, part: Path, most: int | None) -> None:
    """The whole file as ``part``, from where an earlier try ended if the server still has the same file."""
    tag_file = part.with_name(f"{part.name}.tag")
    tag = _tag_in(tag_file)
    again, total = False, None
    with contextlib.ExitStack() as stack:
        file = None if tag is None else _left(part)
        begin = 0 if file is None else os.fstat(stack.enter_context(file).fileno()).st_size
        try:
            request = urllib.request.Request(address, headers={"User-Agent": "dcsvm"})
            if tag is not None and begin:
                request.add_header("Range", f"bytes={begin}-")
                request.add_header("If-Range", tag)
            with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
                if not _goes_on(address, answer, begin):  # the whole file: the server cannot resume, or has another one
                    begin = 0
                    _keep_tag(answer.headers.get("ETag") or answer.headers.get("Last-Modified"), tag_file)
                if file is None:
                    part.unlink(missing_ok=True)
                    file = stack.enter_context(part.open("xb"))
                file.seek(begin)
                file.truncate()
                total = _total(address, answer.headers.get("Content-Length"), begin)
                if most is not None and total is not None and total > most:
                    raise OSError(f"{address}: the file has {total:,} bytes, more than the {most:,} that this set can have")
                _copy(answer, file, part.name.removesuffix(".part"), begin, total, most)
        except urllib.error.HTTPError as error:
            again = error.code == _NO_SUCH_RANGE and begin > 0  # all of it is here already, or it changed
            if not again:
                raise OSError(f"{address}: the server answered {error.code} {error.reason}") from None
        except (urllib.error.URLError, TimeoutError, http.client.HTTPException, ConnectionError) as error:
            reason = getattr(error, "reason", error) or type(error).__name__
            raise OSError(f"{address}: cannot be reached or the connection broke ({reason}); call again to go on") from None
        except ValueError as error:  # urllib's, of an address that is none
            raise OSError(f"{address}: {error}") from None
    if again:
        tag_file.unlink()
        return _download(address, part, most)
    size = part.stat().st_size
    if total is not None and size != total:
        raise OSError(f"{address}: the connection ended after {size:,} of {total:,} bytes; call again to go on from there")


def _goes_on(address: str, answer: Any, begin: int) -> bool:
    """Whether the answer is the rest of the file from `begin`; False: it is the whole file."""
    status = _WHOLE if answer.status is None else answer.status  # None: of file:
    place = answer.headers.get("Content-Range") or ""
    if status == _WHOLE:
        return False
    if status == _PART and begin and place.startswith(f"bytes {begin}-"):
        return True
    wanted = f"the file from byte {begin:,} on" if begin else "the whole file"
    raise OSError(f"{address}: expected {wanted}, the server answered {status}{place and f' with {place}'}")


def _total(address: str, length: str | None, begin: int) -> int | None:
    """The size of the whole file, as the server says."""
    if length is None:
        return None
    if not re.fullmatch("[0-9]{1,18}", length):
        raise OSError(f"{address}: the server's Content-Length must be a whole number, got {length[:40]!r}")
    return begin + int(length)


def _tag_in(path: Path) -> str | None:
    file = _left(path)
    if file is None:
        return None
    with file:
        tag = file.read(2000).decode("ascii", "replace")
    return tag if _TAG.fullmatch(tag) else None


def _keep_tag(tag: str | None, path: Path) -> None:
    path.unlink(missing_ok=True)
    if tag is not None and _TAG.fullmatch(tag):
        with _replacing(path) as file:
            file.write(tag.encode())


def _copy(answer: Any, file: IO[bytes], name: str, begin: int, total: int | None, most: int | None) -> None:
    from tqdm import tqdm

    shown = sys.stderr is not None and sys.stderr.isatty()
    with tqdm(total=total, initial=begin, desc=name, unit="B", unit_scale=True, disable=not shown) as bar:
        while block := answer.read(_BLOCK):
            begin += len(block)
            if most is not None and begin > most:
                file.truncate(0)
                raise OSError(f"{name}: the server sends more than the {most:,} bytes that this set can have")
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
        file = _left(path, make=True)
        if file is None:  # who had the lock before has removed it meanwhile
            continue
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if not (path.exists() and os.path.samestat(path.lstat(), os.fstat(file.fileno()))):
                continue
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
            return
