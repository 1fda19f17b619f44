# SPDX-License-Identifier: Apache-2.0
"""The configurations `conan` and `conan-deep`: packages made by `conan create` without a network, each consumed by
test_package; mistakes that the recipe has to refuse; and what docs/packages.md says about Conan.

Conan's home is build/conan, made anew by each run. What pinion requires comes from the system, as a platform package.
"""

import dataclasses
import json
import pathlib
import re
import shutil
import tempfile

from check import catalogue, commands, packages_page, tree
from check.commands import StepFailed
from check.execution import Run
from check.python_tools import CMAKE, CONAN
from check.results import Test, failed, verdict
from parts import Option, Part

PROFILES = tree.ROOT / "conan" / "profiles"
HOME = tree.BUILD / "conan"
_SYSTEM = "debian-12"


@dataclasses.dataclass(frozen=True)
class Package:
    """One `conan create`, and what has to be seen of it."""

    name: str
    profile: str
    options: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()  # beside the base
    doors: tuple[str, ...] = ("include",)
    default: tuple[str, str] | None = None  # the option and its value that the programs have to report
    is_system: bool = True  # whether tl::expected is the system's; else a package that stands in for the real one


@dataclasses.dataclass(frozen=True)
class Mistake:
    name: str
    told: tuple[str, ...]
    profile: str = "gcc-12"
    options: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()


def run(run: Run) -> list[Test]:
    conan = _Conan(run)
    parts, hosts = _names()
    first = catalogue.read().parts[0]
    timers = first.backends[0]
    switched = [f"{option.short_name}=True" for part in catalogue.read().parts for option in part.switches]
    packages = [
        Package("all parts, hosts and switches, clang 19, modules", "clang-19",
                ("modules=ON", *(f"with_{host}=True" for host in hosts), *switched), parts=(*parts, *hosts),
                doors=("include", "import")),
        _alone(first, timers, timers.another_value()),
        Package("no part but the base, g++ 12", "gcc-12", tuple(f"{part}=False" for part in parts)),
    ]
    tests = [packages_page.unread_blocks()]
    tests += [_create(conan, package) for package in packages]
    tests += [_refuse(conan, mistake) for mistake in _mistakes()]
    tests.append(_own_packages(conan))
    tests.append(_from_nothing(run, "no-network", with_stand_in=False))
    with tempfile.TemporaryDirectory(prefix="pinion-conan-") as folder:
        tests += packages_page.follow(run, "conan", pathlib.Path(folder), conan.environment)
    return tests


def run_deep(run: Run) -> list[Test]:
    conan = _Conan(run)
    (parts, hosts), doors = _names(), ("include", "import")
    packages = [
        Package("hosts, g++ 12", "gcc-12", tuple(f"with_{host}=True" for host in hosts),
                parts=(*parts, *hosts)),
        Package("all parts, clang 19, modules", "clang-19", ("modules=ON",), parts=parts, doors=doors),
        Package("modules off, g++ 12", "gcc-12", ("modules=OFF",), parts=parts),
        Package("modules as the toolchain can, clang 19", "clang-19", ("modules=AUTO",), parts=parts, doors=doors),
        Package("modules as the toolchain can, g++ 12", "gcc-12", ("modules=AUTO",), parts=parts),
        Package("shared, clang 19, modules", "clang-19", ("shared=True", "modules=ON"), parts=parts, doors=doors),
        Package("shared, g++ 12", "gcc-12", ("shared=True",), parts=parts),
        Package("checked, clang 19, modules, C++23", "clang-19", ("assert=True", "modules=ON"),
                ("compiler.cppstd=gnu23",), parts, doors),
        Package("Debug, g++ 12", "gcc-12", settings=("build_type=Debug",), parts=parts),
        Package("tl::expected as a package, g++ 12", "gcc-12", parts=parts, is_system=False),
        Package("tl::expected as a package, clang 19, modules", "clang-19", ("modules=ON",), parts=parts, doors=doors,
                is_system=False),
    ]
    for part in catalogue.read().parts:
        swaps = [(option, value) for option in part.backends for value in option.values]
        packages += [_alone(part, *swap) for swap in swaps or ((),)]
    return [*(_create(conan, package) for package in packages),
            _from_nothing(run, "no-profile", with_stand_in=True)]


def _names() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of the parts, and of the hosts."""
    known = catalogue.read()
    hosts = tuple(part.name for part in known.hosts if part.offered_by("conan"))
    return tuple(part.name for part in known.parts), hosts


def _alone(part: Part, option: Option | None = None, backend: str | None = None) -> Package:
    """The part with what it rests on, and no other."""
    rests_on = catalogue.read().rests_on(part)
    chosen = tuple(other for other in _names()[0] if other == part.name or other in rests_on)
    options = tuple(f"{other}={other in chosen}" for other in _names()[0])
    name = f"{part.name} alone, g++ 12"
    if option is None:
        return Package(name, "gcc-12", options, parts=chosen)
    swap = (option.short_name, backend)
    return Package(f"{name}, its {'='.join(swap)}", "gcc-12", (*options, "=".join(swap)), parts=chosen,
                   default=swap)


def _mistakes() -> list[Mistake]:
    first = catalogue.read().parts[0]
    part, option = first.name, first.backends[0]
    backend = option.default
    return [
        Mistake("C++17", ("C++20", "gnu17", "-s compiler.cppstd=20"), settings=("compiler.cppstd=gnu17",)),
        Mistake("g++ 11", ("gcc 11", "gcc 12", "clang 19"), settings=("compiler.version=11",)),
        Mistake("clang 18", ("clang 18", "gcc 12", "clang 19"), "clang-19", settings=("compiler.version=18",)),
        Mistake("another compiler", ("intel-cc 2024.1", "gcc 12", "clang 19"),
                settings=("compiler=intel-cc", "compiler.version=2024.1", "compiler.mode=icx")),
        Mistake("another system", ("Macos", "Linux"), settings=("os=Macos",)),
        Mistake("modules with g++ 12", ("modules=ON", "gcc 12", "clang 19", "modules=OFF"), options=("modules=ON",)),
        Mistake("unknown backend", (f"{backend}x", f"'{backend}'"), options=(f"{option.short_name}={backend}x",)),
        Mistake("a host without its part", ("with_asio=True", "preempt=False"),
                options=("with_asio=True", "preempt=False")),
        Mistake("value of a switch", ("'maybe'", "'True', 'False'"), options=(f"{part}=maybe",)),
        Mistake("unknown option", (f"'{part}x'", f"'{part}'"), options=(f"{part}x=True",)),
    ]


class _Conan:
    """Conan's program with a home of its own, without remotes."""

    def __init__(self, run: Run):
        self.run = run
        self.environment = commands.environment(CONAN.programs, CMAKE.programs) | {"CONAN_HOME": str(HOME)}
        shutil.rmtree(HOME, ignore_errors=True)
        (HOME / "profiles").mkdir(parents=True)
        (HOME / "global.conf").write_text(f"core:non_interactive=True\ntools.build:jobs={run.jobs}\n", encoding="utf-8")
        # As `conan profile detect` leaves it: with the compiler's own default for the standard.
        (HOME / "profiles" / "default").write_text(
            f"include({PROFILES / 'gcc-12'})\ninclude({PROFILES / _SYSTEM})\n[settings]\ncompiler.cppstd=gnu17\n",
            encoding="utf-8")
        self.must("remote", "disable", "*")

    def __call__(self, *arguments) -> commands.Finished:
        return self.run.log.run(["conan", *arguments], env=self.environment)

    def must(self, *arguments) -> str:
        result = self(*arguments)
        if not result.ok:
            raise StepFailed(commands.relevant(result.output))
        return result.output


def _arguments(profiles, options, settings) -> list[str]:
    return [*(word for profile in profiles for word in ("-pr:a", PROFILES / profile)),
            *(word for option in options for word in ("-o", f"&:{option}")),
            *(word for setting in settings for word in ("-s:h", setting))]


def _create(conan: _Conan, package: Package) -> Test:
    conan.run.progress(package.name)
    name = f"conan: {package.name}"
    if not package.is_system:
        conan.must("create", tree.ROOT / "conan" / "stand_in", *_arguments([package.profile], (), ()))
    profiles = [package.profile, *([_SYSTEM] if package.is_system else [])]
    result = conan("create", tree.ROOT, *_arguments(profiles, package.options, package.settings),
                   "-c", "tools.compilation:verbosity=verbose")
    if not result.ok:
        return failed(name, commands.relevant(result.output))
    known = catalogue.read()
    left_out = [part for part in known.optional if part.name not in package.parts]
    absent = {option.name for part in left_out for option in part.options}
    options = [option.name for option in known.package_options()
               if option.name not in absent and option.offered_by("conan")]
    if unsaid := [option for option in options if f"-D{option}=" not in result.output]:
        return failed(name, f"CMake is not told {' '.join(unsaid)}")
    ran = sorted(re.findall(r"RUN: \S+/(test_\w+)$", result.output, re.MULTILINE))
    wanted = sorted(f"test_{part}_{door}" for part in ("base", *package.parts) for door in package.doors)
    if ran != wanted:
        return failed(name, f"the programs {ran} ran instead of {wanted}")
    if not package.is_system and not re.search(r"Testing the package: Building.* -isystem \S*/tl-ex\w+/", result.output,
                                              re.DOTALL):
        return failed(name, "whoever includes pinion does not get the headers of the package of tl::expected")
    if package.default:
        option, backend = package.default
        reports = len(re.findall(rf"default_\w+ is {backend},", result.output))
        if reports != len(package.doors):
            return failed(name, f"{reports} of {len(package.doors)} programs got {backend} as {option}")
    return verdict(name, None)


def _refuse(conan: _Conan, mistake: Mistake) -> Test:
    """The mistake is refused before anything is built, in one message."""
    conan.run.progress(mistake.name)
    name = f"conan refuses: {mistake.name}"
    result = conan("create", tree.ROOT, *_arguments([mistake.profile, _SYSTEM], mistake.options, mistake.settings))
    if result.ok:
        return failed(name, "it was accepted")
    unsaid = [word for word in mistake.told if word not in result.output.partition("ERROR:")[2]]
    errors = result.output.count("ERROR:")
    if unsaid or errors != 1 or "Traceback" in result.output or "Installing packages" in result.output:
        return failed(name, f"{errors} errors, which don't say {unsaid}:\n{commands.relevant(result.output)}")
    return verdict(name, None)


def _from_nothing(run: Run, kind: str, *, with_stand_in: bool) -> Test:
    """What the page says to type where Conan was never used, and there is no network: its home is empty. Where
    asked for, a package that stands in for tl::expected is in it."""
    run.progress(f"the page's line for {kind}")
    name = f"packages page: conan: {kind}"
    with tempfile.TemporaryDirectory(prefix="pinion-conan-") as folder:
        home = pathlib.Path(folder) / "home"
        environment = commands.environment(CONAN.programs, CMAKE.programs) | {"CONAN_HOME": str(home)}
        packages_page.write_project(pathlib.Path(folder), {})
        before = [["conan", "remote", "disable", "*"],
                  ["conan", "create", tree.ROOT / "conan" / "stand_in", *_arguments(["gcc-12"], (), ())]]
        apart = ["unshare", "-n"] if run.log.run(["unshare", "-n", "true"]).ok else []
        typed = ["sh", "-e", "-c", packages_page.commands_of("conan", kind)]
        for command in (*(before if with_stand_in else ()), typed):
            result = run.log.run([*apart, *command], cwd=folder, env=environment)
            if not result.ok:
                return failed(name, commands.relevant(result.output))
        if (home / "profiles" / "default").exists():
            return failed(name, "Conan has made itself a profile")
        ran = "test_timer_include" in result.output
        return verdict(name, None if ran else "no program of the package ran")


def _own_packages(conan: _Conan) -> Test:
    """What builds another library is another package; a default of what was left out is not."""
    conan.run.progress("package identities")
    parts = catalogue.read().parts
    chosen = next(part for part in parts if part.backends)
    part, default = chosen.name, chosen.backends[0].short_name
    variants = [(), (f"{part}=False",), ("assert=True",), ("shared=True",), ("modules=OFF",)]
    nodes = {options: _node(conan, options) for options in variants}
    identities = {options: node["package_id"] for options, node in nodes.items()}
    same = [f"{one or 'the default'} and {other or 'the default'} are one package" for one in variants
            for other in variants if one < other and identities[one] == identities[other]]
    if default in nodes[(f"{part}=False",)]["info"]["options"]:
        same.append(f"without {part}, {default} makes another package of the same")
    return verdict("conan: what differs is another package", "\n".join(same))


def _node(conan: _Conan, options: tuple[str, ...]) -> dict:
    output = conan.must("graph", "info", tree.ROOT, "--format=json", "-vquiet",
                        *_arguments(["gcc-12", _SYSTEM], options, ()))
    return next(node for node in json.loads(output)["graph"]["nodes"].values() if node["name"] == "pinion")
