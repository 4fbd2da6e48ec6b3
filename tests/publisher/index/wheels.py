"""Small real wheels, made without our own generator."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile

from codegen.package import Wheel


def sample_wheel(
    distribution: str = "acme-schema-shop-orders", version: str = "1.0.0", body: str = "ONE = 1\n"
) -> Wheel:
    """An installable wheel with one module, named after the distribution, that holds ``body``."""
    stem = distribution.replace("-", "_")
    info = f"{stem}-{version}.dist-info"
    metadata = (
        f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n"
        "Summary: A sample\nRequires-Python: >=3.11\n"
    )
    members = {
        f"{stem}.py": body,
        f"{info}/METADATA": metadata,
        f"{info}/WHEEL": (
            "Wheel-Version: 1.0\nGenerator: sample\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        ),
    }
    record = "".join(
        f"{path},sha256={_digest(text)},{len(text)}\n" for path, text in members.items()
    )
    members[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    return wheel_of(distribution, version, members)


def wheel_of(distribution: str, version: str, members: dict[str, str]) -> Wheel:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for path, text in members.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    data = stream.getvalue()
    return Wheel(
        distribution=distribution,
        version=version,
        filename=f"{distribution.replace('-', '_')}-{version}-py3-none-any.whl",
        data=data,
        sha256=hashlib.sha256(data).hexdigest(),
    )


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
