package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/tributary-go/tributary/affiliate"
)

var programCommands = []command{
	{group: "program", verb: "show", what: "Show what the program is set to do, and what only its host can change", method: "GET", path: "/program"},
	{
		group: "program", verb: "set", what: "Change settings of the program", method: "PUT",
		path: "/program", fields: fieldsOf[affiliate.SettingsUpdate](),
	},
	{
		group: "program", verb: "export", method: "GET", run: exportProgram,
		what: "Print the settings, coupons, terms and plans of the program as the file of program apply",
	},
	{
		group: "program", verb: "apply", method: "PUT", arg: fileArg, preview: map[string]any{}, run: applyProgram,
		what: "Make the program what a file says; with --dry-run the exit code is 4 when something differs",
	},
	{
		group: "attention", what: "Show what waits for somebody; with --fail the exit code is 4 when something does",
		method: "GET", path: "/attention", fields: fields("limit:n"), asked: true,
		verify: func(r entry) error {
			for _, list := range r {
				if list, is := list.(map[string]any); is && fmt.Sprint(list["count"]) != "0" {
					return problemFound{}
				}
			}
			return nil
		},
	},
	{
		group:  "prune",
		what:   "Drop what is older than --before, or than --retention says: {\"events\":30,\"receipts\":2} in days",
		method: "POST", path: "/prune", fields: fields("before", "retention:j"), steps: true,
		ask: "drop old records for good",
	},
	{
		group: "partner-token", what: "Open the partner pages for an affiliate: prints a URL that works for a minute",
		method: "POST", path: "/partner/token", fields: fields("affiliateId", "ttlSeconds:n"), arg: "affiliateId",
	},
	{
		group: "verify", what: "Check the books: exit code 4 when they do not hold",
		method: "GET", path: "/verify", patient: true,
		verify: func(r entry) error {
			if r["holds"] != true {
				return problemFound{}
			}
			return nil
		},
	},
}

var planColumns = []column{
	{"ID", "id", 36, ident},
	{"NAME", "name", 24, plain},
	{"RATE", "commissionRate", 10, count},
	{"TYPE", "commissionType", 16, plain},
}

var (
	planFields  = slices.Concat(fields("name"), termsFields, fields("paymentTrigger", "autoApproveRewards:b"))
	termsFields = fields("commissionRate:n", "commissionType", "numberOfPayments:n",
		"numberOfMonths:n", "holdDays:n", "rules:j", "monthsFrom", "maxPerSale:n",
		"maxPerCustomer:n", "budgets:j", "bonuses:j", "offerCouponId")
	termsDates = fields("from", "withdraw")
)

var budgetColumns = []column{
	{"FROM", "from", 10, date},
	{"OF", "of", 9, plain},
	{"PER", "per", 7, plain},
	{"USED", "commission", 12, money},
	{"LIMIT", "maxCommission", 12, money},
	{"REWARDS", "rewards", 7, count},
	{"AT MOST", "maxRewards", 7, count},
	{"STATUS", "status", 6, plain},
}

var bonusColumns = []column{
	{"NAME", "name", 32, plain},
	{"REACHED", "reached", 12, count},
	{"NEXT", "next", 12, count},
	{"GIVEN", "given", 6, count},
	{"AMOUNT", "amount", 12, money},
}

var termsColumns = []column{
	{"FROM", "from", 24, plain},
	{"IN FORCE", "inForce", 8, plain},
	{"RATE", "commissionRate", 10, count},
	{"TYPE", "commissionType", 16, plain},
}

var planCommands = []command{
	{
		group: "plans", verb: "list", what: "List commission plans",
		method: "GET", path: "/commission-plans", paging: inQuery, columns: planColumns,
	},
	{
		group: "plans", verb: "get", what: "Show a commission plan", method: "GET",
		path: "/commission-plans", fields: fields("commissionPlanId"), arg: "commissionPlanId",
		columns: planColumns,
	},
	{
		group: "plans", verb: "create", what: "Create a commission plan",
		method: "POST", path: "/commission-plans", fields: planFields, columns: planColumns,
	},
	{
		group: "plans", verb: "update",
		what:   "Change a commission plan, its terms from a date on with --from 2027-01-01",
		method: "PUT", path: "/commission-plans",
		fields: slices.Concat(fields("commissionPlanId"), planFields, termsDates),
		arg:    "commissionPlanId", columns: planColumns,
	},
	{
		group: "plans", verb: "delete", what: "Delete a commission plan", method: "DELETE",
		path: "/commission-plans", fields: fields("commissionPlanId"), arg: "commissionPlanId",
		ask: "delete the plan",
	},
	{
		group: "terms", verb: "list", what: "List the program's own terms: past, in force, and to come",
		method: "GET", path: "/terms", columns: termsColumns,
	},
	{
		group: "terms", verb: "set", what: "Change the program's own terms, from a date on with --from 2027-01-01",
		method: "PUT", path: "/terms", fields: slices.Concat(termsFields, termsDates), columns: termsColumns,
	},
	{
		group: "budgets", verb: "list", what: "List how much of the budgets of terms is used",
		method: "GET", path: "/budgets", fields: fields("affiliateId", "affiliateEmail", "status", "of", "current:b"),
		paging: inQuery, columns: budgetColumns,
	},
	{
		group: "bonuses", verb: "list", what: "List how far an affiliate is with the bonuses of their terms",
		method: "GET", path: "/bonuses", fields: fields("affiliateId", "affiliateEmail"), arg: "affiliateId", columns: bonusColumns,
	},
	{
		group: "bonuses", verb: "grant", what: "Give everybody the bonuses that are due, and take back those that are not",
		method: "POST", path: "/bonuses/grant", steps: true,
	},
	{
		group: "terms", verb: "simulate", what: "Say what past sales would have earned by other terms, in the last --days",
		method: "POST", path: "/terms/simulate", patient: true,
		fields: slices.Concat(fields("commissionPlanId", "days:n", "attribution:j"), termsFields), columns: simulatedColumns,
	},
}

var simulatedColumns = []column{
	{"WAS", "was", 16, money},
	{"WOULD", "would", 16, money},
	{"DIFFERENCE", "difference", 16, money},
}

var tierColumns = []column{
	{"TIER", "tier", 4, count},
	{"ID", "id", 36, ident},
	{"NAME", "name", 16, plain},
	{"RATE", "commissionRate", 8, count},
	{"REFERRALS", "minReferrals", 9, count},
	{"REVENUE", "minRevenue", 16, money},
}

var tierFields = fields("tier:n", "name", "emoji", "minReferrals:n", "minRevenue:n",
	"per", "gracePeriods:n", "atPeriodEnd:b", "conditionType", "commissionRate:n")

var tierCommands = []command{
	{
		group: "tiers", verb: "list", what: "List commission tiers",
		method: "GET", path: "/commission-tiers", paging: inQuery, columns: tierColumns,
	},
	{
		group: "tiers", verb: "get", what: "Show a commission tier", method: "GET",
		path: "/commission-tiers", fields: fields("commissionTierId"), arg: "commissionTierId",
		columns: tierColumns,
	},
	{
		group: "tiers", verb: "create", what: "Create a commission tier",
		method: "POST", path: "/commission-tiers", fields: tierFields, columns: tierColumns,
	},
	{
		group: "tiers", verb: "update", what: "Change a commission tier",
		method: "PUT", path: "/commission-tiers",
		fields: append(fields("commissionTierId"), tierFields...), arg: "commissionTierId",
		columns: tierColumns,
	},
	{
		group: "tiers", verb: "delete", what: "Delete a commission tier", method: "DELETE",
		path: "/commission-tiers", fields: fields("commissionTierId"), arg: "commissionTierId",
		ask: "delete the tier",
	},
	{
		group: "tiers", verb: "assign", what: "Put every affiliate into the tier of their results",
		method: "POST", path: "/commission-tiers/assign", steps: true,
	},
}

// inSteps calls an operation that does a part of a job until the job is over, and
// shows what was done in all. A step that is repeated has no second effect, so an
// interrupted command is simply run again.
func (j *job) inSteps() error {
	total, key := entry{}, j.key
	for {
		answer, err := j.callWith("", key)
		if err != nil {
			return err
		}
		step, err := read(answer.Body)
		if err != nil {
			return err
		}
		cursor, more := step["cursor"].(string)
		delete(step, "cursor")
		add(total, step)
		if total["done"] = step["done"]; !more {
			break
		}
		j.progress(total)
		j.input["cursor"], key = cursor, "" // each step after the first has a key of its own
	}
	raw, err := json.Marshal(total)
	if err != nil {
		return err
	}
	return j.show(reply{Body: raw})
}

// add adds the numbers of a step to those of the steps before.
func add(total, step entry) {
	for name, value := range step {
		switch value := value.(type) {
		case json.Number:
			before, _ := total[name].(json.Number)
			a, _ := before.Int64()
			b, _ := value.Int64()
			total[name] = json.Number(strconv.FormatInt(a+b, 10))
		case map[string]any:
			inner, _ := total[name].(map[string]any)
			if inner == nil {
				inner = map[string]any{}
			}
			add(inner, value)
			total[name] = inner
		}
	}
}
