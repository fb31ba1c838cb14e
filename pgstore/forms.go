package pgstore

import (
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// forms returns the forms of the tables with many rows, by the names of the tables.
// The views of the migrations show their columns.
func forms() map[string]*form {
	return map[string]*form{
		"sales": compact(func(r *record.Sale) []any {
			return []any{instant(r.CreatedAt), amount(r.TotalEarned), amountOf(r.Refunded), commission(r), word(r.Status.String())}
		}, column{"at", "timestamptz"}, column{"total", "bigint"}, column{"refunded", "bigint"}, column{"commission", "bigint"}, column{"status", "text"}),
		"redemptions": compact(func(r *record.Redemption) []any {
			return []any{instant(r.CreatedAt), instant(r.RestoredAt)}
		}, column{"at", "timestamptz"}, column{"restored_at", "timestamptz"}),
		"clicks": compact(func(r *record.Click) []any {
			return []any{instant(r.CreatedAt), r.Unique}
		}, column{"at", "timestamptz"}, column{"is_unique", "boolean"}),
		"events": compact(func(r *record.Event) []any {
			return []any{instant(r.OccurredAt), word(string(r.Type))}
		}, column{"at", "timestamptz"}, column{"type", "text"}),
		"deliveries": compact(func(r *record.Delivery) []any {
			return []any{instant(r.CreatedAt), count(len(r.Attempts))}
		}, column{"at", "timestamptz"}, column{"attempts", "bigint"}),
		"movements": compact(func(r *record.Movement) []any {
			return []any{instant(r.At), amount(r.Amount), word(r.Cause.String()), word(r.From.String()), word(r.To.String())}
		}, column{"at", "timestamptz"}, column{"amount", "bigint"}, column{"cause", "text"}, column{"source", "text"}, column{"target", "text"}),
		"receipts":    compact(func(*record.Receipt) []any { return nil }),
		"payments":    compact(func(*record.Payment) []any { return nil }),
		"paymentkeys": compact(func(*record.PaymentKey) []any { return nil }),
	}
}

// instant returns a time for a report; null when it is zero or the database has no
// such time.
func instant(i affiliate.Instant) pgtype.Timestamptz {
	t := i.Time()
	return pgtype.Timestamptz{Time: t, Valid: !i.IsZero() && 0 < t.Year() && t.Year() < 10000}
}

// amount returns an amount in ten-thousandths.
func amount(a affiliate.Amount) pgtype.Int8 { return pgtype.Int8{Int64: a.Scaled(), Valid: true} }

// amountOf is null for zero: most sales are never refunded, and a null takes no
// room.
func amountOf(a affiliate.Amount) pgtype.Int8 {
	return pgtype.Int8{Int64: a.Scaled(), Valid: !a.IsZero()}
}

func count(n int) pgtype.Int8 { return pgtype.Int8{Int64: int64(n), Valid: true} }

// commission returns what the sale earns; null when the sum is out of range, which
// the engine refuses.
func commission(r *record.Sale) pgtype.Int8 {
	var sum affiliate.Amount
	for _, c := range r.Commissions {
		var err error
		if sum, err = sum.Add(c.Earned); err != nil {
			return pgtype.Int8{}
		}
	}
	return amount(sum)
}

// word returns a text for a report; null when the database cannot store it.
func word(s string) pgtype.Text {
	return pgtype.Text{String: s, Valid: s != "" && utf8.ValidString(s) && strings.IndexByte(s, 0) < 0}
}
