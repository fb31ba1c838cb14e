package main

import (
	"fmt"

	"github.com/tributary-go/tributary/affiliate"
)

// The last places of a code: orders hold them, pay in time or too late, give them up, and have them back. The
// same machine is that of a limit of a code, of a coupon, and of a budget for discounts in which two orders fit.

const (
	orders = 3
	most   = 2 // places
)

// Where the hold of an order stands, and what its sale has.
const (
	noHold = iota
	held
	ended // lapsed, or given up
	taken // its sale confirmed it
)

const (
	unsold = iota
	sold
	over     // it was paid too late, and there was no place
	restored // a person gave the redemption back
)

type order struct{ hold, sale uint8 }

type places [orders]order

// used are the places that nobody else can have.
func (p places) used() (n int) {
	for _, o := range p {
		if o.hold == held || o.sale == sold || o.sale == over {
			n++
		}
	}
	return n
}

type placeDeed struct {
	name string
	of   int
}

const (
	holds    = "hold"
	sells    = "sell"
	releases = "release"
	restores = "restore"
	lapses   = "lapse" // the time of all holds is over
)

// What a caller is told, in the words of the engine.
const fine = "ok"

// The faults that can be planted into the model, to see that its properties find them.
const (
	noFault       = ""
	faultLate     = "a sale whose hold has lapsed takes a place without a look"
	faultReleased = "a hold that was given up keeps its place"
	faultTwice    = "a redemption can be given back twice"
)

func machineOfPlaces(fault string) *machine[places, placeDeed] {
	m := &machine[places, placeDeed]{name: "places of a code", deeds: []placeDeed{{lapses, 0}}}
	for i := range orders {
		for _, name := range []string{holds, sells, releases, restores} {
			m.deeds = append(m.deeds, placeDeed{name, i})
		}
	}
	m.does = func(p places, d placeDeed) (places, string, bool) {
		o := &p[d.of]
		free := p.used() < most
		switch d.name {
		case lapses:
			some := false
			for i := range p {
				if p[i].hold == held {
					p[i].hold, some = ended, true
				}
			}
			return p, fine, some
		case holds:
			switch {
			case o.hold == taken:
				return p, string(affiliate.HoldIsConfirmed), true
			case o.sale != unsold: // the shop knows that it was paid
				return p, "", false
			case o.hold == held || free:
				o.hold = held
				return p, fine, true
			}
			return p, string(affiliate.CodeExhausted), true
		case sells:
			switch {
			case o.sale != unsold:
				return p, "duplicate", true
			case o.hold == held || free || o.hold == ended && fault == faultLate:
				o.sale = sold
			case o.hold == ended:
				o.sale = over
			default:
				return p, string(affiliate.CodeExhausted), true
			}
			if o.hold != noHold {
				o.hold = taken
			}
			return p, fine, true
		case releases:
			switch {
			case o.hold == noHold:
				return p, "", false
			case o.hold == taken:
				return p, string(affiliate.HoldIsConfirmed), true
			case fault == faultReleased && o.hold == held:
				return p, fine, true
			}
			o.hold = ended
			return p, fine, true
		default: // restores
			switch o.sale {
			case unsold:
				return p, "", false
			case restored:
				if fault == faultTwice {
					for i := range p { // and takes another's place along
						if p[i].sale == sold {
							p[i].sale = unsold
						}
					}
					return p, fine, true
				}
				return p, string(affiliate.RedemptionRestored), true
			}
			o.sale = restored
			return p, fine, true
		}
	}
	m.wrong = wrongPlaces
	return m
}

// wrongPlaces are the properties: nobody is above the limit but who paid too late, nobody is refused while a place is
// free, what was sold stays sold until a person gives it back, and what was given up is free.
func wrongPlaces(before places, d placeDeed, after places, told string) string {
	kept := 0
	for i, o := range after {
		if o.hold == held || o.sale == sold {
			kept++
		}
		if o.sale == over && before[i].sale != over && before[i].hold != ended {
			return fmt.Sprintf("order %d is above the limit, and was not late", i)
		}
		if before[i].sale == sold && o.sale != sold && (d.name != restores || d.of != i) {
			return fmt.Sprintf("order %d loses its place", i)
		}
	}
	switch {
	case kept > most:
		return fmt.Sprintf("%d places of %d are taken", kept, most)
	case told == string(affiliate.CodeExhausted) && before.used() < most:
		return "a refusal while a place is free"
	case d.name == releases && after[d.of].hold == held:
		return "a place that was given up is taken"
	}
	return ""
}
