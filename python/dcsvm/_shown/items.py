"""What callbacks are given where it does not come from the core."""

from __future__ import annotations

import dataclasses
from typing import Any


class Items:
    """Of a dataclass: its fields are items, too, as those of :class:`dcsvm.Progress` are."""

    def keys(self) -> tuple[str, ...]:
        """Names of the values, so that ``dict(...)`` takes this object.

        Returns
        -------
        tuple of str
            The fields.
        """
        return tuple(field.name for field in dataclasses.fields(self))  # type: ignore[arg-type]

    def __getitem__(self, name: str) -> Any:
        if name not in self.keys():
            raise KeyError(name)
        return getattr(self, name)
