# SPDX-License-Identifier: Apache-2.0
"""The configurations `vcpkg` and `vcpkg-deep`: the overlay port with different features, each result consumed by
the programs of test_package, mistakes that have to be refused, and what docs/packages.md says.

Where a real `vcpkg` is on PATH, it does the installing, and is compared with the stand-in that does it elsewhere.
"""

import dataclasses
import pathlib
import re
import tempfile

from check import catalogue, commands, packages_page, tree, vcpkg_refusals, vcpkg_tool
from check.execution import Run
from check.python_tools import CMAKE, OLD_CMAKE, PythonTool
from check.results import Test, failed, skipped, verdict
from check.vcpkg_tool import COMPILERS, Vcpkg


@dataclasses.dataclass(frozen=True)
class Consumer:
    """The programs of test_package against an installed tree."""

    compiler: str
    doors: tuple[str, ...] = ("include",)
    build_type: str = "Release"
    cmake: PythonTool = CMAKE

    def __str__(self) -> str:
        return f"{' and '.join(self.doors)}, {COMPILERS[self.compiler][1]}, {self.build_type}, {self.cmake.folder}"


@dataclasses.dataclass(frozen=True)
class Installation:
    name: str
    spec: str
    parts: tuple[str, ...]
    consumers: tuple[Consumer, ...]
    compiler: str = "gcc"
    triplet: str = ""  # lines beside the usual ones
    values: dict[str, str] = dataclasses.field(default_factory=dict)  # of options, beside their defaults


_BOTH = ("include", "import")
_OLD_GCC = Consumer("gcc", cmake=OLD_CMAKE)


def run(run: Run) -> list[Test]:
    known = catalogue.read()
    parts = tuple(part.name for part in known.parts)
    hosts = tuple(part.name for part in known.hosts if part.offered_by("vcpkg"))
    switches = [option for part in known.parts for option in part.switches]
    features = [option.feature_name for option in (*(known.part(name).switch for name in (*parts, *hosts)), *switches)]
    installations = (
        Installation("default features", "pinion", parts, (_OLD_GCC, Consumer("gcc", build_type="Debug"))),
        Installation("all features", f"pinion[{','.join((*features, 'modules'))}]", (*parts, *hosts),
                     (Consumer("clang", _BOTH), Consumer("clang", _BOTH, "Debug"), _OLD_GCC, Consumer("gcc")), "clang",
                     values={option.name: "ON" for option in switches}),
        Installation("no features", "pinion[core]", (), (Consumer("gcc"),)),
    )
    with tempfile.TemporaryDirectory(prefix="pinion-vcpkg-") as name:
        folder = pathlib.Path(name)
        vcpkg = vcpkg_tool.choose(run, folder / "chosen")
        stand_in = vcpkg_tool.stand_in(run, folder / "stand-in")
        tests = [packages_page.unread_blocks()]
        for installation in installations:
            tests += _install(vcpkg, installation)
        tests += [vcpkg_refusals.refuse(vcpkg, mistake) for mistake in vcpkg_refusals.mistakes()]
        tests.append(vcpkg_refusals.refuse_copied_port(vcpkg))
        tests += [vcpkg_refusals.refuse_defect(stand_in, defect) for defect in vcpkg_refusals.DEFECTS]
        tests.append(_compare(vcpkg, stand_in))
        for manager in ("cmake", "vcpkg"):
            tests += packages_page.follow(run, manager, folder / manager, vcpkg.environment)
    return tests


def run_deep(run: Run) -> list[Test]:
    known = catalogue.read()
    parts = tuple(part.name for part in known.parts)
    swaps = {option.name: option.another_value() for part in known.parts for option in part.backends}
    swaps["PINION_ASSERT"] = "ON"
    installations = (
        Installation("modules alone", "pinion[core,modules]", (), (Consumer("clang", _BOTH),), "clang"),
        *(Installation(f"{part.name} alone", f"pinion[core,{part.switch.feature_name}]",
                       tuple(name for name in parts if name in {part.name, *known.rests_on(part)}),
                       (Consumer("gcc"),)) for part in known.parts),
        Installation("shared", "pinion[modules]", parts, (Consumer("clang", _BOTH), Consumer("clang", _BOTH, "Debug")),
                     "clang", triplet="set(VCPKG_LIBRARY_LINKAGE dynamic)\n"),
        Installation("other default backends and contracts, from the triplet", "pinion", parts,
                     (Consumer("gcc"),), values=swaps,
                     triplet="".join(f"set({name} {value})\n" for name, value in swaps.items())),
        Installation("release only", "pinion[modules]", parts, (Consumer("clang", _BOTH),), "clang",
                     triplet="set(VCPKG_BUILD_TYPE release)\n"),
    )
    with tempfile.TemporaryDirectory(prefix="pinion-vcpkg-") as folder:
        vcpkg = vcpkg_tool.choose(run, pathlib.Path(folder))
        return [test for installation in installations for test in _install(vcpkg, installation)]


def _install(vcpkg: Vcpkg, installation: Installation) -> list[Test]:
    vcpkg.run.progress(installation.name)
    place, name = vcpkg.new_place(), f"vcpkg: {installation.name}"
    result = vcpkg.install(place, installation.spec, compiler=installation.compiler, triplet=installation.triplet)
    # Of such problems the real one warns and goes on.
    if not result.ok or "post-build check problem" in result.output:
        return [failed(name, commands.relevant(result.output))]
    return [verdict(name, _paths_to_nowhere(place / "installed" / "pinion-test")),
            *(verdict(f"{name}: {consumer}", _consume(vcpkg, installation, consumer, place))
              for consumer in installation.consumers)]


def _paths_to_nowhere(prefix: pathlib.Path) -> str | None:
    """What the port moves, it is to move in the CMake files as well."""
    named = {(file, path) for file in (prefix / "share" / "pinion").rglob("*.cmake")
             for path in re.findall(r"\$\{_IMPORT_PREFIX\}/([^\"; ]+)", file.read_text(encoding="utf-8"))}
    return "\n".join(sorted(f"{file.name} names {path}, which is not there" for file, path in named
                            if not (prefix / path).exists()))


def _consume(vcpkg: Vcpkg, installation: Installation, consumer: Consumer, place: pathlib.Path) -> str | None:
    """What went wrong, or None."""
    vcpkg_tool.write_triplet(place, consumer.compiler, installation.triplet)
    build = place / f"consumer-{consumer.compiler}-{consumer.build_type}-{consumer.cmake.folder}"
    environment = commands.environment(consumer.cmake.programs, CMAKE.programs) | {"VCPKG_ROOT": str(vcpkg.root)}
    parts = ("base", *installation.parts)
    expected = catalogue.expected(catalogue.read(), parts, installation.values)
    for command in (
        ["cmake", "-S", tree.ROOT / "test_package", "-B", build, "-G", "Ninja", *vcpkg.consumer_arguments(place),
         f"-DCMAKE_BUILD_TYPE={consumer.build_type}", f"-DPARTS={';'.join(parts)}",
         f"-DMODULES={'ON' if 'import' in consumer.doors else 'OFF'}", f"-DEXPECTED={';'.join(expected)}"],
        ["cmake", "--build", build, "--parallel", vcpkg.run.jobs],
        *([build / f"test_{part}_{door}"] for part in parts for door in consumer.doors),
    ):
        result = vcpkg.run.log.run(command, cwd=place, env=environment)
        if not result.ok:
            return commands.relevant(result.output)
    return None


def _compare(vcpkg: Vcpkg, stand_in: Vcpkg) -> Test:
    """The stand-in makes the same package as the real vcpkg, file for file; of libraries the names only."""
    name = "vcpkg: the stand-in makes what vcpkg makes"
    if not vcpkg.is_real:
        return skipped(name, "no real vcpkg is on PATH; its part was played by cmake/vcpkg_harness")
    packages = []
    for tool in (vcpkg, stand_in):
        place = tool.new_place()
        result = tool.install(place, "pinion[modules]", compiler="clang")
        if not result.ok:
            return failed(name, commands.relevant(result.output))
        packages.append(_contents(place / "packages" / "pinion_pinion-test"))
    theirs, ours = packages
    return verdict(name, "\n".join(sorted(f"{file} differs" for file in theirs.keys() | ours.keys()
                                          if theirs.get(file) != ours.get(file))))


def _contents(package: pathlib.Path) -> dict[str, str]:
    own = {"BUILD_INFO", "CONTROL", "vcpkg.spdx.json", "vcpkg_abi_info.txt"}
    return {str(file.relative_to(package)): "" if file.suffix in (".a", ".so") else file.read_text(encoding="utf-8")
            for file in package.rglob("*") if file.is_file() and file.name not in own}
