"""The network side of kafka-python, with a deadline for TLS handshakes."""

from __future__ import annotations

from typing import Any

from kafka.net.compat import KafkaNetClient
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector

_HANDSHAKE_MILLISECONDS = 5_000


def bounded_client(**config: Any) -> Any:
    """A ``kafka_client`` for consumers and producers with limited handshakes.

    The library limits every other wait.
    """
    net = NetworkSelector(**config)
    return KafkaNetClient(net, _Connections(net, **config))


class _Connections(KafkaConnectionManager):  # type: ignore[misc]  # kafka-python has no types
    async def _build_transport(self, node: Any, timeout_at: float | None = None) -> Any:
        building = self.call_soon(super()._build_transport, node, timeout_at)
        return await self.wait_for(building, _HANDSHAKE_MILLISECONDS)
