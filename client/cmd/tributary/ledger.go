package main

var balanceColumns = []column{
	{"AFFILIATE", "affiliateId", 36, ident},
	{"HELD", "held", 14, money},
	{"PAYABLE", "payable", 14, money},
	{"IN PAYOUT", "inPayout", 14, money},
	{"PAID", "paid", 14, money},
}

var movementColumns = []column{
	{"NUMBER", "number", 7, count},
	{"AT", "at", 16, date},
	{"CAUSE", "cause", 20, plain},
	{"FROM", "from", 10, plain},
	{"TO", "to", 10, plain},
	{"SALE", "saleId", 7, count},
	{"AMOUNT", "amount", 14, money},
}

var statementColumns = []column{
	{"NUMBER", "number", 7, count},
	{"AT", "at", 16, date},
	{"CAUSE", "cause", 22, plain},
	{"SALE", "saleId", 8, count},
	{"AMOUNT", "amount", 16, money},
	{"OWED", "owed", 16, money},
}

var bucketColumns = []column{
	{"START", "start", 16, date},
	{"CLICKS", "clicks", 8, count},
	{"REFERRALS", "referrals", 9, count},
	{"SALES", "sales", 7, count},
	{"REVENUE", "revenue", 16, money},
	{"COMMISSION", "commission", 16, money},
}

var breakdownColumns = append([]column{{"VALUE", "value", 36, plain}, {"NAME", "name", 16, plain}}, bucketColumns[3:]...)

var adjustmentColumns = []column{
	{"ID", "id", 36, ident},
	{"CREATED", "createdAt", 16, date},
	{"KIND", "kind", 14, plain},
	{"REASON", "reason", 12, plain},
	{"AMOUNT", "amount", 14, money},
}

// ledgerCommands are those about what affiliates are owed and why.
var ledgerCommands = []command{
	{
		group: "balances", verb: "list", what: "List what every affiliate is owed",
		method: "GET", path: "/balances", paging: inQuery, columns: balanceColumns,
	},
	{
		group: "balances", verb: "get", what: "Show what an affiliate is owed, by id or --affiliate-email",
		method: "GET", path: "/balances", fields: fields("affiliateId", "affiliateEmail"), only: true, arg: "affiliateId",
		columns: append(balanceColumns[:len(balanceColumns):len(balanceColumns)], column{path: "maturing", show: money}, column{path: "earned", show: money}),
	},
	{
		group: "balances", verb: "total", what: "Add up what all affiliates are owed, now or at the end of a day (--at)",
		method: "GET", path: "/balances/total", fields: fields("at"),
	},
	{
		group: "balances", verb: "rank", what: "List whom most is owed first, now or at the end of a day (--at)",
		method: "GET", path: "/balances/ranked", fields: fields("at"), paging: inQuery, columns: balanceColumns,
	},
	{
		group: "movements", verb: "list", what: "List the changes of balances that fit all filters",
		method: "GET", path: "/movements", paging: inQuery, columns: movementColumns,
		fields: fields("affiliateId", "affiliateEmail", "saleId", "payoutId", "adjustmentId", "cause", "from", "to"),
	},
	{
		group: "statements", verb: "get", what: "Show the statement of an affiliate for a period; --json has its sums too",
		method: "GET", path: "/statements", fields: fields("affiliateId", "affiliateEmail", "from", "to"), arg: "affiliateId",
		paging: inQuery, rows: "lines", columns: statementColumns,
	},
	{
		group: "reports", verb: "get", what: "Show clicks, sales and commissions of a period, by day, week or month",
		method: "GET", path: "/reports", fields: fields("from", "to", "by", "affiliateId", "promotionalCodeId", "linkId"),
		paging: inQuery, columns: bucketColumns,
	},
	{
		group: "reports", verb: "rank", what: "Rank affiliates, links, codes, products, campaigns … by what they brought in a period",
		method: "GET", path: "/reports/breakdown", fields: fields("from", "to", "by", "sort", "affiliateId"),
		paging: inQuery, columns: breakdownColumns,
	},
	{
		group: "adjustments", verb: "list", what: "List the adjustments that fit all filters",
		method: "GET", path: "/adjustments", fields: fields("affiliateId", "affiliateEmail", "saleId", "kind", "payoutId"),
		paging: inQuery, columns: adjustmentColumns,
	},
	{
		group: "adjustments", verb: "get", what: "Show an adjustment",
		method: "GET", path: "/adjustments", fields: fields("id"), arg: "id", columns: adjustmentColumns,
	},
	{
		group: "adjustments", verb: "create", what: "Give an affiliate a bonus, or take something back",
		method: "POST", path: "/adjustments", arg: "affiliateId", columns: adjustmentColumns,
		fields: fields("affiliateId", "affiliateEmail", "saleId", "kind", "amount:n", "currency", "reason", "externalId", "reversesId"),
	},
}
