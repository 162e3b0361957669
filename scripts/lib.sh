# Common parts of the scripts beside this file; sourced, not run. Leaves the caller in the
# repository's root. Every step looks first whether its work is done, so that second runs are quick.

cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\n== %s\n' "$*"; }
fail() {
    printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# Lines of a list without its comments.
entries() { grep -Ev '^\s*(#|$)' "$1"; }

jobs_count() { nproc 2>/dev/null || echo 2; }

# A compiler's cache serves every build of the tree, where one is installed and none is named. Paths count from
# the tree's root, so that another clone takes the same objects.
if [[ -z ${CMAKE_CXX_COMPILER_LAUNCHER-} ]] && command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache
    export CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR-1}
    export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS-pch_defines,time_macros}
fi

install_packages() {
    if ! command -v dpkg-query >/dev/null; then
        echo "not a Debian machine: scripts/debian-packages.txt lists what must be there"
        return
    fi
    local missing=() package
    while read -r package; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' ||
            missing+=("$package")
    done < <(entries scripts/debian-packages.txt)
    ((${#missing[@]})) || return 0

    say "installing ${missing[*]}"
    local as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null ||
            fail "Debian packages are missing: ${missing[*]} (run as root once, or install sudo)"
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update -q &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -q --no-install-recommends "${missing[@]}" ||
        fail "apt-get could not install ${missing[*]} (see its message above)"
}

# A browser for the test of `fermat report`, which is skipped without one: 120 MB, half a minute. Only
# asked for once, and never a reason to stop.
install_browser() {
    local stamp=build/browser-asked
    command -v chromium >/dev/null || command -v google-chrome >/dev/null && return 0
    [[ ! -f $stamp ]] && command -v apt-get >/dev/null && ((EUID == 0)) || return 0
    say "installing chromium"
    mkdir -p build
    touch "$stamp"
    DEBIAN_FRONTEND=noninteractive timeout 300 \
        apt-get install -y -qq --no-install-recommends chromium >/dev/null 2>&1 ||
        echo "going on without chromium"
}

# The system's Python comes first: python3-dev holds the headers of that one.
find_python() {
    local python
    for python in /usr/bin/python3 python3; do
        if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    fail "no Python of version 3.10 or later was found (install python3)"
}

# make_venv: .venv with the packages of the lists, made or updated only when they changed.
make_venv() {
    local python lists stamp=.venv/fermat-packages
    python=$(find_python)
    lists="$("$python" --version) $(cat scripts/python-packages*.txt)"
    [[ -x .venv/bin/python && -f $stamp && "$(cat "$stamp")" == "$lists" ]] && return

    say "Python packages into .venv"
    [[ -x .venv/bin/python ]] && .venv/bin/python -c '' 2>/dev/null || rm -rf .venv
    [[ -d .venv ]] || "$python" -m venv .venv || fail "$python -m venv .venv failed"
    local pip=(.venv/bin/python -m pip --disable-pip-version-check install --quiet)
    "${pip[@]}" -r scripts/python-packages.txt || fail "pip could not install the Python packages"
    "${pip[@]}" -r scripts/python-packages-optional.txt ||
        echo "going on without $(entries scripts/python-packages-optional.txt)"
    printf '%s' "$lists" >"$stamp"
}

# configure PRESET [-D...]: only when the options changed; ninja itself sees changed CMake files.
configure() {
    local log=build/$1-configure.log stamp=build/$1/fermat-options
    [[ -f build/$1/build.ninja && -f $stamp && "$(cat "$stamp")" == "$*" ]] && return
    mkdir -p build
    cmake --preset "$@" >"$log" 2>&1 || {
        cat "$log" >&2
        fail "configuring $1 failed"
    }
    sed -n '/^-- Fermat/,/^-- $/s/^-- //p' "$log"
    printf '%s' "$*" >"$stamp"
}

release_options() {
    echo -DFERMAT_NATIVE=ON -DFERMAT_WERROR=ON -DFERMAT_BUILD_TESTS=ON -DFERMAT_PYTHON=ON \
        -DFERMAT_MPI=AUTO "-DFERMAT_UNITY=${FERMAT_UNITY:-ON}" \
        "-DPython_EXECUTABLE=$PWD/.venv/bin/python"
}

# build_release TARGET: `fermat_package` for the program at build/release/fermat and the Python module,
# `all` for the tests too.
build_release() {
    say "building build/release"
    local options
    read -ra options < <(release_options)
    configure release "${options[@]}"
    cmake --build build/release -j "$(jobs_count)" --target "$1" ||
        fail "building build/release failed"
}

# A sum over all that the installed module is made of.
module_state() {
    {
        find CMakeLists.txt VERSION README.md LICENSE pyproject.toml cmake python src -type f \
            -not -path '*/__pycache__/*' -print0 | sort -z | xargs -0 sha1sum
        cat .venv/fermat-packages
    } | sha1sum
}

# install_module: a true `pip install .` that reuses the objects of build/release.
install_module() {
    local state stamp=.venv/fermat-module
    state=$(module_state)
    [[ -f $stamp && "$(cat "$stamp")" == "$state" ]] && return
    say "installing the Python module into .venv"
    local option settings=()
    for option in $(release_options); do
        settings+=("--config-settings=cmake.define.${option#-D}")
    done
    .venv/bin/python -m pip --disable-pip-version-check install --quiet --no-build-isolation \
        --no-deps --force-reinstall --config-settings=build-dir=build/release \
        --config-settings=build.targets=fermat_package "${settings[@]}" . ||
        fail "pip install of the module failed"
    printf '%s' "$state" >"$stamp"
}

# prepare [TARGET]: everything that the demo and the tests stand on.
prepare() {
    install_packages
    make_venv
    build_release "${1:-all}"
    install_module
}
