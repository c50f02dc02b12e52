"""Builds the wheel of the client, which is one module: pip calls these functions (PEP 517)."""

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAME = "lockstep_client"


def _version() -> str:
    return re.search(r'^__version__ = "(.+)"', (HERE / f"{NAME}.py").read_text(encoding="utf-8"), re.M)[1]


def _metadata() -> str:
    return (f"Metadata-Version: 2.1\nName: lockstep-client\nVersion: {_version()}\n"
            "Summary: Controllers for the robot simulator Lockstep\nRequires-Python: >=3.8\n"
            "Provides-Extra: arrays\nRequires-Dist: numpy; extra == 'arrays'\n")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    info = f"{NAME}-{_version()}.dist-info"
    files = {f"{NAME}.py": (HERE / f"{NAME}.py").read_bytes(), f"{info}/METADATA": _metadata().encode(),
             f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: lockstep\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{NAME}-{_version()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return wheel


def build_sdist(sdist_directory, config_settings=None) -> str:
    folder = f"{NAME}-{_version()}"
    with tarfile.open(Path(sdist_directory) / f"{folder}.tar.gz", "w:gz") as archive:
        for name in ("build_backend.py", f"{NAME}.py", "pyproject.toml"):
            archive.add(HERE / name, f"{folder}/{name}")
        content = _metadata().encode()
        entry = tarfile.TarInfo(f"{folder}/PKG-INFO")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return f"{folder}.tar.gz"
