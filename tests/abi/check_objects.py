#!/usr/bin/env python3
"""Looks into the library's object files.

None may call what ends the process, writes to the standard streams or changes the state of the process. Outside the
kernel tiers none may hold an instruction that the baseline of the processor family lacks, and a tier may define no
symbol that the linker could take for everyone (weak or unique, and not in the tier's own namespace): that would bring
its instructions in by the back door.

Of the Rust archive the members of our crate and of its dependencies are checked for calls, too. Rust's own run-time
library, which is in the same archive, does hold abort() and output: it would end the process after a panic inside of
a panic and after a failed allocation, and report both. text/rust/ffi.rs keeps it from that: it catches panics, silences
their report and turns a failed allocation into a panic. Tests of src/text let each of them happen.
"""
import argparse
import pathlib
import re
import subprocess
import sys

FORBIDDEN = set("""
    abort exit _exit _Exit quick_exit raise kill longjmp siglongjmp __longjmp_chk __assert_fail __assert
    printf vprintf fprintf vfprintf dprintf vdprintf puts putchar fputs fputc putc fwrite perror
    __printf_chk __vprintf_chk __fprintf_chk __vfprintf_chk __dprintf_chk stdout stderr
    _ZSt4cout _ZSt4cerr _ZSt4clog _ZNSt8ios_base4InitC1Ev
    signal sigaction setlocale setenv putenv unsetenv clearenv chdir fchdir umask atexit system fork
""".split())

# Rust's own ways to the same. Its process::abort() cannot be among them: every place that copies a counted reference
# has a call of it, for a counter that reaches 2^63.
FORBIDDEN_RUST = re.compile(
    r"3std(7process(4exit|7Command)|2io5stdio(6_print|7_eprint)|3env(7set_var|10remove_var))")
RUST_RUNTIME = re.compile(r"(std|core|alloc|panic_unwind|panic_abort|compiler_builtins|unwind|std_detect|backtrace|"
                          r"rustc_std_workspace_\w+|rustc_demangle|addr2line|gimli|object|miniz_oxide|adler2?|"
                          r"cfg_if|libc|memchr|hashbrown)-[0-9a-f]{16}\.|[0-9a-f]{16}-|.*(\.c|\.S)?\.o$(?<!rcgu\.o)")

# AVX and wider, which are VEX or EVEX encoded, and the general instructions that came with AVX2.
WIDE = re.compile(r"%[yz]mm\d|\tv[a-z0-9]+ .*%xmm|\t(andn|bextr|bls(i|r|msk)|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx) ")


def tool_output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(nm, path):
    """(type, name) of each symbol."""
    lines = tool_output(nm, path).splitlines()
    return [tuple(line.split()[-2:]) for line in lines if len(line.split()) >= 2]


def shared_symbols(nm, path):
    """Symbols of a tier's object file that other files may define, too."""
    tier = re.search(r"llm_kernels_(\w+)\.dir", path)[1]
    own = re.compile(rf"_Z(Z|TV|TS|TI|GV)*N?K?3llm{len(tier)}{tier}")
    return [name for kind, name in symbols(nm, path) if kind in "WVu" and not own.match(name)]


def first_wide_instruction(objdump, path):
    function = ""
    for line in tool_output(objdump, "-d", "--no-show-raw-insn", path).splitlines():
        if line.endswith(">:"):
            function = line
        elif WIDE.search(line):
            return f"{function} {line.strip()}"
    return None


def archive_calls(nm, path):
    """(member, symbol) of what the members call that are not of Rust's run-time library."""
    for line in tool_output(nm, "--undefined-only", "--print-file-name", path).splitlines():
        place, name = line.split()[0], line.split()[-1]
        member = place.rstrip(":").split(":")[-1]
        if not RUST_RUNTIME.match(member):
            yield member, name


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("--baseline", required=True, help="file that lists the object files")
    parser.add_argument("--tiers", required=True, help="file that lists the object files of the kernel tiers")
    parser.add_argument("--archive", help="the Rust archive")
    args = parser.parse_args()
    baseline = pathlib.Path(args.baseline).read_text().split()
    tiers = pathlib.Path(args.tiers).read_text().split()
    if not baseline:
        sys.exit("there are no object files to check")

    faults = []
    for path in baseline + tiers:
        faults += [f"{path}: uses {name}" for kind, name in symbols(args.nm, path) if kind == "U" and name in FORBIDDEN]
    for path in tiers:
        faults += [f"{path}: defines {name} for everyone" for name in shared_symbols(args.nm, path)]
    for path in baseline:
        wide = first_wide_instruction(args.objdump, path)
        if wide:
            faults.append(f"{path}: {wide}")
    members = set()
    for member, name in archive_calls(args.nm, args.archive) if args.archive else ():
        members.add(member)
        if name in FORBIDDEN or FORBIDDEN_RUST.search(name):
            faults.append(f"{args.archive}: {member}: uses {name}")
    if args.archive and not any(member.startswith("llm_text-") for member in members):
        faults.append(f"{args.archive} has no member of our crate")
    print(f"{len(members)} members of the Rust archive")
    print(f"{len(baseline)} object files of the baseline, {len(tiers)} of kernel tiers")
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
