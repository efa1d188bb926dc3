// Plays smart-dog: each dog goes to the far side of a sheep, seen from its pen, and barks it home.
package main

import "strings"

type smartdog struct{}

func init() { bots["smartdog"] = func() bot { return smartdog{} } }

type spot struct {
	X int `json:"x"`
	Y int `json:"y"`
}

type meadow struct {
	Seat   int `json:"seat"`
	Turn   int `json:"turn"`
	Ground struct {
		Torus struct {
			Cols int `json:"cols"`
			Rows int `json:"rows"`
		} `json:"torus"`
		Land    string `json:"land"`
		Options struct {
			Barking int `json:"dogBarkingR"`
		} `json:"options"`
	} `json:"ground"`
	Seen []struct {
		Dog   *dog `json:"dog"`
		Sheep *struct {
			Spot spot `json:"spot"`
		} `json:"sheep"`
	} `json:"seen"`
}

type dog struct {
	ID     int    `json:"id"`
	Spot   spot   `json:"spot"`
	Owner  int    `json:"owner"`
	Action string `json:"action"`
}

type way struct {
	name string
	step spot
}

var ways = []way{{"up", spot{0, -1}}, {"left", spot{-1, 0}}, {"down", spot{0, 1}}, {"right", spot{1, 0}}}

func (smartdog) decide(turn turn) any {
	var view meadow
	read(turn.view, &view)
	home, strays, sheep := map[spot]bool{}, []spot{}, []spot{}
	homes, taken := []spot{}, map[spot]bool{}
	for at, cell := range view.Ground.Land {
		if int(cell) == '1'+view.Seat {
			pen := spot{at % view.Ground.Torus.Cols, at / view.Ground.Torus.Cols}
			home[pen], homes = true, append(homes, pen)
		}
	}
	for _, thing := range view.Seen {
		if thing.Dog != nil {
			taken[thing.Dog.Spot] = true
		}
		if thing.Sheep != nil {
			at := thing.Sheep.Spot
			taken[at], sheep = true, append(sheep, at)
			if !home[at] {
				strays = append(strays, at)
			}
		}
	}
	orders := []any{}
	for _, thing := range view.Seen {
		// A dog in panic neither moves nor barks.
		if thing.Dog == nil || thing.Dog.Owner != view.Seat || thing.Dog.Action == "panic" {
			continue
		}
		dog, here := thing.Dog, thing.Dog.Spot
		free := view.free(here, taken)
		hasGoal, goal := len(strays) > 0 && len(homes) > 0, spot{}
		if hasGoal {
			goal = view.goal(here, strays, homes)
		}
		if len(free) > 0 && !(hasGoal && here == goal) {
			chosen := view.wander(dog.ID, free, turn)
			if hasGoal {
				chosen = view.nearer(here, goal, free)
			}
			orders = append(orders, map[string]any{"move": []any{dog.ID, chosen.name}})
			here = view.moved(here, chosen.step)
			taken[here] = true
		}
		// An indignant one moves, but does not bark.
		if hasGoal && here == goal && dog.Action == "move" && view.gain(here, sheep, home) > 0 {
			orders = append(orders, map[string]any{"bark": dog.ID})
		}
	}
	return orders
}

// Where a bark drives the nearest sheep towards the pen: sheep run straight away from it.
func (view meadow) goal(here spot, strays, homes []spot) spot {
	prey := view.nearest(here, strays)
	way := view.way(prey, view.nearest(prey, homes))
	switch {
	case way.X*way.X > way.Y*way.Y && way.X > 0:
		return view.moved(prey, spot{-1, 0})
	case way.X*way.X > way.Y*way.Y:
		return view.moved(prey, spot{1, 0})
	case way.Y > 0:
		return view.moved(prey, spot{0, -1})
	default:
		return view.moved(prey, spot{0, 1})
	}
}

// Ten turns the same way, if that is possible.
func (view meadow) wander(dog int, free []way, turn turn) way {
	usual := ways[(dog+view.Turn/10)%len(ways)]
	for _, way := range free {
		if way == usual {
			return way
		}
	}
	return free[turn.random.Intn(len(free))]
}

func (view meadow) free(here spot, taken map[spot]bool) []way {
	free := []way{}
	for _, way := range ways {
		to := view.moved(here, way.step)
		cell := view.Ground.Land[to.Y*view.Ground.Torus.Cols+to.X]
		if !taken[to] && !strings.ContainsRune("#^", rune(cell)) {
			free = append(free, way)
		}
	}
	return free
}

func (view meadow) nearer(here, goal spot, free []way) way {
	best := free[0]
	for _, way := range free {
		if view.apart(view.moved(here, way.step), goal) < view.apart(view.moved(here, best.step), goal) {
			best = way
		}
	}
	return best
}

// How many more of the sheep that a bark reaches are astray than at home.
func (view meadow) gain(here spot, sheep []spot, home map[spot]bool) int {
	gain, radius := 0, view.Ground.Options.Barking
	for _, at := range sheep {
		if view.apart(here, at) > radius*radius {
			continue
		}
		if home[at] {
			gain--
		} else {
			gain++
		}
	}
	return gain
}

func (view meadow) nearest(here spot, places []spot) spot {
	best := places[0]
	for _, place := range places {
		if view.apart(here, place) < view.apart(here, best) {
			best = place
		}
	}
	return best
}

func (view meadow) moved(from, step spot) spot {
	cols, rows := view.Ground.Torus.Cols, view.Ground.Torus.Rows
	return spot{(from.X + step.X + cols) % cols, (from.Y + step.Y + rows) % rows}
}

// How far it is in a straight line, squared.
func (view meadow) apart(one, other spot) int {
	way := view.way(one, other)
	return way.X*way.X + way.Y*way.Y
}

// How far it is to the right and down, round the world's borders if that is shorter.
func (view meadow) way(one, other spot) spot {
	short := func(apart, size int) int { return (apart+size+size/2)%size - size/2 }
	torus := view.Ground.Torus
	return spot{short(other.X-one.X, torus.Cols), short(other.Y-one.Y, torus.Rows)}
}
