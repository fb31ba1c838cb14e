package main

var paymentCommands = []command{
	{
		group: "payments", verb: "decide", what: "Say what a payment is that brought money and has no sale: same (of the sale that it names), own or dismiss; attention lists them",
		method: "POST", path: "/payments/decide", fields: fields("paymentId", "decision"), arg: "paymentId",
		columns: []column{{path: "moved", show: money}},
	},
}
