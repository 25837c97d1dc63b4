// The decisions of the bot: change act, and run `go test` after it.
package main

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand"
	"strings"
)

// name is what the casino displays.
const name = "My bot"

const strengths = "23456789TJQKA"

// Card is a card, such as {"T", "hearts"}.
type Card struct {
	Rank string `json:"rank"`
	Suit string `json:"suit"`
}

// Turn is a question: what the bot knows when it must decide. Amounts may have decimals.
type Turn struct {
	RequestID      string   `json:"requestId"`
	BettingRound   string   `json:"bettingRound"`
	HoleCards      []Card   `json:"holeCards"`
	CommunityCards []Card   `json:"communityCards"`
	LegalActions   []string `json:"legalActions"` // exactly what is accepted
	Pot            float64  `json:"pot"`
	CurrentBet     float64  `json:"currentBet"`
	ToCall         float64  `json:"toCall"`
	MinRaiseTo     float64  `json:"minRaiseTo"` // 0 where neither bet nor raise is legal
	MaxRaiseTo     float64  `json:"maxRaiseTo"`
	PlayerStack    float64  `json:"playerStack"`
	Players        []struct {
		PlayerID    string  `json:"playerId"`
		DisplayName string  `json:"displayName"`
		SeatNumber  int     `json:"seatNumber"`
		Stack       float64 `json:"stack"`
		Bet         float64 `json:"bet"`
		Status      string  `json:"status"`
	} `json:"players"`
	History []struct {
		PlayerID     string  `json:"playerId"`
		BettingRound string  `json:"bettingRound"`
		Action       string  `json:"action"`
		Amount       float64 `json:"amount"`
	} `json:"history"`
	Rejected *struct {
		Reason  string `json:"reason"`
		Message string `json:"message"`
	} `json:"rejected"` // only on the second attempt
}

// Answer is a decision; Amount is a total for this betting round, for bet and raise only.
type Answer struct {
	Action    string  `json:"action"`
	Amount    float64 `json:"amount,omitempty"`
	Reasoning string  `json:"reasoning,omitempty"`
}

// act decides one turn.
func act(turn Turn) Answer {
	if turn.Rejected != nil { // the second and last attempt: play safe
		if turn.can("check") {
			return Answer{Action: "check"}
		}
		return Answer{Action: "fold"}
	}
	strength := strengthOf(turn.HoleCards, turn.CommunityCards)
	for _, kind := range []string{"bet", "raise"} {
		if turn.can(kind) && strength >= 2 && dice(turn.RequestID).Float64() < 0.8 {
			// A total for this betting round: half of the pot more than now, within the limits.
			wanted := math.Round((turn.CurrentBet+math.Floor(turn.Pot/2))*1e6) / 1e6
			amount := math.Min(math.Max(wanted, turn.MinRaiseTo), turn.MaxRaiseTo)
			return Answer{kind, amount, fmt.Sprintf("strength %d", strength)}
		}
	}
	if turn.can("check") {
		return Answer{Action: "check"}
	}
	isCheap := turn.ToCall*4 <= turn.Pot
	if turn.can("call") && (strength >= 2 || strength == 1 && isCheap) {
		return Answer{Action: "call"}
	}
	return Answer{Action: "fold"}
}

// can says whether an action is legal now.
func (turn Turn) can(action string) bool {
	for _, legal := range turn.LegalActions {
		if legal == action {
			return true
		}
	}
	return false
}

// dice are always the same for a request, because it may be sent again.
func dice(requestID string) *rand.Rand {
	hash := fnv.New64a()
	hash.Write([]byte(requestID))
	return rand.New(rand.NewSource(int64(hash.Sum64())))
}

// strengthOf returns 3 (two pair or better with my cards), 2 (good), 1 (something) or 0 (nothing).
func strengthOf(hole, board []Card) int {
	const jack = 9
	first, second := rankOf(hole[0]), rankOf(hole[1])
	low, high := first, second
	if low > high {
		low, high = high, low
	}
	best, hits, pair := -1, 0, -1
	for _, card := range board {
		if rankOf(card) > best {
			best = rankOf(card)
		}
	}
	for _, rank := range []int{first, second} {
		for _, card := range board {
			if rankOf(card) == rank {
				hits, pair = hits+1, rank
				break
			}
		}
	}
	switch {
	case first == second && (hits > 0 || low >= jack):
		return 3
	case first == second:
		return 2
	case hits == 2:
		return 3
	case hits == 1 && pair == best:
		return 2
	case hits == 1:
		return 1
	case len(board) > 0:
		return 0
	case low >= jack: // two of J, Q, K, A
		return 2
	case high >= jack:
		return 1
	}
	return 0
}

func rankOf(card Card) int {
	return strings.Index(strengths, card.Rank)
}
