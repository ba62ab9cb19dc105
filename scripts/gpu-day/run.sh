#!/usr/bin/env bash
# Measures what the packed folder holds, on a machine with a GPU: docs/gpu-day.md.
#
#   OUT=RESULTS bash FOLDER/run.sh correct     do the tests pass; registers; five workloads
#   OUT=RESULTS bash FOLDER/run.sh rates       all workloads at 2^28 and 2^26, beside PyTorch if it is there
#   OUT=RESULTS bash FOLDER/run.sh sweeps      sizes, broadcast shapes, growth, trial kernels, schedules
#
# A part takes nine minutes at most and leaves at most eight files in $OUT. --small is for a dry run on a software
# adapter: small sizes, few runs.
set -uo pipefail

# ==== SCHEDULES: the names that `zerostride-bench --schedule NAME` takes, to sweep ====
# If it is empty, the step says so in its output.
schedules=(one beside down both cross sections blocks tile staged)
# ====================================================================================
# What each schedule and each trial kernel is measured on.
scheduled=(same_add row_add col_add nchw_bias transpose_add odd_row_add odd_transpose_add)

# What each part leaves beside its record, its summary and its logs.
declare -A files=(
    [correct]="quick.jsonl statistics.jsonl"
    [rates]="workloads-large.jsonl workloads-middling.jsonl torch.jsonl workloads-large.svg workloads-middling.svg"
    [sweeps]="sizes.jsonl broadcasts.jsonl trials.jsonl schedules.jsonl growth.jsonl"
)
# A part ends before this many seconds.
most=535
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
small=false
part=
for argument in "$@"; do
    case $argument in
    --small) small=true ;;
    correct | rates | sweeps) part=${part:-$argument} ;;
    *) part= && break ;;
    esac
done
if [[ -z $part ]]; then
    echo "usage: OUT=RESULTS run.sh correct|rates|sweeps [--small]" >&2
    exit 2
fi
out=${OUT:?OUT names no folder for the results}
mkdir -p "$out" || exit 2
out=$(cd "$out" && pwd)
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
logs=$scratch/logs
mkdir "$logs"
failed=0

# Sizes: of large tensors, of middling ones, of broadcast shapes, the first and the last of those by size; runs.
large=28 middling=26 shapes=25 first=14 last=28 runs=15 device=()
if $small; then
    large=14 middling=12 shapes=10 first=10 last=12 runs=1 device=(--device cpu --no-compile)
fi

# The programs, and where the tests find their cases. The loader here serves if the machine has none.
bin=$here/bin
bench=$bin/zerostride-bench
export CARGO_MANIFEST_DIR=$here CARGO_TARGET_TMPDIR=$scratch NODEVICE_SELECT=1 PYTHONUNBUFFERED=1
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

correct() {
    limited 150 cases log "$bin/adapter" cases::cases_pass
    limited 340 adapter log "$bin/adapter" --skip cases:: --skip fusion:: --skip sweeps::
    limited 60 quick quick.jsonl "$bench" --json --log2 "$middling" --runs "$runs" \
        same_add row_add f16_row_add transpose_add odd_row_add odd_transpose_add
    # Drivers need not have the extension; then its one line says so.
    limited 60 statistics statistics.jsonl "$bin/zerostride-compilers" statistics
}

# workloads SECONDS LOG2 NAME: all of them at a size, and their chart.
workloads() {
    limited "$1" "workloads-$2" "workloads-$3.jsonl" "$bench" --json --log2 "$2" --runs "$runs"
    limited 10 "chart-$2" log "$bench" --from "$out/workloads-$3.jsonl" --chart "$out/workloads-$3.svg"
}

rates() {
    workloads 260 "$large" large
    torch 150 "torch-$large" torch.jsonl --log2 "$large" --runs "$runs"
    workloads 110 "$middling" middling
    torch 120 "torch-$middling" torch.jsonl --log2 "$middling" --runs "$runs"
}

sweeps() {
    local log2 trial name names
    for ((log2 = first; log2 <= last; log2 += 1)); do
        limited 8 "size-$log2" sizes.jsonl "$bench" --json --log2 "$log2" --runs "$runs" same_add
    done
    torch 30 torch-sizes sizes.jsonl --sizes "$first" "$last" --runs "$runs"
    limited 200 broadcasts broadcasts.jsonl "$bench" --json --broadcasts --log2 "$shapes" --runs "$runs"
    for trial in "$here"/trials/*/; do
        name=$(basename "$trial")
        names=("$trial"*.wgsl)
        names=("${names[@]##*/}")
        marked trial "$name" 15 "trial-$name" trials.jsonl \
            "$bench" --json --log2 "$middling" --runs "$runs" --kernels "$trial" "${names[@]%.wgsl}"
    done
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
case $part in
correct) correct ;;
rates) rates ;;
sweeps) sweeps ;;
esac
if command -v python3 >/dev/null; then
    python3 "$here/summary.py" "$out" >"$out/$part.md" || failed=1
    [[ -s $out/$part.md ]] && cat "$out/$part.md"
else
    echo "== summary: python3 is missing here; summary.py draws it elsewhere"
fi
tar -C "$scratch" -czf "$out/$part-logs.tar.gz" logs
echo "== $part: $SECONDS s, exit $failed"
exit $failed
