#!/usr/bin/env bash
# R CMD check --as-cran and the whole suite under R, compilers and packages of Debian's newest
# suite, in a chroot that debootstrap makes at the first run and later runs bring up to date:
#   bash tools/check-newest.sh
# It needs root and Debian. The chroot stays outside the project, as R CMD build copies all of a
# project before it leaves anything out; mounts end with the process, which has them for itself.
# The compiled package of the suite is that of gcc as C23 with link-time optimisation, and a
# warning of the compiler fails; R CMD check compiles by the flags of that R.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "${1:-}" = unshared ] || exec unshare --mount bash tools/check-newest.sh unshared

root=${NEWEST:-/var/tmp/rowsparse-newest}
suite=sid
shared=${ROWSPARSE_SHARED:-$(cd ../shared 2>/dev/null && pwd || true)}
inside() {
    chroot "$root" env -i PATH="$PATH" HOME=/root LANG=C.UTF-8 TZ=UTC OPENBLAS_NUM_THREADS=1 \
        DEBIAN_FRONTEND=noninteractive ${shared:+ROWSPARSE_SHARED=/shared} "$@"
}
install="apt-get install -qq --no-install-recommends -o DPkg::Lock::Timeout=120"

command -v debootstrap >/dev/null || $install debootstrap >/dev/null
if [ ! -e "$root/complete" ]; then
    rm -rf "$root"
    mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' |
        head -n 1)
    debootstrap --variant=minbase "$suite" "$root" "$mirror"
    touch "$root/complete"
fi
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"

# the way to the archive is that of this machine; a mirror may lag behind
cp /etc/resolv.conf /etc/hosts "$root/etc/"
{
    apt-config dump | grep -E '^Acquire::https?::' || true
    echo 'Acquire::Check-Valid-Until "false";'
} >"$root/etc/apt/apt.conf.d/90this-machine"
inside apt-get -qq update
inside apt-get -qq dist-upgrade >/dev/null
# tidy and V8: R CMD check notes their absence
inside $install r-base-dev r-cran-testthat r-cran-v8 tidy >/dev/null

rm -rf "$root/rowsparse"
mkdir -p "$root/rowsparse" "$root/shared"
git ls-files -z | tar --create --null --files-from=- | tar --extract --directory="$root/rowsparse"
[ -z "$shared" ] || mount --bind "$shared" "$root/shared"

# The check also if the suite fails. What else this machine does at the time slows examples.
inside bash -uo pipefail -c '
cd /rowsparse
R --version | head -n 1
gcc --version | head -n 1
Rscript -e "cat(\"testthat\", format(packageVersion(\"testthat\")), extSoftVersion()[[\"BLAS\"]], \"\\n\")"
Rscript tools/install.R check
make tarball && bash tools/build-with.sh lto build/rowsparse_*.tar.gz || exit
R_LIBS=$PWD/build/lto ROWSPARSE_TESTING=1 Rscript tools/test.R | tee build/suite.log
status=$?
_R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_EXAMPLE_TIMING_THRESHOLD_=30 make check || status=1
tail -n 1 build/suite.log
exit $status
'
