#!/bin/sh
# A bot of Cubus without Python: puts a crate on the first one where it can, and else passes.
# The messages between the arena and a program: docs/reference/protocol.md.

while IFS= read -r line; do
    case $line in
    '{"type":"hello",'*) echo '{"type":"ready"}' ;;
    '{"type":"build",'* | '{"type":"knock",'*)
        hand=${line#*'"hand":"'}
        pile=${line#*'"pile":"'}
        case ${hand%%'"'*},${pile%%'"'*} in
        *L*R*,1@0*) echo '{"answer":{"pile":"2@0,0","open":[]}}' ;;
        *) echo '{"answer":null}' ;;
        esac
        ;;
    '{"type":"take",'*) echo '{"answer":null}' ;;
    esac
done
