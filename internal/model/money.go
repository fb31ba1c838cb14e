package main

import "fmt"

// Money that comes back: two payments of 100.00 at ten per cent, refunded in parts, disputed and won, and payouts
// that take, pay and give up what is due.

const (
	payments = 2
	gross    = 100
	rate     = 10 // per cent
)

// Where a dispute stands.
const (
	undisputed = iota
	away       // the bank has the money
	won        // it came back
)

type payment struct {
	paid     bool
	refunded uint8
	dispute  uint8
}

// kept is what of a payment is left to the shop.
func (p payment) kept() int {
	if !p.paid {
		return 0
	}
	left := gross - int(p.refunded)
	if p.dispute == away {
		left -= gross
	}
	return max(0, left)
}

// money has amounts in whole units.
type money struct {
	of      [payments]payment
	pending int // in a payout that is neither paid nor given up
	out     int // paid to the affiliate
}

// earned is what the affiliate has earned by what is left.
func (m money) earned() (sum int) {
	for _, p := range m.of {
		sum += p.kept() * rate / 100
	}
	return sum
}

// payable is what the next payout takes; below zero the affiliate owes it.
func (m money) payable() int { return m.earned() - m.pending - m.out }

type moneyDeed struct {
	name string
	of   int
}

const (
	pays       = "pay"
	refunds40  = "refund 40"
	refunds100 = "refund all"
	disputes   = "dispute"
	wins       = "win"
	draws      = "create a payout"
	settles    = "the payout is paid"
	gives      = "the payout is given up"
)

const nothingPayable = "nothing_payable"

const (
	faultPaidTwice   = "what a payout holds is payable still"
	faultGoneForGood = "a dispute that was won gives nothing back"
	faultForgiven    = "a refund after the payout is forgotten"
)

func machineOfMoney(fault string) *machine[money, moneyDeed] {
	m := &machine[money, moneyDeed]{name: "money that comes back"}
	for i := range payments {
		for _, name := range []string{pays, refunds40, refunds100, disputes, wins} {
			m.deeds = append(m.deeds, moneyDeed{name, i})
		}
	}
	m.deeds = append(m.deeds, moneyDeed{draws, 0}, moneyDeed{settles, 0}, moneyDeed{gives, 0})
	m.does = func(s money, d moneyDeed) (money, string, bool) {
		p := &s.of[d.of]
		before := s.earned()
		possible := p.paid
		switch d.name {
		case pays:
			possible, p.paid = !p.paid, true
		case refunds40:
			possible = possible && p.refunded == 0
			p.refunded = 40
		case refunds100:
			possible = possible && p.refunded < gross
			p.refunded = gross
		case disputes:
			possible = possible && p.dispute == undisputed
			p.dispute = away
		case wins:
			possible = p.dispute == away
			if p.dispute = won; fault == faultGoneForGood {
				p.refunded = gross
			}
		case draws:
			if s.pending != 0 { // one at a time, as a month has
				return s, "", false
			}
			due := s.payable()
			if fault == faultPaidTwice {
				due = s.earned()
			}
			if due <= 0 {
				return s, nothingPayable, true
			}
			s.pending = due
			return s, fine, true
		case settles:
			possible, s.out, s.pending = s.pending > 0, s.out+s.pending, 0
		case gives:
			possible, s.pending = s.pending > 0, 0
		}
		if fault == faultForgiven && s.earned() < before && s.out > 0 {
			s.out -= before - s.earned()
		}
		return s, fine, possible
	}
	m.wrong = wrongMoney
	return m
}

// wrongMoney are the properties: nothing is paid that was not earned when it was drawn, what was paid stays paid, a debt
// is exactly what was lost after it was paid, and who wins everything back has what they had.
func wrongMoney(before money, d moneyDeed, after money, told string) string {
	whole := true
	paid := 0
	for _, p := range after.of {
		whole = whole && p.refunded == 0 && p.dispute != away
		if p.paid {
			paid++
		}
	}
	switch {
	case after.out < before.out:
		return "money that was paid out is not any more"
	case d.name == draws && told == fine && after.payable() < 0:
		return fmt.Sprintf("a payout draws %d, and only %d are due", after.pending, before.payable())
	case d.name != refunds40 && d.name != refunds100 && d.name != disputes && after.payable() < 0 && after.payable() < before.payable():
		return fmt.Sprintf("%q makes a debt of %d", d.name, -after.payable())
	case d.name == wins && after.of[d.of].refunded == before.of[d.of].refunded && after.payable() < before.payable():
		return "a dispute that was won takes money"
	case d.name == wins && after.of[d.of].refunded != before.of[d.of].refunded:
		return "a dispute that was won changes what was refunded"
	case whole && after.earned() != paid*gross*rate/100:
		return fmt.Sprintf("%d payments are whole, and earn %d", paid, after.earned())
	}
	return ""
}
