package main

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
