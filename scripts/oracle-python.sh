# Sourced by scripts that need other people's Python libraries: installs them into an environment of their own in the build directory, and
# exports SENPU_ORACLE_PYTHON. They are under the GPL and only ever run as separate programs.

packages=(pyffish==0.0.90 cshogi==1.1.0)
environment=${CARGO_TARGET_DIR:-target}/oracles

# Prints a Python for which the packages exist; a version manager may offer a `python3` that doesn't run.
find_python() {
    local python
    for python in python3 /usr/bin/python3 python3.{14,13,12,11,10}; do
        if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            command -v "$python"
            return
        fi
    done
    return 1
}

# Debian keeps what makes environments in a package of its own.
install_python() {
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        echo "oracles: Python 3.10 or newer with its venv module is needed (Debian: apt-get install python3-venv)" >&2
        return 1
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y python3 python3-venv >/dev/null
}

make_environment() {
    local python
    python=$(find_python) && "$python" -m venv --clear "$environment" >/dev/null
}

install_packages() {
    "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: "${packages[@]}"
}

wanted="${packages[*]}"
if [ "$(cat "$environment/installed" 2>/dev/null)" != "$wanted" ]; then
    make_environment || { install_python && make_environment; }
    # A registry may fail for a moment.
    install_packages || { sleep 10 && install_packages; }
    echo "$wanted" >"$environment/installed"
fi

SENPU_ORACLE_PYTHON=$(realpath "$environment")/bin/python
export SENPU_ORACLE_PYTHON SENPU_REQUIRE_ORACLES=1
