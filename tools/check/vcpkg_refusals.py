# SPDX-License-Identifier: Apache-2.0
"""What vcpkg, the port and the stand-in for vcpkg have to refuse."""

import dataclasses
import shutil

from check import catalogue, commands, tree
from check.results import Test, failed, verdict
from check.vcpkg_tool import PORTS, Vcpkg


@dataclasses.dataclass(frozen=True)
class Mistake:
    """A user's."""

    name: str
    told: tuple[str, ...]
    spec: str = "pinion"
    triplet: str = ""
    in_log: bool = False  # whether the reason stands in the log that vcpkg names


@dataclasses.dataclass(frozen=True)
class Defect:
    """Of a port: in one of its files a text is replaced."""

    name: str
    told: str
    file: str
    before: str
    after: str


DEFECTS = (
    Defect("an unknown argument", "FASTER", "portfile.cmake", "vcpkg_cmake_install()", "vcpkg_cmake_install(FASTER)"),
    Defect("an unknown function", "vcpkg_cmake_instal", "portfile.cmake", "vcpkg_cmake_install()",
           "vcpkg_cmake_instal()"),
    Defect("a helper that is no dependency", "vcpkg_cmake_configure", "vcpkg.json", '"vcpkg-cmake"',
           '"vcpkg-cmake-config"'),
    Defect("a library that is no dependency", "error: building pinion", "vcpkg.json", '"tl-expected",', ""),
    Defect("a variable that the build doesn't use", "BUILD_TESTS, which the project does not use", "portfile.cmake",
           "-DPINION_TESTS=OFF", "-DBUILD_TESTS=OFF"),
    Defect("debug headers left in the package", "debug/include/pinion", "portfile.cmake",
           '"${CURRENT_PACKAGES_DIR}/debug/include"', ""),
)


def mistakes() -> list[Mistake]:
    first = catalogue.read().parts[0]
    part, default = first.name, first.backends[0]
    return [
        Mistake("unknown feature", (f"pinion has no feature named {part}x",), spec=f"pinion[{part}x]"),
        Mistake("another system", ("only supported on 'linux'",), triplet="set(VCPKG_CMAKE_SYSTEM_NAME Darwin)\n"),
        Mistake("unknown backend", (f"{default.name}=nothing", "valid values:", default.default),
                triplet=f"set({default.name} nothing)\n"),
        Mistake("value of a switch", ("PINION_ASSERT=MAYBE", "valid values: ON OFF"),
                triplet="set(PINION_ASSERT MAYBE)\n"),
        Mistake("modules with g++ 12", ("PINION_MODULES=ON", "clang 19", "PINION_MODULES=OFF"), spec="pinion[modules]",
                in_log=True),
    ]


def refuse(vcpkg: Vcpkg, mistake: Mistake) -> Test:
    vcpkg.run.progress(mistake.name)
    place, name = vcpkg.new_place(), f"vcpkg refuses: {mistake.name}"
    result = vcpkg.install(place, mistake.spec, triplet=mistake.triplet)
    if result.ok:
        return failed(name, "it was accepted")
    log = place / "buildtrees" / "pinion" / "config-pinion-test-out.log"
    said = log.read_text(encoding="utf-8", errors="replace") if mistake.in_log and log.exists() else result.output
    return verdict(name, _unsaid(mistake.told, said))


def refuse_defect(stand_in: Vcpkg, defect: Defect) -> Test:
    """The stand-in finds what the real one would find, in the smallest of packages."""
    stand_in.run.progress(defect.name)
    place = stand_in.new_place()
    folders = {part.folder.split("/")[0] for part in catalogue.read().everything}
    for name in ("CMakeLists.txt", "LICENSE", "cmake", "modules", *folders):
        (place / name).symlink_to(tree.ROOT / name)
    file = shutil.copytree(PORTS / "pinion", place / "ports" / "pinion") / defect.file
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(defect.before, defect.after), encoding="utf-8")
    result = stand_in.install(place, "pinion[core]", ports=place / "ports")
    complaint = "it was accepted" if result.ok else _unsaid((defect.told,), result.output)
    return verdict(f"vcpkg: the stand-in refuses {defect.name}", complaint)


def refuse_copied_port(vcpkg: Vcpkg) -> Test:
    """The port builds the tree around it, and says so where there is none."""
    place = vcpkg.new_place()
    shutil.copytree(PORTS, place / "ports")
    result = vcpkg.install(place, "pinion", ports=place / "ports")
    complaint = "it was accepted" if result.ok else _unsaid(("--overlay-ports",), result.output)
    return verdict("vcpkg refuses: a copy of the port outside the tree", complaint)


def _unsaid(told: tuple[str, ...], output: str) -> str | None:
    # CMake breaks its lines where it likes.
    unsaid = [words for words in told if words not in " ".join(output.split())]
    return f"it doesn't say {unsaid}:\n{commands.relevant(output)}" if unsaid else None
