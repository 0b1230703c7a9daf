"""The structs of parameters and the enumerations in python/cython/__init__.pxd, from those of the public headers."""

import re
from collections.abc import Iterator
from pathlib import Path

from dcsvm import _core
from dcsvm._input.parameters import parameters_of

_PXD = "python/cython/__init__.pxd"
_STRUCTS = {  # name -> header, and the parameters that it has; a struct may have members for other faces alone
    "KernelParams": ("kernel_params.hpp", None),
    "TrainParams": ("params.hpp", {*parameters_of(_core.TrainParams), "gamma_rule"}),
    "LinearParams": ("linear.hpp", set(parameters_of(_core.LinearParams))),
}
_OF_KERNEL = {"kernel", "degree", "gamma", "coef0"}  # members of KernelParams
_ENUM = re.compile(r"(    cdef enum class (\w+):\n)(?: {8}\w+\n)+")
_MEMBER = re.compile(r"^  ([\w:<>, ]+?) (\w+)(?: = [^;]+)?;", re.MULTILINE)


def files(root: Path) -> Iterator[tuple[str, str]]:
    text = (root / _PXD).read_text()
    for name, (header, wanted) in _STRUCTS.items():
        struct = re.search(
            rf"^struct {name} {{\n(.*?)^}};", (root / "cpp/include/dcsvm" / header).read_text(), re.DOTALL | re.MULTILINE
        )
        members = [(kind, member) for kind, member in _MEMBER.findall(struct[1]) if wanted is None or member in wanted]
        assert wanted is None or wanted <= {member for _, member in members} | _OF_KERNEL, f"a member of {name} was not read"
        lines = "".join(f"        {_cython(kind)} {member}\n" for kind, member in members)
        text = re.sub(rf"(    cdef cppclass {name}:\n)(?: {{8}}.*\n)+", rf"\g<1>{lines}", text)
    declared = _enumerations(root / "cpp/include/dcsvm")
    yield _PXD, _ENUM.sub(lambda found: found[1] + "".join(f"        {value}\n" for value in declared[found[2]]), text)


def _enumerations(headers: Path) -> dict[str, list[str]]:
    """The values of each enumeration of the public headers."""
    found: dict[str, list[str]] = {}
    for header in sorted(headers.glob("*.hpp")):
        for name, body in re.findall(r"^enum class (\w+) {([^}]*)}", header.read_text(), re.MULTILINE):
            plain = re.sub(r"//.*", "", body)
            found[name] = [value.partition("=")[0].strip() for value in plain.split(",") if value.strip()]
    return found


def _cython(kind: str) -> str:
    return kind.replace("std::", "").replace("<", "[").replace(">", "]")
