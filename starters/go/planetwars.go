// Plays Planet Wars: every strong planet takes the planet near it that pays best.
// The conversation is JSON, one object a line; docs/bot-protocol.md describes it.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
)

type planet struct {
	ID     int     `json:"id"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Growth int     `json:"growth"`
	Owner  int     `json:"owner"`
	Ships  int     `json:"ships"`
}

type message struct {
	Type   string `json:"type"`
	Number int    `json:"number"`
	Past   bool   `json:"past"`
	Why    string `json:"why"`
	View   struct {
		Planets []planet `json:"planets"`
		You     int      `json:"you"`
	} `json:"view"`
}

type launch struct {
	From  int `json:"from"`
	To    int `json:"to"`
	Ships int `json:"ships"`
}

type act struct {
	Launches []launch `json:"launches"`
	Upgrades []int    `json:"upgrades"`
	Message  *int     `json:"message"`
}

func decide(planets []planet, me int) act {
	decided := act{Launches: []launch{}, Upgrades: []int{}}
	aimed := map[int]bool{}
	for _, from := range planets {
		if from.Owner != me {
			continue
		}
		best, chosen := 0.0, launch{}
		for _, to := range planets {
			turns := int(math.Ceil(math.Hypot(from.X-to.X, from.Y-to.Y)))
			needed := to.Ships + 1
			if to.Owner != 0 {
				needed += to.Growth * turns
			}
			pays := (float64(to.Growth) + 0.1) / float64(needed+turns)
			if to.Owner != me && !aimed[to.ID] && needed < from.Ships && pays > best {
				best, chosen = pays, launch{from.ID, to.ID, needed}
			}
		}
		if best > 0 {
			aimed[chosen.To] = true
			decided.Launches = append(decided.Launches, chosen)
		}
	}
	return decided
}

func main() {
	// Standard output is not buffered: each line leaves at once.
	say := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 64<<20)
	for lines.Scan() {
		var told message
		if err := json.Unmarshal(lines.Bytes(), &told); err != nil {
			fmt.Fprintln(os.Stderr, err)
			continue
		}
		switch {
		case told.Type == "hello":
			say.Encode(map[string]any{"type": "ready", "protocol": 1})
		case told.Type == "refused":
			fmt.Fprintln(os.Stderr, "refused:", told.Why)
		case told.Type == "ask" && !told.Past:
			decided := decide(told.View.Planets, told.View.You)
			say.Encode(map[string]any{"type": "act", "number": told.Number, "act": decided})
		}
	}
}
