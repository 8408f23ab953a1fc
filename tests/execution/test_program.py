"""People's programs: values, every failure in words, limits, and nothing left running."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from casmopolitan.execution import program
from casmopolitan.execution.program import (
    TAIL,
    Program,
    masked,
    printable,
    remove_stale_scratch,
    scratch_prefix,
    tail_of,
    value_in,
)
from casmopolitan.study.file.schema import ObjectiveSpec

MODULE = """
import os, sys, time, subprocess
def good(c): print("noise"); return c["x"] * 2
def leaves(c): os._exit(0)
def leaves_badly(c): os._exit(7)
def not_a_number(c): return float("nan")
def infinite(c): return float("inf")
def text(c): return "0.5"
def nothing(c): pass
def raises(c): raise ValueError("no good")
def crashes(c): os.kill(os.getpid(), 11)
def sleeps(c):
    child = subprocess.Popen(["sleep", "300"])
    open("child", "w").write(str(child.pid))
    time.sleep(300)
def stubborn(c):
    import signal
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(300)
def eats(c):
    held = []
    while True:
        held.append(bytearray(10_000_000)); time.sleep(0.005)
def leaves_a_child(c):
    child = subprocess.Popen(["sleep", "300"], stdout=subprocess.DEVNULL)
    open("child", "w").write(str(child.pid))
    return 1.0
def flaky(c):
    if not os.path.exists("tried"):
        open("tried", "w").close(); raise RuntimeError("first time")
    return 4.0
def failed(c):
    class Failed: pass
    return Failed()
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.py").write_text(MODULE)
    return tmp_path


def evaluated(folder, configuration=None, **spec):
    return Program(ObjectiveSpec(**spec), folder).evaluate({"x": 1.5} if configuration is None else configuration, 3)


def gone(pid, seconds=10.0):
    """Whether a process ends (a zombie nobody reaps counts as ended)."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
            os.kill(pid, 0)
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


def test_a_function_gives_its_value_whatever_it_prints(folder):
    evaluation = evaluated(folder, function="mine:good")
    assert (evaluation.value, evaluation.ending, evaluation.error) == (3.0, "value", None)
    assert evaluation.tail == "noise"


@pytest.mark.parametrize(
    ("name", "ending", "said"),
    [
        ("leaves", "no value", "ended without writing a value"),
        ("leaves_badly", "exit", "exit code 7"),
        ("not_a_number", "no value", "its value is nan"),
        ("infinite", "no value", "its value is inf"),
        ("text", "exit", "it must return a number"),
        ("nothing", "exit", "returned None"),
        ("raises", "exit", "exit code 1: ValueError: no good"),
        ("crashes", "signal", "killed by signal 11 (SIGSEGV)"),
        ("missing", "unstartable", "has no attribute 'missing'"),
        ("failed", "no value", "its value is FAILED"),
    ],
)
def test_each_failure_of_a_function_is_told_in_words(folder, name, ending, said):
    evaluation = evaluated(folder, function=f"mine:{name}")
    assert evaluation.value is None
    assert evaluation.ending == ending
    assert said in evaluation.error
    if ending == "exit" and name not in ("leaves_badly",):
        assert "Traceback" in evaluation.tail


def python(code):
    return ["python", "-c", code]


@pytest.mark.parametrize(
    ("command", "more", "value"),
    [
        (["echo", "{x}"], {}, 1.5),
        (["printf", "loss\\n{x}\\n\\n"], {}, 1.5),
        (["echo", '{{"value": {x}, "other": 1}}'], {}, 1.5),
        (["echo", '{{"loss": {x}}}'], {"key": "loss"}, 1.5),
        (python("import json, sys; print(json.load(sys.stdin)['x'] + 1)"), {"stdin": "json"}, 2.5),
        (
            [*python("import sys, json; json.dump(dict(value=9), open(sys.argv[1], 'w'))"), "{result_file}"],
            {"value": "file"},
            9.0,
        ),
        ([*python("import sys; open(sys.argv[1], 'w').write('8.5')"), "{result_file}"], {"value": "file"}, 8.5),
        (
            python("import os; print(os.environ['MINE'], os.environ['CASMOPOLITAN_TRIAL'], sep='')"),
            {"environment": {"MINE": "1"}},
            13.0,
        ),
        (["echo", "{trial}"], {}, 3.0),
        (python("import sys; sys.stdout.write('x' * 10**6 + '\\n2.5')"), {}, 2.5),
        (["printf", "caf\\351 \\377\\n3.5\\n"], {}, 3.5),
        (["printf", "\\033[1;32m3.5\\033[0m\\n\\033[0m\\n"], {}, 3.5),
        (["printf", "10%%\\r100%%\\r3.5\\n"], {}, 3.5),
    ],
)
def test_a_command_gives_its_value(folder, command, more, value):
    assert evaluated(folder, command=command, **more).value == value


@pytest.mark.parametrize(
    ("command", "more", "ending", "said"),
    [
        (["true"], {}, "no value", "printed nothing"),
        (["echo", "done"], {}, "no value", "'done', which is not a number"),
        (["echo", "nan"], {}, "no value", "its value is nan"),
        (["echo", "1" + "0" * 400], {}, "no value", "its value is inf"),
        (["echo", "true"], {}, "no value", "not a number"),
        (["echo", '{{"loss": 1}}'], {}, "no value", "has no 'value', only 'loss'"),
        (["printf", "\\377\\376"], {}, "no value", "not text"),
        (["printf", "3.5\\ncaf\\351"], {}, "no value", "its last line is not text"),
        (python("print('7' * 70000)"), {}, "no value", "its last line is longer than 64 KB"),
        (python("print(3.5, end='\\n' * 70000)"), {}, "no value", "the last 64 KB of its output are blank"),
        (["false"], {}, "exit", "exit code 1"),
        (["/no/such/program"], {}, "unstartable", "No such file"),
        (["true", "{result_file}"], {"value": "file"}, "no value", "without writing a value"),
        (
            [*python("import sys; open(sys.argv[1], 'wb').write(b'\\xff')"), "{result_file}"],
            {"value": "file"},
            "no value",
            "not text",
        ),
    ],
)
def test_each_failure_of_a_command_is_told_in_words(folder, command, more, ending, said):
    evaluation = evaluated(folder, command=command, **more)
    assert evaluation.value is None
    assert evaluation.ending == ending
    assert said in evaluation.error


def test_nothing_is_given_to_a_shell(folder):
    evil = "$(touch ran); touch ran & `touch ran` | touch ran"
    evaluation = evaluated(folder, {"x": evil}, command=["echo", "{x}"])
    assert evaluation.tail == evil
    assert not (folder / "ran").exists()


def test_the_time_limit_ends_the_whole_group(folder):
    evaluation = evaluated(folder, function="mine:sleeps", time_limit=3)
    assert (evaluation.ending, evaluation.error) == ("time", "stopped at its time limit of 3 s")
    assert gone(int((folder / "child").read_text()))


def test_a_process_that_ignores_the_polite_signal_is_ended_all_the_same(folder):
    assert evaluated(folder, function="mine:stubborn", time_limit=0.5).ending == "time"


def test_the_memory_limit_ends_the_trial(folder):
    evaluation = evaluated(folder, function="mine:eats", memory_limit="300 MB", time_limit=60)
    assert evaluation.value is None
    assert evaluation.ending == "memory"


def test_children_left_behind_are_ended(folder):
    assert evaluated(folder, function="mine:leaves_a_child").value == 1.0
    assert gone(int((folder / "child").read_text()))


def test_a_failed_trial_is_tried_again_when_asked(folder):
    evaluation = evaluated(folder, function="mine:flaky", retries=2)
    assert (evaluation.value, evaluation.attempts) == (4.0, 2)


def test_stopping_ends_what_runs_and_lets_nothing_start(folder):
    program = Program(ObjectiveSpec(command=["sleep", "300"]), folder)
    found = []
    thread = threading.Thread(target=lambda: found.append(program.evaluate({}, 0)))
    thread.start()
    while not program._owners:
        time.sleep(0.01)
    program.stop()
    thread.join(30)
    assert found[0].ending == "stopped"
    assert program.evaluate({}, 1).ending == "stopped"


def test_a_trial_dies_with_its_owner(folder):
    code = (
        "from pathlib import Path\n"
        "from casmopolitan.execution.program import Program\n"
        "from casmopolitan.study.file.schema import ObjectiveSpec\n"
        "Program(ObjectiveSpec(function='mine:sleeps'), Path('.')).evaluate({}, 0)\n"
    )
    owner = subprocess.Popen([sys.executable, "-c", code], cwd=folder)
    until = time.monotonic() + 60
    while not ((folder / "child").exists() and (folder / "child").read_text()) and time.monotonic() < until:
        time.sleep(0.05)
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    assert gone(int((folder / "child").read_text()))


def test_the_tail_is_kept_and_cannot_disturb_a_terminal(folder):
    code = "import sys; print('out'); sys.stderr.write('\\x1b[31mred\\x1b]0;title\\x07\\x00' + 'y' * 5000 + 'END'); sys.exit(3)"
    tail = evaluated(folder, command=python(code)).tail
    assert tail.endswith("END")
    assert "out" in tail
    assert "\x1b" not in tail
    assert "\x00" not in tail
    assert len(tail) < 3000


def test_control_characters_are_replaced():
    assert printable("a\r\nb\x08") == "a\nb\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("text", ["", "1_0", "[1]", '"abc"', "null", '{"value": [1]}', '{"value": {"value": 1}}'])
def test_what_is_no_number_is_none(text):
    with pytest.raises(ValueError, match=r"number|null|value"):
        value_in(text, "value")


def test_secrets_of_the_environment_are_not_recorded():
    environment = {"API_TOKEN": "hunter2-and-more", "HOME": "/home/someone", "PASS": "abc"}
    text = "said hunter2-and-more in /home/someone, abc"
    assert masked(text, environment) == "said *** in /home/someone, abc"


def test_words_in_a_value_cannot_disturb_a_terminal_or_a_database(folder):
    said = Program(ObjectiveSpec(command=["echo", '{{"value": null, "said": "\\ud800\\u001b[2J"}}']), folder).evaluate({}, 0)
    assert said.ending == "no value"
    assert said.error is not None
    assert said.error.isprintable()
    said.error.encode()


def test_scratch_folders_of_killed_processes_are_swept(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ours, dead = tmp_path / f"{scratch_prefix()}{os.getpid()}-x", tmp_path / f"{scratch_prefix()}999999999-y"
    others = tmp_path / "casmopolitan-elsewhere-999999999-z"
    for one in (ours, dead, others):
        one.mkdir()
    remove_stale_scratch()
    assert sorted(tmp_path.iterdir()) == sorted([ours, others])


def test_the_files_environment_goes_before_the_machines(folder, monkeypatch):
    monkeypatch.setenv("LEVEL", "1")
    spec = ObjectiveSpec(command=["sh", "-c", "echo $LEVEL"], environment={"LEVEL": "7"})
    assert Program(spec, folder).evaluate({}, 0).value == 7.0


STOPS_ITS_GUARD = ["sh", "-c", "echo $$ > pid; mv pid child; kill -STOP $PPID; exec sleep 60"]


def test_the_time_limit_ends_a_trial_whose_guard_was_stopped(folder, monkeypatch):
    monkeypatch.setattr(program, "OVERDUE", 0.5)
    evaluation = evaluated(folder, command=STOPS_ITS_GUARD, time_limit=2.0, stdin="json")
    assert evaluation.ending == "time"
    assert gone(int((folder / "child").read_text()))


def test_a_run_can_be_stopped_while_a_guard_is_stopped(folder, monkeypatch):
    monkeypatch.setattr(program, "OVERDUE", 0.5)
    one = Program(ObjectiveSpec(command=STOPS_ITS_GUARD, stdin="json"), folder)

    def stop_when_started():
        while not (folder / "child").exists():
            time.sleep(0.05)
        one.stop()

    threading.Thread(target=stop_when_started).start()
    assert one.evaluate({"x": 1.5}, 3).ending == "stopped"
    assert gone(int((folder / "child").read_text()))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ("os.mkfifo(sys.argv[1])", "not a regular file"),
        ("os.symlink('/dev/zero', sys.argv[1])", "not a regular file"),
        ("os.mkdir(sys.argv[1])", "cannot be read: Is a directory"),
        ("os.truncate(os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY), 10**12)", "larger than 1 MB"),
    ],
)
def test_a_result_file_that_never_ends_is_a_failure(folder, made, said):
    evaluation = evaluated(folder, command=[*python(f"import os, sys; {made}"), "{result_file}"], value="file", stdin="json")
    assert evaluation.ending == "no value"
    assert said in evaluation.error


def test_trials_run_with_more_than_1023_open_descriptors(folder):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2048:
        pytest.skip("this system allows fewer descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2048), hard))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        assert evaluated(folder, function="mine:good").value == 3.0
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_process_that_leaves_its_group_costs_neither_a_descriptor_nor_a_thread(folder):
    code = "import subprocess; print(subprocess.Popen(['sleep', '30'], start_new_session=True).pid)"
    before = threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))
    evaluation = evaluated(folder, command=python(code), stdin="json")
    try:
        assert (threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))) == before
    finally:
        os.kill(int(evaluation.value), signal.SIGKILL)


def test_a_secret_at_the_cut_of_the_output_is_masked_whole():
    secret = "a-very-long-secret-that-nobody-may-see"
    out = (secret + "x" * (TAIL - 10)).encode()
    assert "secret" not in tail_of(out, b"", {"MY_TOKEN": secret})
    assert tail_of(b"a", b"b", {}) == "a\n--- standard error ---\nb"
