// Plays Planowanie: declares its high cards, takes tricks until it has as many, and then throws its high cards away.
package main

import (
	"math"
	"sort"
)

type planowanie struct{}

func init() { bots["planowanie"] = func() bot { return planowanie{} } }

type table struct {
	Game struct {
		Deck struct {
			Values string `json:"values"`
		} `json:"deck"`
		Players int `json:"players"`
	} `json:"game"`
	Seat  int   `json:"seat"`
	Hand  []int `json:"hand"`
	Round struct {
		Declared []*int `json:"declared"`
		Taken    []int  `json:"taken"`
		Trick    []int  `json:"trick"`
	} `json:"round"`
}

type cardAct struct {
	Declare *int `json:"declare,omitempty"`
	Play    *int `json:"play,omitempty"`
}

func (planowanie) decide(turn turn) any {
	var view table
	read(turn.view, &view)
	acts := []cardAct{}
	for _, text := range turn.acts {
		var act cardAct
		read(text, &act)
		acts = append(acts, act)
	}
	if string(turn.ask) == `"declare"` {
		tricks := 0.0
		for _, card := range view.Hand {
			tricks += view.chance(card)
		}
		apart := func(act cardAct) float64 { return math.Abs(float64(*act.Declare) - tricks) }
		sort.SliceStable(acts, func(one, other int) bool { return apart(acts[one]) < apart(acts[other]) })
		return acts[0]
	}
	card := view.play(acts)
	return cardAct{Play: &card}
}

func (view table) play(acts []cardAct) int {
	trick, values := view.Round.Trick, len(view.Game.Deck.Values)
	// The highest takes the trick: the first suit is trump, then comes the suit of the first card.
	rank := func(card int) int {
		switch {
		case card < values:
			return card + 2*values
		case len(trick) > 0 && card/values == trick[0]/values:
			return card%values + values
		default:
			return card % values
		}
	}
	highest := -1
	for _, card := range trick {
		if rank(card) > highest {
			highest = rank(card)
		}
	}
	cards, takes, loses := []int{}, []int{}, []int{}
	for _, act := range acts {
		cards = append(cards, *act.Play)
	}
	sort.SliceStable(cards, func(one, other int) bool { return rank(cards[one]) < rank(cards[other]) })
	for _, card := range cards {
		if rank(card) > highest {
			takes = append(takes, card)
		} else {
			loses = append(loses, card)
		}
	}
	wantsNone := view.Round.Taken[view.Seat] >= *view.Round.Declared[view.Seat]
	isLast := len(trick) == view.Game.Players-1
	switch {
	case wantsNone && len(loses) > 0:
		return loses[len(loses)-1]
	case wantsNone || len(takes) == 0:
		return cards[0]
	case isLast:
		return takes[0]
	default:
		return takes[len(takes)-1]
	}
}

// The chance that a card takes a trick, as a guess: trumps often do.
func (view table) chance(card int) float64 {
	values := len(view.Game.Deck.Values)
	height := float64(card%values+1) / float64(values)
	if card < values {
		return math.Sqrt(height)
	}
	return math.Pow(height, float64(2*view.Game.Players))
}
