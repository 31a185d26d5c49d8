"""Models of pydantic, if the author uses it."""

from __future__ import annotations

from ._attributes import ABSENT, Attribute
from ._bodies import Body, Entry, entry_of
from ._failure import Unfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def model_body(model: Any) -> Body:
    """The body of a model. Its validators run when a value is read."""
    from pydantic import ValidationError

    entries: dict[str, Entry] = {}
    for name, field in model.model_fields.items():
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        about = Attribute(
            description=field.description or "",
            default=ABSENT if field.is_required() else field.get_default(call_default_factory=True),
            deprecated=field.deprecated if isinstance(field.deprecated, str) else "",
            replaces=bool(extra.get("replaces")),
            stable=bool(extra.get("stable")),
            sensitive=bool(extra.get("sensitive")),
            block=bool(extra.get("block")),
        )
        for mark in field.metadata:
            if isinstance(mark, Attribute):
                about = about.merged(mark)
        entries[name] = entry_of(name, field.annotation, about)

    def make(values: dict[str, Any]) -> Any:
        try:
            return model.model_validate({k: v for k, v in values.items() if v is not None})
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            raise Unfit(first["msg"], list(first["loc"])) from None

    return Body(entries, make)
