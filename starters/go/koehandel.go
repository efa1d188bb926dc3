// Plays Koehandel: bids up to what an animal is worth to it, pays with little change, and auctions.
package main

import (
	"encoding/json"
	"math"
)

// The value of four, by animal, A to J.
var animalValues = []float64{10, 40, 90, 160, 250, 350, 500, 650, 800, 1000}
var coins = []float64{0, 10, 50, 100, 200, 500}

type koehandel struct{}

func init() { bots["koehandel"] = func() bot { return koehandel{} } }

type farm struct {
	Purse []float64   `json:"purse"`
	Herds [][]float64 `json:"herds"`
}

// What is asked, but for a turn: one of these.
type sale struct {
	Bid *struct {
		Card string `json:"card"`
	} `json:"bid"`
	PreEmpt *struct{} `json:"pre_empt"`
	Counter *trade    `json:"counter"`
	Rebid   *trade    `json:"rebid"`
}

type trade struct {
	Animal string  `json:"animal"`
	Count  float64 `json:"count"`
}

type amount struct {
	Amount *float64 `json:"amount"`
}

func (koehandel) decide(turn turn) any {
	var view farm
	read(turn.view, &view)
	if string(turn.ask) == `"turn"` {
		for _, act := range turn.acts {
			if string(act) == `"auction"` {
				return act
			}
		}
		return turn.acts[0]
	}
	var ask sale
	read(turn.ask, &ask)
	switch {
	case ask.Bid != nil:
		return bid(turn.acts, view.limit(ask.Bid.Card))
	case ask.PreEmpt != nil:
		return amount{}
	case ask.Counter != nil:
		return nearest(turn.acts, view.limit(ask.Counter.Animal)*ask.Counter.Count)
	case ask.Rebid != nil:
		return nearest(turn.acts, view.limit(ask.Rebid.Animal)*ask.Rebid.Count)
	default:
		return nearest(turn.acts, 0)
	}
}

// What a card is worth: more, the more of its kind are here, and never more than half of the money.
func (view farm) limit(card string) float64 {
	animal := card[0] - 'A'
	value := animalValues[animal] * (1 + view.Herds[0][animal]) * 0.3
	return math.Min(value, worth(view.Purse)*0.5)
}

func worth(cards []float64) float64 {
	sum := 0.0
	for at, count := range cards {
		sum += count * coins[at]
	}
	return sum
}

// The lowest bid, if it is within the limit.
func bid(acts []json.RawMessage, limit float64) amount {
	lowest := amount{}
	for _, text := range acts {
		var act amount
		read(text, &act)
		if act.Amount != nil && *act.Amount <= limit && (lowest.Amount == nil || *act.Amount < *lowest.Amount) {
			lowest = act
		}
	}
	return lowest
}

// The act with cards whose worth is nearest to this.
func nearest(acts []json.RawMessage, goal float64) any {
	best, least := acts[0], math.Inf(1)
	for _, text := range acts {
		var act struct {
			Cards struct {
				Cards []float64 `json:"cards"`
			} `json:"cards"`
		}
		// Accepting has no cards.
		if json.Unmarshal(text, &act) != nil {
			continue
		}
		if apart := math.Abs(worth(act.Cards.Cards) - goal); apart < least {
			best, least = text, apart
		}
	}
	return best
}
