package main

import (
	"slices"
)

var planColumns = []column{
	{"ID", "id", 36, ident},
	{"NAME", "name", 24, plain},
	{"RATE", "commissionRate", 10, count},
	{"TYPE", "commissionType", 16, plain},
}

var (
	planFields  = slices.Concat(fields("name"), termsFields, fields("paymentTrigger", "autoApproveRewards:b"))
	termsFields = fields("commissionRate:n", "commissionType", "numberOfPayments:n", "numberOfMonths:n", "holdDays:n", "rules:j", "monthsFrom", "maxPerSale:n", "maxPerCustomer:n", "offerCouponId")
	termsDates  = fields("from", "withdraw")
)

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
		group: "plans", verb: "get", what: "Show a commission plan",
		method: "GET", path: "/commission-plans", fields: fields("commissionPlanId"), arg: "commissionPlanId", columns: planColumns,
	},
	{
		group: "plans", verb: "create", what: "Create a commission plan",
		method: "POST", path: "/commission-plans", fields: planFields, columns: planColumns,
	},
	{
		group: "plans", verb: "update", what: "Change a commission plan, its terms from a date on with --from 2027-01-01",
		method: "PUT", path: "/commission-plans", fields: slices.Concat(fields("commissionPlanId"), planFields, termsDates), arg: "commissionPlanId", columns: planColumns,
	},
	{
		group: "plans", verb: "delete", what: "Delete a commission plan",
		method: "DELETE", path: "/commission-plans", fields: fields("commissionPlanId"), arg: "commissionPlanId", ask: "delete the plan",
	},
	{
		group: "terms", verb: "list", what: "List the program's own terms: past, in force, and to come",
		method: "GET", path: "/terms", columns: termsColumns,
	},
	{
		group: "terms", verb: "set", what: "Change the program's own terms, from a date on with --from 2027-01-01",
		method: "PUT", path: "/terms", fields: slices.Concat(termsFields, termsDates), columns: termsColumns,
	},
}

var tierColumns = []column{
	{"TIER", "tier", 4, count},
	{"ID", "id", 36, ident},
	{"NAME", "name", 16, plain},
	{"RATE", "commissionRate", 8, count},
	{"REFERRALS", "minReferrals", 9, count},
	{"REVENUE", "minRevenue", 16, money},
}

var tierFields = fields("tier:n", "name", "emoji", "minReferrals:n", "minRevenue:n", "conditionType", "commissionRate:n")

var tierCommands = []command{
	{
		group: "tiers", verb: "list", what: "List commission tiers",
		method: "GET", path: "/commission-tiers", paging: inQuery, columns: tierColumns,
	},
	{
		group: "tiers", verb: "get", what: "Show a commission tier",
		method: "GET", path: "/commission-tiers", fields: fields("commissionTierId"), arg: "commissionTierId", columns: tierColumns,
	},
	{
		group: "tiers", verb: "create", what: "Create a commission tier",
		method: "POST", path: "/commission-tiers", fields: tierFields, columns: tierColumns,
	},
	{
		group: "tiers", verb: "update", what: "Change a commission tier",
		method: "PUT", path: "/commission-tiers", fields: append(fields("commissionTierId"), tierFields...), arg: "commissionTierId", columns: tierColumns,
	},
	{
		group: "tiers", verb: "delete", what: "Delete a commission tier",
		method: "DELETE", path: "/commission-tiers", fields: fields("commissionTierId"), arg: "commissionTierId", ask: "delete the tier",
	},
	{
		group: "tiers", verb: "assign", what: "Put every affiliate into the tier of their results",
		method: "POST", path: "/commission-tiers/assign", steps: true,
	},
}
