#!/bin/sh
# A bot without Python: takes the first move, and stops after four rolls (or $1).
# The messages between the arena and a program: docs/reference/protocol.md.
limit=${1:-4}

while IFS= read -r line; do
    case $line in
    '{"type":"hello",'*) echo '{"type":"ready"}' ;;
    '{"type":"choose_move",'*) echo '{"move":0}' ;;
    '{"type":"roll_again",'*)
        rolls=${line#*'"rolls":'}
        if [ "${rolls%%,*}" -lt "$limit" ]; then echo '{"roll":true}'; else echo '{"roll":false}'; fi
        ;;
    esac
done
