// Tests of the decisions, with recorded questions: `go test`.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"testing"
)

// question returns a recorded question.
func question(t *testing.T, file string) (turn Turn) {
	t.Helper()
	content, err := os.ReadFile("questions/" + file + ".json")
	if err == nil {
		err = json.Unmarshal(content, &turn)
	}
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

func expect(t *testing.T, turn Turn, action string) {
	t.Helper()
	if answer := act(turn); answer != (Answer{Action: action}) {
		t.Errorf("%s instead of %s", answer.Action, action)
	}
}

func TestNothingIsFoldedThatCanBeChecked(t *testing.T) {
	expect(t, question(t, "free_check"), "check")
}

func TestALowPairCallsOnlyIfThatIsCheap(t *testing.T) {
	turn := question(t, "short_stack")
	expect(t, turn, "call") // 230 into 973
	turn.Pot = 900
	expect(t, turn, "fold")
}

func TestAfterARefusalItPlaysSafe(t *testing.T) {
	expect(t, question(t, "second_attempt"), "fold")
}

func TestARaiseIsATotalBetweenTheLimits(t *testing.T) {
	turn := question(t, "free_check")
	turn.HoleCards = []Card{{"A", "clubs"}, {"A", "hearts"}}
	for number := 0; number < 100; number++ {
		turn.RequestID = fmt.Sprintf("main/7:%d:1", number)
		answer := act(turn)
		switch {
		case answer.Action == "bet" && answer.Amount >= turn.MinRaiseTo && answer.Amount <= turn.MaxRaiseTo:
		case answer == Answer{Action: "check"}:
		default:
			t.Errorf("%s: %+v", turn.RequestID, answer)
		}
	}
}

func TestARequestThatIsSentAgainGetsTheSameAnswer(t *testing.T) {
	for _, file := range []string{"free_check", "short_stack", "second_attempt"} {
		if turn := question(t, file); act(turn) != act(turn) {
			t.Errorf("%s got two answers", file)
		}
	}
}

func TestItsPartIsForTheFirstCommitmentOfABlockOnly(t *testing.T) {
	call := func(block string, more object) object {
		request := object{"tableId": "main", "playerId": "p1", "block": block}
		for key, value := range more {
			request[key] = value
		}
		content, _ := json.Marshal(request)
		answer, refusal := contribute(content)
		if refusal != nil {
			return object{"refused": refusal.message}
		}
		return answer.(object)
	}
	own := call("main/1/1", nil)
	commit := func(roots string) object {
		part := object{"playerId": "p1", "commitment": own["commitment"]}
		return object{"commitment": object{"roots": roots, "commitments": []object{part}}}
	}
	first := call("main/1/1", commit("a"))
	if entropy, _ := first["entropy"].(string); len(entropy) != 43 {
		t.Errorf("no entropy: %v", first)
	}
	if !reflect.DeepEqual(call("main/1/1", commit("a")), first) || !reflect.DeepEqual(call("main/1/1", nil), own) {
		t.Error("a call that is sent again got another answer")
	}
	for _, wrong := range []object{commit("b"), {"commitment": object{"roots": "a"}}} {
		if call("main/1/1", wrong)["refused"] == nil {
			t.Errorf("not refused: %v", wrong)
		}
	}
	if len(call("main/1/1", object{"contributed": object{"block": "main/1/1"}})) != 0 {
		t.Error("what all contributed needs no answer")
	}
	if reflect.DeepEqual(call("main/1/2", nil), own) {
		t.Error("two blocks have the same part")
	}
}
