// The conversation with Drover: JSON, one object a line. docs/bot-protocol.md describes it.
//
// Each game is played by the bot that its file enters into bots. What a bot may have besides decide: begin(match),
// seen(event), played(act) and end(result), each with a json.RawMessage. A program that is restarted in a match is sent
// all of that again, but not asked again: what a bot keeps, it keeps in seen and played.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
)

// Bytes of a line at most.
const lineMax = 64 << 20

// A decision that is due.
type turn struct {
	ask  json.RawMessage
	view json.RawMessage
	acts []json.RawMessage
	// Seeded by the decision, so that one that is made once more is the same.
	random *rand.Rand
}

type bot interface {
	// An act: anything that becomes its JSON.
	decide(turn turn) any
}

// By game: makes the bot that plays it.
var bots = map[string]func() bot{}

type message struct {
	Type   string            `json:"type"`
	Game   string            `json:"game"`
	Number int               `json:"number"`
	Past   bool              `json:"past"`
	Why    string            `json:"why"`
	Event  json.RawMessage   `json:"event"`
	Act    json.RawMessage   `json:"act"`
	Ask    json.RawMessage   `json:"ask"`
	View   json.RawMessage   `json:"view"`
	Acts   []json.RawMessage `json:"acts"`
}

// Standard output is not buffered: each line leaves at once.
var out = json.NewEncoder(os.Stdout)

// Sends a line.
func say(line map[string]any) {
	if err := out.Encode(line); err != nil {
		fail(err)
	}
}

// Keeps something, any JSON, for the next match: it is the `note` of that match.
func note(about any) {
	say(map[string]any{"type": "note", "note": about})
}

// Reads what Drover has sent; it keeps to its own schema.
func read(text []byte, to any) {
	if err := json.Unmarshal(text, to); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<16), lineMax)
	var player bot
	for lines.Scan() {
		var kind struct {
			Type string `json:"type"`
		}
		read(lines.Bytes(), &kind)
		switch kind.Type {
		case "hello", "match", "seen", "played", "ask", "refused", "end":
			// The next line takes the place of this one: what a bot keeps of it is a copy.
			player = receive(player, append(json.RawMessage(nil), lines.Bytes()...))
		}
	}
	if err := lines.Err(); err != nil {
		fail(err)
	}
}

// Has the player receive a line of a known type; who plays from now on.
func receive(player bot, whole json.RawMessage) bot {
	var line message
	read(whole, &line)
	switch line.Type {
	case "hello":
		maker, isThere := bots[line.Game]
		if !isThere {
			fail(fmt.Errorf("there is no bot for %s here", line.Game))
		}
		player = maker()
		say(map[string]any{"type": "ready", "protocol": 1})
	case "match":
		if player, ok := player.(interface{ begin(json.RawMessage) }); ok {
			player.begin(whole)
		}
	case "seen":
		if player, ok := player.(interface{ seen(json.RawMessage) }); ok {
			player.seen(line.Event)
		}
	case "played":
		if player, ok := player.(interface{ played(json.RawMessage) }); ok {
			player.played(line.Act)
		}
	case "ask":
		if !line.Past {
			random := rand.New(rand.NewSource(int64(line.Number)))
			act := player.decide(turn{line.Ask, line.View, line.Acts, random})
			say(map[string]any{"type": "act", "number": line.Number, "act": act})
		}
	case "refused":
		fmt.Fprintln(os.Stderr, "refused:", line.Why)
	case "end":
		if player, ok := player.(interface{ end(json.RawMessage) }); ok {
			player.end(whole)
		}
	}
	return player
}
