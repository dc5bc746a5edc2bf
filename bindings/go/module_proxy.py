#!/usr/bin/env python3
"""module_proxy.py FOLDER: writes the module as a module proxy has it, so that `go get` works as it does for users."""
import pathlib
import sys
import zipfile

NAME, VERSION = "github.com/libllm/libllm/bindings/go", "v0.1.0"


def main():
    source, folder = pathlib.Path(__file__).parent, pathlib.Path(sys.argv[1]) / NAME / "@v"
    folder.mkdir(parents=True)
    (folder / "list").write_text(VERSION + "\n")
    (folder / f"{VERSION}.info").write_text(f'{{"Version": "{VERSION}"}}\n')
    (folder / f"{VERSION}.mod").write_text((source / "go.mod").read_text())
    with zipfile.ZipFile(folder / f"{VERSION}.zip", "w") as archive:
        for path in sorted(source.rglob("*")):
            if path.is_file():
                archive.write(path, f"{NAME}@{VERSION}/{path.relative_to(source)}")


if __name__ == "__main__":
    main()
