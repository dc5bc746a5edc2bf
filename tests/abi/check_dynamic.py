#!/usr/bin/env python3
"""How the shared library is linked: its SONAME, what it needs, and that it is hardened."""
import argparse
import re
import subprocess
import sys

# The C and C++ run-time libraries, and oneTBB. Everything else is linked in.
NEEDED = re.compile(r"lib(tbb\.so\.12|stdc\+\+\.so\.6|gcc_s\.so\.1|c\.so\.6|m\.so\.6)$|ld-linux.*")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readelf", default="readelf")
    parser.add_argument("--soname", required=True)
    parser.add_argument("library")
    args = parser.parse_args()

    def readelf(flag):
        return subprocess.run([args.readelf, "--wide", flag, args.library], check=True, capture_output=True,
                              text=True).stdout

    dynamic, segments = readelf("--dynamic"), readelf("--segments")
    faults = []
    sonames = re.findall(r"\(SONAME\).*\[(.*)\]", dynamic)
    if sonames != [args.soname]:
        faults.append(f"SONAME is {sonames}, not {args.soname}")
    faults += [f"needs {name}" for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic) if not NEEDED.match(name)]
    flags = " ".join(re.findall(r"\(FLAGS(?:_1)?\)(.*)", dynamic))
    faults += [f"is not linked with -z {flag.lower()}" for flag in ("NOW", "NODELETE") if flag not in flags]
    if "(TEXTREL)" in dynamic or "TEXTREL" in flags:
        faults.append("has text relocations: an input was not compiled as position-independent code")
    if "GNU_RELRO" not in segments:
        faults.append("is not linked with -z relro")
    if re.search(r"GNU_STACK.* RWE ", segments):
        faults.append("asks for an executable stack")
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
