#!/bin/sh
# Posts the result of a review with nothing but curl:
#   TIDINGS_URL=https://tidings.example.org TIDINGS_API_KEY=… sh submit-review.sh result.json
# Without TIDINGS_API_KEY it asks as nobody, which a server without keys answers on its own machine.
# The idempotency key stands in the file. So every try is the same submission, and so is the next run of a job that was cut off.
set -eu
: "${TIDINGS_URL:?where Tidings answers}"
file=${1:?the file with the result}
tries=${TIDINGS_TRIES:-6}

grep -q '"idempotency_key"' "$file" || {
  echo "$file has no idempotency_key: without one, a second try could be a second job." >&2
  exit 2
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
try=1
wait=1
while :; do
  # The key comes by the standard input: arguments can be read by everybody on the machine.
  status=$(
    printf '%s\n' "${TIDINGS_API_KEY:+authorization: Bearer $TIDINGS_API_KEY}" |
      curl --silent --show-error --max-time 15 --header @- --header 'content-type: application/json' \
        --data-binary "@$file" --output "$work/answer" --dump-header "$work/headers" --write-out '%{http_code}' \
        "${TIDINGS_URL%/}/api/v1/reviews/jobs"
  ) || status=000
  case $status in
    2??)
      cat "$work/answer"
      echo
      exit 0
      ;;
    # No answer, too often, or trouble on the way: the same again is safe.
    000 | 408 | 429 | 500 | 502 | 503 | 504) ;;
    *)
      cat "$work/answer" >&2
      echo >&2
      exit 1
      ;;
  esac
  if [ "$try" -ge "$tries" ]; then
    echo "No answer after $try tries; the last status was $status." >&2
    exit 1
  fi
  after=
  if [ "$status" != 000 ]; then
    after=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]\{1,9\}\).*/\1/p' "$work/headers" | tail -n 1)
  fi
  if [ "${after:-0}" -gt 60 ]; then
    echo "The server asks to wait for $after s, which is longer than 60; the last status was $status." >&2
    exit 1
  fi
  sleep "${after:-$wait}"
  try=$((try + 1))
  wait=$((wait * 2))
done
