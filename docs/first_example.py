"""Run the first Python block of a Markdown file, as pasted: `python docs/first_example.py README.md`."""

import re
import sys
from pathlib import Path

block = re.search(r"^```python\n(.*?)^```", Path(sys.argv[1]).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
if block is None:
    sys.exit(f"{sys.argv[1]} has no Python block")
exec(compile(block[1], sys.argv[1], "exec"), {"__name__": "__main__"})
