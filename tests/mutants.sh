#!/bin/sh
# Do the judges notice faults? Seeds each fault of crates/ordain-{solve,model}/src/faults.rs in turn, runs the judges, and
# writes MUTANTS.md beside this script: who caught which fault. Fails if one was not caught, or if a judge fails without
# a fault. `mutants.sh theory` and `mutants.sh encoding` do one half and keep the other as it is.
set -u
cd "$(dirname "$0")/.." || exit 2
table=tests/MUTANTS.md
parts=${1:-theory encoding}
seconds=${ORDAIN_MUTANT_SECONDS:-400}
export RUST_BACKTRACE=0 ORDAIN_NO_MINIMISE=1
# Apart from everything else: nothing that has faults in it is to be taken for the product.
export CARGO_TARGET_DIR="$PWD/target/seeded"
unset ORDAIN_FAULT
mkdir -p target/seeded
survivors=0

# The test executables of packages, built with their faults.
build() {
    cargo test --release --no-run "$@" 2>&1 | sed -n 's/.*Executable.*(\(.*\))$/\1/p'
}

# The faults of a crate, one "Name|what it does." per line.
faults() {
    awk '/^ *\/\/\/ / { sub(/^ *\/\/\/ /, ""); what = what (what == "" ? "" : " ") $0; next }
         /^    [A-Z][A-Za-z]*,$/ { gsub(/[ ,]/, ""); print $0 "|" what }
         { what = "" }' "crates/$1/src/faults.rs"
}

# Runs a judge; leaves in `how` in what way it fails, or nothing.
run() {
    output=$(timeout "$seconds" "$@" 2>&1)
    case $? in
        0) how= ;;
        124) how="does not end" ;;
        *) how=$(printf '%s\n' "$output" | grep -o -m 1 \
            -e 'seed [0-9]*, [a-z]*' -e '[a-z0-9+-]*\.c under [A-Z][a-z]*' -e '^---- [a-z0-9_/]* ----' \
            -e 'engine and oracle differ' -e 'the model is none' -e 'the core is satisfiable' -e 'is no lemma' \
            -e 'by_hand::[a-z_]*' -e 'implies nothing' -e 'should be implied' -e 'conflicts*' -e 'positions' | head -n 1)
           how=$(echo "${how:-fails}" | sed 's/^---- \(.*\) ----/\1.c/') ;;
    esac
}

expect_success() {
    run "$@"
    [ -z "$how" ] || { echo "fails without a fault ($how): $*" >&2; exit 1; }
}

theory() {
    executables=$(build -p ordain-solve --features faults \
        --lib --test engine --test engine_vs_oracle --test litmus --test scale)
    [ -n "$executables" ] || { echo "the tests do not build" >&2; exit 2; }
    for executable in $executables; do expect_success "$executable"; done
    printf '| fault |'
    for executable in $executables; do printf ' %s |' "$(basename "$executable" | sed 's/-[0-9a-f]*$//')"; done
    printf '\n| --- |'
    for executable in $executables; do printf ' --- |'; done
    echo
    for fault in $(faults ordain-solve | cut -d '|' -f 1); do
        row="| $fault |"
        caught=no
        for executable in $executables; do
            run env ORDAIN_FAULT="$fault" "$executable"
            [ -z "$how" ] || caught=yes
            row="$row ${how:--} |"
        done
        echo "$row"
        [ $caught = yes ] || survivors=$((survivors + 1))
    done
}

encoding() {
    # What reads and instruments bitcode are programs of their own, which the tests start.
    cargo build --release -q -p ordain-ir -p ordain-instrument --bins || exit 2
    executables=$(build -p ordain-explore -p ordain-predict -p ordain \
        --features ordain-explore/faults,ordain-predict/faults,ordain/faults \
        --test judged --test programs --test brute_force --test filter --test omission)
    predictions=$(printf '%s\n' "$executables" | grep /brute_force-)
    filter=$(printf '%s\n' "$executables" | grep /filter-)
    omission=$(printf '%s\n' "$executables" | grep /omission-)
    judged=$(printf '%s\n' "$executables" | grep /judged-)
    programs=$(printf '%s\n' "$executables" | grep /programs-)
    [ -n "$judged" ] && [ -n "$programs" ] && [ -n "$predictions" ] && [ -n "$filter" ] && [ -n "$omission" ] ||
        { echo "the tests do not build" >&2; exit 2; }
    "$judged" mutants::every_fault --ignored --nocapture > target/seeded/mutants.rows ||
        { echo "the judges fail without a fault" >&2; exit 1; }
    expect_success "$programs"
    expect_success "$predictions"
    expect_success "$filter"
    expect_success "$omission"
    echo '| fault | what it does | caught by | at |'
    echo '| --- | --- | --- | --- |'
    # What the judges have not noticed is left to the programs.
    grep '^| ' target/seeded/mutants.rows | while read -r row; do
        case $row in
            *'**nobody**'*)
                fault=$(echo "$row" | cut -d ' ' -f 2)
                # Most likely, that is the one who noticed it the last time.
                last=$(sed -n "s/^| $fault |.*| programs | \\(.*\\)\\.c |\$/\\1/p" "$table")
                how=
                [ -z "$last" ] || run env ORDAIN_FAULT="$fault" "$programs" --exact "$last"
                [ -n "$how" ] || run env ORDAIN_FAULT="$fault" "$programs"
                by=programs
                [ -n "$how" ] || { by=predictions; run env ORDAIN_FAULT="$fault" "$predictions"; }
                [ -n "$how" ] || { by=filter; run env ORDAIN_FAULT="$fault" "$filter" --skip by_hand; }
                [ -n "$how" ] || run env ORDAIN_FAULT="$fault" "$filter" by_hand
                [ -n "$how" ] || { by=omission; run env ORDAIN_FAULT="$fault" "$omission"; }
                [ -z "$how" ] || row=$(echo "$row" | sed "s,\*\*nobody\*\* | -,$by | $how,") ;;
        esac
        echo "$row"
    done > target/seeded/mutants.judged
    cat target/seeded/mutants.judged
    survivors=$((survivors + $(grep -c '\*\*nobody' target/seeded/mutants.judged || true)))
}

# The rows of a part, as they are in the table now.
kept() {
    awk -v part="$1" '/^## / { here = ($2 == part) } here && /^\|/' "$table"
}

for part in theory encoding; do
    echo "$part" >&2
    case " $parts " in
        *" $part "*) $part > "target/seeded/mutants.$part" || exit ;;
        *) kept $part > "target/seeded/mutants.$part" ;;
    esac
done
{
    echo "# Seeded faults and who catches them"
    echo
    echo "Made by \`tests/mutants.sh\`; the faults are in \`src/faults.rs\` of the two crates."
    echo
    echo "## theory"
    echo
    echo "\`ordain-solve\`: every judge is asked."
    echo
    cat target/seeded/mutants.theory
    echo
    echo "## encoding"
    echo
    echo "\`ordain-model\`: the judges are asked in turn until one fails, first the litmus tests, then random programs against"
    echo "brute force (\`crates/ordain-explore/tests/judged\`; the seed is the program's), then \`tests/programs\`, then what is"
    echo "predicted from random runs (\`crates/ordain-predict/tests/brute_force.rs\`), then what is looked for in them at all"
    echo "(\`crates/ordain-predict/tests/filter\`: random runs, then logs by hand), then what shows if a part of them is left out"
    echo "(\`crates/ordain-predict/tests/omission.rs\`)."
    echo
    cat target/seeded/mutants.encoding
} > "$table"
[ $survivors -eq 0 ] || { echo "$survivors faults were not caught" >&2; exit 1; }
