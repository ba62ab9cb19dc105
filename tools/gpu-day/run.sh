#!/usr/bin/env bash
# Measures what the packed folder holds, on a machine with a GPU: docs/internals/gpu-day.md.
#
#   OUT=RESULTS bash FOLDER/run.sh first      the probe, reductions, conformance cases, trial kernels, products
#   OUT=RESULTS bash FOLDER/run.sh second     adapter tests, small calls, transfers, PyTorch, schedules, large tensors
#   OUT=RESULTS bash FOLDER/run.sh sweeps     where there is more time: all workloads, sizes, shapes, schedules, growth
#
# The first two parts take less than seven minutes each, since a GPU is lent for a quarter of an hour with its start. They
# hold eleven steps, ranked by what they decide. Each has a limit, and a part that is cut off leaves what it has: at most
# eight files. A step that the folder lacks something for is named and passed over. --small is for a dry run on a
# software adapter: small sizes, few runs.
set -uo pipefail

# ==== SCHEDULES: the names that `zerostride-bench --schedule NAME` takes, to sweep ====
# If it is empty, the step says so in its output.
schedules=(one beside down both cross sections blocks tile staged)
folding=(alone shared lanes again)
# ====================================================================================
# What is measured by the schedule that is chosen and by `one`; `others` are measured at the largest size too.
ranked=(same_add row_add col_add nchw_bias f16_same_add u8_same_add rank8_add)
others=(transpose_add odd_row_add odd_transpose_add both5d_mul norm)
# What each schedule is measured on.
scheduled=(same_add row_add col_add nchw_bias transpose_add odd_row_add odd_transpose_add)
folded_as=(sum_short sum_rows sum_columns softmax_257 softmax_4096 layer_norm_257 cumsum_rows cumsum_columns)
# What takes, numbers, moves, joins and sorts elements.
moved=(take_rows arange_add roll_rows pad_rows join join_rows sort_rows argsort_rows)
# Reductions, a few together: the benchmark verifies all that it is asked for before it times any.
folds=(
    "sum_all sum_rows sum_columns sum_middle sum_short sum_long sum_tall"
    "softmax_4096 softmax_768 softmax_257 layer_norm_4096 layer_norm_768 layer_norm_257"
    "mean_rows var_rows argmax_rows distance_rows cumsum_rows cumsum_columns"
    "pow chain_32 norm norm_gradient"
)

# What each part leaves beside its record, the log of the clocks and its logs.
declare -A files=(
    [first]="probe.txt statistics.jsonl reductions.jsonl trials.jsonl products.jsonl"
    [second]="calls.jsonl torch.jsonl one.jsonl workloads-large.jsonl broadcasts.jsonl"
    [sweeps]="sizes.jsonl broadcasts.jsonl schedules.jsonl growth.jsonl workloads-middling.jsonl"
)
# A part ends before this many seconds. The first two and a start of two minutes are 860.
declare -A ends=([first]=365 [second]=375 [sweeps]=535)
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

# log2 of the elements of large tensors, of middling ones, of products, of reductions, of broadcast shapes, of the first
# and the last of those by size, of those for schedules, of PyTorch's, of the bytes of transfers; runs, and more runs.
large=28 middling=26 products="24 28" folded="24 27" shapes=25 last_shapes=24 first=18 last=28 sizes="28 24 20 26 22 18"
peers="24 27" transferred=28
runs=15 more=25
# What PyTorch runs on, and what the tests are restricted to. Limits are multiplied by `patience`.
device=() tests=() patience=1
if $small; then
    large=14 middling=12 products=10 folded="10 12" shapes=10 last_shapes=10 first=10 last=12 sizes="12 10" peers=10
    transferred=24
    runs=1 more=1 device=(--device cpu --no-compile) tests=(smoke:: callbacks::) patience=4
    most=$((most * patience))
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

# ended STEP CODE SECONDS TEXT: records a step. Its logs are added to those that come back, as those of a part that is cut
# off would not.
ended() {
    (($2 == 0)) || failed=1
    echo "== $1: exit $2 after $3 s; ${4:0:240}"
    record "{\"step\":\"$1\",\"exit\":$2,\"seconds\":$3,\"said\":$(quoted "${4:0:400}")}"
    (cd "$logs" && tar -rf "$out/$part-logs.tar" "$1".* 2>/dev/null)
}

# skipped STEP WHY: a step that the folder or the machine lacks something for. The last lines of a part name it again.
not_run=()
skipped() {
    echo "== $1: not run: $2"
    record "{\"step\":\"$1\",\"exit\":0,\"seconds\":0,\"said\":$(quoted "not run: $2")}"
    not_run+=("$1: $2")
}

# time_for SECONDS: how much of a limit is left.
time_for() {
    local limit=$(($1 * patience))
    echo $((limit < most - SECONDS ? limit : most - SECONDS))
}

# limited SECONDS STEP FILE COMMAND...: adds what a command prints to a file of $OUT, or to the logs if that is `log`; each
# line of JSON with one more field if `mark` is `FIELD VALUE`.
mark=
limited() {
    local limit step=$2 file=$3 begun=$SECONDS code=0 said line
    limit=$(time_for "$1")
    shift 3
    [[ $file == log ]] && file=$logs/$step.log || file=$out/$file
    : >>"$file"
    if ((limit < 5)); then
        ended "$step" 124 0 "no time was left"
        return
    fi
    if [[ -z $mark ]]; then
        timeout --kill-after=5 "$limit" "$@" >>"$file" 2>"$logs/$step.err" || code=$?
    else
        timeout --kill-after=5 "$limit" "$@" 2>"$logs/$step.err" | while read -r line; do
            printf '%s,"%s":%s}\n' "${line%\}}" "${mark%% *}" "$(quoted "${mark#* }")"
        done >>"$file"
        code=${PIPESTATUS[0]}
    fi
    case $code in
    0)
        said=$(grep -h '^test result:' "$file" | tail -n 1)
        said=${said:-lines: $(wc -l <"$file")}
        ;;
    124 | 137) said="ended after its limit of $limit s" ;;
    *) said=$(cat "$file" "$logs/$step.err" | tail -n 1) ;;
    esac
    ended "$step" "$code" $((SECONDS - begun)) "$said"
}

# benched SECONDS STEP FILE OPTION... -- WORKLOAD...: the benchmark's lines of those workloads that it has.
workloads=$("$bench" --list)
benched() {
    local before=("$1" "$2" "$3") options=() names=() absent=() pattern name found
    shift 3
    while [[ $1 != -- ]]; do options+=("$1") && shift; done
    shift
    for pattern in "$@"; do
        found=false
        while read -r name _; do
            # shellcheck disable=SC2053 # `*` stands for any text, as in the benchmark.
            [[ $name == $pattern ]] && found=true && break
        done <<<"$workloads"
        if $found; then names+=("$pattern"); else absent+=("$pattern"); fi
    done
    ((${#absent[@]} == 0)) || skipped "${before[1]}" "this benchmark has no workload ${absent[*]}"
    ((${#names[@]} == 0)) || limited "${before[@]}" "$bench" --json "${options[@]}" "${names[@]}"
}

# tried SECONDS GROUP LOG2: the trial kernels whose folders begin with a name, so many seconds together.
tried() {
    local until=$((SECONDS + $(time_for "$1"))) group=$2 folder name names
    for folder in "$here/trials/$group"*/; do
        if [[ ! -d $folder ]]; then
            skipped "trials of $group" "no kernels of that kind are packed: scripts/gpu-day.sh FOLDER TRIALS packs those of TRIALS/${group}NAME/"
            return
        fi
        name=$(basename "$folder")
        names=("$folder"*.wgsl)
        names=("${names[@]##*/}")
        if ((until - SECONDS < 2)); then
            skipped "trial-$name" "no time was left"
            continue
        fi
        mark="trial $name"
        benched 12 "trial-$name" trials.jsonl --log2 "$3" --runs "$runs" --kernels "$folder" -- "${names[@]%.wgsl}"
        mark=
    done
}

# peer SECONDS STEP FILE ARGUMENT...: PyTorch's figures, where it can be imported.
peer() {
    if python3 -c 'import torch' 2>"$logs/$2.err"; then
        limited "$1" "$2" "$3" python3 "$here/torch_peer.py" "${@:4}" "${device[@]}"
        return
    fi
    local said="PyTorch cannot be imported"
    skipped "$2" "$said"
    echo "{\"peer\":\"torch\",\"error\":\"$said: no figures of it\"}" >>"$out/$3"
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

# tier SECONDS STEP [NAME=VALUE...] -- ARGUMENT...: the adapter tests. Before they are ended, what their threads do goes to
# the logs, twice.
tier() {
    local limit step=$2 begun=$SECONDS pid code=0 passed said around=()
    limit=$(time_for "$1")
    shift 2
    while [[ $1 != -- ]]; do around+=("$1") && shift; done
    shift
    if ((limit < 10)); then
        ended "$step" 124 0 "no time was left"
        return
    fi
    env "${around[@]}" "$bin/adapter" --skip cases:: --skip fusion:: --skip sweeps:: "$@" "${tests[@]}" \
        >"$logs/$step.log" 2>"$logs/$step.err" &
    pid=$!
    while kill -0 "$pid" 2>/dev/null && ((SECONDS - begun < limit - 4)); do
        sleep 0.5
    done
    if kill -0 "$pid" 2>/dev/null; then
        stacks "$pid" >"$logs/$step.stacks" 2>/dev/null
        sleep 2
        stacks "$pid" >>"$logs/$step.stacks" 2>/dev/null
        # It may have ended by itself meanwhile.
        kill -KILL "$pid" 2>/dev/null && code=124
    fi
    wait "$pid" 2>/dev/null || code=$((code == 124 ? 124 : 1))
    passed=$(grep -c '\.\.\. ok$' "$logs/$step.log")
    said=$(grep -h '^test result:' "$logs/$step.log" | tail -n 1)
    said=${said:-ended after $((SECONDS - begun)) s, $passed tests passed, $(grep -c 'FAILED$' "$logs/$step.log") failed}
    ended "$step" "$code" $((SECONDS - begun)) "$said"
    return "$code"
}

# What each thread of a process waits for, how long it ran, and where its stack and its instruction are: the map says in
# which library. A thread whose times rise spins.
stacks() {
    local thread
    for thread in /proc/"$1"/task/*; do
        echo "$(<"$thread/comm") $(cat "$thread/wchan") $(cat "$thread/syscall")"
        cut -d ' ' -f 14,15 "$thread/stat"
        cat "$thread/stack"
    done
    grep -E 'r-xp.*(nvidia|vulkan|ld-linux|libc)' /proc/"$1"/maps
    echo "--"
}

# The clocks beside all that follows, where the driver's program is there.
clocks() {
    command -v nvidia-smi >/dev/null || return
    nvidia-smi --query-gpu=timestamp,clocks.sm,clocks.mem,power.draw,clocks_event_reasons.active \
        --format=csv,noheader -lms 100 >"$out/$part-clocks.csv" 2>/dev/null &
    meter=$!
    trap 'kill "$meter" 2>/dev/null; rm -rf "$scratch"' EXIT
}

first() {
    local name log2 k names
    # 1. What the probe found; quotients against the host; the same where another program writes NoContraction.
    limited 20 probe probe.txt "$bin/zerostride" adapters
    limited 25 quotients probe.txt "$bin/adapter" quotients::
    if [[ -x $here/trials/no-contraction/zerostride ]]; then
        limited 20 probe-no-contraction probe.txt "$here/trials/no-contraction/zerostride" adapters
    else
        skipped probe-no-contraction "no program that writes NoContraction is packed: scripts/gpu-day.sh FOLDER TRIALS packs TRIALS/no-contraction/zerostride"
    fi
    # 2. Reductions, at the clocks that the benchmark waits for.
    for log2 in $folded; do
        for k in "${!folds[@]}"; do
            read -ra names <<<"${folds[k]}"
            benched 30 "reductions-$log2-$((k + 1))" reductions.jsonl --log2 "$log2" --runs "$more" -- "${names[@]}"
        done
    done
    # 3. Conformance, f64 among it.
    limited 60 cases log "$bin/adapter" cases::cases_pass
    # 4. Schedules of reductions beside those that are chosen, and trial kernels of them.
    for name in "${folding[@]}"; do
        benched 10 "folds-as-$name" trials.jsonl --log2 "${folded%% *}" --runs "$runs" --schedule "$name" -- "${folded_as[@]}"
    done
    tried 80 fold- "${folded%% *}"
    # 5. Products: 1024^3, 1023^3, 4096 x 64 x 4096 and 1 x 4096 x 4096 at the first size, 4096^3 at the second.
    benched 40 "products-${products%% *}" products.jsonl --log2 "${products%% *}" --runs "$runs" -- \
        matmul matmul_odd matmul_tall vecmat gram
    benched 40 "product-${products##* }" products.jsonl --log2 "${products##* }" --runs "$runs" -- matmul
    skipped "trials of products" "no product has a kernel by hand in tools/bench, whose place a trial could take"
    benched 30 moved products.jsonl --log2 "${products%% *}" --runs "$runs" -- "${moved[@]}"
    # Registers, as the driver tells them: it need not have the extension, then its one line says so.
    limited 30 statistics statistics.jsonl "$bin/zerostride-compilers" statistics
    # Other trial kernels.
    local trial
    for trial in width- loads- staged-; do
        tried 40 "$trial" "$middling"
    done
}

second() {
    local log2 names
    # 6. The adapter tests by one thread; by 16, and if those hang, with libraries that are never unloaded.
    tier 70 tier-1-thread -- --test-threads=1
    if ! tier 30 tier-16-threads -- --test-threads=16; then
        if [[ -r $here/lib/nodlclose.so ]]; then
            tier 26 tier-16-threads-nodlclose LD_PRELOAD="$here/lib/nodlclose.so" -- --test-threads=16
        else
            skipped tier-16-threads-nodlclose "no nodlclose.so is packed: scripts/gpu-day.sh compiles it where cc is"
        fi
    fi
    # 7. What a small call is made of.
    limited 25 steps-of-calls calls.jsonl "$bin/calls" steps
    benched 15 small-calls calls.jsonl --runs "$runs" -- small_sync small_1000 small_run_1000 cold_start
    # 8. Transfers by size.
    limited 30 transfers calls.jsonl "$bin/calls" transfers "$transferred"
    # 9. PyTorch, eager and then compiled.
    # shellcheck disable=SC2086 # They are several.
    peer 60 torch torch.jsonl --log2 $peers --runs "$more"
    # 10. The schedule `one` beside the one that is chosen, by size: those first that tell most if time runs out.
    for log2 in $sizes; do
        benched 15 "chosen-$log2" one.jsonl --log2 "$log2" --runs "$runs" -- "${ranked[@]}"
        benched 15 "one-$log2" one.jsonl --log2 "$log2" --runs "$runs" --schedule one -- "${ranked[@]}"
    done
    # 11. The other workloads at the largest size, and the last of the broadcast shapes.
    benched 25 "workloads-$large" workloads-large.jsonl --log2 "$large" --runs "$runs" -- "${others[@]}"
    mapfile -t names <<<"$("$bench" --broadcasts --list | tail -n 18 | cut -d ' ' -f 1)"
    limited 30 broadcasts broadcasts.jsonl "$bench" --json --broadcasts --log2 "$last_shapes" --runs 3 "${names[@]}"
}

sweeps() {
    local log2 name
    limited 110 "workloads-$middling" workloads-middling.jsonl "$bench" --json --log2 "$middling" --runs "$runs"
    for ((log2 = first; log2 <= last; log2 += 1)); do
        benched 8 "size-$log2" sizes.jsonl --log2 "$log2" --runs "$runs" -- same_add
    done
    peer 30 torch-sizes sizes.jsonl --sizes "$first" "$last" --runs "$runs"
    limited 200 broadcasts broadcasts.jsonl "$bench" --json --broadcasts --log2 "$shapes" --runs "$runs"
    if ((${#schedules[@]} == 0)); then
        skipped schedules "the list of schedules in run.sh is empty"
    fi
    for name in "${schedules[@]}"; do
        benched 30 "schedule-$name" schedules.jsonl --log2 "$middling" --runs "$runs" --schedule "$name" -- "${scheduled[@]}"
    done
    limited 120 growth growth.jsonl "$bench" --json --growth --log2 "$middling" --runs "$runs" 'steps/*' 'inputs/*' 'rank/*'
}

find_driver || exit 1
echo "$listed"
asked=name,driver_version,clocks.max.sm,clocks.max.mem,memory.total
gpu=$(nvidia-smi --query-gpu="$asked" --format=csv,noheader 2>/dev/null | head -n 1)
# Of an earlier run: steps add to what is there.
for file in "$part.jsonl" "$part-logs.tar" "$part-clocks.csv" ${files[$part]}; do rm -f "$out/$file"; done
about="\"date\":\"$(date -u +%Y-%m-%d)\",\"commit\":\"$(<"$here/commit")\",\"cores\":$(nproc),\"gpu\":$(quoted "$gpu")"
about+=",\"loader\":$(quoted "$loader"),\"driver_file\":$(quoted "${VK_DRIVER_FILES:-}")"
record "{\"part\":\"$part\",\"small\":$small,$about}"
clocks
case $part in
first) first ;;
second) second ;;
sweeps) sweeps ;;
esac
if command -v python3 >/dev/null; then
    python3 "$here/summary.py" "$out" || failed=1
else
    echo "== summary: python3 is missing here; summary.py draws it elsewhere"
fi
for step in "${not_run[@]}"; do
    echo "== not run in $part: $step"
done
echo "== $part: $SECONDS s, exit $failed"
exit $failed
