"""The demo's lake: Member and Company, the view CompanyEngLevels with its UDF, and two views on it.

The tables and the first view are those of LinkedIn's article on Coral. The Avro schemas contain facts
that Hive cannot express: letter case, an enum, required fields and documentation.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from deploy.metastore_ddl import MetastoreDdl

DATABASE = "example"
STANDARDIZE = "com.linkedin.standardization.Standardize"

MEMBER: dict[str, Any] = {
    "type": "record",
    "name": "Member",
    "namespace": "com.example",
    "doc": "A person with a profile.",
    "fields": [
        {"name": "Id", "type": "long", "doc": "Never reused."},
        {"name": "Name", "type": ["null", "string"], "default": None},
        {"name": "CompanyID", "type": ["null", "long"], "default": None},
        {
            "name": "Position",
            "type": ["null", "string"],
            "default": None,
            "doc": "As the member typed it.",
        },
    ],
}
MEMBER_COLUMNS = (
    ("id", "bigint"),
    ("name", "string"),
    ("companyid", "bigint"),
    ("position", "string"),
)
STATES = ("UNKNOWN", "CA", "NY", "TX", "WA")


def company(*, with_unit: bool) -> dict[str, Any]:
    """Company's Avro schema, before and after Address gains a unit number."""
    unit = {
        "name": "UnitNumber",
        "type": ["null", "string"],
        "default": None,
        "doc": "Flat or suite.",
    }
    address = {
        "type": "record",
        "name": "Address",
        "doc": "Where letters go.",
        "fields": [
            {"name": "StreetName", "type": "string"},
            *([unit] if with_unit else []),
            {"name": "City", "type": "string"},
            {
                "name": "State",
                "type": {
                    "type": "enum",
                    "name": "State",
                    "symbols": list(STATES),
                    "default": "UNKNOWN",
                },
            },
        ],
    }
    return {
        "type": "record",
        "name": "Company",
        "namespace": "com.example",
        "doc": "An employer of members.",
        "fields": [
            {"name": "Id", "type": "long", "doc": "Never reused."},
            {"name": "Name", "type": "string"},
            {"name": "NumberOfEmployees", "type": ["null", "int"], "default": None},
            {"name": "Address", "type": address},
        ],
    }


def company_columns(*, with_unit: bool) -> tuple[tuple[str, str], ...]:
    unit = "unitnumber:string," if with_unit else ""
    return (
        ("id", "bigint"),
        ("name", "string"),
        ("numberofemployees", "int"),
        ("address", f"struct<streetname:string,{unit}city:string,state:string>"),
    )


def create_tables(ddl: MetastoreDdl) -> None:
    ddl.create_database(DATABASE)
    ddl.create_table(
        DATABASE,
        "member",
        MEMBER_COLUMNS,
        properties={"avro.schema.literal": json.dumps(MEMBER)},
        avro=True,
    )
    ddl.create_table(
        DATABASE,
        "company",
        company_columns(with_unit=False),
        properties={"avro.schema.literal": json.dumps(company(with_unit=False))},
        avro=True,
    )


def create_views(ddl: MetastoreDdl) -> None:
    """Creates the views: V2 before V1, which it reads, to show that order does not matter."""
    ddl.create_view(
        DATABASE,
        "v2",
        (("name", "string"), ("address", company_columns(with_unit=False)[-1][1])),
        "SELECT `v1`.`name`, `v1`.`address` FROM `example`.`v1`",
    )
    ddl.create_view(
        DATABASE,
        "v1",
        company_columns(with_unit=False),
        "SELECT `company`.`id`, `company`.`name`, `company`.`numberofemployees`, "
        "`company`.`address` FROM `example`.`company` "
        "WHERE `company`.`numberofemployees` > 100",
        original_text="SELECT * FROM company WHERE NumberOfEmployees > 100",
    )
    ddl.create_view(
        DATABASE,
        "companyenglevels",
        (("name", "string"), ("stdposition", "string"), ("cnt", "bigint")),
        "SELECT `company`.`name`, STANDARDIZE(`member`.`position`) AS `StdPosition`, "
        "COUNT(*) AS `Cnt` FROM `example`.`member` JOIN `example`.`company` "
        "ON `member`.`companyid` = `company`.`id` "
        "WHERE INSTR(STANDARDIZE(`member`.`position`), 'Engineer') > 0 "
        "GROUP BY `company`.`name`, STANDARDIZE(`member`.`position`)",
        properties={
            "functions": f"STANDARDIZE:{STANDARDIZE}",
            "dependencies": "com.linkedin.standardization:standardization-udfs:1.0.0",
        },
    )


def unit_number_ddl() -> str:
    """The change of ``add_unit_number`` as DDL for Hive."""
    return _replace_columns_ddl("company", company_columns(with_unit=True), company(with_unit=True))


def drop_position_ddl() -> str:
    """DDL that drops Member's Position, as a person would write it; the demo never runs it."""
    columns = [column for column in MEMBER_COLUMNS if column[0] != "position"]
    fields = [field for field in MEMBER["fields"] if field["name"] != "Position"]
    return _replace_columns_ddl("member", columns, {**MEMBER, "fields": fields})


def _replace_columns_ddl(
    table: str, columns: Iterable[tuple[str, str]], schema: dict[str, Any]
) -> str:
    literal = json.dumps(schema).replace("\\", "\\\\").replace("'", "\\'")
    listed = ", ".join(f"{name} {type_}" for name, type_ in columns)
    return (
        f"ALTER TABLE {DATABASE}.{table} REPLACE COLUMNS ({listed});\n"
        f"ALTER TABLE {DATABASE}.{table} SET TBLPROPERTIES ('avro.schema.literal' = '{literal}');\n"
    )


def add_unit_number(ddl: MetastoreDdl) -> None:
    ddl.replace_columns(
        DATABASE,
        "company",
        company_columns(with_unit=True),
        properties={"avro.schema.literal": json.dumps(company(with_unit=True))},
    )
