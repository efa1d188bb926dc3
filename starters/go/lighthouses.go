// Plays Lighthouses: walks to the nearest lighthouse that it can take, takes it, and connects what it can.
package main

import (
	"encoding/json"
	"strings"
)

type lighthouses struct {
	seat   int
	width  int
	island string
	cells  []int
}

func init() { bots["lighthouses"] = func() bot { return &lighthouses{} } }

type chart struct {
	Width       int      `json:"width"`
	Rows        []string `json:"rows"`
	Lighthouses []int    `json:"lighthouses"`
}

type island struct {
	Position int      `json:"position"`
	Energy   int      `json:"energy"`
	Seen     [][2]int `json:"seen"`
	Beacons  []struct {
		Owner  *int `json:"owner"`
		Energy int  `json:"energy"`
	} `json:"beacons"`
}

type islandAct struct {
	Connect *int `json:"connect"`
	Attack  int  `json:"attack"`
	Move    *struct {
		DX int `json:"dx"`
		DY int `json:"dy"`
	} `json:"move"`
}

// Keeps the chart. A restarted program is sent it again.
func (bot *lighthouses) seen(event json.RawMessage) {
	var seen struct {
		Begins []json.RawMessage `json:"begins"`
	}
	if json.Unmarshal(event, &seen) != nil || len(seen.Begins) < 2 {
		return
	}
	var chart chart
	read(seen.Begins[0], &chart)
	read(seen.Begins[1], &bot.seat)
	bot.width, bot.island, bot.cells = chart.Width, strings.Join(chart.Rows, ""), chart.Lighthouses
}

func (bot *lighthouses) decide(turn turn) any {
	var view island
	read(turn.view, &view)
	goals, weakest := map[int]bool{}, 0
	for at, cell := range bot.cells {
		beacon := view.Beacons[at]
		isOwn := beacon.Owner != nil && *beacon.Owner == bot.seat
		if !isOwn && beacon.Energy < view.Energy {
			goals[cell] = cell != view.Position
			if cell == view.Position {
				weakest = beacon.Energy + 1
			}
		}
	}
	step := bot.step(view.Position, goals)
	energy := map[int]int{}
	for _, seen := range view.Seen {
		energy[seen[0]] = seen[1]
	}
	var best any = "pass"
	most := -1
	for _, text := range turn.acts {
		var act islandAct
		if json.Unmarshal(text, &act) != nil {
			continue // "pass"
		}
		good := -1
		if act.Connect != nil {
			return text
		} else if act.Attack > 0 && weakest > 0 && act.Attack >= weakest {
			good = 1<<40 + act.Attack
		} else if act.Move != nil {
			// A step on the way is best, then one to where energy lies.
			to := view.Position + act.Move.DY*bot.width + act.Move.DX
			good = energy[to]
			if to == step {
				good = 1 << 39
			}
		}
		if good > most {
			best, most = text, good
		}
	}
	return best
}

// The first step of a shortest way to one of these cells; -1 if there is none.
func (bot *lighthouses) step(here int, goals map[int]bool) int {
	first := map[int]int{here: -1}
	waiting := []int{here}
	for at := 0; at < len(waiting); at++ {
		cell := waiting[at]
		if goals[cell] {
			return first[cell]
		}
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				to := cell + dy*bot.width + dx
				_, isKnown := first[to]
				// The island has water all around it.
				if isKnown || bot.island[to] != '#' {
					continue
				}
				first[to] = first[cell]
				if cell == here {
					first[to] = to
				}
				waiting = append(waiting, to)
			}
		}
	}
	return -1
}
