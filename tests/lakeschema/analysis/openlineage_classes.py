"""An event in openlineage-python's own classes: tests see what they refuse or lose."""

from __future__ import annotations

from typing import Any

from openlineage.client.event_v2 import (
    DatasetEvent,
    InputDataset,
    Job,
    JobEvent,
    OutputDataset,
    Run,
    RunEvent,
    RunState,
    StaticDataset,
)
from openlineage.client.generated.column_lineage_dataset import (
    ColumnLineageDatasetFacet,
    Fields,
    InputField,
    Transformation,
)
from openlineage.client.generated.schema_dataset import (
    SchemaDatasetFacet,
    SchemaDatasetFacetFields,
)
from openlineage.client.generated.sql_job import SQLJobFacet
from openlineage.client.serde import Serde


def through_their_classes(event: dict[str, Any]) -> Any:
    """The event read into their classes and written by them, without what is empty."""
    shared = {"eventTime": event["eventTime"], "producer": event["producer"]}
    if "dataset" in event:
        made: Any = DatasetEvent(**shared, dataset=_dataset(StaticDataset, event["dataset"]))
    else:
        job = Job(event["job"]["namespace"], event["job"]["name"], facets=_job_facets(event))
        shared |= {
            "job": job,
            "inputs": [_dataset(InputDataset, each) for each in event["inputs"]],
            "outputs": [_dataset(OutputDataset, each) for each in event["outputs"]],
        }
        if "run" in event:
            run = Run(event["run"]["runId"])
            made = RunEvent(**shared, run=run, eventType=RunState(event["eventType"]))
        else:
            made = JobEvent(**shared)
    return without_empty(Serde.to_dict(made))


def without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: without_empty(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each not in ({}, [])}
    return [without_empty(each) for each in value] if isinstance(value, list) else value


def _job_facets(event: dict[str, Any]) -> dict[str, Any]:
    facets = event["job"]["facets"]
    return {
        name: SQLJobFacet(query=facet["query"], producer=facet["_producer"])
        for name, facet in facets.items()
    }


def _dataset(kind: Any, stated: dict[str, Any]) -> Any:
    facets: dict[str, Any] = {}
    for name, facet in stated["facets"].items():
        if name == "schema":
            fields = [SchemaDatasetFacetFields(**field) for field in facet["fields"]]
            facets[name] = SchemaDatasetFacet(fields=fields, producer=facet["_producer"])
        else:
            assert name == "columnLineage"
            columns = {
                column: Fields(inputFields=[_input(each) for each in found["inputFields"]])
                for column, found in facet["fields"].items()
            }
            facets[name] = ColumnLineageDatasetFacet(
                fields=columns,
                dataset=[_input(each) for each in facet["dataset"]],
                producer=facet["_producer"],
            )
    return kind(stated["namespace"], stated["name"], facets=facets)


def _input(stated: dict[str, Any]) -> InputField:
    transformations = [Transformation(**each) for each in stated["transformations"]]
    return InputField(stated["namespace"], stated["name"], stated["field"], transformations)
