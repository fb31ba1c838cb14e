package main

var holdColumns = []column{
	{"ID", "id", 24, plain},
	{"STATE", "state", 9, plain},
	{"CODE", "promotionalCode.code", 22, plain},
	{"TOTAL", "total", 14, money},
	{"UNTIL", "until", 16, date},
}

var holdFields = append(holdColumns[:len(holdColumns):len(holdColumns)],
	column{path: "subtotal", show: money}, column{path: "discount", show: money}, column{path: "createdAt", show: date}, column{path: "updatedAt", show: date})

var holdCommands = []command{
	{
		group: "holds", verb: "get", what: "Show a hold",
		method: "GET", path: "/holds", fields: fields("id"), arg: "id", columns: holdFields,
	},
	{
		group: "holds", verb: "create", what: "Keep a place of a promotional code for an order until a time, or price the order anew",
		method: "POST", path: "/holds", arg: "id", columns: holdFields,
		fields: fields("id", "promoCode", "offer:b", "until", "totalEarned:n", "currency", "exchangeRate:n", "subtotal:n", "email", "referralId", "referredUserExternalId", "product:j", "lines:j"),
	},
	{
		group: "holds", verb: "release", what: "Give the place of a hold back",
		method: "DELETE", path: "/holds", fields: fields("id"), arg: "id", columns: holdFields,
	},
}
