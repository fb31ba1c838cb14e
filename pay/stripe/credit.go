package stripe

import (
	"iter"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay/adapter"
)

// carried returns the metadata of an object and of those that it came from, the nearest
// first.
func (e *event) carried(from ...adapter.Value) adapter.Data {
	return adapter.Data{Names: e.cfg.Names, Read: adapter.Value.Text, From: from}
}

// via returns the way of a payment, as its metadata has it.
func via(meta adapter.Data) Via { return Via(meta.Get(keyVia)) }

// codesOf finds our codes of promotion codes by their ids, and where an object is
// expanded by its text.
func codesOf(discounts iter.Seq[adapter.Value]) iter.Seq[affiliate.Credit] {
	return func(yield func(affiliate.Credit) bool) {
		for discount := range discounts {
			promotion := discount.Get("promotion_code")
			if id := promotion.Ref(); adapter.Usable(id) && !yield(affiliate.Credit{CodeExternalID: id}) {
				return
			}
			if !promotion.IsObject() {
				continue
			}
			if text := promotion.Get("code").Text(); adapter.Usable(text) && !yield(affiliate.Credit{PromoCode: text}) {
				return
			}
		}
	}
}
