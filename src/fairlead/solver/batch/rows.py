"""Some rows of a model, with all that is shared or with a part of it."""

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from fairlead.solver.batch.arrays import Whole
from fairlead.solver.batch.curve import Curve
from fairlead.solver.batch.relaxation import Model


def rows_of(model: Model, rows: slice | Whole) -> Model:
    """Return some rows of a model; all that is shared is still there."""
    batch, curve = model.batch, model.curve
    part = replace(
        batch,
        keys=tuple(batch.keys[row] for row in np.arange(len(batch.keys))[rows].tolist()),
        lower=batch.lower[rows],
        upper=batch.upper[rows],
        totals=batch.totals[rows],
        needs=batch.needs[rows],
    )
    cut = Curve(
        tuple(at[rows] for at in curve.starts),
        tuple(tuple(piece[rows] for piece in level) for level in curve.slopes),
        tuple(None if each is None else each[rows] for each in curve.growth),
        tuple(each[rows] for each in curve.base),
    )
    shapes = tuple(_shape_of(shape, rows) for shape in model.shapes)
    return replace(model, batch=part, curve=cut, shapes=shapes)


def _shape_of(shape: Any, rows: slice | Whole) -> Any:
    """Return some rows of a shape."""
    values: dict[str, Any] = {}
    for each in fields(shape):
        value = getattr(shape, each.name)
        if isinstance(value, np.ndarray):
            values[each.name] = value[rows]
        elif is_dataclass(value):
            values[each.name] = _shape_of(value, rows)
    return replace(shape, **values)


def sample_of(model: Model, stride: int) -> Model:
    """Return every so manieth row of a model, with as small a part of what is shared.

    Prices of capacity are per unit and those of pins per step, so that they mean the same in both.
    """
    batch = model.batch
    rows = slice(stride // 2, None, stride)
    cut = rows_of(model, rows)
    part = len(cut.batch.totals) / len(batch.totals)
    # What the sampled rows ask for, as a part of what all ask for, is told by resource.
    asked = batch.needs.T.astype(np.float64) @ batch.totals
    sampled = cut.batch.needs.T.astype(np.float64) @ cut.batch.totals
    parts = (sampled / np.maximum(asked, 1.0))[batch.coupling.resource]
    coupling = replace(batch.coupling, limit=(batch.coupling.limit * parts).astype(np.int64))
    pins = tuple(int(pin * part) for pin in model.pins)
    return replace(cut, batch=replace(cut.batch, coupling=coupling), pins=pins)
