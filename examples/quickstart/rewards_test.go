package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The naive model of tiers, budgets and bonuses, in cents.

// A tier is reached by who sold so much in the present month or the last one.
type tier struct {
	name        string
	least, rate int
}

// inMonth returns what the sales of a person with a budget earned in a month, and how many of them earned something.
func (c *counter) inMonth(p *person, at time.Time) (earned, count int) {
	for _, sale := range c.sales {
		if sale.of == p && sale.terms.monthly > 0 && monthOf(sale.at) == monthOf(at) {
			earned += sale.earned()
			if sale.earned() > 0 {
				count++
			}
		}
	}
	return earned, count
}

func monthOf(at time.Time) string { return at.UTC().Format("2006-01") }

// assign puts everybody into the tier that they reached.
func (c *counter) assign(at time.Time) {
	for _, p := range c.affiliates {
		sold := map[string]int{}
		for _, l := range p.volume {
			sold[monthOf(l.at)] += l.cents
		}
		p.tier = 0
		for _, tier := range c.tiers {
			if max(sold[monthOf(at)], sold[monthOf(at.AddDate(0, -1, 0))]) >= tier.least {
				p.tier = tier.rate
			}
		}
	}
}

// grant gives what is due to who brought friends and to friends, and takes back what is not due any more.
func (c *counter) grant(at time.Time) {
	for _, p := range c.affiliates {
		plan, paying := c.plans[p.plan], 0
		for email, buyer := range c.customers {
			if buyer.of != p || plan.friend == 0 {
				continue
			}
			paid := 0
			for _, sale := range c.sales {
				if sale.email == email {
					paid += sale.cents - sale.refunded
				}
			}
			if paid == 0 {
				continue
			}
			paying++
			for _, friend := range c.affiliates {
				if friend.id == buyer.id && friend.id != "" && c.welcomed[friend.id] == nil {
					c.welcomed[friend.id] = friend
					c.adjust(friend, at, plan.welcome, "bonus", "", "Welcome")
				}
			}
		}
		for ; p.friends < paying; p.friends++ {
			c.adjust(p, at, plan.friend, "bonus", "", "Brought a friend")
		}
		for ; p.friends > paying; p.friends-- {
			c.adjust(p, at, -plan.friend, "bonus", "", "Brought a friend")
		}
	}
}

// wantRewards adds the lines of the report about tiers and budgets.
func (c *counter) wantRewards(want map[claim]string) {
	for _, tier := range c.tiers {
		var who []string
		for _, p := range c.affiliates {
			if p.tier == tier.rate {
				who = append(who, p.name)
			}
		}
		slices.Sort(who)
		want[claim{"tier", tier.name + ` +(\S+) +(\d+) %  (.*)`}] =
			fmt.Sprintf("%s %d %s", dollars(tier.least), tier.rate/100, strings.Join(who, ", "))
	}
	for _, p := range c.affiliates {
		for month := time.January; month <= time.December; month++ {
			at := time.Date(2025, month, 1, 0, 0, 0, 0, time.UTC)
			if earned, count := c.inMonth(p, at); count > 0 {
				most := c.plans[p.plan].monthly
				state := "open"
				switch {
				case earned == most:
					state = "spent"
				case 5*earned >= 4*most:
					state = "low"
				}
				want[claim{"budget of " + p.name + " in " + monthOf(at), p.name + " +" + monthOf(at) + ` +(\d+) +(\S+) +(\S+)  (\w+)`}] =
					fmt.Sprintf("%d %s %s %s", count, dollars(earned), dollars(most), state)
			}
		}
	}
}
