#!/usr/bin/env bash
# package_test.sh CMAKE BUILD SOURCE MODELS: the component `csharp` as its users get it, installed and moved elsewhere:
# what is in it, the examples, and the README's program.
set -euo pipefail
cmake=$1 build=$2 source=$3 models=$4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "FAILED: $*"; exit 1; }

"$cmake" --install "$build" --component csharp --prefix "$work/first" > log || { cat log; exit 1; }
mv first lib
native=$(echo lib/runtimes/linux-*/native)

echo "== files"
for file in lib/LibLlm.dll lib/LibLlm.xml "$native"/{libllm_csharp.so,libllm.so.0,libtbb.so.12}; do
    [ -s "$file" ] || fail "$file is missing"
done
for file in "$native"/libllm{_csharp.so,.so.0}; do
    readelf --dynamic "$file" | grep -q 'RUNPATH.*\[\$ORIGIN\]' || fail "$file looks for libraries elsewhere"
done
others=$(nm --dynamic --extern-only --defined-only "$native/libllm_csharp.so" |
    awk '$3 !~ /^(CSharp_LibLlm|llm_csharp_start$)/')
[ -z "$others" ] || fail "libllm_csharp.so exports $others"

echo "== project file"
python3 - "$source/bindings/csharp" << 'END'
import pathlib, sys, xml.etree.ElementTree as tree
folder = pathlib.Path(sys.argv[1])
project = tree.parse(folder / "LibLlm.csproj").getroot()
properties = {item.tag: item.text for group in project.iter("PropertyGroup") for item in group}
assert project.get("Sdk") == "Microsoft.NET.Sdk"
assert properties["TargetFrameworks"].split(";")[0] == "netstandard2.0" and properties["LangVersion"] == "7.0"
header = (folder / "../../include/llm/llm.h").read_text()
assert f'#define LLM_VERSION_STRING "{properties["Version"]}"' in header, "the package has another version"
patterns = [item.get("Include") for item in project.iter("Compile")]
included = {path for pattern in patterns if "$" not in pattern for path in folder.glob(pattern)}
assert included == set((folder / "LibLlm").rglob("*.cs")) != set(), "not all files are compiled"
END

echo "== examples"
for example in Hello Chat Search Requests; do
    mcs -nologo -langversion:7 -warn:4 -warnaserror -r:lib/LibLlm.dll "$source/examples/csharp/$example.cs" \
        "-out:lib/$example.exe"
done
run() { mono "lib/$1.exe" "${@:2}"; }
source "$source/bindings/check_examples.sh"
check_examples "$models" LLM_ERROR_IO

echo "== native library"
cat > Where.cs << 'END'
internal static class Where
{
    private static void Main(string[] arguments)
    {
        LibLlm.Library.NativeFolder = arguments[0];
        System.Console.WriteLine(LibLlm.Library.Version);
    }
}
END
mkdir bare
cp lib/LibLlm.dll bare
mcs -nologo -warnaserror -r:bare/LibLlm.dll Where.cs -out:bare/Where.exe
[[ $(mono bare/Where.exe "$native") =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "the given folder is not used"
! output=$(mono bare/Where.exe "$work" 2>&1) || fail "a folder without a library is no error"
grep -q "DllNotFoundException.*$work/libllm_csharp" <<< "$output" || fail "the missing library is not named: $output"

echo "== README"
python3 "$source/bindings/readme_test.py" "$source/bindings/csharp/README.md" "$work"
python3 "$source/bindings/readme_test.py" "$source/README.md" "$work" csharp
