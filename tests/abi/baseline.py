#!/usr/bin/env python3
"""Keeps what programs that were built before rely on, and finds what would break them.

    baseline.py check      compares the header with the baseline; fails when the baseline does not say the same
    baseline.py refresh    writes the baseline from the header: run it after a function, a struct or a field was added

The baseline is libllm.abi (types and signatures, in the format of libabigail), exports.golden (names of functions) and
struct_layout.c (sizes and offsets of structs). All are made from the header alone: by compiling a library whose
functions do nothing. That the real library has the same functions is checked by check_exports.py and by its compiler.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
REFRESH = "python3 tests/abi/baseline.py refresh"
INCOMPATIBLE = 8  # a bit of abidiff's exit status

BROKEN = f"""programs that were built before no longer work. If that is wanted, raise LLM_ABI_VERSION and run
    {REFRESH}"""
CHANGED = f"""types have changed, see above. If structs have only grown at their ends or use a reserved field, run
    {REFRESH}
else raise LLM_ABI_VERSION, too: programs that were built before no longer work"""
ADDED = f"""something was added, which breaks nobody. Run
    {REFRESH}"""

LAYOUT_HEAD = """\
/* Sizes and offsets of the public structs on 64-bit machines. A struct grows at its end only: a change of a line below
 * breaks programs that were built before; only a size may grow. Lines are added by baseline.py. */
#include <llm/llm.h>

#if UINTPTR_MAX == 0xFFFFFFFFFFFFFFFF

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "size of " #type)
#define FIELD(type, field, bytes) _Static_assert(offsetof(type, field) == (bytes), #type "." #field)
"""


def code_of(header):
    return re.sub(r"/\*.*?\*/", "", header, flags=re.S)


def functions(code):
    """(declaration without its semicolon, result type, name) of each function."""
    found = re.findall(r"^LLM_API ((\w[\w\s*]*?)\b(llm_\w+)\([^;]*\));", code, re.M)
    return [(declaration, result.strip(), name) for declaration, result, name in found]


def structs(code):
    """Names of the structs, each with its fields."""
    found = {}
    for name, body in re.findall(r"^typedef struct (llm_\w+) \{(.*?)^\}", code, re.M | re.S):
        fields = []
        for declaration in filter(None, map(str.strip, body.split(";"))):
            fields += [re.search(r"(\w+)(\[\d+\])?$", part.strip())[1] for part in declaration.split(",")]
        found[name] = fields
    return found


def compiled(args, folder, name, source, *flags):
    (folder / f"{name}.c").write_text(source)
    subprocess.run([args.cc, "-std=c11", f"-I{args.include}", *flags, f"{name}.c", "-o", name], cwd=folder, check=True)
    return folder / name


def abi(args, code, folder):
    bodies = (f"{declaration} {{{'' if result == 'void' else ' return 0;'}}}\n"
              for declaration, result, _ in functions(code))
    library = compiled(args, folder, "libllm.so", "#include <llm/llm.h>\n" + "".join(bodies), "-shared", "-fPIC", "-g")
    plain = ["--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", "--no-architecture",
             "--no-parameter-names"]
    return subprocess.run([args.abidw, "--headers-dir", args.include, *plain, library], check=True, capture_output=True,
                          text=True).stdout


def layout(args, code, folder):
    """struct_layout.c for the header."""
    prints = []
    for name, fields in structs(code).items():
        asserts = [(f"SIZE({name}", f"sizeof({name})")]
        asserts += [(f"FIELD({name}, {field}", f"offsetof({name}, {field})") for field in fields]
        prints += ['puts("");'] + [f'printf("{begin}, %zu);\\n", {value});' for begin, value in asserts]
    source = "\n".join(["#include <llm/llm.h>", "#include <stdio.h>", "int main(void) {", *prints, "}", ""])
    program = compiled(args, folder, "layout", source)
    return LAYOUT_HEAD + subprocess.run([program], check=True, capture_output=True, text=True).stdout + "\n#endif\n"


def verdict(args, code, folder):
    """What is to be said about the header; None when it is that of the baseline."""
    (folder / "new.abi").write_text(abi(args, code, folder))

    def compared(*flags):
        done = subprocess.run([args.abidiff, *flags, FOLDER / "libllm.abi", folder / "new.abi"], capture_output=True,
                              text=True)
        print(done.stdout + done.stderr)
        return done.returncode

    old_layout = (FOLDER / "struct_layout.c").read_text().splitlines()
    new_layout = layout(args, code, folder).splitlines()
    moved = [line for line in old_layout
             if line.startswith("FIELD(") and line not in new_layout and ", reserved, " not in line]
    status = compared()
    if status & INCOMPATIBLE or moved:
        return "\n".join(moved + [BROKEN])
    if status and compared("--no-added-syms"):
        return CHANGED
    return ADDED if status or old_layout != new_layout else None


def check(args, code, folder):
    sys.exit(verdict(args, code, folder))


def refresh(args, code, folder):
    (FOLDER / "libllm.abi").write_text(abi(args, code, folder))
    (FOLDER / "exports.golden").write_text("".join(sorted(f"{name}\n" for _, _, name in functions(code))))
    (FOLDER / "struct_layout.c").write_text(layout(args, code, folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["check", "refresh"])
    parser.add_argument("--include", type=pathlib.Path, default=ROOT / "include", help="folder of llm/llm.h")
    parser.add_argument("--cc", default=os.environ.get("CC", "cc"))
    parser.add_argument("--abidw", default="abidw")
    parser.add_argument("--abidiff", default="abidiff")
    args = parser.parse_args()
    code = code_of((args.include / "llm" / "llm.h").read_text())
    with tempfile.TemporaryDirectory() as folder:
        {"check": check, "refresh": refresh}[args.action](args, code, pathlib.Path(folder))


if __name__ == "__main__":
    main()
