"""Runs heddle_starpu_cluster on 1, 2 and 4 ranks of this machine, and checks what they did.

usage: cluster_test.py PROGRAM

Every task is executed once, on the rank and in the context that were chosen for it, and its result is right. The shares of the
ranks follow from the durations that they measured. Without mpirun the status is 77.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

TASKS = 102


def launch(program, cores, arguments, home):
    """Ranks with so many cores each."""
    # Open MPI refuses the root user otherwise.
    environment = os.environ | {
        "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "STARPU_HOME": home, "STARPU_SILENT": "1",
        "STARPU_WORKERS_NOBIND": "1"}
    command = ["mpirun", "--oversubscribe", "--bind-to", "none"]
    for rank, count in enumerate(cores):
        command += [":"] * (rank > 0) + ["-np", "1", "env", f"STARPU_NCPU={count}", program, *arguments]
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)


def check_work(found, cores):
    assert [rank["workers"] for rank in found["ranks"]] == cores
    assert found["tasks"] == TASKS and found["wrong"] == 0
    for rank in found["ranks"]:
        assert rank["elsewhere"] == 0
        for kernel in rank["kernels"].values():
            assert kernel["executed"] == kernel["planned"], kernel
        for context in rank["contexts"]:
            assert context["executed"] == context["planned"], context
            assert len(set(context["workers"])) == len(context["workers"])
            assert set(context["workers"]) <= set(range(rank["workers"]))
        planned = sum(kernel["planned"] for kernel in rank["kernels"].values())
        assert planned == sum(context["planned"] for context in rank["contexts"])
    for name, planned in {"sum": 26, "difference": 26, "product": 25, "scale": 25}.items():
        assert sum(rank["kernels"][name]["planned"] for rank in found["ranks"]) == planned


def check_shares(found):
    """No rank has much more to do than its part of all work by computing power."""
    ranks = found["ranks"]
    ideal = longest = 0
    for name in ranks[0]["kernels"]:
        tasks = sum(rank["kernels"][name]["planned"] for rank in ranks)
        ideal += tasks / sum(rank["workers"] / rank["kernels"][name]["mean"] for rank in ranks)
        longest = max(longest, *(rank["kernels"][name]["mean"] for rank in ranks))
    for rank in ranks:
        load = sum(kernel["planned"] * kernel["mean"] for kernel in rank["kernels"].values()) / rank["workers"]
        assert load <= 1.5 * ideal + 4 * longest, (load, ideal, longest)


def main():
    if shutil.which("mpirun") is None or b"Open MPI" not in subprocess.run(["mpirun", "--version"], capture_output=True).stdout:
        print("Open MPI's mpirun is not installed")
        return 77
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as home:
        # One rank first, as ranks that begin together write StarPU's measurements of the machine at the same time.
        for cores in [2], [1, 3], [1, 1, 2, 2]:
            ran = launch(program, cores, ["--tasks", str(TASKS), "--side", "48", "--json"], home)
            assert ran.returncode == 0, ran.stderr
            found = json.loads(ran.stdout)
            check_work(found, cores)
            check_shares(found)
        ran = launch(program, [1], ["--policies", "eagre"], home)
        assert ran.returncode == 2 and "eagre" in ran.stderr, ran.stderr
    return 0


if __name__ == "__main__":
    sys.exit(main())
