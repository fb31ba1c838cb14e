package servertest

// A route is an operation that reads a body.
type route struct {
	operation string
	body      string // a right one
}

// routes returns all of them, in the order of the contract.
func routes() []route {
	return []route{
		{"POST /affiliates", `{"firstName":"A","lastName":"B","email":"{{u}}@conform.example"}`},
		{"PUT /affiliates", `{"affiliateId":"{{unknown}}","firstName":"A"}`},
		{"DELETE /affiliates", `{"affiliateId":"{{unknown}}"}`},
		{"POST /links", `{"affiliateId":"{{affiliate}}","link":"{{u}}"}`},
		{"PUT /links", `{"id":"{{unknown}}","newLink":"{{u}}"}`},
		{"DELETE /links", `{"id":"{{unknown}}"}`},
		{"POST /coupons", `{"name":"{{u}}","percentOff":10}`},
		{"PUT /coupons", `{"couponId":"{{unknown}}","name":"n"}`},
		{"DELETE /coupons", `{"couponId":"{{unknown}}"}`},
		{"POST /promotional-codes", `{"couponId":"{{coupon}}","code":"{{u}}"}`},
		{"PUT /promotional-codes", `{"promotionalCodeId":"{{unknown}}","active":true}`},
		{"DELETE /promotional-codes", `{"promotionalCodeId":"{{unknown}}"}`},
		{"POST /promotional-codes/validate", `{"promoCode":"{{code.code}}"}`},
		{"POST /referrals", `{"affiliateId":"{{affiliate}}","name":"N","email":"{{u}}@conform.example","referredUserExternalId":"{{u}}"}`},
		{"PUT /referrals", `{"referralId":"{{unknown}}","name":"N"}`},
		{"DELETE /referrals", `{"referralId":"{{unknown}}"}`},
		{"POST /sales", `{"email":"{{u}}@conform.example","totalEarned":1}`},
		{"PUT /sales", `{"saleId":9007199254740993,"name":"N"}`},
		{"PATCH /sales", `{"saleId":9007199254740993,"amount":1}`},
		{"DELETE /sales", `{"saleId":9007199254740993}`},
		{"POST /webhooks", `{"url":"https://hooks.conform.example/{{u}}","events":["*"]}`},
		{"PUT /webhooks", `{"webhookId":"{{unknown}}","active":true}`},
		{"DELETE /webhooks", `{"webhookId":"{{unknown}}"}`},
		{"POST /webhooks/rotate-secret", `{"webhookId":"{{unknown}}"}`},
		{"POST /webhooks/test", `{"webhookId":"{{unknown}}","event":"sale.created"}`},
		{"POST /webhooks/replay", `{"deliveryId":"{{unknown}}"}`},
	}
}

// A lookup is a GET and its parameters.
type lookup struct {
	path    string
	params  []string // every one, besides limit and cursor
	listing []string // those that select a list; without any: the whole list
}

// lookups returns all of them.
func lookups() []lookup {
	return []lookup{
		{"/affiliates", []string{"id", "email"}, nil},
		{"/links", []string{"id", "link", "affiliateId", "affiliateEmail"}, []string{"affiliateId", "affiliateEmail"}},
		{"/coupons", []string{"id", "couponId", "externalId", "name"}, nil},
		{"/promotional-codes", []string{"id", "code", "externalId", "couponId", "affiliateId", "affiliateEmail"},
			[]string{"couponId", "affiliateId", "affiliateEmail"}},
		{"/referrals", []string{"id", "affiliateId", "affiliateEmail", "externalId"}, []string{"affiliateId", "affiliateEmail", "externalId"}},
		{"/sales", []string{"id", "affiliateId", "affiliateEmail", "referralId", "saleExternalId", "saleExternalInvoiceId"},
			[]string{"affiliateId", "affiliateEmail", "referralId", "saleExternalId", "saleExternalInvoiceId"}},
		{"/webhooks", []string{"webhookId"}, nil},
		{"/webhooks/deliveries", []string{"deliveryId", "webhookId", "state", "event", "since", "until"}, nil},
	}
}
