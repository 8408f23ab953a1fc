"""Read a configuration as JSON from standard input and print seconds. Stands for compiling and timing a program.

Run it with its study: casmopolitan run examples/70_study/study.toml
"""

import json
import sys


def seconds(setting: dict) -> float:
    level = {"-O0": 4.0, "-O1": 2.2, "-O2": 1.4, "-O3": 1.3}[setting["level"]]
    unrolled = -0.2 if setting["unroll"] and setting["level"] == "-O3" else 0.1 * setting["unroll"]
    inlined = ((setting["inline"] - 220) / 300) ** 2
    allocated = {"system": 0.3, "arena": 0.0, "pool": 0.1}[setting["allocator"]]
    return level + unrolled + inlined + allocated + abs(setting["prefetch"] - 12) / 60


def main(text: str) -> None:
    setting = (
        json.loads(text)
        if text.strip()
        else {"level": "-O2", "unroll": False, "inline": 100, "allocator": "system", "prefetch": 1.0}
    )
    print("compiling ...")
    print(f"{seconds(setting):.4f}")


if __name__ == "__main__":
    main("" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read())
