"""The network side of kafka-python, in which a TLS handshake has a deadline, too."""

from __future__ import annotations

from typing import Any

from kafka.net.compat import KafkaNetClient
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector

_HANDSHAKE_MILLISECONDS = 5_000


def bounded_client(**config: Any) -> Any:
    """As ``kafka_client`` of a consumer or producer: the library bounds every wait but this one."""
    net = NetworkSelector(**config)
    return KafkaNetClient(net, _Connections(net, **config))


class _Connections(KafkaConnectionManager):  # type: ignore[misc]  # kafka-python has no types
    async def _build_transport(self, node: Any, timeout_at: float | None = None) -> Any:
        building = self.call_soon(super()._build_transport, node, timeout_at)
        return await self.wait_for(building, _HANDSHAKE_MILLISECONDS)
