#!/usr/bin/env bash
# Measures what the packed folder holds, on a machine with a GPU: docs/gpu-day.md.
#
#   OUT=RESULTS bash FOLDER/run.sh first      what the probe found, reductions, the tests, the first schedules
#   OUT=RESULTS bash FOLDER/run.sh second     products, trial kernels, calls, PyTorch, rates of large tensors
#   OUT=RESULTS bash FOLDER/run.sh sweeps     where there is more time: sizes, all workloads, shapes, growth, schedules
#
# The first two parts take seven minutes each at most, since a GPU is lent for a quarter of an hour; the third takes nine.
# The steps of a part are in the order of what they decide. A part that is cut off leaves what it has. --small is for a
# dry run on a software adapter: small sizes, few runs.
set -uo pipefail

# ==== SCHEDULES: the names that `zerostride-bench --schedule NAME` takes, to sweep ====
# If it is empty, the step says so in its output.
schedules=(one beside down both cross sections blocks tile staged)
# ====================================================================================
# What is measured by the schedule that is chosen and by `one`, and first of all at the largest size.
ranked=(same_add row_add col_add nchw_bias f16_same_add u8_same_add rank8_add)
# What each schedule and each trial kernel is measured on.
scheduled=(same_add row_add col_add nchw_bias transpose_add odd_row_add odd_transpose_add)

# What each part leaves beside its record, its summary and its logs.
declare -A files=(
    [first]="statistics.jsonl reductions.jsonl one.jsonl"
    [second]="products.jsonl trials.jsonl calls.jsonl torch.jsonl workloads-large.jsonl workloads-large.svg"
    [sweeps]="sizes.jsonl broadcasts.jsonl schedules.jsonl growth.jsonl workloads-middling.jsonl workloads-middling.svg"
)
# A part ends before this many seconds.
declare -A ends=([first]=405 [second]=405 [sweeps]=535)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
small=false
part=
for argument in "$@"; do
    case $argument in
    --small) small=true ;;
    first | second | sweeps) part=${part:-$argument} ;;
    *) part= && break ;;
    esac
done
if [[ -z $part ]]; then
    echo "usage: OUT=RESULTS run.sh first|second|sweeps [--small]" >&2
    exit 2
fi
most=${ends[$part]}
out=${OUT:?OUT names no folder for the results}
mkdir -p "$out" || exit 2
out=$(cd "$out" && pwd)
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
logs=$scratch/logs
mkdir "$logs"
failed=0

# Sizes: of large tensors, of middling ones, of broadcast shapes, the first and the last of those by size; runs.
large=28 middling=26 products=24 folded="24 27" shapes=25 first=18 last=28 runs=15 folds=25 device=()
if $small; then
    large=14 middling=12 products=12 folded="10 12" shapes=10 first=10 last=12 runs=1 folds=1 device=(--device cpu --no-compile)
fi

# The programs, and where the tests find their cases. The loader here serves if the machine has none.
bin=$here/bin
bench=$bin/zerostride-bench
export CARGO_MANIFEST_DIR=$here CARGO_TARGET_TMPDIR=$scratch NODEVICE_SELECT=1 PYTHONUNBUFFERED=1
# A backtrace takes the loader's lock, which a thread that hangs in a driver may hold.
export RUST_BACKTRACE=0
loader="the machine's"
if ! { PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null || true; } | grep -q 'libvulkan\.so\.1 '; then
    loader=$(<"$here/lib/version")
    export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$here/lib
fi

# Text as a string of JSON.
quoted() {
    local text=${1//\\/\\\\}
    text=${text//\"/\\\"}
    printf '"%s"' "${text//[[:cntrl:]]/ }"
}

# A line of the part's record.
record() {
    echo "$1" >>"$out/$part.jsonl"
}

# limited SECONDS STEP FILE COMMAND...: adds what a command prints to a file of $OUT, or to the logs if that is `log`.
limited() {
    local limit=$1 step=$2 file=$3 begun=$SECONDS code=0 said
    shift 3
    [[ $file == log ]] && file=$logs/$step.log || file=$out/$file
    : >>"$file"
    ((limit > most - SECONDS)) && limit=$((most - SECONDS))
    if ((limit < 5)); then
        code=124 said="no time was left"
    else
        timeout --kill-after=5 "$limit" "$@" >>"$file" 2>"$logs/$step.err" || code=$?
        case $code in
        0)
            said=$(grep -h '^test result:' "$file" | tail -n 1)
            said=${said:-lines: $(wc -l <"$file")}
            ;;
        124 | 137) said="ended after its limit of $limit s" ;;
        *) said=$(cat "$file" "$logs/$step.err" | tail -n 1) ;;
        esac
    fi
    ((code == 0)) || failed=1
    echo "== $step: exit $code after $((SECONDS - begun)) s; ${said:0:240}"
    record "{\"step\":\"$step\",\"exit\":$code,\"seconds\":$((SECONDS - begun)),\"said\":$(quoted "${said:0:400}")}"
}

# marked FIELD VALUE SECONDS STEP FILE COMMAND...: the same, each line of JSON with one more field.
marked() {
    local field=$1 value=$2 limit=$3 step=$4 file=$out/$5 line
    shift 5
    limited "$limit" "$step" log "$@"
    while read -r line; do
        printf '%s,"%s":%s}\n' "${line%\}}" "$field" "$(quoted "$value")"
    done <"$logs/$step.log" >>"$file"
}

# torch SECONDS STEP FILE ARGUMENT...: PyTorch's figures, or a line that says that there is no Python.
torch() {
    if command -v python3 >/dev/null; then
        limited "$1" "$2" "$3" python3 "$here/torch_peer.py" "${@:4}" "${device[@]}"
        return
    fi
    local said="python3 is missing: no figures of PyTorch"
    echo "== $2: $said"
    echo "{\"peer\":\"torch\",\"error\":\"$said\"}" >>"$out/$3"
    record "{\"step\":\"$2\",\"exit\":0,\"seconds\":0,\"said\":\"$said\"}"
}

# Whether the adapter that is taken if none is named is a GPU, or in a dry run anything.
usable() {
    listed=$(timeout 60 "$bin/zerostride" adapters 2>"$logs/adapters.err") || return 1
    local taken=false line
    while read -r line; do
        if $taken; then
            [[ $line == *" GPU,"* ]] || $small
            return
        fi
        [[ $line == '* '* ]] && taken=true
    done <<<"$listed"
    return 1
}

# A driver that no manifest in the usual places names: manifests elsewhere, then libraries by name.
find_driver() {
    usable && return
    local manifest library
    for library in libGLX_nvidia.so.0 libEGL_nvidia.so.0; do
        printf '{"file_format_version":"1.0.0","ICD":{"library_path":"%s","api_version":"1.3.0"}}\n' "$library" \
            >"$scratch/$library.json"
    done
    for manifest in {/usr/local/nvidia,/usr/local,/run/opengl-driver,/usr/lib}/share/vulkan/icd.d/*.json "$scratch"/lib*.json; do
        [[ -r $manifest ]] || continue
        export VK_DRIVER_FILES=$manifest
        usable && return
    done
    unset VK_DRIVER_FILES
    echo "run: no GPU is found; this is what is there:" >&2
    echo "${listed:-nothing}" >&2
    cat "$logs/adapters.err" >&2
    return 1
}

# tier SECONDS STEP ARGUMENT...: the adapter tests. Before they are ended, what their threads do goes to the logs, twice.
tier() {
    local limit=$1 step=$2 begun=$SECONDS tests waited=0
    shift 2
    "$bin/adapter" --skip cases:: --skip fusion:: --skip sweeps:: "$@" >"$logs/$step.log" 2>&1 &
    tests=$!
    while kill -0 "$tests" 2>/dev/null && ((SECONDS - begun < limit && SECONDS < most - 5)); do
        sleep 1
    done
    if kill -0 "$tests" 2>/dev/null; then
        stacks "$tests" >"$logs/$step.stacks"
        sleep 2
        stacks "$tests" >>"$logs/$step.stacks"
        kill -KILL "$tests"
        waited=124
    fi
    wait "$tests" 2>/dev/null || waited=$((waited == 124 ? 124 : 1))
    ((waited == 0)) || failed=1
    local passed said
    passed=$(grep -c '\.\.\. ok$' "$logs/$step.log")
    said=$(grep -h '^test result:' "$logs/$step.log" | tail -n 1)
    said=${said:-ended after $((SECONDS - begun)) s, $passed tests passed, $(grep -c 'FAILED$' "$logs/$step.log") failed}
    echo "== $step: exit $waited after $((SECONDS - begun)) s; $said"
    record "{\"step\":\"$step\",\"exit\":$waited,\"seconds\":$((SECONDS - begun)),\"said\":$(quoted "$said")}"
}

# What each thread of a process waits for, how long it ran, and where its instruction is.
stacks() {
    local thread
    for thread in /proc/"$1"/task/*; do
        echo "$(<"$thread/comm") $(cat "$thread/wchan" 2>/dev/null) $(cat "$thread/syscall" 2>/dev/null)"
        cut -d ' ' -f 14,15 "$thread/stat"
        cat "$thread/stack" 2>/dev/null
    done
    grep -E 'r-xp.*(nvidia|vulkan|ld-linux|libc)' /proc/"$1"/maps
    echo "--"
}

# The meter of the clocks beside all that follows, where the driver's program is there.
clocks() {
    command -v nvidia-smi >/dev/null || return
    nvidia-smi --query-gpu=clocks.sm,clocks.mem,power.draw,clocks_event_reasons.active --format=csv,noheader -lms 100 \
        >"$logs/clocks.csv" 2>/dev/null &
    meter=$!
    trap 'kill "$meter" 2>/dev/null; rm -rf "$scratch"' EXIT
}

first() {
    # `listed` has said what the probe found. Drivers need not have the extension; then its one line says so.
    limited 40 statistics statistics.jsonl "$bin/zerostride-compilers" statistics
    local log2
    for log2 in $folded; do
        limited 70 "reductions-$log2" reductions.jsonl "$bench" --json --log2 "$log2" --runs "$folds" 'sum_*' 'mean_*' \
            'var_*' 'argmax_*' 'distance_*' 'softmax_*' 'layer_norm_*' cumsum_rows pow chain_32 norm
    done
    limited 60 cases log "$bin/adapter" cases::cases_pass
    tier 70 tier-one-thread --test-threads=1
    tier 30 tier-16-threads --test-threads=16
    for ((log2 = first; log2 <= last; log2 += 2)); do
        limited 8 "chosen-$log2" one.jsonl "$bench" --json --log2 "$log2" --runs "$runs" "${ranked[@]}"
        limited 8 "one-$log2" one.jsonl "$bench" --json --log2 "$log2" --runs "$runs" --schedule one "${ranked[@]}"
    done
}

# workloads SECONDS LOG2 NAME WORKLOAD...: workloads at a size, and their chart.
workloads() {
    limited "$1" "workloads-$2" "workloads-$3.jsonl" "$bench" --json --log2 "$2" --runs "$runs" "${@:4}"
    limited 10 "chart-$2" log "$bench" --from "$out/workloads-$3.jsonl" --chart "$out/workloads-$3.svg"
}

second() {
    local trial name names
    limited 80 products products.jsonl "$bench" --json --log2 "$products" --runs "$runs" matmul matmul_odd matmul_tall vecmat gram take_rows arange_add roll_rows pad_rows join join_rows
    for trial in "$here"/trials/*/; do
        name=$(basename "$trial")
        names=("$trial"*.wgsl)
        names=("${names[@]##*/}")
        marked trial "$name" 12 "trial-$name" trials.jsonl \
            "$bench" --json --log2 "$middling" --runs "$runs" --kernels "$trial" "${names[@]%.wgsl}"
    done
    limited 40 calls calls.jsonl "$bench" --json --runs "$runs" small_sync small_1000 small_run_1000 cold_start
    torch 70 "torch-$large" torch.jsonl --log2 "$large" --runs "$runs"
    workloads 90 "$large" large "${ranked[@]}" transpose_add 'odd_*' 'both*' 'where*' 'chain_*' pow norm
}

sweeps() {
    local log2 name
    workloads 110 "$middling" middling
    torch 60 "torch-$middling" torch.jsonl --log2 "$middling" --runs "$runs"
    for ((log2 = first; log2 <= last; log2 += 1)); do
        limited 8 "size-$log2" sizes.jsonl "$bench" --json --log2 "$log2" --runs "$runs" same_add
    done
    torch 30 torch-sizes sizes.jsonl --sizes "$first" "$last" --runs "$runs"
    limited 200 broadcasts broadcasts.jsonl "$bench" --json --broadcasts --log2 "$shapes" --runs "$runs"
    if ((${#schedules[@]} == 0)); then
        local said="the list of schedules in run.sh is empty: none was measured"
        echo "== schedules: $said"
        record "{\"step\":\"schedules\",\"exit\":0,\"seconds\":0,\"said\":\"$said\"}"
    fi
    for name in "${schedules[@]}"; do
        limited 30 "schedule-$name" schedules.jsonl \
            "$bench" --json --log2 "$middling" --runs "$runs" --schedule "$name" "${scheduled[@]}"
    done
    limited 120 growth growth.jsonl "$bench" --json --growth --log2 "$middling" --runs "$runs" 'steps/*' 'inputs/*' 'rank/*'
}

find_driver || exit 1
echo "$listed" | tee "$logs/adapters.log"
asked=name,driver_version,clocks.max.sm,clocks.max.mem,memory.total
gpu=$(nvidia-smi --query-gpu="$asked" --format=csv,noheader 2>/dev/null | head -n 1)
# Of an earlier run: steps add to what is there.
for file in "$part.jsonl" ${files[$part]}; do rm -f "$out/$file"; done
about="\"date\":\"$(date -u +%Y-%m-%d)\",\"commit\":\"$(<"$here/commit")\",\"cores\":$(nproc),\"gpu\":$(quoted "$gpu")"
about+=",\"loader\":$(quoted "$loader"),\"driver_file\":$(quoted "${VK_DRIVER_FILES:-}")"
record "{\"part\":\"$part\",\"small\":$small,$about}"
clocks
"$part"
if command -v python3 >/dev/null; then
    python3 "$here/summary.py" "$out" >"$out/$part.md" || failed=1
    [[ -s $out/$part.md ]] && cat "$out/$part.md"
else
    echo "== summary: python3 is missing here; summary.py draws it elsewhere"
fi
tar -C "$scratch" -czf "$out/$part-logs.tar.gz" logs
echo "== $part: $SECONDS s, exit $failed"
exit $failed
