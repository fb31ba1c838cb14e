package main

var couponColumns = []column{
	{"ID", "id", 36, ident},
	{"NAME", "name", 20, plain},
	{"TYPE", "couponType", 10, plain},
	{"PERCENT", "percentOff", 7, count},
	{"AMOUNT", "amountOff", 12, money},
	{"VALID", "valid", 5, plain},
}

// judgedCoupons are the columns of coupons with their usability.
var judgedCoupons = []column{
	{"ID", "id", 36, ident},
	{"NAME", "name", 20, plain},
	{"PERCENT", "percentOff", 7, count},
	{"AMOUNT", "amountOff", 12, money},
	{"WHY NOT", "usability.reasons", 17, plain},
}

var couponCommands = []command{
	{
		group: "coupons", verb: "list", what: "List coupons",
		method: "GET", path: "/coupons", paging: inQuery, columns: couponColumns,
	},
	{
		group: "coupons", verb: "summaries", what: "List coupons without their codes",
		method: "GET", path: "/coupons/summaries", fields: fields("couponId", "valid:b"), paging: inQuery, columns: judgedCoupons,
	},
	{
		group: "coupons", verb: "get", what: "Show a coupon, by id, --external-id or --name",
		method: "GET", path: "/coupons", fields: fields("id", "externalId", "name"), only: true, arg: "id", columns: couponColumns,
	},
	{
		group: "coupons", verb: "create", what: "Create a coupon",
		method: "POST", path: "/coupons", columns: couponColumns,
		fields: fields("name", "couponType", "percentOff:n", "amountOff:n", "currency", "duration", "durationInMonths:n", "maxRedemptions:n",
			"limitToProducts:b", "productIds:l", "valid:b", "redeemBy", "startsAt", "maxDiscount:n", "maxDiscountTotal:n", "maxRedemptionsPerCustomer:n",
			"restoreOnRefund:b", "externalId", "integrationType"),
	},
	{
		group: "coupons", verb: "update", what: "Change a coupon",
		method: "PUT", path: "/coupons", arg: "couponId", columns: couponColumns,
		fields: fields("couponId", "name", "couponType", "percentOff:n", "amountOff:n", "currency", "duration", "durationInMonths:n", "maxRedemptions:n",
			"limitToProducts:b", "productIds:l", "valid:b", "redeemBy", "startsAt", "maxDiscount:n", "maxDiscountTotal:n", "maxRedemptionsPerCustomer:n",
			"restoreOnRefund:b"),
	},
	{
		group: "coupons", verb: "delete", what: "Delete a coupon",
		method: "DELETE", path: "/coupons", fields: fields("couponId"), arg: "couponId", ask: "delete the coupon",
	},
}
