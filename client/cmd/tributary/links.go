package main

var linkColumns = []column{
	{"ID", "id", 36, ident},
	{"LINK", "link", 20, plain},
	{"CLICKS", "clicks", 7, count},
	{"SALES", "sales", 6, count},
	{"REVENUE", "totalRevenue", 16, money},
}

var linkCommands = []command{
	{
		group: "links", verb: "list", what: "List links; one filter at a time",
		method: "GET", path: "/links", fields: fields("id", "link", "affiliateId", "affiliateEmail"), only: true, paging: inQuery, columns: linkColumns,
	},
	{
		group: "links", verb: "get", what: "Show a link, by id or by --link",
		method: "GET", path: "/links", fields: fields("id", "link"), only: true, arg: "id", columns: linkColumns,
	},
	{
		group: "links", verb: "create", what: "Create a link",
		method: "POST", path: "/links", fields: fields("link", "affiliateId", "affiliateEmail"), arg: "link", columns: linkColumns,
	},
	{
		group: "links", verb: "update", what: "Rename a link, found by id or by --link",
		method: "PUT", path: "/links", fields: fields("id", "link", "newLink"), arg: "id", columns: linkColumns,
	},
	{
		group: "links", verb: "delete", what: "Delete a link, found by id or by --link",
		method: "DELETE", path: "/links", fields: fields("id", "link"), arg: "id", ask: "delete the link",
	},
	{
		group: "links", verb: "release", what: "Let anybody have a slug that a link had before",
		method: "POST", path: "/links/release", fields: fields("link"), arg: "link", ask: "let anybody have the slug: posts with it may then credit somebody else",
	},
}
