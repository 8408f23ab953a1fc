"""What a program reports while it runs."""

from __future__ import annotations

import socket
import threading

from casmopolitan.execution.program import Program
from casmopolitan.execution.reports import Reports
from casmopolitan.study.file.schema import ObjectiveSpec

PROGRAM = """
import time
for step in range(200):
    print("instance", step, ":", 10 + step)
    time.sleep(0.05)
print(1.5)
"""


def test_only_lines_with_the_word_and_a_finite_number_are_judged_in_pieces_of_any_size():
    seen = []
    reports = Reports("epoch", lambda step, value: seen.append((step, value)) is not None)
    good, bad = (
        b"start\nepoch 1: 0.5\nepoch 2 0.25\r\nepoch 3 = 1e-3\n",
        b"epoch x: 4\nepoch 4: nan\nepoch 5: fast\nstep 6: 1\n",
    )
    text = good + bad + b"  epoch 7:2\nepoch 8: 3"
    for k in range(0, len(text), 7):
        reports.read(text[k : k + 7])
    reports.judge_all()
    assert seen == [(1, 0.5), (2, 0.25), (3, 1e-3), (7, 2.0)]  # the line of epoch 8 has not ended


def test_the_reply_of_the_guard_arrives_whatever_is_reported():
    owner, guard = socket.socketpair()
    with owner, guard:
        reports = Reports("epoch", lambda step, value: False)
        reports.read(b"epoch 1: 2\n")
        threading.Timer(0.2, guard.sendall, [b'{"ended": "exit"}\n']).start()
        assert reports.wait_for_line(owner) == b'{"ended": "exit"}\n'


def test_a_program_is_ended_at_the_report_that_is_judged_bad(tmp_path):
    (tmp_path / "slow.py").write_text(PROGRAM)
    seen = []

    def judge(step, value):
        seen.append((step, value))
        return step == 3

    spec = ObjectiveSpec(command=["python", "-S", "slow.py"], retries=2)
    done = Program(spec, tmp_path, reports="instance").evaluate({}, 0, judge)
    assert (done.value, done.ending, done.attempts) == (None, "pruned", 1)
    assert seen == [(0, 10.0), (1, 11.0), (2, 12.0), (3, 13.0)]


def test_a_program_that_is_never_bad_ends_with_its_value_and_all_its_reports(tmp_path):
    (tmp_path / "fast.py").write_text(PROGRAM.replace("0.05", "0").replace("200", "20"))
    seen = []
    program = Program(ObjectiveSpec(command=["python", "-S", "fast.py"]), tmp_path, reports="instance")
    assert program.evaluate({}, 0, lambda step, value: bool(seen.append(step))).value == 1.5
    assert seen == list(range(20))
