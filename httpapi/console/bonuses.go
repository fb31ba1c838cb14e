package console

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// The bonuses of terms as people type them: one in a line, such as
// "ten customers: 100 per 10 customers, from 2027-01-01, 1 time".

// bonusLines returns bonuses as they are typed.
func bonusLines(bonuses []affiliate.Bonus) string {
	lines := make([]string, len(bonuses))
	for i, b := range bonuses {
		line := b.Name + ": " + b.Amount.String() + " per "
		switch {
		case b.SignUps > 0:
			line += several(int(b.SignUps), "sign-up")
		case b.Customers > 0:
			line += several(int(b.Customers), "customer")
		default:
			line += b.Revenue.String() + " revenue"
		}
		line += ", from " + b.From.String()
		if b.Per != "" {
			line += ", each " + string(b.Per)
		}
		if !b.MinSpend.IsZero() {
			line += ", spent " + b.MinSpend.String()
		}
		if b.HoldDays > 0 {
			line += ", after " + several(int(b.HoldDays), "day")
		}
		if b.Times > 0 {
			line += ", " + several(int(b.Times), "time")
		}
		if b.To == affiliate.BonusToCustomer {
			line += ", to the customer"
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// bonuses reads the bonuses that were typed. The engine checks what they say.
func (in *input) bonuses() []affiliate.Bonus {
	return typedLines(in, "bonuses", "bonus, such as “ten customers: 100 per 10 customers, from 2027-01-01, 1 time”", parseBonus)
}

func parseBonus(line string) (b affiliate.Bonus, err error) {
	end := strings.LastIndex(line, ": ")
	if end < 0 {
		return b, errNoCondition
	}
	b.Name = strings.TrimSpace(line[:end])
	first, rest, _ := strings.Cut(line[end+1:], ",")
	amount, what, _ := strings.Cut(first, " per ")
	if b.Amount, err = affiliate.ParseAmount(strings.TrimSpace(amount)); err != nil {
		return b, err
	}
	number, noun, _ := strings.Cut(strings.TrimSpace(what), " ")
	switch strings.TrimSuffix(strings.ToLower(strings.TrimSpace(noun)), "s") {
	case "sign-up":
		b.SignUps, err = strconv.ParseInt(number, 10, 64)
	case "customer":
		b.Customers, err = strconv.ParseInt(number, 10, 64)
	case "revenue":
		b.Revenue, err = affiliate.ParseAmount(number)
	default:
		err = errNoCondition
	}
	said := map[string]bool{}
	for clause := range strings.SplitSeq(rest, ",") {
		if clause = strings.ToLower(strings.TrimSpace(clause)); err != nil || clause == "" {
			continue
		}
		word, value, _ := strings.Cut(clause, " ")
		if _, bad := strconv.ParseInt(word, 10, 64); bad == nil {
			word, value = strings.TrimSuffix(value, "s"), word // 2 times
		}
		if said[word] {
			return b, errNoCondition
		}
		said[word] = true
		err = bonusClause(&b, word, strings.TrimSpace(value))
	}
	return b, err
}

// bonusClause reads a clause of a bonus.
func bonusClause(b *affiliate.Bonus, word, value string) (err error) {
	switch word {
	case "from":
		b.From, err = affiliate.ParseDate(strings.ToUpper(value))
	case "each":
		b.Per = affiliate.Interval(value)
	case "spent":
		b.MinSpend, err = affiliate.ParseAmount(value)
	case "after":
		b.HoldDays, err = strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(value, "s"), "day")), 10, 64)
	case "time":
		b.Times, err = strconv.ParseInt(value, 10, 64)
	case "to":
		if value != "the customer" {
			return errNoCondition
		}
		b.To = affiliate.BonusToCustomer
	default:
		return errNoCondition
	}
	return err
}

// bonusField is the field with the bonuses of terms.
func bonusField(bonuses []affiliate.Bonus) field {
	return field{Name: "bonuses", Label: "Bonuses", Type: "textarea", Own: true, Value: bonusLines(bonuses),
		Hint: "What affiliates get besides commissions, one in a line: “ten customers: 100 per 10 customers, from 2027-01-01, 1 time”, " +
			"“each 1,000: 25 per 1000 revenue, from 2027-01-01, each month”, or the customer: “welcome: 5 per 1 customer, spent 20, " +
			"after 14 days, from 2027-01-01, to the customer”. The first word is what they read; another name is another bonus."}
}

// BonusSoFar says how far an affiliate is with a bonus.
func (v *visit) BonusSoFar(b affiliate.BonusProgress) string {
	said := v.Reached(b)
	if from, has := b.PeriodFrom.Get(); has {
		said += " since " + v.Day(from)
	}
	return fmt.Sprintf("%s, given %s", said, several(int(b.Given), "time"))
}

// grantBonuses gives the bonuses that are due.
var grantBonuses = stepwise(action{
	name: "bonuses.grant", object: "program", done: "The bonuses were given.",
	form: func(*visit) (form, error) {
		return form{
			Title: "Give the bonuses that are due", Button: "Give", Back: "terms",
			Effects: []string{"Everybody is given the bonuses of their terms that are due, and the last ones are " +
				"taken back from those who do not reach them any more. The server does it once a day."},
		}, nil
	},
}, "Give the bonuses: there are more affiliates", "terms",
	func(*visit, *input) (affiliate.Job, error) { return affiliate.GrantBonusesJob{}, nil })
