# SPDX-License-Identifier: Apache-2.0
"""Stands in for `vcpkg install` on a machine without vcpkg and without a network.

  vcpkg install [PORT[FEATURE,...]]... [--triplet=T] [--overlay-ports=DIR] [--overlay-triplets=DIR]
                [--x-install-root=DIR] [--x-manifest-root=DIR] [--x-buildtrees-root=DIR] [--x-packages-root=DIR]

Ports come from the overlays only; their portfiles are run by cmake/vcpkg_harness/scripts/ports.cmake. What a port
depends on beside vcpkg's helpers is taken from the system into the installed tree. After the build the package is
looked over as vcpkg does (vcpkg_lint.py). Nothing is cached. An argument that is not listed here is refused.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys

from check import vcpkg_lint, vcpkg_platform

ROOT = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "vcpkg_harness"

# Ports whose packages are Debian's: what of /usr makes up the installed package.
_LIBRARIES = f"lib/{platform.machine()}-linux-gnu"
_CMAKE = f"{_LIBRARIES}/cmake"
SYSTEM_PORTS = {"tl-expected": ("include/tl", "share/cmake/tl-expected"),
                "boost-asio": ("include/boost", f"{_CMAKE}/Boost-1.81.0", f"{_CMAKE}/boost_headers-1.81.0"),
                "jemalloc": ("include/jemalloc", f"{_LIBRARIES}/pkgconfig/jemalloc.pc")}
_SPEC = re.compile(r"(?P<name>[a-z0-9-]+)(?:\[(?P<features>[a-z0-9,-]+)\])?(?::(?P<triplet>[a-z0-9-]+))?")


class Refused(Exception):
    """str() is what vcpkg would print, or what this stand-in can't do."""


@dataclasses.dataclass(frozen=True)
class Port:
    folder: pathlib.Path
    manifest: dict

    @property
    def name(self) -> str:
        return self.manifest["name"]

    def features(self, wanted: set[str], with_defaults: bool) -> set[str]:
        """All features that are built, `core` among them."""
        known = self.manifest.get("features", {})
        chosen = wanted | (set(self.manifest.get("default-features", [])) if with_defaults else set())
        for feature in sorted(chosen - known.keys() - {"core"}):
            raise Refused(f"{self.name} has no feature named {feature}.")
        # What a feature needs of the port itself.
        needed = {other for name in chosen & known.keys() for entry in known[name].get("dependencies", [])
                  if isinstance(entry, dict) and entry["name"] == self.name for other in entry.get("features", [])}
        return chosen | {"core"} if needed <= chosen else self.features(chosen | needed, False)

    def dependencies(self, features: set[str]) -> set[str]:
        known = self.manifest.get("features", {})
        lists = [self.manifest.get("dependencies", []), *(known[name].get("dependencies", []) for name in features
                                                          if name in known)]
        return {entry if isinstance(entry, str) else entry["name"] for entries in lists for entry in entries} - {self.name}


def main(arguments: list[str]) -> int:
    try:
        _install(_parse(arguments))
    except Refused as reason:
        print(f"error: {reason}", flush=True)
        return 1
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("vcpkg", allow_abbrev=False)
    parser.add_argument("command", choices=["install"])
    parser.add_argument("specs", nargs="*")
    parser.add_argument("--triplet", default="x64-linux")
    parser.add_argument("--overlay-ports", action="append", default=_paths("VCPKG_OVERLAY_PORTS"))
    parser.add_argument("--overlay-triplets", action="append", default=_paths("VCPKG_OVERLAY_TRIPLETS"))
    for name in ("install", "manifest", "buildtrees", "packages"):
        parser.add_argument(f"--x-{name}-root", type=pathlib.Path, dest=f"{name}_root")
    return parser.parse_args(arguments)


def _paths(variable: str) -> list[str]:
    return [path for path in os.environ.get(variable, "").split(os.pathsep) if path]


def _install(options: argparse.Namespace) -> None:
    wanted = _wanted(options)
    install_root = (options.install_root or pathlib.Path("vcpkg_installed")).absolute()
    buildtrees = (options.buildtrees_root or install_root / "vcpkg" / "buildtrees").absolute()
    packages = (options.packages_root or install_root / "vcpkg" / "packages").absolute()
    triplet_file = _find("triplet", [*options.overlay_triplets, ROOT / "triplets"], f"{options.triplet}.cmake")
    variables = vcpkg_platform.triplet_variables(triplet_file)
    installed = install_root / options.triplet
    shutil.rmtree(installed, ignore_errors=True)
    for name, features, with_defaults in wanted:
        port = _port(name, options.overlay_ports)
        built = port.features(features, with_defaults)
        _require_platform(port, built, variables, options.triplet)
        helpers = _install_dependencies(port.dependencies(built), installed)
        package = packages / f"{name}_{options.triplet}"
        _build(port, built, helpers, options.triplet, triplet_file, buildtrees / name, package, installed)
        if problems := vcpkg_lint.problems(package, name, variables, [package, installed, buildtrees]):
            raise Refused("\n".join([f"post-build checks of {name} found:", *problems]))
        shutil.copytree(package, installed, dirs_exist_ok=True)
        print((installed / "share" / name / "usage").read_text(encoding="utf-8"), flush=True)


def _wanted(options: argparse.Namespace) -> list[tuple[str, set[str], bool]]:
    """What is asked for: port, features, and whether its default features come with it."""
    if options.specs:
        return [_parse_spec(spec) for spec in options.specs]
    manifest = (options.manifest_root or pathlib.Path()) / "vcpkg.json"
    if not manifest.is_file():
        raise Refused("In manifest mode, `vcpkg install` needs a vcpkg.json, and there is none here.")
    entries = json.loads(manifest.read_text(encoding="utf-8"))["dependencies"]
    entries = [{"name": entry} if isinstance(entry, str) else entry for entry in entries]
    return [(entry["name"], set(entry.get("features", [])), entry.get("default-features", True)) for entry in entries]


def _parse_spec(spec: str) -> tuple[str, set[str], bool]:
    match = _SPEC.fullmatch(spec)
    if match is None or match["triplet"]:
        raise Refused(f"{spec} is not PORT or PORT[FEATURE,...]")
    features = set((match["features"] or "").split(",")) - {""}
    return match["name"], features, "core" not in features


def _find(what: str, folders: list, name: str) -> pathlib.Path:
    found = next((path for folder in folders if (path := pathlib.Path(folder).absolute() / name).exists()), None)
    if found is None:
        raise Refused(f"there is no {what} {name} in {' or '.join(map(str, folders)) or 'any overlay'}")
    return found


def _port(name: str, overlays: list[str]) -> Port:
    folder = _find("port", overlays, name)
    return Port(folder, json.loads((folder / "vcpkg.json").read_text(encoding="utf-8")))


def _require_platform(port: Port, features: set[str], variables: dict[str, str], triplet: str) -> None:
    known = port.manifest.get("features", {})
    expressions = [(port.name, port.manifest.get("supports")),
                   *((f"{port.name}[{name}]", known.get(name, {}).get("supports")) for name in sorted(features))]
    for name, expression in expressions:
        if expression and not vcpkg_platform.matches(expression, vcpkg_platform.names(variables)):
            raise Refused(f"{name} is only supported on '{expression}', which does not match {triplet}.")


def _install_dependencies(names: set[str], installed: pathlib.Path) -> list[str]:
    """Takes what is a library from the system; returns the ports of helpers."""
    helpers = []
    for name in sorted(names):
        if (ROOT / "ports" / f"{name}.cmake").is_file():
            helpers.append(name)
            continue
        if name not in SYSTEM_PORTS:
            raise Refused(f"this stand-in has no port {name}: add to SYSTEM_PORTS what of /usr makes it up")
        for taken in SYSTEM_PORTS[name]:
            source = pathlib.Path("/usr") / taken
            if source.is_dir():
                shutil.copytree(source, installed / taken, dirs_exist_ok=True)
                continue
            for tree in (installed, installed / "debug"):  # a file of pkg-config
                (tree / "lib" / "pkgconfig").mkdir(parents=True, exist_ok=True)
                shutil.copy(source, tree / "lib" / "pkgconfig")
    return helpers


def _build(port: Port, features: set[str], helpers: list[str], triplet: str, triplet_file: pathlib.Path,
           buildtree: pathlib.Path, package: pathlib.Path, installed: pathlib.Path) -> None:
    given = {
        "PORT": port.name,
        "VERSION": port.manifest["version"],
        "FEATURES": ";".join(sorted(features)),
        "MANIFEST_FEATURES": ";".join(port.manifest.get("features", {})),
        "HELPER_PORTS": ";".join(helpers),
        "CURRENT_PORT_DIR": port.folder,
        "CURRENT_BUILDTREES_DIR": buildtree,
        "CURRENT_PACKAGES_DIR": package,
        "CURRENT_INSTALLED_DIR": installed,
        "TARGET_TRIPLET": triplet,
        "TARGET_TRIPLET_FILE": triplet_file,
        "VCPKG_CONCURRENCY": os.environ.get("VCPKG_MAX_CONCURRENCY", "1"),
    }
    command = ["cmake", *(f"-D{name}={value}" for name, value in given.items()), "-P", ROOT / "scripts" / "ports.cmake"]
    print(f"Building {port.name}[{','.join(sorted(features))}]:{triplet}...", flush=True)
    result = subprocess.run([*map(str, command)], stdin=subprocess.DEVNULL, stderr=sys.stdout, check=False)
    if result.returncode != 0:
        raise Refused(f"building {port.name}:{triplet} failed with: BUILD_FAILED")
