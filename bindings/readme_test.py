#!/usr/bin/env python3
"""Does what a README shows of a binding: readme_test.py README FOLDER [LANGUAGE]

The commands run in FOLDER, which has what the README supposes, with SmolLM2 as model.gguf. The marks are those of
tests/package/readme.py; with LANGUAGE, those blocks count that are marked with it.
"""
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests/package"))
import readme  # noqa: E402


def run(command, expected, folder):
    print("$", command, flush=True)
    done = subprocess.run(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    print(done.stdout)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}")
    if not readme.matches(expected, done.stdout):
        sys.exit(f"the README says:\n{expected}")


def main():
    text, folder = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2])
    language = sys.argv[3] if len(sys.argv) > 3 else None
    model = os.environ.get("LLM_TEST_SMOLLM2", "")
    if not os.path.exists(model):
        sys.exit(print("the README's program is left out: LLM_TEST_SMOLLM2 does not name a file"))
    if not (folder / "model.gguf").exists():
        (folder / "model.gguf").symlink_to(model)
    commands = 0
    for files, block in readme.blocks(text, language):
        for name, content in files:
            (folder / name).write_text(content)
        for command, expected in readme.session(block["text"]):
            run(command, expected, folder)
            commands += 1
    if commands == 0:
        sys.exit("no commands found in the README")


if __name__ == "__main__":
    main()
