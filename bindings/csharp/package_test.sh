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
expect() { [ "$2" = "$1" ] || fail "not '$1' but '$2'"; }

expect " box:😀!" "$(run Hello "$models/chain.gguf" A)"
expect "A| box:😀!
K|kv" "$(run Requests "$models/chain.gguf" A K)"
found=$(printf '%s\n' "the dog" "a cat sat" "spain" | run Search "$models/encoder.gguf" "a cat sat")
expect " 1.000  a cat sat" "$(head -n 1 <<< "$found")"
expect 3 "$(wc -l <<< "$found")"
chat() { printf 'hello\nand more\n' | run Chat "$models/decoder.gguf" 7 2>&1; }
status=0
answer=$(chat) || status=$?
if grep -q LLM_ERROR_NOT_BUILT <<< "$answer"; then
    expect 1 $status
else
    expect 2 "$(grep -c . <<< "$answer")"
    expect "$answer" "$(chat)"
fi
for example in "Chat none.gguf" "Search none.gguf a" "Requests none.gguf a"; do
    status=0
    output=$(run $example 2>&1 < /dev/null) || status=$?  # the words are separate arguments on purpose
    [ $status -eq 1 ] && grep -q "none.gguf: LLM_ERROR_IO: cannot open" <<< "$output" ||
        fail "$example gives status $status and: $output"
done

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
