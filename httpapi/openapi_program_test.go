package httpapi

func programNotes() described {
	return described{
		name: "Program", text: "The settings of the program, which are code of its host.", main: "Settings",
		answers: map[string]map[string]string{
			"Settings": {
				"":                     "What the program is configured to do.",
				"name":                 "Shown on links.",
				"currency":             "Of every sale.",
				"timeZone":             "Where a plain date ends: the name of an IANA zone.",
				"urlModifier":          "The query parameter of the slug.",
				"oldUrlModifiers":      "Those of links from before the program was here; not there: none.",
				"cookieDuration":       "For how many days of 24 hours a click attributes.",
				"attribution":          "Whom a sale credits; not there: a code, else the last click, else the affiliate of the customer, for each order anew.",
				"destinations":         "Where links lead to.",
				"terms":                "What affiliates without a rate, tier or plan of their own earn.",
				"autoApprove":          "True: new affiliates are ACTIVE. False: INACTIVE.",
				"commissionOnTax":      "False: tax is deducted before the commission.",
				"commissionOnShipping": "False: shipping is deducted before the commission.",
				"refundWindowSeconds":  "How long after a sale it may be refunded; null: no limit.",
				"cascadeEvents":        "True: a deletion also fires the events of what goes with it.",
				"deliverySchedule":     "The seconds before each attempt of a delivery; its length is the number of attempts.",
			},
			"Attribution": {
				"":          "What the program chose about whom a sale credits. A choice that is not there is the first of its values.",
				"touch":     "Which of a visitor's clicks credits: the last one, or the first.",
				"customer":  "Whom orders of a known customer credit: whom each of them names, or always the affiliate of the customer.",
				"promoCode": "When a code credits its affiliate: always, or when nobody else brought the customer.",
			},
			"LinkDestination": {
				"":       "A page that links lead to.",
				"url":    "The page.",
				"params": "Query parameters that follow the slug.",
			},
			"ProgramTerms": {
				"":                 "What a sale earns.",
				"commissionType":   "What the rate is.",
				"commissionRate":   "A percentage, or an amount of the flat type.",
				"numberOfPayments": "It pays for so many payments of a referral; null: no stop.",
				"numberOfMonths":   "It pays for so many months of a customer; null: no stop.",
				"rules":            "What some lines of some sales earn instead of the rate; not there when there are none.",
				"monthsFrom":       "With what the months of a customer begin: the first payment, or the referral; not there: PAYMENT.",
				"maxPerSale":       "What a sale earns at most; not there: no cap.",
				"maxPerCustomer":   "What all sales of a customer earn together at most; not there: no cap.",
				"offerCouponId":    "The coupon that links give customers without a code; not there: none.",
				"holdDays":         "Days of 24 hours until a payout may take the commission of a sale.",
			},
		},
		operations: map[string]about{
			"GET /program": {id: "getProgram", summary: "Read the settings of the program"},
		},
	}
}

func attentionNotes() described {
	waiting := func(of string) map[string]string {
		return map[string]string{"": of + " that wait.", "count": "How many; at most 100.", "more": "True: more than 100.", "items": "The newest."}
	}
	return described{
		name: "Attention", text: "What waits for somebody.", main: "Attention",
		answers: map[string]map[string]string{
			"Attention": {
				"":                  "What waits for somebody.",
				"pendingAffiliates": "Affiliates who are INACTIVE until somebody approves or declines them.",
				"heldSales":         "Sales with a commission on hold.",
				"failingWebhooks":   "Endpoints that were disabled because they fail or are gone, or to which every attempt fails.",
				"failedDeliveries":  "Deliveries of the last 14 days that were given up.",
				"failedPayouts":     "Payouts that failed.",
				"paymentConflicts":  "Payments that brought money and have no sale, though somebody may be owed, until a person decides.",
				"overdrawn":         "Redemptions over a limit that nobody has accepted; not there: none waits.",
				"sharedPayees":      "Payout addresses of several affiliates, who may be one person; not there: there is none.",
				"oldestPaymentAt":   "When the oldest of these payments was reported; null when none waits.",
			},
			"WaitingAffiliates": waiting("Affiliates"), "WaitingSales": waiting("Sales"), "WaitingWebhooks": waiting("Endpoints"),
			"WaitingDeliveries": waiting("Deliveries"), "WaitingPayouts": waiting("Payouts"), "WaitingPayments": waiting("Payments"),
			"WaitingRedemptions": waiting("Redemptions"), "WaitingPayees": waiting("Payout addresses"),
			"SharedPayee": {"": "A payout address of several affiliates.", "affiliates": "Who is paid there: two at least and 20 at most."},
			"Payee":       {"": "An affiliate with the address to which payouts go.", "id": "Of the affiliate.", "name": "Of the affiliate.", "payoutEmail": "Where payouts go, as it was given."},
			"OverdrawnRedemption": {
				"":       "A redemption over a limit: the customer paid after the hold of the order had lapsed, when the place was gone, and has the discount.",
				"saleId": "The sale, which may be gone; null: the order was redeemed without one.", "externalId": "Of the sale or the order.",
				"promotionalCode": "The code; null when it was deleted.", "couponId": "The coupon, which may be gone.", "holdId": "The caller's id of the hold.",
				"email": "Of the customer.", "discount": "What the code took off, in the program's currency.", "createdAt": "When it was redeemed.",
			},
			"PendingAffiliate": {"": "An affiliate who waits for approval.", "name": "Of the affiliate."},
			"HeldSale": {
				"": "A sale with a commission on hold.", "id": "Of the sale.", "affiliateId": "Whom it credits.",
				"commissionEarned": "Of the sale.", "holdReason": "Of its first commission on hold.",
			},
			"FailingWebhook": {
				"": "An endpoint that receives nothing.", "id": "Of the endpoint.", "url": "Of the receiver.",
				"status": "Whether it is enabled.", "disabledReason": "Why it is disabled.", "firstFailureAt": "Since when every attempt has failed.",
			},
			"FailedDelivery": {"": "A delivery that was given up.", "webhookId": "Its endpoint.", "event": "Its type.", "createdAt": "When the event was."},
			"FailedPayout": {
				"": "A payout that failed.", "affiliateId": "Whose it is.", "amount": "Of the payout.", "failedReason": "What the provider said.",
			},
			"ConflictPayment": {
				"": "A payment that brought money and has no sale, or one that may be wrong.", "id": "Of the payment.", "provider": "Who reported it.",
				"outcome": "Why: it names a sale of which it is not (payment_conflict), its code was refused (refused), it names whom nobody is (unattributed), nothing told whom it may credit or how much was paid (parked), its provider counts its currency in a unit that nobody knows (unit), it does not say who paid (no_customer), it is a renewal that names a code alone and its first payment was not told (no_first_payment), or there is no rate for its currency (other_currency). Its sale may be wrong: it is cancelled or failed without a refund (revoked), or was told again as of more or of another day (differs).",
				"keys":    "The provider's ids of the payment.", "payerId": "The provider's id of its customer.",
				"told":   "What it was told to be besides, of one that differs. Absent: of others.",
				"saleId": "The sale that it names, or that may be wrong; 0 when that was deleted, and when it names none.", "amount": "Of the payment; 0: not known.", "currency": "Of the amount.", "createdAt": "When it was reported.",
				"awaits": "The event that has not come and tells the amount. Absent: none is missing.",
			},
		},
		operations: map[string]about{"GET /attention": {
			id: "getAttention", summary: "See what waits for somebody",
			text:   "The newest of each kind, and how many there are.",
			params: map[string]string{"limit": "How many of each kind are shown; 5 when it is absent."},
			limits: map[string]limit{"limit": func(s *schema) { s.Type, s.Minimum, s.Maximum = types{"integer"}, "1", "20" }},
		}},
	}
}
