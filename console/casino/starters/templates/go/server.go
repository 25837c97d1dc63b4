// The server of the bot: `go run .`. There is nothing to change here to play better.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
)

const (
	extension  = "urn:a2a-casino:typed-entrypoints:v1"
	parseError = -32700
	noMethod   = -32601
	badParams  = -32602
	failed     = -32603
)

type object = map[string]any

// card returns the agent card: where the bot is called, and what it can do.
func card(address string) object {
	skill := func(id, description string) object {
		return object{"id": id, "name": id, "description": description, "tags": []string{"poker"}}
	}
	return object{
		"name":        name,
		"description": "Plays Texas Hold'em for chips.",
		"version":     "1",
		"supportedInterfaces": []object{{
			"url": "http://" + address + "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0",
		}},
		"capabilities":       object{"extensions": []object{{"uri": extension}}},
		"defaultInputModes":  []string{"application/json"},
		"defaultOutputModes": []string{"application/json"},
		"skills": []object{
			skill("signup", "Takes a seat."), skill("act", "Decides a turn."),
			skill("contribute", "Takes part in the deal."),
		},
	}
}

// refused is an error that is the answer to a call: a code of JSON-RPC and a sentence.
type refused struct {
	code    int
	message string
}

// signup takes a seat at a table; games that the bot cannot play are refused.
func signup(data json.RawMessage) (any, *refused) {
	var invitation struct{ TableID, GameType string }
	if err := json.Unmarshal(data, &invitation); err != nil {
		return nil, &refused{badParams, "not an invitation: " + err.Error()}
	}
	if game := invitation.GameType; game != "" && game != "texas-holdem" {
		return nil, &refused{badParams, name + " plays texas-holdem only, not " + game}
	}
	log.Printf("seat at %s", invitation.TableID)
	return object{"displayName": name}, nil
}

// decide decides a turn and logs it.
func decide(data json.RawMessage) (any, *refused) {
	var turn Turn
	if err := json.Unmarshal(data, &turn); err != nil {
		return nil, &refused{badParams, "not a turn: " + err.Error()}
	}
	if len(turn.HoleCards) != 2 || len(turn.LegalActions) == 0 {
		return nil, &refused{badParams, "act needs holeCards and legalActions"}
	}
	if turn.Rejected != nil {
		log.Printf("rejected: %s", turn.Rejected.Message)
	}
	answer := act(turn)
	decision := answer.Action
	if answer.Amount > 0 {
		decision += fmt.Sprintf(" %v", answer.Amount)
	}
	log.Printf("%s %s %s | %s  pot %v, to call %v: %s", turn.RequestID, turn.BettingRound,
		letters(turn.HoleCards), letters(turn.CommunityCards), turn.Pot, turn.ToCall, decision)
	return answer, nil
}

// letters returns cards as letters, such as `Ks Td`.
func letters(dealt []Card) string {
	if len(dealt) == 0 {
		return "-"
	}
	words := make([]string, len(dealt))
	for index, card := range dealt {
		words[index] = fmt.Sprintf("%s%.1s", card.Rank, card.Suit)
	}
	return strings.Join(words, " ")
}

// replyTo answers a JSON-RPC call; every fault is an answer, too, so that the caller learns of it.
func replyTo(body []byte) (reply object) {
	var call struct {
		ID     any    `json:"id"`
		Method string `json:"method"`
		Params struct {
			Message struct {
				Metadata map[string]json.RawMessage `json:"metadata"`
				Parts    []struct {
					Data json.RawMessage `json:"data"`
				} `json:"parts"`
			} `json:"message"`
		} `json:"params"`
	}
	fault := func(code int, message string) object {
		return object{"jsonrpc": "2.0", "id": call.ID, "error": object{"code": code, "message": message}}
	}
	if err := json.Unmarshal(body, &call); err != nil {
		if json.Valid(body) {
			return fault(badParams, "not a call of a skill: "+err.Error())
		}
		return fault(parseError, "the body is no JSON: "+err.Error())
	}
	if call.Method != "SendMessage" {
		return fault(noMethod, "no method "+call.Method+"; there is SendMessage")
	}
	var called struct{ Skill string }
	_ = json.Unmarshal(call.Params.Message.Metadata[extension], &called)
	skill, isKnown := map[string]func(json.RawMessage) (any, *refused){
		"signup": signup, "act": decide, "contribute": contribute,
	}[called.Skill]
	if !isKnown {
		return fault(badParams, "no skill "+called.Skill+"; there are signup, act, contribute")
	}
	parts := call.Params.Message.Parts
	if len(parts) == 0 || len(parts[0].Data) == 0 {
		return fault(badParams, "not a call of a skill: the first part has no data")
	}
	defer func() {
		if mistake := recover(); mistake != nil { // in act: the table is told which
			log.Printf("panic: %v", mistake)
			reply = fault(failed, fmt.Sprint(mistake))
		}
	}()
	answer, refusal := skill(parts[0].Data)
	if refusal != nil {
		log.Printf("%s refused: %s", called.Skill, refusal.message)
		return fault(refusal.code, refusal.message)
	}
	part := object{"data": answer, "mediaType": "application/json"}
	message := object{"messageId": fmt.Sprintf("r-%v", call.ID), "role": "ROLE_AGENT", "parts": []object{part}}
	return object{"jsonrpc": "2.0", "id": call.ID, "result": object{"message": message}}
}

// serve answers one request: the card, at the address that it was asked at, or a call.
func serve(writer http.ResponseWriter, request *http.Request) {
	status, answer := http.StatusOK, object{}
	switch {
	case request.Method == http.MethodPost:
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return
		}
		answer = replyTo(body)
	case request.URL.Path == "/.well-known/agent-card.json":
		answer = card(request.Host)
	default:
		status = http.StatusNotFound
		answer = object{"error": "the card is at /.well-known/agent-card.json"}
	}
	content, err := json.Marshal(answer)
	if err != nil {
		log.Print(err)
		http.Error(writer, err.Error(), http.StatusInternalServerError)
		return
	}
	writer.Header().Set("Content-Type", "application/json")
	writer.Header().Set("Content-Length", strconv.Itoa(len(content)))
	writer.WriteHeader(status)
	writer.Write(content)
}

// setting returns an environment variable, or what it is by default.
func setting(variable, otherwise string) string {
	if value := os.Getenv(variable); value != "" {
		return value
	}
	return otherwise
}

func main() {
	log.SetFlags(0)
	log.SetOutput(os.Stdout)
	address := net.JoinHostPort(setting("HOST", "127.0.0.1"), setting("PORT", "9000"))
	log.Printf("%s: http://%s/.well-known/agent-card.json", name, address)
	log.Fatal(http.ListenAndServe(address, http.HandlerFunc(serve)))
}
