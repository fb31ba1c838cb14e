package main

var planColumns = []column{
	{"ID", "id", 36, ident},
	{"NAME", "name", 24, plain},
	{"RATE", "commissionRate", 10, count},
	{"TYPE", "commissionType", 16, plain},
}

var planFields = fields("name", "commissionRate:n", "commissionType", "numberOfPayments:n", "numberOfMonths:n", "holdDays:n", "rules:j", "monthsFrom", "maxPerSale:n", "maxPerCustomer:n", "paymentTrigger", "autoApproveRewards:b")

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
		group: "plans", verb: "update", what: "Change a commission plan",
		method: "PUT", path: "/commission-plans", fields: append(fields("commissionPlanId"), planFields...), arg: "commissionPlanId", columns: planColumns,
	},
	{
		group: "plans", verb: "delete", what: "Delete a commission plan",
		method: "DELETE", path: "/commission-plans", fields: fields("commissionPlanId"), arg: "commissionPlanId", ask: "delete the plan",
	},
}
