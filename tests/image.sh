#!/bin/sh
# Builds the image of .github/Dockerfile from dist/*.whl, and plays in it as root and as another user.
# Without Docker its lines are carried out in a copy of this system, where an environment of $PYTHON stands
# for the image's Python. The copy is of Linux, needs root, and is gone at the end.
set -eu
cd "$(dirname "$0")/.."
MATCH="match rule28 random --games 20 --quiet --no-page --results /tmp/results"

if docker info >/dev/null 2>&1; then
    docker build --quiet -f .github/Dockerfile -t cantstop-arena .
    for user in 0 1000; do docker run --rm --user "$user" cantstop-arena $MATCH-"$user"; done
    exit
fi
if [ "${1-}" != copy ]; then
    [ "$(id -u)" = 0 ] || { echo "make image needs Docker, or root" >&2; exit 2; }
    exec unshare --mount "$0" copy
fi

work=$(mktemp -d)
trap 'umount -R "$work/root" && rm -rf "$work"' EXIT
mkdir "$work/upper" "$work/work" "$work/root"
mount -t overlay -o "lowerdir=/,upperdir=$work/upper,workdir=$work/work" overlay "$work/root"
mount -t tmpfs -o mode=1777 tmpfs "$work/root/tmp"
mount -t proc proc "$work/root/proc"
mount --rbind /dev "$work/root/dev"
in_copy() { chroot "$@"; }

in_copy "$work/root" "${PYTHON:-python3}" -m venv /image
# Python may be in a home folder, which others cannot enter.
folder=$(dirname "$(readlink -f "$work/root/image/bin/python3")")
while [ "$folder" != / ]; do
    in_copy "$work/root" chmod a+rx "$folder"
    folder=$(dirname "$folder")
done
export PATH="/image/bin:/usr/sbin:/usr/bin:/sbin:/bin"
unset CANTSTOP_ARENA_CACHE
while read -r instruction words; do
    case $instruction in
    RUN) in_copy "$work/root" sh -euc "$words" ;;
    COPY) cp $(echo "$words" | sed "s:[^ ]*$:$work/root&:") ;;
    ENV) export "$words" ;;
    WORKDIR) mkdir -p "$work/root$words" && folder=$words ;;
    esac
done <.github/Dockerfile
for user in 0 1000; do
    in_copy --userspec="$user:$user" --groups= "$work/root" env HOME=/ sh -c "cd $folder && arena $MATCH-$user"
done
