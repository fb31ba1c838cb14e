package conformance

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// spellings returns texts that all differ and that a store might treat as equal.
func spellings() []string {
	long := strings.Repeat("x", 766)
	return []string{
		"Foo", "foo", "FOO", "foo ", " foo", "  foo", "foo\t", "foo\n", "\u00a0foo", "fo o", "fo",
		"foo0", "föö", "foo\u200b",
		" ", "  ", "|", "~", "%", "_", "foo%", "foo_", "'", "''", `"`, `\`, `\\`, "\x01", "\x7f",
		"null", "NULL", "0", "00", "0.0", "1e0",
		"\u00e9", "e\u0301", "E\u0301", "\u00c9", "ß", "ss", "SS", "ẞ", "ı", "i", "I", "İ",
		"\u212a", "k", "K", "ſ", "s", "ﬁ", "fi", "\U0001f600", "\U0001f600\ufe0f",
		"\U0001f468\u200d\U0001f469", "\U0001f468", "\ufeff", "\ufffd", "\u2028", "日本", "日", "𝒳",
		"\U0010ffff",
		"{}", "[]", "a,b", "a", "b", "{a,b}", `{"a":1}`, "a\x1fb", "a:b", "a/b",
		long, long + "x", long + "y", long + " ", long + "X", long[:255], long[:256], long[:765] + "\u00e9",
	}
}

func bytesCases() []storeCase {
	const rule = "keys are compared byte by byte; nothing is folded, trimmed, cut or normalised"
	return []storeCase{
		{"by_external_id", rule, uniqueTexts(func(tx *record.Tx) record.Table[record.Coupon] { return tx.Coupons },
			record.ByExternalID, func(id uuid.UUID, text string) record.Coupon {
				return record.Coupon{ID: id, Name: "Spring", ExternalID: text}
			})},
		{"by_request", rule, uniqueTexts(func(tx *record.Tx) record.Table[record.Receipt] { return tx.Receipts },
			record.ByRequest, func(id uuid.UUID, text string) record.Receipt {
				return record.Receipt{ID: id, Key: text}
			})},
		{"by_email", rule, uniqueTexts(func(tx *record.Tx) record.Table[record.Affiliate] { return tx.Affiliates },
			record.ByEmail, func(id uuid.UUID, text string) record.Affiliate {
				return record.Affiliate{ID: id, Email: text}
			})},
		{"by_invoice", rule, uniqueTexts(func(tx *record.Tx) record.Table[record.Sale] { return tx.Sales },
			record.ByInvoice, func(id uuid.UUID, text string) record.Sale {
				return record.Sale{ID: id, Number: int64(id[2]) + 1, AffiliateID: numbered(1), InvoiceID: text}
			})},
		{"of_name", rule, sharedTexts(func(tx *record.Tx) record.Table[record.Coupon] { return tx.Coupons },
			record.OfName, func(id uuid.UUID, text string) record.Coupon {
				return record.Coupon{ID: id, Name: text}
			})},
		{"of_customer", rule, sharedTexts(func(tx *record.Tx) record.Table[record.Referral] { return tx.Referrals },
			record.OfCustomer, func(id uuid.UUID, text string) record.Referral {
				return record.Referral{ID: id, AffiliateID: numbered(1), CustomerID: text}
			})},
		{"of_state", rule, sharedTexts(func(tx *record.Tx) record.Table[record.Delivery] { return tx.Deliveries },
			record.OfState, func(id uuid.UUID, text string) record.Delivery {
				return record.Delivery{ID: id, EventID: numbered(1), EndpointID: numbered(1),
					State: affiliate.DeliveryState(text)}
			})},
		{"ids", "ids are compared by all of their 16 bytes", idBytes},
		{"id keys", "id keys are compared by all of their 16 bytes", idKeyBytes},
	}
}

// uniqueTexts makes a case that gives every spelling a record of its own in a
// By… index and finds each again.
func uniqueTexts[T record.Record[T]](of func(*record.Tx) record.Table[T], ix record.Index, rec func(id uuid.UUID, text string) T) func(tb testing.TB, s record.Store) {
	return func(tb testing.TB, s record.Store) {
		update(tb, s, func(tx *record.Tx) error {
			for i, text := range spellings() {
				if _, err := of(tx).Find(record.Key{Index: ix, Text: text}); !errors.Is(err, affiliate.ErrNotFound) {
					tb.Errorf("Find(%.20q) before its Insert: error %v, want %v", text, err, affiliate.ErrNotFound)
				}
				if err := of(tx).Insert(rec(numbered(i+1), text)); err != nil {
					tb.Errorf("Insert(%.20q): %v", text, err)
				}
			}
			return nil
		})
		view(tb, s, func(tx *record.Tx) {
			for i, text := range spellings() {
				got, err := of(tx).Find(record.Key{Index: ix, Text: text})
				if err != nil {
					tb.Errorf("Find(%.20q): %v", text, err)
					continue
				}
				if d := diff(rec(numbered(i+1), text), got); d != "" {
					tb.Errorf("Find(%.20q) (-want +got):\n%s", text, d)
				}
			}
		})
	}
}

// sharedTexts makes a case that gives every spelling two records in an Of…
// index and lists each pair.
func sharedTexts[T record.Record[T]](of func(*record.Tx) record.Table[T], ix record.Index, rec func(id uuid.UUID, text string) T) func(tb testing.TB, s record.Store) {
	const second = 1000
	return func(tb testing.TB, s record.Store) {
		update(tb, s, func(tx *record.Tx) error {
			for i, text := range spellings() {
				if err := errors.Join(of(tx).Insert(rec(numbered(i+1), text)), of(tx).Insert(rec(numbered(second+i), text))); err != nil {
					return err
				}
			}
			return nil
		})
		view(tb, s, func(tx *record.Tx) {
			for i, text := range spellings() {
				got, err := collect(of(tx).List(record.Query{Key: record.Key{Index: ix, Text: text}}))
				if err != nil {
					tb.Errorf("List(%.20q): %v", text, err)
				}
				if d := diff([]T{rec(numbered(i+1), text), rec(numbered(second+i), text)}, got); d != "" {
					tb.Errorf("List(%.20q) (-want +got):\n%s", text, d)
				}
			}
		})
	}
}

// oneByteApart returns ids of which any two differ in one or two bytes.
func oneByteApart() []uuid.UUID {
	ids := []uuid.UUID{{0: 1}}
	for i := range 16 {
		for _, b := range []byte{0x20, 0x80, 0xff} {
			id := uuid.UUID{0: 1}
			id[i] = b
			ids = append(ids, id)
		}
	}
	return ids
}

func idBytes(tb testing.TB, s record.Store) {
	update(tb, s, func(tx *record.Tx) error {
		for i, id := range oneByteApart() {
			if err := tx.Totals.Insert(record.Totals{ID: id, Clicks: int64(i)}); err != nil {
				return err
			}
		}
		return nil
	})
	view(tb, s, func(tx *record.Tx) {
		for i, id := range oneByteApart() {
			if rec, err := tx.Totals.Get(id); err != nil || rec.ID != id || rec.Clicks != int64(i) {
				tb.Errorf("Get(%s): record %d of %s, error %v", id, rec.Clicks, rec.ID, err)
			}
		}
	})
}

func idKeyBytes(tb testing.TB, s record.Store) {
	update(tb, s, func(tx *record.Tx) error {
		for i, key := range oneByteApart() {
			err := tx.Queue.Insert(record.Queue{ID: numbered(i + 1), DeliveryID: key, EndpointID: key})
			if err != nil {
				return err
			}
		}
		return nil
	})
	view(tb, s, func(tx *record.Tx) {
		for i, key := range oneByteApart() {
			if rec, err := tx.Queue.Find(record.Key{Index: record.ByDelivery, ID: key}); err != nil || rec.ID != numbered(i+1) {
				tb.Errorf("Find(%s): record %s, error %v", key, rec.ID, err)
			}
			list, err := collect(tx.Queue.List(record.Query{Key: record.Key{Index: record.OfEndpoint, ID: key}}))
			if err != nil || len(list) != 1 || list[0].ID != numbered(i+1) {
				tb.Errorf("List(%s): %d records, error %v", key, len(list), err)
			}
		}
	})
}
