import optuna
import optunahub


def test_the_sampler_finds_the_best_of_27_choices() -> None:
    module = optunahub.load_local_module("samplers/casmopolitan", registry_root="package/")

    def objective(trial: optuna.Trial) -> float:
        return sum(trial.suggest_categorical(name, ["a", "b", "c"]) != "b" for name in "xyz")

    study = optuna.create_study(sampler=module.CasmopolitanSampler(seed=0))
    study.optimize(objective, n_trials=27)
    assert study.best_value == 0
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 27
