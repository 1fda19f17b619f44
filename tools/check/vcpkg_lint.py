# SPDX-License-Identifier: Apache-2.0
"""What vcpkg finds fault with in a package that a port has built: its post-build checks, those that concern pinion."""

import pathlib

_TEXTS = (".cmake", ".hpp", ".cppm", ".pc", ".py", ".sh")


def problems(package: pathlib.Path, port: str, triplet: dict[str, str],
             forbidden_paths: list[pathlib.Path]) -> list[str]:
    """One line for each problem of the package in this folder."""
    files = [path.relative_to(package) for path in sorted(package.rglob("*")) if path.is_file()]
    return [*_required(files, port), *_misplaced(files), *_empty_folders(package),
            *_libraries(files, triplet), *_absolute_paths(package, files, forbidden_paths)]


def _required(files: list[pathlib.Path], port: str) -> list[str]:
    result = []
    if not any(file.parts[0] == "include" for file in files):
        result.append("include/ holds no file")
    if pathlib.Path("share", port, "copyright") not in files:
        result.append(f"share/{port}/copyright is missing")
    return result


def _misplaced(files: list[pathlib.Path]) -> list[str]:
    places = {("debug", "include"): "headers are installed once", ("debug", "share"): "share/ is installed once",
              ("lib", "cmake"): "CMake files belong in share/<port>", ("debug", "lib", "cmake"): "the same",
              ("bin",): "a library has no programs", ("debug", "bin"): "the same"}
    result = [f"{file}: {why}" for file in files for place, why in places.items() if file.parts[:len(place)] == place]
    return result + [f"{file}: no file belongs at the top" for file in files if len(file.parts) == 1]


def _empty_folders(package: pathlib.Path) -> list[str]:
    return [f"{path.relative_to(package)}: an empty folder" for path in sorted(package.rglob("*"))
            if path.is_dir() and not any(path.iterdir())]


def _libraries(files: list[pathlib.Path], triplet: dict[str, str]) -> list[str]:
    release = {file.name for file in files if file.parts[0] == "lib"}
    debug = {file.name for file in files if file.parts[:2] == ("debug", "lib")}
    result = []
    if not triplet["VCPKG_BUILD_TYPE"] and release != debug:
        result.append(f"debug/lib and lib differ in {' '.join(sorted(release ^ debug))}")
    wrong = ".so" if triplet["VCPKG_LIBRARY_LINKAGE"] == "static" else ".a"
    return result + [f"{name}: the triplet asks for {triplet['VCPKG_LIBRARY_LINKAGE']} libraries"
                     for name in sorted(release | debug) if wrong in pathlib.Path(name).suffixes]


def _absolute_paths(package: pathlib.Path, files: list[pathlib.Path], forbidden: list[pathlib.Path]) -> list[str]:
    result = []
    for file in files:
        if file.suffix in _TEXTS or file.name == "usage":
            text = (package / file).read_text(encoding="utf-8", errors="replace")
            result += [f"{file}: names {path}" for path in forbidden if str(path) in text]
    return result
