#!/usr/bin/env python3
"""Does what the README shows: readme.py README TREE PKG_CONFIG LIBDIR [LANGUAGE]

A code block after the line `<!-- file: NAME -->` is written to a file of that name; in a block after `<!-- run -->` the
lines that begin with `$ ` are commands, and what follows them is their output, in which `...` stands for anything.
After `<!-- run if FACT -->` it is so if `llm-cli version --json` says that FACT is true. Blocks after
`<!-- run: LANGUAGE -->` are left to the tests of that language's binding.
The commands run in a folder that has the model as model.gguf, with the installed library and llm-cli in reach.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^<!-- (?:file: (?P<name>\S+)|(?P<run>run)(?:: (?P<language>\w+))?(?: if (?P<needs>\w+))?) -->\n"
                   r"```\w*\n(?P<text>.*?)^```$", re.M | re.S)


def blocks(text, language=None):
    """The blocks of commands in a language; each with the files, name and text, that are shown before it."""
    files = []
    for block in BLOCK.finditer(text):
        if block["name"]:
            files.append((block["name"], block["text"]))
            continue
        if block["language"] == language:
            yield files, block
        files = []


def session(text):
    """(command, expected output) of a block."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.M)
    if parts[0]:
        sys.exit(f"this block does not begin with a command:\n{text}")
    return list(zip(parts[1::2], parts[2::2]))


def matches(expected, output):
    pattern = ".*".join(re.escape(part) for part in expected.strip().split("..."))
    return re.fullmatch(pattern, output.strip(), re.S) is not None


def environment(folder, tree, pkg_config, libdir):
    """Variables with which the installed tree is found; pkg-config is found under its usual name."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / "pkg-config").symlink_to(shutil.which(pkg_config))
    return dict(os.environ, PATH=f"{tools}:{tree}/bin:{os.environ['PATH']}", LD_LIBRARY_PATH=f"{tree}/{libdir}",
                PKG_CONFIG_PATH=f"{tree}/{libdir}/pkgconfig")


def main():
    readme, tree, pkg_config, libdir = sys.argv[1:5]
    language = sys.argv[5] if len(sys.argv) > 5 else None
    model = os.environ.get("LLM_TEST_SMOLLM2", "")
    if not os.path.exists(model):
        sys.exit("SKIPPED: LLM_TEST_SMOLLM2 does not name a file")
    commands = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        variables = environment(folder, tree, pkg_config, libdir)
        (folder / "model.gguf").symlink_to(model)
        facts = json.loads(subprocess.check_output(["llm-cli", "version", "--json"], env=variables))
        for files, block in blocks(pathlib.Path(readme).read_text(), language):
            if block["needs"] and not facts[block["needs"]]:
                continue
            for name, text in files:
                (folder / name).write_text(text)
            for command, expected in session(block["text"]):
                print("$", command, flush=True)
                done = subprocess.run(["bash", "-c", command], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
                print(done.stdout)
                if done.returncode != 0:
                    sys.exit(f"exit status {done.returncode}")
                if not matches(expected, done.stdout):
                    sys.exit(f"the README says:\n{expected}")
                commands += 1
    if commands < 3:
        sys.exit(f"only {commands} commands found in the README")


if __name__ == "__main__":
    main()
