"""Measure how long imports, small commands and the loading of manifests take, each in new processes."""

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cases import stream

EXAMPLE = str(Path(__file__).parent.parent / "examples" / "three-regions")
FIRST_SOLVE = (
    "import sys, time; import fairlead; problem = fairlead.load(sys.argv[1]); started = time.process_time();"
    "fairlead.solve(problem); print(time.process_time() - started)"
)


def measure_start(repeat: int) -> list[str]:
    """How long imports and the help page take, in new processes."""
    commands = {
        "import pydantic": ["-c", "import pydantic"],
        "import fairlead": ["-c", "import fairlead"],
        "fairlead --help": ["-m", "fairlead", "--help"],
    }
    nothing = _process([], repeat)
    seconds = {name: _process(command, repeat) - nothing for name, command in commands.items()}
    # `import fairlead` alone imports next to nothing, so nothing is a multiple of it.
    known = seconds.pop("import pydantic")
    print()
    for name, spent in seconds.items():
        print(f"{name} / import pydantic: {spent / known:.2f} (limit 2)")
    return [
        f"{name} takes {spent / known:.2f} times import pydantic"
        for name, spent in seconds.items()
        if spent > 2 * known
    ]


def measure_commands(repeat: int) -> list[str]:
    """CPU time of commands on a small input that need no solver, and of the first answer in a process."""
    print("\nseconds of CPU in a new process, five clusters and one workload:")
    for name in ("--version", "--help", "doctor", "validate", "solve", "plan"):
        arguments = [name] if name.startswith("-") else [name, "-f", EXAMPLE]
        print(f"fairlead {name}: {_cpu(['-m', 'fairlead', *arguments], repeat):.2f} (aim 0.5)")
    command = [sys.executable, "-c", FIRST_SOLVE, EXAMPLE]
    done = [subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(repeat)]
    first = statistics.median(float(one.stdout) for one in done)
    print(f"the first fairlead.solve: {first:.2f} (limit 0.3)")
    return [] if first <= 0.3 else [f"the first fairlead.solve of a process takes {first:.2f} s of CPU"]


def _cpu(arguments: list[str], repeat: int) -> float:
    """Return the median seconds of CPU that a Python process takes."""
    times = []
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return statistics.median(times)


def _process(arguments: list[str], repeat: int) -> float:
    """Return the median seconds of a Python process."""
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        subprocess.run([sys.executable, *(arguments or ["-c", ""])], check=True, capture_output=True)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def measure_load() -> list[str]:
    """Load 1,000 clusters and 1,000 bindings from one kubectl List, in a process of its own."""
    # ru_maxrss would count this process as well, from which the new one is forked; VmHWM starts afresh.
    code = (
        "import re, sys, time; import fairlead; t = time.perf_counter(); fairlead.load(sys.argv[1]);"
        "kibibytes = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1];"
        "print(time.perf_counter() - t, int(kibibytes) / 1024)"
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "stream.yaml"
        file.write_text(stream(1_000, 1_000, seed=1))
        size = file.stat().st_size / 2**20
        done = subprocess.run(
            [sys.executable, "-c", code, str(file)], check=True, capture_output=True, text=True
        )
    seconds, memory = (float(number) for number in done.stdout.split())
    print(f"\n1,000 clusters and 1,000 bindings, {size:.1f} MiB of YAML:")
    print(f"{seconds:.1f} s (limit 10), {memory:.0f} MiB (limit 500)")
    return [] if seconds <= 10 and memory <= 500 else [f"loading takes {seconds:.1f} s and {memory:.0f} MiB"]
