"""One worker on a study, as its own process: python worker.py '{"url": ..., "name": ..., "trials": 5, ...}'.

`kind` is the kind of space (`kinds.py`). `die` is how it ends by SIGKILL: {"at": n, "when": "in the trial"} inside the
objective of its n-th trial, "between trials" after its n-th has been stored, or "in the write" when its n-th transaction is
about to be committed. `copies` is how many processes do the same at once.
"""

import json
import os
import signal
import sys
import time

import optuna
import sqlalchemy

from casmopolitan.study import CasmopolitanSampler, StorageError, open_study, storage_error, suggest
from faults.kinds import KINDS, value


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def wait_for_heartbeat(study: optuna.Study, trial: optuna.Trial) -> None:
    """Wait for the first heartbeat of a trial, which another thread writes; without one a trial never counts as stale."""
    if study._storage.get_heartbeat_interval() is None:
        return
    written = sqlalchemy.text("SELECT count(*) FROM trial_heartbeats WHERE trial_id = :trial")
    while True:
        with study._storage._backend.engine.connect() as connection:
            if connection.execute(written, {"trial": trial._trial_id}).scalar():
                return
        time.sleep(0.01)


def main(order: dict) -> int:
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    when = order.get("die", {}).get("when")
    last = order.get("die", {}).get("at", -1)
    counted, kind = {"trials": 0, "commits": 0}, KINDS[order.get("kind", "plain")]

    def objective(trial):
        counted["trials"] += 1
        configuration = suggest(trial, kind["search_space"])
        if when == "in the trial" and counted["trials"] == last:
            wait_for_heartbeat(study, trial)
            die()
        time.sleep(order.get("sleep", 0.0))
        return value(configuration)

    def between(study, trial):
        if when == "between trials" and counted["trials"] == last:
            die()

    def commit(connection):
        counted["commits"] += 1
        if when == "in the write" and counted["commits"] == last:
            die()

    def enough(study, trial):
        complete = study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,))
        if "until" in order and len(complete) >= order["until"]:
            study.stop()

    if "file_size" in order:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (order["file_size"], resource.RLIM_INFINITY))
    try:
        sampler = CasmopolitanSampler(**kind, seed=order.get("seed", 0))
        study = open_study(order["name"], order["url"], sampler=sampler, heartbeat=order.get("heartbeat"), max_retry=None)
        if when == "in the write":
            sqlalchemy.event.listen(study._storage._backend.engine, "commit", commit)
        if "start" in order:
            time.sleep(max(0.0, order["start"] - time.time()))
        study.optimize(objective, n_trials=order.get("trials"), callbacks=[between, enough])
    except (StorageError, AssertionError) as error:
        if storage_error(error) is None:
            raise
        print(storage_error(error), file=sys.stderr)
        return 3
    return 0


def copied(order: dict) -> int:
    """Processes that all start within a moment, since what takes long, importing, was done before they parted."""
    children = []
    for _ in range(order["copies"]):
        child = os.fork()
        if child == 0:
            os._exit(main(order | {"start": time.time() + 0.2}))
        children.append(child)
    return max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    sys.exit(copied(given) if "copies" in given else main(given))
