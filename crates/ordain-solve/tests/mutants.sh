#!/bin/sh
# Do the judges notice faults? Seeds each fault of src/faults.rs in turn, runs the tests, and writes MUTANTS.md beside
# this script: which tests caught which fault. Fails if one was not caught, or if the tests fail without a fault.
set -u
cd "$(dirname "$0")/.." || exit 2
table=tests/MUTANTS.md
seconds=${ORDAIN_MUTANT_SECONDS:-90}

judges='--lib --test engine --test engine_vs_oracle --test litmus --test scale'
# shellcheck disable=SC2086 # several words on purpose
executables=$(cargo test --release --features faults --no-run $judges 2>&1 | sed -n 's/.*Executable.*(\(.*\))$/\1/p')
[ -n "$executables" ] || { echo "the tests do not build" >&2; exit 2; }

# How one executable's tests fail; nothing if they do not.
catch() {
    output=$(cd ../.. && timeout "$seconds" "$1" 2>&1)
    status=$?
    [ $status -eq 0 ] && return
    [ $status -eq 124 ] && { echo "does not end"; return; }
    why=$(printf '%s\n' "$output" | grep -o -m 1 -e 'engine and oracle differ' -e 'the model is none' \
        -e 'the core is satisfiable' -e 'is no lemma' -e 'implies nothing' -e 'should be implied' -e 'conflicts*' \
        -e 'positions' | head -n 1)
    echo "${why:-fails}"
}

unset ORDAIN_FAULT
for executable in $executables; do
    clean=$(catch "$executable")
    [ -z "$clean" ] || { echo "fails without a fault: $executable: $clean" >&2; exit 1; }
done

{
    echo "# Seeded faults and who catches them"
    echo
    echo "Made by \`tests/mutants.sh\`; the faults are described in \`src/faults.rs\`."
    echo
    printf '| fault |'
    for executable in $executables; do printf ' %s |' "$(basename "$executable" | sed 's/-[0-9a-f]*$//')"; done
    printf '\n| --- |'
    for executable in $executables; do printf ' --- |'; done
    echo
} > "$table.new"
survivors=0
for fault in $(sed -n '/^faults! {/,/^}/s/^    \([A-Z][A-Za-z]*\),$/\1/p' src/faults.rs); do
    export ORDAIN_FAULT="$fault"
    row="| $fault |"
    caught=no
    for executable in $executables; do
        how=$(catch "$executable")
        [ -z "$how" ] || caught=yes
        row="$row ${how:--} |"
    done
    [ $caught = yes ] || survivors=$((survivors + 1))
    echo "$row" | tee -a "$table.new"
done
mv "$table.new" "$table"
[ $survivors -eq 0 ] || { echo "$survivors faults were not caught" >&2; exit 1; }
