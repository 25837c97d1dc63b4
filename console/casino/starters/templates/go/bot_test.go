// Tests of the decisions, with recorded questions: `go test`.
package main

import (
	"encoding/json"
	"fmt"
	"os"
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
