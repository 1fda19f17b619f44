# SPDX-License-Identifier: Apache-2.0
"""Rules for the two manifests: vcpkg.json of who develops pinion, ports/pinion/vcpkg.json of who uses it.

A rule takes a manifest and yields complaints. FORM holds for every manifest, PORT and ROOT for the one of that name.
"""

import json
import pathlib
import re

from check import cmake_options, tree, vcpkg_platform

PORT = tree.ROOT / "ports" / "pinion" / "vcpkg.json"
ROOT = tree.ROOT / "vcpkg.json"

# In the order in which `vcpkg format-manifest` writes them.
_FIELDS = ("name", "version", "port-version", "description", "license", "supports", "dependencies", "default-features",
           "features")
_REQUIRED = {"name", "version", "description", "license", "supports", "dependencies"}
_FEATURE_FIELDS = ("description", "supports", "dependencies")
_DEPENDENCY_FIELDS = ("name", "default-features", "features", "host", "platform", "version>=")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_HELPERS = {"vcpkg_cmake_configure": "vcpkg-cmake", "vcpkg_cmake_install": "vcpkg-cmake",
            "vcpkg_cmake_config_fixup": "vcpkg-cmake-config"}

# What find_package() is given -> the port that provides it.
_PORT_OF_PACKAGE = {"tl-expected": "tl-expected", "GTest": "gtest", "rapidcheck": "rapidcheck",
                    "benchmark": "benchmark", "Boost": "boost-asio"}


def complaints_of_form(text: str) -> list[str]:
    """Fields, names and layout, as `vcpkg format-manifest` would leave it."""
    try:
        manifest = json.loads(text)
    except ValueError as error:
        return [f"it is no JSON: {error}"]
    features = manifest.get("features", {})
    wrong = [f"the field \"{field}\" is not known here" for field in manifest if field not in _FIELDS]
    wrong += [f"the field \"{field}\" is missing" for field in sorted(_REQUIRED - manifest.keys())]
    for name, feature in features.items():
        wrong += [f"{name}: the field \"{field}\" is not known here" for field in feature
                  if field not in _FEATURE_FIELDS]
        wrong += [] if feature.get("description") else [f"{name}: it has no description"]
    wrong += [f"{entry}: {unknown} is not known here" for entry in _dependencies(manifest) if isinstance(entry, dict)
              for unknown in entry if unknown not in _DEPENDENCY_FIELDS]
    names = [manifest.get("name", ""), *features, *map(_name_of, _dependencies(manifest))]
    wrong += [f"\"{name}\" is no name: small letters, digits and hyphens" for name in names
              if not _NAME.fullmatch(name)]
    wrong += [f"the default feature {name} is none" for name in manifest.get("default-features", [])
              if name not in features]
    wrong += _platform_complaints([manifest, *features.values()])
    if not wrong and text != _formatted(manifest):
        wrong.append("`vcpkg format-manifest` would write it in another way: two spaces, the usual order of fields, "
                     "features and dependencies by name")
    return wrong


def complaints_of_pinion(manifest: dict) -> list[str]:
    """What both manifests say about pinion."""
    expected = {"name": "pinion", "version": cmake_options.version(), "license": "Apache-2.0"}
    return [f"{field} is {manifest.get(field)}, not {value}" for field, value in expected.items()
            if manifest.get(field) != value]


def complaints_of_port(manifest: dict, portfile: str) -> list[str]:
    """The features are the parts, the hosts and the modules; what the portfile names is what there is."""
    parts, hosts = cmake_options.parts(), cmake_options.hosts()
    features = set(manifest.get("features", {}))
    wrong = []
    if features != {*parts, *hosts, "modules"}:
        wrong.append(f"the features are {sorted(features)}; the parts, the hosts and `modules` are "
                     f"{sorted([*parts, *hosts, 'modules'])}")
    if sorted(manifest.get("default-features", [])) != sorted(parts):
        wrong.append(f"the default features are not all parts, as in CMake: {' '.join(parts)}")
    passed = set(re.findall(r"^  ([a-z-]+) (PINION_\w+)", portfile, re.MULTILINE))
    if passed != {(name, f"PINION_{'WITH_' if name in hosts else ''}{name.upper()}") for name in features}:
        wrong.append(f"the portfile passes on {sorted(name for name, _ in passed)} of the features {sorted(features)}")
    wrong += [f"the portfile knows the values {given} of {name}; CMake knows {known}"
              for name, known in triplet_variables().items() if (given := portfile_values(portfile).get(name)) != known]
    dependencies = set(map(_name_of, manifest.get("dependencies", [])))
    wrong += [f"the portfile calls {function}, so the manifest is to depend on {port}"
              for function, port in _HELPERS.items() if f"{function}(" in portfile and port not in dependencies]
    for host in hosts:
        theirs = set(map(_name_of, manifest.get("features", {}).get(host, {}).get("dependencies", [])))
        wrong += [f"{port} provides what hosts/{host} finds, and is no dependency of the feature {host}"
                  for port in _ports_of([tree.ROOT / "hosts" / host / "CMakeLists.txt"]) if port not in theirs]
    return wrong + [f"{port} provides what pinion finds, and is no dependency"
                    for port in _ports_of(_package_files()) if port not in dependencies]


def complaints_of_root(manifest: dict) -> list[str]:
    """Everything that any part of the build finds comes from a dependency."""
    dependencies = set(map(_name_of, _dependencies(manifest)))
    wrong = [f"{port} provides what the build finds, and is no dependency" for port in _ports_of(_all_files())
             if port not in dependencies]
    return wrong + [f"nothing in the build finds what {name} provides"
                    for name in sorted(dependencies - _ports_of(_all_files()))]


def triplet_variables() -> dict[str, list[str]]:
    """What CMake calls an option and vcpkg has no feature for: variables that a triplet may set, and their values."""
    features = {*cmake_options.parts(), *cmake_options.hosts(), "modules"}
    return {option.name: list(option.values) for option in cmake_options.for_users()
            if cmake_options.feature_of(option) not in features}


def portfile_values(portfile: str) -> dict[str, list[str]]:
    found = re.findall(r"^set\((PINION_\w+)_values ([^)]*)\)", portfile, re.MULTILINE)
    return {name: values.split() for name, values in found}


def _dependencies(manifest: dict) -> list:
    lists = [manifest.get("dependencies", []), *(feature.get("dependencies", []) for feature in
                                                 manifest.get("features", {}).values())]
    return [entry for entries in lists for entry in entries]


def _name_of(dependency) -> str:
    return dependency if isinstance(dependency, str) else dependency.get("name", "")


def _platform_complaints(owners: list[dict]) -> list[str]:
    wrong = []
    for owner in owners:
        try:
            vcpkg_platform.matches(owner.get("supports", "linux"), set())
        except ValueError as error:
            wrong.append(f"\"supports\": {error}")
    return wrong


def _formatted(manifest: dict) -> str:
    def ordered(value: dict, fields: tuple[str, ...]) -> dict:
        result = {field: value[field] for field in fields if field in value}
        if "dependencies" in result:
            result["dependencies"] = sorted(result["dependencies"], key=_name_of)
        return result

    result = ordered(manifest, _FIELDS)
    if "features" in result:
        features = sorted(result["features"].items())
        result["features"] = {name: ordered(feature, _FEATURE_FIELDS) for name, feature in features}
    return json.dumps(result, indent=2, ensure_ascii=False) + "\n"


def _ports_of(files: list[pathlib.Path]) -> set[str]:
    """The ports of what these CMake files can't do without; a package without a row in the table is named as it is."""
    required = re.compile(r"^\s*find_package\(([\w-]+)[^)]*\bREQUIRED\b", re.MULTILINE)
    names = {name for file in files for name in required.findall(file.read_text(encoding="utf-8"))}
    return {_PORT_OF_PACKAGE.get(name, name) for name in names}


def _package_files() -> list[pathlib.Path]:
    """The CMake files of what a package is made of: of the base and each part, without tests and benches."""
    return [tree.ROOT / part / "CMakeLists.txt" for part in ("base", *cmake_options.parts())]


def _all_files() -> list[pathlib.Path]:
    ours = [tree.ROOT / name for name in tree.files() if name.endswith(("CMakeLists.txt", ".cmake"))]
    foreign = [tree.ROOT / "cmake" / "consumers", tree.ROOT / "cmake" / "vcpkg_harness", tree.ROOT / "test_package",
               tree.ROOT / "ports"]
    return [file for file in ours if not any(file.is_relative_to(folder) for folder in foreign)]
