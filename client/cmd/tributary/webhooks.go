package main

var endpointColumns = []column{
	{"ID", "id", 36, ident},
	{"URL", "url", 44, plain},
	{"STATUS", "status", 10, plain},
}

var deliveryColumns = []column{
	{"ID", "id", 36, ident},
	{"EVENT", "event", 22, plain},
	{"STATE", "state", 9, plain},
	{"TRIES", "attemptCount", 5, count},
	{"CREATED", "createdAt", 16, date},
}

var webhookCommands = []command{
	{
		group: "webhooks", verb: "list", what: "List webhook endpoints",
		method: "GET", path: "/webhooks", paging: inQuery, columns: endpointColumns,
	},
	{
		group: "webhooks", verb: "get", what: "Show a webhook endpoint",
		method: "GET", path: "/webhooks", fields: fields("webhookId"), arg: "webhookId", columns: endpointColumns,
	},
	{
		group: "webhooks", verb: "create", what: "Create a webhook endpoint; the secret is shown this once",
		method: "POST", path: "/webhooks", fields: fields("url", "events:l", "description", "active:b", "svixHeaders:b", "headers:j"), arg: "url", columns: endpointColumns,
	},
	{
		group: "webhooks", verb: "update", what: "Change a webhook endpoint",
		method: "PUT", path: "/webhooks", fields: fields("webhookId", "url", "events:l", "description", "active:b", "svixHeaders:b", "headers:j"), arg: "webhookId",
		columns: endpointColumns,
	},
	{
		group: "webhooks", verb: "delete", what: "Delete a webhook endpoint",
		method: "DELETE", path: "/webhooks", fields: fields("webhookId"), arg: "webhookId", ask: "delete the endpoint",
	},
	{
		group: "webhooks", verb: "rotate", what: "Give an endpoint a new secret; it is shown this once",
		method: "POST", path: "/webhooks/rotate-secret", fields: fields("webhookId", "gracePeriodSeconds:n"), arg: "webhookId", columns: endpointColumns,
	},
	{
		group: "webhooks", verb: "test", what: "Send a test event to an endpoint",
		method: "POST", path: "/webhooks/test", fields: fields("webhookId", "event"), arg: "webhookId",
	},
	{
		group: "webhooks", verb: "replay", what: "Send a delivery again, or those of --webhook-id in a period",
		method: "POST", path: "/webhooks/replay", fields: fields("deliveryId", "webhookId", "since", "until"), arg: "deliveryId",
	},
	{
		group: "webhooks", verb: "deliveries", what: "List deliveries, or that of --delivery-id; --json has its payload",
		method: "GET", path: "/webhooks/deliveries", fields: fields("deliveryId", "webhookId", "eventId", "state", "event", "since", "until"),
		paging: inQuery, columns: deliveryColumns,
	},
}
