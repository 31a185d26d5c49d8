"""Models of pydantic, if the author uses it."""

from __future__ import annotations

from ._attributes import ABSENT, Attribute
from ._bodies import Body, Entry, entry_of, marks
from ._failure import Unfit
from ._shapes import shape_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def model_body(model: Any) -> Body:
    """The body of a model, whose validators run when a value is read. Attributes have the names of fields."""
    from pydantic import ValidationError

    entries: dict[str, Entry] = {}
    aliases: dict[str, str] = {}
    nullable: set[str] = set()
    for name, field in model.model_fields.items():
        factory = field.default_factory
        # The model itself makes what cannot be announced. To it, such a field is left out.
        is_left_out = factory is not None and not _is_constant(field)
        about = Attribute(
            description=field.description or "",
            default=None if is_left_out else ABSENT if field.is_required() or factory is not None else field.default,
            default_factory=None if is_left_out else factory,
            deprecated=field.deprecated if isinstance(field.deprecated, str) else "",
        )
        if isinstance(field.json_schema_extra, dict):
            about = about.merged(marks(field.json_schema_extra))
        for mark in field.metadata:
            if isinstance(mark, Attribute):
                about = about.merged(mark)
        entries[name] = entry_of(name, field.annotation, about)
        aliases[name] = _alias(name, field)
        if shape_of(field.annotation).allows_null and not is_left_out:
            nullable.add(name)
    names = {alias: name for name, alias in aliases.items()}
    made = _with_optional(model, [name for name, one in entries.items() if one.is_write_only and name not in nullable])

    def make(values: dict[str, Any]) -> Any:
        given = {aliases[name]: one for name, one in values.items() if one is not None or name in nullable}
        try:
            return made.model_validate(given)
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            place = [names.get(str(one), one) if at == 0 else one for at, one in enumerate(first["loc"])]
            raise Unfit(first["msg"], place) from None

    return Body(entries, make)


def _is_constant(field: Any) -> bool:
    """Whether a factory always makes the same, and needs no other fields for it."""
    if getattr(field, "default_factory_takes_validated_data", False):
        return False
    return bool(field.default_factory() == field.default_factory())


def _alias(name: str, field: Any) -> str:
    """The key under which the model looks for a field."""
    alias = field.validation_alias
    choices = getattr(alias, "choices", [alias])
    found = next((one for one in choices if isinstance(one, str)), name if alias is None else None)
    if found is None:
        raise TypeError(f"the field {name!r} has an alias that is a path; give it a name: AliasChoices({name!r}, ..)")
    return found


def _with_optional(model: Any, names: list[str]) -> Any:
    """The model, where these fields may be missing: a write-only value is there only when the user writes it."""
    if not names:
        return model
    from copy import copy

    from pydantic import create_model

    fields: dict[str, Any] = {}
    for name in names:
        field = copy(model.model_fields[name])
        field.default = None
        fields[name] = (field.annotation | None, field)
    return create_model(model.__name__, __base__=model, __doc__=model.__doc__, __module__=model.__module__, **fields)
