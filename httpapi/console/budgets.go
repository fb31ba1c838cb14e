package console

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// The budgets of terms as people type them: one in a line, such as "each month: 500" or
// "all, campaign spring: 1000, 20 rewards, whole".

// budgetLines returns budgets as they are typed.
func budgetLines(budgets []affiliate.Budget) string {
	lines := make([]string, len(budgets))
	for i, b := range budgets {
		of := "all"
		if b.Of == affiliate.BudgetOfAffiliate {
			of = "each"
		}
		if b.Per != "" {
			of += " " + string(b.Per)
		}
		if b.CouponID != uuid.Nil {
			of += ", coupon " + b.CouponID.String()
		}
		if b.UTMCampaign != "" {
			of += ", campaign " + strconv.Quote(b.UTMCampaign)
		}
		var most []string
		if b.MaxCommission.Sign() > 0 {
			most = append(most, b.MaxCommission.String())
		}
		if b.MaxRewards > 0 {
			most = append(most, several(int(b.MaxRewards), "reward"))
		}
		if b.Whole {
			most = append(most, "whole")
		}
		lines[i] = of + ": " + strings.Join(most, ", ")
	}
	return strings.Join(lines, "\n")
}

// budgets reads the budgets that were typed. The engine checks what they say.
func (in *input) budgets() []affiliate.Budget {
	return typedLines(in, "budgets", "budget, such as “each month: 500” or “all: 20 rewards”", parseBudget)
}

// typedLines reads a field in which each line is one of what is said.
func typedLines[T any](in *input, name, what string, parse func(line string) (T, error)) (all []T) {
	for i, line := range strings.Split(in.text(name), "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		one, err := parse(line)
		if err != nil {
			in.wrong(name, fmt.Sprintf("Line %d: “%s” is no %s.", i+1, page.Text(line, page.InList), what))
			return nil
		}
		all = append(all, one)
	}
	return all
}

func parseBudget(line string) (b affiliate.Budget, err error) {
	end := strings.LastIndexByte(line, ':')
	if end < 0 {
		return b, errNoCondition
	}
	whose, selects, selective := strings.Cut(line[:end], ",")
	words := strings.Fields(strings.ToLower(whose))
	switch {
	case len(words) == 0 || len(words) > 2:
		return b, errNoCondition
	case words[0] == "each":
		b.Of = affiliate.BudgetOfAffiliate
	case words[0] == "all":
		b.Of = affiliate.BudgetOfAll
	default:
		return b, errNoCondition
	}
	if len(words) == 2 {
		if b.Per = affiliate.Interval(words[1]); !slices.Contains(affiliate.Intervals(), b.Per) {
			return b, errNoCondition
		}
	}
	if selective {
		if err := selectBudget(&b, strings.TrimSpace(selects)); err != nil {
			return b, err
		}
	}
	for limit := range strings.SplitSeq(line[end+1:], ",") {
		limit = strings.ToLower(strings.TrimSpace(limit))
		count, rewards := strings.CutSuffix(strings.TrimSuffix(limit, "s"), " reward")
		twice := false // as in 1,000
		switch {
		case limit == "whole":
			twice, b.Whole = b.Whole, true
		case rewards:
			twice = b.MaxRewards != 0
			b.MaxRewards, err = strconv.ParseInt(strings.TrimSpace(count), 10, 64)
		default:
			twice = !b.MaxCommission.IsZero()
			b.MaxCommission, err = affiliate.ParseAmount(limit)
		}
		if err != nil || twice {
			return b, cmp.Or(err, errNoCondition)
		}
	}
	return b, nil
}

// selectBudget reads which sales alone count: of a coupon, and after it of a campaign.
func selectBudget(b *affiliate.Budget, text string) (err error) {
	if id, is := strings.CutPrefix(text, "coupon "); is {
		id, text, _ = strings.Cut(id, ",")
		if b.CouponID, err = uuid.Parse(strings.TrimSpace(id)); err != nil {
			return err
		}
		if text = strings.TrimSpace(text); text == "" {
			return nil
		}
	}
	name, is := strings.CutPrefix(text, "campaign ")
	if name = strings.TrimSpace(name); !is || name == "" {
		return errNoCondition
	}
	if b.UTMCampaign = name; strings.HasPrefix(name, `"`) {
		b.UTMCampaign, err = strconv.Unquote(name)
	}
	return err
}

// budgetField is the field with the budgets of terms.
func budgetField(budgets []affiliate.Budget) field {
	return field{Name: "budgets", Label: "Budgets", Type: "textarea", Own: true, Value: budgetLines(budgets),
		Hint: "What sales earn together at most, one in a line. “each month: 500” is for each affiliate, " +
			"“all: 20 rewards” for everybody together and for ever. After a comma the sales that count alone: " +
			"“all, campaign spring: 1000”, “each year, coupon ID: 50, whole”; whole: what does not fit earns nothing."}
}

// A budgetRow is a budget of terms, and how much of it is used in its present period.
type budgetRow struct {
	affiliate.Budget
	Used *affiliate.BudgetUse // nil: each affiliate has it, or nothing is used
}

// budgetsOf returns the budgets of terms in force.
func (v *visit) budgetsOf(h *holder, t *affiliate.DatedTerms) (rows []budgetRow, err error) {
	if len(t.Budgets) == 0 {
		return nil, nil
	}
	used, err := v.program.Budgets(v.Ctx(), affiliate.BudgetQuery{Of: affiliate.BudgetOfAll, Current: true}, affiliate.Page{Limit: 100})
	if err != nil {
		return nil, err
	}
	for _, b := range t.Budgets {
		row := budgetRow{Budget: b}
		if t.InForce {
			i := slices.IndexFunc(used.Items, func(u affiliate.BudgetUse) bool {
				return u.CommissionPlanID.Or(uuid.Nil) == h.Plan.ID && u.Of == b.Of && u.Per == b.Per &&
					u.CouponID == b.CouponID && u.UTMCampaign == b.UTMCampaign
			})
			if i >= 0 {
				row.Used = &used.Items[i]
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// BudgetUsed says how much of a budget is used.
func (v *visit) BudgetUsed(u *affiliate.BudgetUse) string {
	said := v.Money(u.Commission) + " in " + several(int(u.Rewards), "sale")
	if from, has := u.From.Get(); has {
		said += " since " + v.Day(from)
	}
	return said
}

// BudgetEnds says when a budget is used up if as much is used from now on as since its period began;
// empty: not in this period.
func (v *visit) BudgetEnds(u *affiliate.BudgetUse) string {
	from, periodic := u.From.Get()
	if u.Status == affiliate.BudgetUsedUp || !periodic {
		return ""
	}
	var used int64 // in ten thousandths
	if most := u.MaxCommission.Scaled(); most > 0 {
		used = u.Commission.Scaled() / max(most/10_000, 1)
	}
	if u.MaxRewards > 0 {
		used = max(used, u.Rewards*10_000/u.MaxRewards)
	}
	if used == 0 {
		return ""
	}
	whole := u.To.Or(affiliate.Time{}).Time().Sub(from.Time())
	lasts := int64(v.now().Sub(from.Time())/time.Second) * 10_000 / used // seconds
	if lasts >= int64(whole/time.Second) {
		return ""
	}
	return v.Day(affiliate.TimeOf(from.Time().Add(time.Duration(lasts) * time.Second)))
}
