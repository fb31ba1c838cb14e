package adapter_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
)

// TestUnmarked: when the API does not have what a checkout carried, one line says how many payments credit nobody; else none does.
func TestUnmarked(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, row := range map[string]struct {
		unmarked bool
		payers   []string // cus_known was brought by somebody
		says     string
	}{
		"nobody's":     {true, []string{"cus_1", "cus_known", "cus_2"}, "payments=2"},
		"of the known": {true, []string{"cus_known"}, ""},
		"marked":       {false, []string{"cus_1", "cus_2"}, ""},
	} {
		var log bytes.Buffer
		p := warnedProgram(t, &now, affiliate.Terms{})
		mara, err := p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Mara", LastName: "Silva", Email: "mara@partners.example", AffiliateLink: "mara"})
		if err == nil {
			_, err = p.CreateReferral(t.Context(), affiliate.ReferralParams{AffiliateID: mara.ID.String(), Name: "Tomas", Email: "cus_known@customers.example", ReferredUserExternalID: "17"})
		}
		if err != nil {
			t.Fatal(err)
		}
		src := adapter.Source{API: adapter.API{Base: "https://api.example"}, Provider: "stripe", Unmarked: row.unmarked,
			Endpoint: adapter.Endpoint{
				Config: adapter.Config{Now: func() time.Time { return now }, Logger: slog.New(slog.NewTextHandler(&log, nil))},
				Map: func(body []byte) (pay.Action, error) {
					return pay.Action{Kind: pay.KindSale, Event: pay.Event{ID: string(body), Type: "paid", At: now}, Payment: affiliate.PaymentFact{
						Provider: "acmepay", Keys: []string{"of_" + string(body)}, At: now, Currency: "USD",
						Payer: affiliate.PayerFact{ID: string(body), Email: string(body) + "@customers.example", Name: "Tomas"},
						Sale:  affiliate.Set(affiliate.Paid{Gross: affiliate.MustAmount("100"), SaleParams: affiliate.SaleParams{TotalEarned: affiliate.MustAmount("100")}})}}, nil
				},
			},
			Read: func(_ context.Context, _ adapter.API, _ time.Time, yield func([]byte) bool) error {
				for _, payer := range row.payers {
					_ = yield([]byte(payer))
				}
				return nil
			}}
		done, err := src.CatchUp(t.Context(), p, now)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Count(log.String(), "level=WARN")
		if row.says == "" && lines > 0 || row.says != "" && (lines != 1 || !strings.Contains(log.String(), row.says)) {
			t.Errorf("%s: %+v\n%s", name, done, log.String())
		}
		if nobodys := len(row.payers) - done.Sales; done.Nobodys != nobodys {
			t.Errorf("%s: %d of nobody's customers, want %d", name, done.Nobodys, nobodys)
		}
	}
}

// told is what an event of a source in a test tells: a payment of a payer whom Mara brought.
func told(id string, at time.Time) pay.Action {
	return pay.Action{Kind: pay.KindSale, Event: pay.Event{ID: id, Type: "paid", At: at}, Payment: affiliate.PaymentFact{
		Provider: "acmepay", Keys: []string{"of_" + id}, At: at, Currency: "USD",
		Payer: affiliate.PayerFact{ID: "cus_" + id, Email: id + "@customers.example", Name: "Tomas"},
		Sale:  affiliate.Set(affiliate.Paid{Gross: affiliate.MustAmount("100"), SaleParams: affiliate.SaleParams{TotalEarned: affiliate.MustAmount("100")}, Tries: []affiliate.Credit{{ReferralID: "mara"}}})}}
}

// sourceOf reads actions.
func sourceOf(now *time.Time, log *bytes.Buffer, read func() []pay.Action) adapter.Source {
	return adapter.Source{API: adapter.API{Base: "https://api.example"}, Provider: "acmepay",
		Endpoint: adapter.Endpoint{
			Config: adapter.Config{Now: func() time.Time { return *now }, Logger: slog.New(slog.NewTextHandler(log, nil))},
			Map: func(body []byte) (pay.Action, error) {
				i, err := strconv.Atoi(string(body))
				return read()[i], err
			},
		},
		Read: func(_ context.Context, _ adapter.API, _ time.Time, yield func([]byte) bool) error {
			for i := range read() {
				if !yield([]byte(strconv.Itoa(i))) {
					return nil
				}
			}
			return nil
		}}
}

// withMara is a program of the affiliate Mara.
func withMara(t *testing.T, now *time.Time) *tributary.Program {
	t.Helper()
	p := warnedProgram(t, now, affiliate.Terms{})
	if _, err := p.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Mara", LastName: "Silva", Email: "mara@partners.example", AffiliateLink: "mara"}); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestBadNeighbour: an event that cannot be applied is a line of the log and an error at the end, and the others are applied; so is
// one from the future, which is no error, because it is read again. When nothing can be applied, the reading ends.
func TestBadNeighbour(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	gone := errors.New("it is gone")
	for name, row := range map[string]struct {
		bad             string // the events that fail
		panics          bool
		says            string // of the error; empty: none
		sales, complete int
	}{
		"one":    {"c", false, "1 events could not be applied, the first is c: it is gone", 14, 15},
		"panics": {"c", true, "the first is c: pay: a function panicked", 14, 15},
		"future": {"", false, "", 15, 17},
		"all":    {"abcdefghijklmno", false, "it is gone", 0, 10},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			p := withMara(t, &now)
			src := sourceOf(&now, &log, func() (all []pay.Action) {
				if name == "future" {
					all = append(all, told("future", now.AddDate(70, 0, 0)))
				}
				for letter := range strings.SplitSeq("abcdefghijklmno", "") {
					all = append(all, told(letter, now))
				}
				return all
			})
			asked := 0
			src.Complete = func(_ context.Context, _ []byte, a pay.Action) (pay.Action, error) {
				if asked++; strings.Contains(row.bad, a.Event.ID) {
					if row.panics {
						panic("it is gone")
					}
					return a, gone
				}
				return a, nil
			}
			done, err := src.CatchUp(t.Context(), p, now.Add(-time.Hour))
			if row.says == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), row.says) || done.Sales != row.sales || asked != row.complete || done.Newest.After(now) {
				t.Errorf("%+v, asked %d times, %v", done, asked, err)
			}
			if done.Failed == 0 || strings.Count(log.String(), "msg=\"payment event\"") != done.Failed {
				t.Errorf("%+v\n%s", done, log.String())
			}
		})
	}
}

// TestMoments: a reading from before all time begins when there may have been something, and one without a program is refused.
func TestMoments(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var log bytes.Buffer
	src := sourceOf(&now, &log, func() []pay.Action { return nil })
	var since time.Time
	src.Read = func(_ context.Context, _ adapter.API, from time.Time, _ func([]byte) bool) error {
		since = from
		return nil
	}
	for _, from := range []time.Time{{}, time.Unix(-1, 0), now} {
		if _, err := src.CatchUp(t.Context(), withMara(t, &now), from); err != nil || since.Before(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) || since.After(now) {
			t.Errorf("from %s: %s, %v", from, since, err)
		}
	}
	if _, err := src.CatchUp(t.Context(), nil, now); !errors.Is(err, adapter.ErrConfig) {
		t.Error(err)
	}
	if _, err := src.Compare(t.Context(), nil, now); !errors.Is(err, adapter.ErrConfig) {
		t.Error(err)
	}
}

// TestCreditSays: who the host says brought somebody, and is nobody, is a line of the log; what completes events is not asked about
// it, because there is none.
func TestCreditSays(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for by, sales := range map[string]int{"mara": 1, "a slip": 0} {
		var log bytes.Buffer
		src := sourceOf(&now, &log, func() []pay.Action { return []pay.Action{unmarked(told("a", now), "cus_a", "a@customers.example")} })
		src.Complete = func(_ context.Context, body []byte, a pay.Action) (pay.Action, error) {
			if len(body) == 0 {
				return a, errors.New("there is no event")
			}
			return a, nil
		}
		src.Credit = func(context.Context, pay.Action) ([]affiliate.Credit, error) {
			return []affiliate.Credit{{ReferralID: by}}, nil
		}
		done, err := src.CatchUp(t.Context(), withMara(t, &now), now)
		if err != nil || done.Sales != sales || strings.Contains(log.String(), "level=WARN") != (sales == 0) {
			t.Errorf("%s: %+v, %v\n%s", by, done, err, log.String())
		}
	}
}

// TestMapPanics: an event that makes Map panic is one that cannot be read; the others are booked, and compared.
func TestMapPanics(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var log bytes.Buffer
	p := withMara(t, &now)
	src := sourceOf(&now, &log, func() []pay.Action { return []pay.Action{told("a", now), told("b", now), told("c", now)} })
	maps := src.Map
	src.Map = func(body []byte) (pay.Action, error) {
		a, err := maps(body)
		if a.Event.ID == "b" {
			panic("b")
		}
		return a, err
	}
	done, err := src.CatchUp(t.Context(), p, now.Add(-time.Hour))
	if err != nil || done.Sales != 2 || done.Unreadable != 1 || !strings.Contains(log.String(), "source_test.go") {
		t.Errorf("%+v, %v\n%s", done, err, log.String())
	}
	if c, err := src.Compare(t.Context(), p, now.Add(-time.Hour)); err != nil || c.Unreadable != 1 || c.Payments != 2 {
		t.Errorf("%+v, %v", c, err)
	}
}
