import optuna
import optunahub


FLAGS = ["inline", "unroll", "vectorise", "fuse", "prefetch", "align"]


def run_time(trial: optuna.Trial) -> float:
    """Return seconds. Stands for compiling and running a program."""
    flags = {flag: trial.suggest_categorical(flag, ["off", "on", "auto"]) for flag in FLAGS}
    level = trial.suggest_int("level", 0, 3)
    threshold = trial.suggest_float("threshold", 1e-3, 1.0, log=True)
    seconds = 10.0 - level - sum(flags[flag] == "on" for flag in FLAGS[:3])
    if flags["unroll"] == "on" and flags["fuse"] == "on":  # together they spill registers
        seconds += 1.5
    return seconds + abs(threshold - 0.05)


if __name__ == "__main__":
    CasmopolitanSampler = optunahub.load_module("samplers/casmopolitan").CasmopolitanSampler
    study = optuna.create_study(sampler=CasmopolitanSampler(seed=0))
    study.optimize(run_time, n_trials=60)
    print(study.best_value, study.best_params)
