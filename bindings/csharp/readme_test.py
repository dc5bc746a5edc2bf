#!/usr/bin/env python3
"""Does what the README of this folder shows, and the program for C# in the main README: readme_test.py SOURCE FOLDER

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


def show(command, expected):
    print("$", command, flush=True)
    done = subprocess.run(["bash", "-c", command], cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    print(done.stdout)
    if not readme.matches(expected, done.stdout):
        sys.exit(f"the README says:\n{expected}")


sessions = []
for block in readme.BLOCK.finditer((source / "bindings/csharp/README.md").read_text()):
    if block["name"]:
        (folder / block["name"]).write_text(block["text"])
    else:
        sessions += readme.session(block["text"])
for block in readme.BLOCK.finditer((source / "README.md").read_text()):
    if (block["name"] or "").endswith(".cs"):
        (folder / "Short.cs").write_text(block["text"])
        sessions.append(("mcs -r:lib/LibLlm.dll Short.cs -out:lib/Short.exe && mono lib/Short.exe", " Paris."))
if len(sessions) < 2:
    sys.exit(f"only {len(sessions)} programs found")
for session in sessions:
    show(*session)
