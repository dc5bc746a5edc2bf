#!/usr/bin/env python3
"""Does what the README of this folder shows: readme_test.py SOURCE FOLDER

FOLDER has the installed binding as `lib`. The marks are those of tests/package/readme.py.
"""
import os
import pathlib
import subprocess
import sys

source, folder = map(pathlib.Path, sys.argv[1:])
sys.dont_write_bytecode = True
sys.path.insert(0, str(source / "tests/package"))
import readme  # noqa: E402

model = os.environ.get("LLM_TEST_SMOLLM2", "")
if not os.path.exists(model):
    sys.exit(print("the README's program is left out: LLM_TEST_SMOLLM2 does not name a file"))
(folder / "model.gguf").symlink_to(model)
commands = 0
for block in readme.BLOCK.finditer((source / "bindings/csharp/README.md").read_text()):
    if block["name"]:
        (folder / block["name"]).write_text(block["text"])
        continue
    for command, expected in readme.session(block["text"]):
        print("$", command, flush=True)
        done = subprocess.run(["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
        output = done.stdout
        print(output)
        if not readme.matches(expected, output):
            sys.exit(f"the README says:\n{expected}")
        commands += 1
if commands == 0:
    sys.exit("no commands found in the README")
