// The bot's part in a fair deal: nobody can choose the cards while one player's part is random.
// It is 32 random bytes for each block of hands. The table first gets their hash, and the bytes only
// for the first decks to which it commits itself, so that it cannot try one deck after the other.
package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"reflect"
	"sync"
)

// mostBlocks is after how many the bot takes no part until it is started again.
const mostBlocks = 1000

// place names a part: one player's in one block.
type place struct{ TableID, PlayerID, Block string }

// part is the bot's part in one block, and the first commitment that it was shown.
type part struct {
	entropy [32]byte
	first   object
}

var (
	parts     = map[place]*part{}
	partsLock sync.Mutex
)

// contribute answers one of the table's three calls for a block.
func contribute(data json.RawMessage) (any, *refused) {
	var call struct {
		place
		Commitment, Contributed object
	}
	if err := json.Unmarshal(data, &call); err != nil {
		return nil, &refused{badParams, "not a call of contribute: " + err.Error()}
	}
	if call.Contributed != nil { // what all gave, from which anybody can compute the deal
		return object{}, nil
	}
	partsLock.Lock()
	defer partsLock.Unlock()
	own := parts[call.place]
	if call.Commitment == nil {
		if own == nil && len(parts) < mostBlocks {
			own = &part{}
			if _, err := rand.Read(own.entropy[:]); err != nil {
				return nil, &refused{failed, err.Error()}
			}
			parts[call.place] = own
		}
		if own == nil {
			return object{}, nil
		}
		return object{"commitment": own.hash()}, nil
	}
	if own == nil || !contains(call.Commitment["commitments"], call.PlayerID, own.hash()) {
		return nil, &refused{badParams, "commitment: it does not have this bot's part"}
	}
	if own.first == nil {
		own.first = call.Commitment
	}
	if !reflect.DeepEqual(own.first, call.Commitment) {
		return nil, &refused{badParams, "commitment: the block has had another one before"}
	}
	return object{"entropy": base64.RawURLEncoding.EncodeToString(own.entropy[:])}, nil
}

// hash is what the table gets first.
func (own *part) hash() string {
	hash := sha256.Sum256(own.entropy[:])
	return base64.RawURLEncoding.EncodeToString(hash[:])
}

// contains says whether a part is in a list of commitments.
func contains(commitments any, playerID, commitment string) bool {
	list, _ := commitments.([]any)
	for _, one := range list {
		if reflect.DeepEqual(one, object{"playerId": playerID, "commitment": commitment}) {
			return true
		}
	}
	return false
}
