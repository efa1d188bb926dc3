// Plays Planet Wars: every strong planet takes the planet near it that pays best.
package main

import "math"

type planetwars struct{}

func init() { bots["planetwars"] = func() bot { return planetwars{} } }

type space struct {
	You     int      `json:"you"`
	Planets []planet `json:"planets"`
	Fleets  []struct {
		Owner int `json:"owner"`
		To    int `json:"to"`
	} `json:"fleets"`
}

type planet struct {
	ID     int     `json:"id"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Growth int     `json:"growth"`
	Owner  int     `json:"owner"`
	Ships  int     `json:"ships"`
}

type launch struct {
	From  int `json:"from"`
	To    int `json:"to"`
	Ships int `json:"ships"`
}

type orders struct {
	Launches []launch `json:"launches"`
	Upgrades []int    `json:"upgrades"`
	Message  *int     `json:"message"`
}

func (planetwars) decide(turn turn) any {
	var view space
	read(turn.view, &view)
	decided := orders{Launches: []launch{}, Upgrades: []int{}}
	aimed := map[int]bool{}
	for _, fleet := range view.Fleets {
		if fleet.Owner == view.You {
			aimed[fleet.To] = true
		}
	}
	for _, from := range view.Planets {
		if from.Owner != view.You {
			continue
		}
		best, chosen := 0.0, launch{}
		for _, to := range view.Planets {
			turns := int(math.Ceil(math.Hypot(from.X-to.X, from.Y-to.Y)))
			ships := to.Ships + 1
			if to.Owner != 0 {
				ships += to.Growth * turns
			}
			pays := (float64(to.Growth) + 0.1) / float64(ships+turns)
			if to.Owner != view.You && !aimed[to.ID] && ships < from.Ships && pays > best {
				best, chosen = pays, launch{from.ID, to.ID, ships}
			}
		}
		if best > 0 {
			aimed[chosen.To] = true
			decided.Launches = append(decided.Launches, chosen)
		}
	}
	return decided
}
