"""Writes lateral views as FLATTEN. It makes one row of a null bag, and no row of an empty bag."""

from __future__ import annotations

from collections.abc import Sequence

from lakeschema.catalog.column_types import ArrayType, MapType, StructType, print_type
from lakeschema.translation.emission.pig.expressions import Field
from lakeschema.translation.emission.pig.functions import HIVE_GENERATOR
from lakeschema.translation.emission.pig.names import field_names
from lakeschema.translation.emission.pig.statements import Item, Relation, Writer
from lakeschema.translation.emission.pig.texts import null, scalar_type, type_text
from lakeschema.translation.model.errors import UnsupportedFunction
from lakeschema.translation.plan.expressions import Literal
from lakeschema.translation.plan.relations import Generate, PlanColumn


def generated(writer: Writer, plan: Generate) -> Relation:
    """The input's rows, each once for every generated row."""
    statements = writer.statements
    rows = statements.renamed(writer.rows(plan.input))
    over = statements.over(rows.fields)
    name, arguments = plan.call.operator.name.removesuffix("_outer"), plan.call.arguments
    if plan.call.operator.udf is not None:
        raise UnsupportedFunction(name, "is user-defined, and Pig does not know how to call it")
    match name, arguments[0].type if arguments else None:
        case "explode", ArrayType(element) if not isinstance(element, StructType):
            return _flattened(writer, rows, plan, over.value(arguments[0]), "")
        case "explode", MapType():
            return _flattened(writer, rows, plan, over.value(arguments[0]), "")
        case "inline", ArrayType(StructType()):
            return _flattened(writer, rows, plan, over.value(arguments[0]), "")
        case "posexplode", ArrayType(element) if scalar_type(element) is not None:
            function = statements.functions.hive(HIVE_GENERATOR, name)
            return _flattened(writer, rows, plan, over.value(arguments[0]), function)
        case (("json_tuple" | "parse_url_tuple"), _) if plan.outer:
            raise UnsupportedFunction(name, "as LATERAL VIEW OUTER is not in Pig")
        case (("json_tuple" | "parse_url_tuple" | "stack"), _):
            texts = [over.value(argument) for argument in arguments]
            constants = [
                text if isinstance(argument, Literal) and name == "stack" and place == 0 else None
                for place, (text, argument) in enumerate(zip(texts, arguments, strict=True))
            ]
            function = statements.functions.hive(HIVE_GENERATOR, name, constants)
            return _made(writer, rows, plan, f"{function}({', '.join(texts)})")
        case _:
            shown = ", ".join(print_type(argument.type) for argument in arguments)
            raise UnsupportedFunction(f"{name}({shown})", "has no equivalent in Pig")


def _flattened(writer: Writer, rows: Relation, plan: Generate, bag: str, function: str) -> Relation:
    statements = writer.statements
    call = f"{function}({bag})" if function else bag
    if plan.outer and not function and len(plan.produced) == 1:
        empty = f"TOBAG({null(plan.produced[0].type)})"
        return _made(writer, rows, plan, f"(({bag} is null OR IsEmpty({bag})) ? {empty} : {bag})")
    full = statements.filtered(rows, f"({bag} is not null AND NOT IsEmpty({bag}))", "not_empty")
    made = _made(writer, full, plan, call)
    if isinstance(plan.call.arguments[0].type, MapType):
        # Pig does not flatten a map unless a later statement reads the key or the value.
        key = made.fields[len(rows.fields)].text
        made = statements.filtered(made, f"({key} is not null)", "entries")
    if not plan.outer:
        return made
    empty_rows = statements.filtered(rows, f"({bag} is null OR IsEmpty({bag}))", "empty")
    nulls = [
        Item(null(c.type), f.text, c.type) for c, f in zip(plan.columns, made.fields, strict=True)
    ]
    own = [Item(f.text, m.text, f.type) for f, m in zip(rows.fields, made.fields, strict=False)]
    padded = statements.generate(empty_rows, [*own, *nulls[len(own) :]], "padded")
    alias = statements.add(f"{rows.topic}_generated", f"UNION {made.alias}, {padded.alias}")
    return Relation(alias, made.fields, rows.topics)


def _made(writer: Writer, rows: Relation, plan: Generate, call: str) -> Relation:
    """The rows with the FLATTEN of the generator after the existing fields."""
    below = [Item(f.text, f.text, f.type) for f in rows.fields]
    names = field_names([*(item.name for item in below), *(c.name for c in plan.produced)])
    own, produced = names[: len(below)], names[len(below) :]
    kept = [
        item.text if item.text == n else f"{item.text} AS {n}"
        for item, n in zip(below, own, strict=True)
    ]
    flattened = f"FLATTEN({call}) AS ({_schema(produced, plan.produced)})"
    text = f"FOREACH {rows.alias} GENERATE {', '.join((*kept, flattened))}"
    alias = writer.statements.add(f"{rows.topic}_generated", text)
    types = (*(item.type for item in below), *(column.type for column in plan.produced))
    return Relation(alias, tuple(map(Field, names, types)), rows.topics)


def _schema(names: Sequence[str], columns: Sequence[PlanColumn]) -> str:
    return ", ".join(
        f"{name}:{type_text(column.type)}" for name, column in zip(names, columns, strict=True)
    )
