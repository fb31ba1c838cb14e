package httpapi

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/jsontext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// Arrays of objects of an input: the lines of sales and refunds, the rules of terms.
// Source: docs/contract.md 2.6, 2.9.

// An entries describes an array of objects.
type entries[T any] struct {
	kind  kind
	most  int
	over  refusal.Refusal // of more entries
	read  func(*input) T
	spoil func(*T) // so that the engine refuses it by a check of the last of its fields
}

// objects reads an array of objects field by field. It ends with the first entry that has
// a fault. That entry is spoiled, so that the engine, when it is asked for earlier
// errors, finds those of the entries before and nothing that depends on all of them, such
// as their sum.
func objects[T any](in *input, name string, of entries[T]) affiliate.Opt[[]T] {
	value, isNull := in.find(name, of.kind)
	return opt(value, isNull, func(v json.RawMessage) (list []T) {
		if v[0] != '[' {
			in.fault(refusal.FieldNotObjects)
			return nil
		}
		for element := range jsontext.Elements(v) {
			switch {
			case element[0] != '{':
				in.fault(refusal.FieldNotObjects)
				return nil
			case len(list) == of.most:
				in.fault(of.over)
				return nil
			}
			inner := in.within(name + "[" + strconv.Itoa(len(list)) + "]")
			inner.members, inner.bad = split(element), nil
			list = append(list, of.read(&inner))
			inner.onlyKnown()
			if inner.bad == nil {
				continue // without its fields: the place of the list is enough for what is sound
			}
			if in.bad == nil {
				in.resume(inner)
			}
			of.spoil(&list[len(list)-1])
			return list
		}
		return list
	})
}

// required notes that a field is missing.
func required[T any](in *input, o affiliate.Opt[T]) affiliate.Opt[T] {
	if o.IsZero() || o.IsNull() {
		in.fault(refusal.FieldMissing)
	}
	return o
}

// linesOf reads the lines of a sale or a preview.
func linesOf(in *input, name string) []affiliate.Line {
	return objects(in, name, entries[affiliate.Line]{
		kind: kindLines, most: refusal.MaxLines, over: refusal.FieldOver500Entries,
		spoil: func(l *affiliate.Line) { l.Discount = affiliate.AmountFromScaled(math.MaxInt64) },
		read: func(in *input) affiliate.Line {
			return affiliate.Line{
				ID:         in.optional("id"),
				ProductID:  in.optional("productId"),
				PlanID:     in.optional("planId"),
				Name:       in.text("name"), // one that is none refuses no paid order
				Categories: texts[string](in, "categories").Or(nil),
				Quantity:   in.amount("quantity"),
				Amount:     required(in, in.amount("amount")).Or(affiliate.Amount{}),
				Discount:   in.amount("discount").Or(affiliate.Amount{}),
			}
		},
	}).Or(nil)
}

// refundLines reads the lines of a refund.
func refundLines(in *input, name string) []affiliate.RefundLine {
	return objects(in, name, entries[affiliate.RefundLine]{
		kind: kindParts, most: refusal.MaxLines, over: refusal.FieldOver500Entries,
		spoil: func(l *affiliate.RefundLine) { l.Amount = affiliate.Amount{} },
		read: func(in *input) affiliate.RefundLine {
			return affiliate.RefundLine{
				ID:     in.optional("id"),
				Amount: required(in, in.amount("amount")).Or(affiliate.Amount{}),
			}
		},
	}).Or(nil)
}

// rules reads the rules of terms.
func rules(in *input, name string) affiliate.Opt[[]affiliate.Rule] {
	return objects(in, name, entries[affiliate.Rule]{
		kind: kindRules, most: refusal.MaxRules, over: refusal.FieldOver64Entries,
		spoil: func(r *affiliate.Rule) {
			r.Pay = affiliate.RulePay{Type: affiliate.RuleNone, Rate: affiliate.PercentFromScaled(1)}
		},
		read: func(in *input) affiliate.Rule {
			return affiliate.Rule{
				Name: in.text("name"),
				Firm: in.flag("firm"),
				When: nested(in, "when", readWhen).Or(affiliate.RuleWhen{}),
				Pay:  nested(in, "pay", readPay).Or(affiliate.RulePay{}),
			}
		},
	})
}

func readWhen(in *input) affiliate.RuleWhen {
	list := func(name string) []string { return texts[string](in, name).Or(nil) }
	return affiliate.RuleWhen{
		Products:      list("products"),
		Plans:         list("plans"),
		Categories:    list("categories"),
		NotProducts:   list("notProducts"),
		NotPlans:      list("notPlans"),
		NotCategories: list("notCategories"),
		PaymentFrom:   in.positive("paymentFrom").Or(0),
		PaymentTo:     in.positive("paymentTo").Or(0),
		MonthFrom:     in.positive("monthFrom").Or(0),
		MonthTo:       in.positive("monthTo").Or(0),
		Customer:      enum[affiliate.RuleCustomer](in, "customer").Or(""),
		Triggers:      texts[affiliate.PaymentTrigger](in, "paymentTriggers").Or(nil),
		Conversions:   list("conversions"),
	}
}

func readPay(in *input) affiliate.RulePay {
	pay := affiliate.RulePay{Type: enum[affiliate.RuleType](in, "commissionType").Or("")}
	rate := in.percent("commissionRate")
	if pay.Type != affiliate.RuleNone {
		required(in, rate)
	}
	pay.Rate = rate.Or(affiliate.Percent{})
	return pay
}
