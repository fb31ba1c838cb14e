package main

var paymentCommands = []command{
	{
		group: "payments", verb: "decide", what: "Say what a payment is that names a sale which differs: same, own or dismiss; attention lists them",
		method: "POST", path: "/payments/decide", fields: fields("paymentId", "decision"), arg: "paymentId",
		columns: []column{{path: "moved", show: money}},
	},
}
