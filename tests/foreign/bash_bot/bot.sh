#!/usr/bin/env bash
# A Boardgame Protocol player by polling, with curl and jq: bot.sh ORIGIN MATCH GAME NAME [DUMP].
# Ends with the match; prints one line of JSON.
set -euo pipefail
origin=$1 match=$2 game=$3 name=$4 dump=${5:-/dev/null}
: "${POLL_S:=0.05}"
decisions=0 refused=0 errors=0 last_error=""

post() { # PATH BODY: the body of the answer, also of a refusal
  curl --silent --show-error --max-time 15 --header 'Content-Type: application/json' \
    ${token:+--header "Authorization: Bearer $token"} --data-binary "$2" "$origin$1"
}

seat=$(post /bgp/seats "$(jq -nc --arg match "$match" --arg name "$name" \
  '{match_id: $match, name: $name, type: "ai"}')")
if ! agent=$(jq -er .agent_id <<<"$seat"); then
  echo "no seat: $seat" >&2
  exit 1
fi
token=$(jq -er .token <<<"$seat")

get_state=$(jq -nc --arg game "$game" --arg match "$match" --arg agent "$agent" '{
  version: "1.0.0", type: "get_state", game: $game, match_id: $match, agent_id: $agent,
  state: {version: "1.0.0"}}')

# What to do next: "end STATUS", "error MESSAGE", "wait", or "act" and the message to send. Which of
# the offers it takes, and the amount, follows from a number that the shell draws.
next='
  if .type == "error" then "error \(.error.message)"
  elif .status == "ended" or .status == "abandoned" then "end \(.status)"
  elif .stage != "act" then "wait"
  else
    (.state.data.available_actions as $offers | $offers[$draw % ($offers | length)]) as $offer
    | ($offer | del(.action_type, .min, .max)
        + if has("min") then
            {amount: (if $draw % 3 == 0 then .min + $draw % (.max - .min + 1) else .min end)}
          else {} end
        + {turn: $turn}) as $data
    | {version, type: "perform_action", game, match_id, agent_id,
       action: {version: .state.version, type: $offer.action_type, data: $data}}
    | "act \(tojson)"
  end'

while true; do
  state=$(post /bgp "$get_state")
  printf '%s\n' "$state" >>"$dump"
  step=$(jq -r --argjson draw "$RANDOM" ".turn as \$turn | $next" <<<"$state")
  case $step in
    end\ *) break ;;
    wait) sleep "$POLL_S" ;;
    error\ *)
      errors=$((errors + 1)) last_error=${step#error }
      [ "$errors" -lt 20 ] || break
      sleep "$POLL_S"
      ;;
    act\ *)
      answer=$(post /bgp "${step#act }")
      printf '%s\n' "$answer" >>"$dump"
      case $answer in
        *'"success"'*) decisions=$((decisions + 1)) ;;
        *) refused=$((refused + 1)) last_error=$answer ;;
      esac
      ;;
  esac
done

jq -nc --arg agent "$agent" --arg status "${step#end }" --arg last "$last_error" \
  --argjson decisions "$decisions" --argjson refused "$refused" --argjson errors "$errors" \
  '{agent: $agent, status: $status, decisions: $decisions, refused: $refused, errors: $errors,
    last_error: $last}'
