package main

import "fmt"

// What some sales earn together at most: three sales of 100.00 at ten per cent, and 25.00 for all of them; refunds, declines
// and what comes back of these, and a calculation anew. The amounts are whole units.

const (
	sales = 3
	all25 = 25
)

type earning struct {
	sold, declined bool
	kept           uint8 // of 100
	limit          uint8 // what was left for it when it was decided
}

// wants is what the sale earns by its rate.
func (e earning) wants() int { return int(e.kept) * rate / 100 }

// earned is what it earns.
func (e earning) earned() int {
	if e.declined {
		return 0
	}
	return min(e.wants(), int(e.limit))
}

type earnings [sales]earning

func (b earnings) used() (sum int) {
	for _, e := range b {
		sum += e.earned()
	}
	return sum
}

type budgetDeed struct {
	name string
	of   int
}

const (
	sold100  = "sell"
	back40   = "refund 40"
	backAll  = "refund all"
	declines = "decline"
	accepts  = "accept"
	anew     = "calculate anew"
)

const (
	faultUncut    = "what is accepted again is not cut"
	faultGivesOut = "what a refund leaves goes to whoever was cut"
	faultLoses    = "a calculation anew cuts what a sale has"
)

func machineOfBudget(fault string) *machine[earnings, budgetDeed] {
	m := &machine[earnings, budgetDeed]{name: "a budget of commissions", deeds: []budgetDeed{{anew, 0}}}
	for i := range sales {
		for _, name := range []string{sold100, back40, backAll, declines, accepts} {
			m.deeds = append(m.deeds, budgetDeed{name, i})
		}
	}
	m.does = func(b earnings, d budgetDeed) (earnings, string, bool) {
		e := &b[d.of]
		left := all25 - b.used() // for others
		possible := e.sold && e.kept > 0
		switch d.name {
		case sold100:
			possible = !e.sold
			*e = earning{sold: true, kept: 100, limit: uint8(min(left, 100*rate/100))}
		case back40:
			possible = possible && e.kept == 100
			e.kept = 60
		case backAll:
			e.kept = 0
		case declines:
			possible = possible && !e.declined
			e.declined = true
		case accepts:
			possible = possible && e.declined
			if e.declined = false; fault != faultUncut {
				e.limit = uint8(min(int(e.limit), left))
			}
		case anew:
			possible = false
			for i := range b {
				e, others := &b[i], all25-b.used()
				if !e.sold || e.kept == 0 {
					continue
				}
				if possible = true; fault == faultLoses {
					others -= e.earned()
				}
				if e.limit = uint8(min(e.wants(), max(0, others+e.earned()))); e.declined {
					e.limit = uint8(e.wants()) // it counts nothing, and is cut when it is accepted
				}
			}
		}
		if fault == faultGivesOut && d.name == back40 {
			for i := range b {
				b[i].limit = uint8(min(b[i].wants(), int(b[i].limit)+4))
			}
		}
		return b, fine, possible
	}
	m.wrong = wrongBudget
	m.seen = func(b earnings) earnings {
		for i := range b {
			b[i].limit = uint8(b[i].earned())
		}
		return b
	}
	return m
}

// wrongBudget are the properties: the budget is never exceeded, a sale never loses what it has but by its own refund or decline,
// nobody gets more because another is refunded, and what is calculated anew leaves nothing that somebody could have.
func wrongBudget(before earnings, d budgetDeed, after earnings, _ string) string {
	if used := after.used(); used > all25 {
		return fmt.Sprintf("%d of %d are used", used, all25)
	}
	for i, e := range after {
		own := d.of == i && d.name != anew
		switch {
		case !own && e.earned() < before[i].earned():
			return fmt.Sprintf("%q takes from sale %d", d.name, i)
		case !own && d.name != anew && e.earned() > before[i].earned():
			return fmt.Sprintf("%q of another gives to sale %d", d.name, i)
		case d.name == anew && !e.declined && e.earned() < e.wants() && after.used() < all25:
			return fmt.Sprintf("sale %d could have more", i)
		}
	}
	return ""
}
