from hardwon.domain.model.entry import Entry
from hardwon.domain.model.files.fields import FileFields


def overruled(fields: FileFields, whole: Entry) -> tuple[str, ...]:
    """Return a line where the store, whose word it is (rule U-2), says a file matters otherwise than the file does."""
    said = (
        ("importance_tier", fields.tier, whole.tier),
        ("importance_weight", fields.importance_weight, whole.importance_weight),
    )
    differing = [(name, own, kept) for name, own, kept in said if own is not None and own != kept]
    told = " and ".join(f"{name} {own}" for name, own, _ in differing)
    has = " and ".join(str(kept) for *_, kept in differing)
    line = f"the file says {told}, the memory has {has}: memory_update or hardwon update changes it"
    return (line,) if differing else ()
