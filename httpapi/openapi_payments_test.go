package httpapi

import "github.com/tributary-go/tributary/affiliate"

func paymentNotes() described {
	return described{
		name: "Payments", text: "What a person says of a provider's payment that names a sale of which it is not.", main: "PaymentDecided",
		answers: map[string]map[string]string{"PaymentDecided": {
			"":          "What became of a payment.",
			"paymentId": "The payment, as getAttention lists it.",
			"outcome":   "recorded: it is a sale of its own. duplicate: it is the payment of the sale that it names. payment_conflict: its own id names another sale, and it waits on.",
			"moved":     "What it changed in commission and adjustments together.",
			"refused":   "Why the codes that were tried do not count.",
			"sale":      "The sale of the payment; null: it has none.",
		}},
		bodies: map[string]note{
			"paymentId": plain("The payment.", identText),
			"decision":  plain("same: it is the payment of the sale that it names. own: it becomes a sale of its own. dismiss: it is kept and earns nothing.", values[affiliate.PaymentDecision]()),
		},
		operations: map[string]about{
			"POST /payments/decide": {
				id: "decidePayment", summary: "Decide about a payment that names a sale of which it is not",
				text:     "A payment that is the same as the sale takes its part of it when it is refunded, and never more than it brought. Fires sale.created or sale.updated.",
				required: []string{"paymentId", "decision"},
				refused:  refused{invalid: []affiliate.Reason{affiliate.MissingField}, notFound: []affiliate.Reason{affiliate.PaymentNotFound, affiliate.SaleNotFound}},
			},
		},
	}
}
