#!/usr/bin/env bash
# Does what README.md shows: readme.sh TREE PKG_CONFIG LIBDIR, with an installed tree of the library.
# The module comes from a folder that is laid out like a module proxy, so that `go get` works as it does for users.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GOPROXY=file://$work/proxy GOSUMDB=off GOMODCACHE=$work/modules
source "$here/environment.sh"

python3 - "$here" "$work/proxy" << 'END'
import pathlib, sys, zipfile
source, proxy = map(pathlib.Path, sys.argv[1:])
name, version = "github.com/libllm/libllm/bindings/go", "v0.1.0"
folder = proxy / name / "@v"
folder.mkdir(parents=True)
(folder / "list").write_text(version + "\n")
(folder / f"{version}.info").write_text('{"Version": "%s"}\n' % version)
(folder / f"{version}.mod").write_text((source / "go.mod").read_text())
with zipfile.ZipFile(folder / f"{version}.zip", "w") as archive:
    for path in sorted(source.rglob("*")):
        if path.is_file():
            archive.write(path, f"{name}@{version}/{path.relative_to(source)}")
END
python3 "$here/../../tests/package/readme.py" "$here/README.md" "$@"
