# The steps of .ci/run and .ci/night, and how they are counted.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
export DEBIAN_FRONTEND=noninteractive
passed=0 failed=0 skipped=0 results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

step() { # step NAME COMMAND…: one check
  local name=$1 start=$SECONDS before outcome
  shift
  before=$(processor)
  printf '\n== %s\n' "$name"
  if "$@"; then
    passed=$((passed + 1)) outcome=ok
  else
    failed=$((failed + 1)) outcome=FAILED
    printf 'step: %s\n' "$name" >>"$results/failed"
  fi
  printf -- '-- %s: %s, %s s, %s s of processor\n' "$name" "$outcome" $((SECONDS - start)) $(($(processor) - before))
}

processor() { # seconds of processor time of all processes that have ended, user and system
  awk '{ print int(($16 + $17) / '"$(getconf CLK_TCK)"') }' "/proc/$$/stat"
}

tests() { # tests SCRIPT [ARGUMENT…]: a script of package.json that runs vitest; every test counts by itself
  local script=$1 file status counts
  shift
  file=$results/${script//:/-}.json
  npm run --silent "$script" -- "$@" --reporter=default --reporter=json --outputFile.json="$file"
  status=$?
  counts=$(npx --no-install node .ci/count.ts "$file" "$results/absent" "$results/failed") || status=1
  read -r one other third <<<"$counts"
  passed=$((passed + ${one:-0})) failed=$((failed + ${other:-0})) skipped=$((skipped + ${third:-0}))
  return $status
}

long() { # long [--night] [NAME…]: every suite counts by itself
  npm run --silent test:long -- "$@" | tee "$results/long.log"
  local status=${PIPESTATUS[0]} line
  grep -E '^-- .*: FAILED' "$results/long.log" >>"$results/failed"
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$results/long.log" | tail -1)
  passed=$((passed + $(sed -E 's/^([0-9]+) passed.*/\1/' <<<"${line:-0 passed}")))
  failed=$((failed + $(sed -E 's/.* ([0-9]+) failed.*/\1/' <<<"${line:-0 failed}")))
  if [[ $line =~ ([0-9]+)\ did\ not\ run:\ (.*)$ ]]; then
    skipped=$((skipped + BASH_REMATCH[1]))
    printf '%s\n' "${BASH_REMATCH[2]}" >>"$results/absent"
  fi
  return "$status"
}

debian() { # debian PACKAGE…: fails if one of them cannot be installed
  apt-get update -q </dev/null >"$results/apt.log" 2>&1
  apt-get install -y -q --no-install-recommends "$@" </dev/null >>"$results/apt.log" 2>&1 || {
    tail -20 "$results/apt.log"
    return 1
  }
}

downloaded() { # downloaded PACKAGE…: in apt's cache, for a root without a network
  apt-get install -y -q --no-install-recommends --reinstall --download-only "$@" </dev/null >"$results/apt.log" 2>&1 || {
    tail -20 "$results/apt.log"
    return 1
  }
}

exim_beside() { # exim_beside PACKAGE…: installs these, and unpacks Exim, which Debian installs only in the place of another server
  local root=$PWD/node_modules/.cache/exim
  debian "$@" libidn12 libgnutls-dane0 libnsl2 libdb5.3 adduser || return 1
  (cd "$results" && apt-get download -q exim4-daemon-light && mkdir -p "$root" && dpkg -x exim4-daemon-light_*.deb "$root") || return 1
  id Debian-exim >/dev/null 2>&1 ||
    adduser --system --group --quiet --no-create-home --disabled-login --force-badname Debian-exim
}

promtool_unpacked() { # promtool alone, since its package starts a server
  local root=$PWD/node_modules/.cache/prometheus
  (cd "$results" && apt-get download -q prometheus >apt.log 2>&1 && mkdir -p "$root" && dpkg -x prometheus_*.deb "$root")
}

finish() { # what failed, what did not run, and the closing line
  [ -s "$results/failed" ] && printf '\nfailed:\n' && cat "$results/failed"
  [ -s "$results/absent" ] && printf '\ndid not run: %s\n' "$(paste -sd, "$results/absent" | sed 's/,/, /g')"
  if [ "$skipped" -gt 0 ]; then
    printf '\n%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
  else
    printf '\n%s passed, %s failed\n' "$passed" "$failed"
  fi
  [ "$failed" -eq 0 ]
}
