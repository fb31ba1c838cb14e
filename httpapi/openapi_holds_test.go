package httpapi

import (
	"maps"

	"github.com/tributary-go/tributary/affiliate"
)

func holdNotes() described {
	bodies := maps.Clone(orderBodies())
	delete(bodies, "promoCodes")
	delete(bodies, "commission")
	bodies["id"] = plain("The caller's own id, such as that of the checkout; unique among the holds of the program.", externalText)
	bodies["code"] = plain("The same as promoCode, which is read first.", identText)
	bodies["until"] = plain("Until when the place is kept: after now, at most 24 hours. A plain date is its last millisecond in the program's time zone.")
	bodies["totalEarned"] = plain("What the order is to pay, without a subtotal.", above("0"), atMost("100000000000"))
	return described{
		name: "Holds", text: "Places of promotional codes that are kept while customers pay.", main: "Hold",
		answers: map[string]map[string]string{"Hold": {
			"":                "A place of a code, its coupon, the customer and the budget, kept for an order with the price that the customer sees.",
			"id":              "The caller's own id.",
			"state":           "HELD keeps a place. CONFIRMED: a sale took it. RELEASED: it was given back. LAPSED: its time is over.",
			"promotionalCode": "The code; null: an offer, or it was deleted.",
			"couponId":        "The coupon of the code.",
			"currency":        "Of the amounts.",
			"subtotal":        "What was priced; null when the order said no amount.",
			"discount":        "What comes off subtotal; null when that is.",
			"total":           "What is left to charge, before tax and shipping; null when subtotal is.",
			"unverified":      "As in a preview; empty in the answers of the other operations.",
			"lines":           "The lines of the order, with what the code takes off each; not there without lines.",
			"saleId":          "The sale that confirmed it; null: none.",
			"until":           "When it lapses.",
		}},
		bodies: bodies,
		operations: map[string]about{
			"GET /holds": {
				id: "getHold", summary: "Look a hold up",
				params:   map[string]string{"id": "The caller's own id. Answers the hold or null."},
				required: []string{"id"},
				refused:  refused{invalid: []affiliate.Reason{affiliate.MissingField}},
			},
			"POST /holds": {
				id: "holdRedemption", summary: "Keep a place of a code for an order, with its price",
				text: "Runs the rules that a sale runs. A sale with the holdId is not refused for what ends or is used up until then. " +
					"Again with the same id it prices the order anew and keeps the place; one that was released or has lapsed is taken anew if there is a place. " +
					"When its time is over the place is free; nothing has to be sent for that. Fires nothing.",
				required: []string{"id", "until"},
				oneOf:    []string{"promoCode", "code", "offer"},
				limits:   map[string]limit{"code": allOf(anyText, identText)},
				refused: refused{invalid: append([]affiliate.Reason{
					affiliate.MissingField, affiliate.HoldIsConfirmed, affiliate.HoldLimitReached,
				}, codeRefusals()...)},
			},
			"DELETE /holds": {
				id: "releaseHold", summary: "Give the place of a hold back",
				text:     "One that was released or has lapsed stays as it is. Fires nothing.",
				required: []string{"id"},
				refused: refused{
					invalid:  []affiliate.Reason{affiliate.MissingField, affiliate.HoldIsConfirmed},
					notFound: []affiliate.Reason{affiliate.HoldNotFound},
				},
			},
		},
	}
}
