package proofs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/benchkit"
	"github.com/tributary-go/tributary/internal/scene"
	"github.com/tributary-go/tributary/memstore"
)

// BenchmarkEventMemory is P19: what the events take of 4,000 links that are added
// one by one to an affiliate, and of 100 changes of a coupon with 4,000 codes.
// Nobody is subscribed.
func BenchmarkEventMemory(b *testing.B) {
	const many = 4000
	b.Run("links", func(b *testing.B) { eventMemory(b, many, addLinks) })
	b.Run("coupon", func(b *testing.B) { eventMemory(b, many, changeCoupon) })
}

func eventMemory(b *testing.B, n int, change func(p *tributary.Program, id uuid.UUID, n int) func()) {
	for b.Loop() {
		p, owners := benchkit.ShopOf(b, memstore.New(), 1, func(c *tributary.Config) { c.Limits.Links = 2 * n })
		change := change(p, owners[0].ID, n)
		before := heapAlloc()
		change()
		b.ReportMetric(float64(heapAlloc()-before)/(1<<20), "MiB")
		runtime.KeepAlive(p)
	}
}

func heapAlloc() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func addLinks(p *tributary.Program, owner uuid.UUID, n int) func() {
	return func() {
		for i := range n {
			scene.Must(p.CreateLink(context.Background(), affiliate.LinkParams{AffiliateID: owner, Link: fmt.Sprintf("partner-%05d", i)}))
		}
	}
}

func changeCoupon(p *tributary.Program, owner uuid.UUID, n int) func() {
	ctx := context.Background()
	coupon := scene.Must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: "Big", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	for n > 0 {
		count := min(n, 1000)
		scene.Must(p.GenerateCodes(ctx, affiliate.CodesParams{Count: count, CodeParams: affiliate.CodeParams{
			CouponID: coupon.ID, AffiliateID: owner, CodeStructure: affiliate.Set(affiliate.CodeStructure{RandomChars: true}),
			RandomCharsLength: affiliate.Set[int64](12),
		}}))
		n -= count
	}
	return func() {
		for i := range 100 {
			scene.Must(p.UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{Name: affiliate.Set(fmt.Sprint("round ", i))}))
		}
	}
}

// TestEventMemory is P19 at a tenth of its size: the events of one object take
// memory for what changes, and not for the whole list again.
func TestEventMemory(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*tributary.Program, uuid.UUID, int) func()
		most   int64
	}{
		"links":  {addLinks, 4 << 20},
		"coupon": {changeCoupon, 1 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			p, owners := benchkit.Shop(t, memstore.New(), 1)
			change := tc.change(p, owners[0].ID, 400)
			before := heapAlloc()
			change()
			took := heapAlloc() - before
			t.Logf("%d KiB", took>>10)
			if took > tc.most {
				t.Errorf("the events take %d KiB, want at most %d", took>>10, tc.most>>10)
			}
			runtime.KeepAlive(p)
		})
	}
}

// TestSharedListsStay: an event that shares its lists with others shows the same
// when it is read at once and at the end, whatever happens in between: links and
// codes that come, change and go, writes that fail, and a caller who changes the
// answers.
func TestSharedListsStay(t *testing.T) {
	ctx := t.Context()
	p, owners := benchkit.Shop(t, memstore.New(), 1)
	owner := owners[0].ID
	coupon := scene.Must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: "Big", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	link := func(i int) affiliate.LinkRef { return affiliate.LinkRef{Slug: fmt.Sprint("l", i)} }
	var early [][]byte
	read := func() {
		for _, e := range scene.Must(p.Events(ctx, affiliate.EventQuery{}, affiliate.Page{Limit: 50})).Items {
			if !slices.ContainsFunc(early, func(b []byte) bool { return bytes.Equal(b, e.Payload) }) {
				early = append(early, e.Payload)
			}
		}
	}
	codes := map[int]affiliate.Code{}
	for i := range 60 {
		scene.Must(p.CreateLink(ctx, affiliate.LinkParams{AffiliateID: owner, Link: fmt.Sprint("l", i)}))
		codes[i] = scene.Must(p.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: fmt.Sprint("C", i), AffiliateID: owner}))
		if _, err := p.CreateLink(ctx, affiliate.LinkParams{AffiliateID: owner, Link: fmt.Sprint("l", i)}); err == nil {
			t.Fatal("the same slug twice")
		}
		switch i % 6 {
		case 3:
			scene.Must(p.RenameLink(ctx, link(i-1), fmt.Sprint("renamed", i)))
			scene.Must(p.UpdateCode(ctx, codes[i-1].ID, affiliate.CodeUpdate{Active: affiliate.Set(false)}))
		case 4:
			scene.Must(p.DeleteLink(ctx, link(i)))
			scene.Must(p.DeleteCode(ctx, codes[i].ID))
		}
		answer := scene.Must(p.SetPayoutDetails(ctx, owner, affiliate.PayoutDetails{Email: fmt.Sprintf("p%d@example.com", i), Method: "PAYPAL"}))
		big := scene.Must(p.UpdateCoupon(ctx, coupon.ID, affiliate.CouponUpdate{Name: affiliate.Set(fmt.Sprint("Big ", i))}))
		read()
		for j := range answer.AffiliateLinks {
			answer.AffiliateLinks[j].Link = "changed"
		}
		for j := range big.PromotionalCodes {
			big.PromotionalCodes[j].Code = "changed"
		}
	}
	for _, e := range scene.Must(p.Events(ctx, affiliate.EventQuery{}, affiliate.Page{})).Items {
		if !slices.ContainsFunc(early, func(b []byte) bool { return bytes.Equal(b, e.Payload) }) {
			t.Errorf("%s at revision %d was never read like this: %s", e.Type, e.Revision, e.Payload)
		}
		if bytes.Contains(e.Payload, []byte("changed")) {
			t.Errorf("%s shows what the caller wrote into an answer", e.Type)
		}
	}
	if err := p.Verify(ctx); err != nil {
		t.Error(err)
	}
}

// TestModelHostilePayer: whatever a payer names, types, pays, gives back and cancels, the
// order of another customer earns what it did, that customer keeps the status, and the
// order's own payment is still taken. Left out is the payer who names the order, types its
// customer's email and pays what it cost: nothing tells that one from its customer.
func TestModelHostilePayer(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := scene.NewPayShop(t)
		ctx := t.Context()
		sale := s.Hosts()
		s.Now = s.Now.Add(time.Minute)
		customer := sale.ReferralID.Or(uuid.Nil)
		before := scene.Must(s.Referral(ctx, customer.String())).Status
		eve := affiliate.PayerFact{ID: "cus_E", Email: "eve@example.com", Name: "Eve"}
		payments := 0
		emails, taxes := []string{"eve@example.com"}, []string{"0", "0.01"}
		if rapid.Bool().Draw(rt, "typed") {
			emails, taxes = append(emails, "ines@example.com"), taxes[:1] // 10000.01 with its tax is what the order cost
		}
		pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(rt, name) }
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			key := fmt.Sprint("pi_", rapid.IntRange(1, 3).Draw(rt, "payment"))
			f := s.Fact(key)
			switch f.Payer = eve; pick("does", "pays", "refunds", "disputes", "cancels", "changes") {
			case "pays":
				total := pick("total", "0.01", "1", "9999.99", "10000.01", "12000")
				f = s.Paid(key, total, pick("tax", taxes...), "ben")
				f.Payer = eve
				f = scene.Altered(f, func(p *affiliate.Paid) {
					p.ExternalID = pick("order", "order-1042", "order-9")
					p.Renewal = rapid.Bool().Draw(rt, "renewal")
				})
				payments++
			case "refunds":
				f.Refunds = []affiliate.RefundFact{{ID: fmt.Sprint("re_", payments), Amount: scene.Sum("10000"), State: affiliate.RefundSucceeded}}
			case "disputes":
				f.Disputes = []affiliate.DisputeFact{{ID: "dp_" + key, Amount: scene.Sum("10000"), State: affiliate.DisputeLost}}
			case "cancels":
				_, _ = s.Payments().ReportSubscription(ctx, affiliate.SubscriptionFact{
					Provider: "stripe", Payer: eve, Subscription: "sub_E", Status: affiliate.SubscriptionCancelled, At: s.Now,
				})
				continue
			case "changes":
				eve.Email = pick("email", emails...)
				_ = s.Payments().ReportPayer(ctx, "stripe", eve)
				continue
			}
			_, _ = s.Payments().ReportPayment(ctx, f) // an amount that changed is refused
		}
		if got := scene.Must(s.Sale(ctx, sale.ID)); got.CommissionEarned != sale.CommissionEarned || got.RefundedAmount != sale.RefundedAmount || got.Status != sale.Status {
			rt.Fatalf("the order earns %v, is %s, refunded %v", got.CommissionEarned, got.Status, got.RefundedAmount)
		}
		if got := scene.Must(s.Referral(ctx, customer.String())).Status; got != before {
			rt.Fatalf("the customer is %s, was %s", got, before)
		}
		s.Outcome(s.Reports(scene.OfOrder(s.Paid("pi_real", "10000", "0", "1"), scene.Ines)), affiliate.SaleDuplicate)
		scene.Must(0, s.Verify(ctx))
	})
}

// tooLongText is above the limit of every text: metadata may have 16,384 bytes.
var tooLongText = strings.Repeat("x", 20_000)

// TestTextsHaveLimits: no write stores a text of 20,000 bytes, whichever text of
// its input that is. The texts are found by reflection: a new field whose length
// is not checked is named here.
func TestTextsHaveLimits(t *testing.T) {
	tried := 0
	for method, args := range newKeyedShop(t, memstore.New()).writes {
		for i := range args {
			for place := range textPlaces(reflect.ValueOf(args[i])) {
				if tried++; tried%5 != 0 && !atlength.On() {
					continue
				}
				s := newKeyedShop(t, memstore.New())
				sent := slices.Clone(s.writes[method])
				for p, value := range textPlaces(reflect.ValueOf(sent[i])) {
					if p == place {
						sent[i] = value
					}
				}
				_, err := s.call(s.Program, method, sent)
				for table, records := range s.Dump() {
					if strings.Contains(strings.Join(records, ""), tooLongText) {
						t.Errorf("%s stores a text of any length from %s in %s, error %v", method, place, table, err)
					}
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d texts were tried, want all", tried)
	}
}

// textPlaces returns the places of an input that hold a text, each with a copy of
// the input that has the long text there.
func textPlaces(v reflect.Value) func(yield func(place string, changed any) bool) {
	return func(yield func(string, any) bool) {
		_, isTime := v.Interface().(time.Time)
		_, isJSON := v.Interface().(json.RawMessage)
		_, isOpt := reflect.New(v.Type()).Interface().(json.Unmarshaler)
		switch {
		case isTime || v.Kind() == reflect.Array:
		case v.Kind() == reflect.String:
			yield("", reflect.ValueOf(tooLongText).Convert(v.Type()).Interface())
		case isOpt && !isJSON:
			for _, sample := range []string{`"*"`, `["*"]`, `{"x":"*"}`, `{"productId":"*"}`, `{"name":"*"}`} {
				long := reflect.New(v.Type())
				err := json.Unmarshal([]byte(strings.Replace(sample, "*", tooLongText, 1)), long.Interface())
				if err == nil && strings.Contains(string(scene.Must(json.Marshal(long.Interface()))), tooLongText) && !yield(sample, long.Elem().Interface()) {
					return
				}
			}
		case isJSON:
			yield("", json.RawMessage(`{"x":"`+tooLongText+`"}`))
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				for place, changed := range textPlaces(v.Field(i)) {
					whole := reflect.New(v.Type()).Elem()
					whole.Set(v)
					whole.Field(i).Set(reflect.ValueOf(changed))
					if !yield(v.Type().Field(i).Name+" "+place, whole.Interface()) {
						return
					}
				}
			}
		case v.Kind() == reflect.Slice:
			element := reflect.Zero(v.Type().Elem())
			if v.Len() > 0 {
				element = v.Index(0)
			}
			for place, changed := range textPlaces(element) {
				list := reflect.MakeSlice(v.Type(), 1, 1)
				list.Index(0).Set(reflect.ValueOf(changed))
				if !yield(place, list.Interface()) {
					return
				}
			}
		}
	}
}

// A runMeter is a store that counts the sales that are read, and watches the
// heap.
type runMeter struct {
	record.Store
	sales atomic.Int64
	heap  atomic.Uint64 // the largest
}

func (m *runMeter) View(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return m.Store.View(ctx, id, m.watched(fn))
}

func (m *runMeter) Update(ctx context.Context, id uuid.UUID, fn func(*record.Tx) error) error {
	return m.Store.Update(ctx, id, m.watched(fn))
}

func (m *runMeter) watched(fn func(*record.Tx) error) func(*record.Tx) error {
	return func(tx *record.Tx) error {
		metered := *tx
		metered.Sales = meteredSales{tx.Sales, m}
		err := fn(&metered)
		m.heap.Store(max(m.heap.Load(), heapNow()))
		return err
	}
}

func heapNow() uint64 {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	return mem.HeapAlloc
}

type meteredSales struct {
	record.Table[record.Sale]
	m *runMeter
}

func (s meteredSales) Get(id uuid.UUID) (record.Sale, error) {
	s.m.sales.Add(1)
	return s.Table.Get(id)
}

func (s meteredSales) Find(key record.Key) (record.Sale, error) {
	s.m.sales.Add(1)
	return s.Table.Find(key)
}

func (s meteredSales) List(q record.Query) iter.Seq2[record.Sale, error] {
	return func(yield func(record.Sale, error) bool) {
		for rec, err := range s.Table.List(q) {
			s.m.sales.Add(1)
			if !yield(rec, err) {
				return
			}
		}
	}
}

// docs/money.md, Q3: a run over many affiliates of whom one in a hundred is paid
// reads no sale of the others and keeps nothing about them in memory, and no sale
// waits for it.
func TestPayoutRunScale(t *testing.T) {
	n := 10_000
	if atlength.On() {
		n = 100_000
	}
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // so that the heap is not mostly garbage
	w := scene.NewOn(t, memstore.New())
	due := scene.Crowd(t, w.Store, w.Config().ID, n)
	runtime.GC()
	base := heapNow()
	m := &runMeter{Store: w.Store}
	seller := w.Ada() // without a payment method: the run leaves it out

	stop, waits, wg := make(chan struct{}), []time.Duration{}, sync.WaitGroup{}
	wg.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			began := time.Now()
			scene.Must(w.With(w.Store).RecordSale(context.Background(), affiliate.SaleParams{PromoCode: seller.ADA20.Code, TotalEarned: scene.Sum("1")}))
			waits = append(waits, time.Since(began))
		}
	})
	run := scene.Must(w.With(m).RunPayouts(t.Context(), affiliate.PayoutRun{ExternalID: "all", Methods: []affiliate.PaymentMethod{"PAYPAL"}}))
	close(stop)
	wg.Wait()
	if int(run.Created) != due || run.Skipped != 0 {
		t.Errorf("run %+v, want %d payouts", run, due)
	}
	slices.Sort(waits)
	heap := int64(m.heap.Load()) - int64(base)
	t.Logf("%d affiliates, %d paid: %d sales read, heap %+d KiB, %d sales meanwhile waited %v at most, half of them at most %v",
		n, due, m.sales.Load(), heap>>10, len(waits), waits[len(waits)-1], waits[len(waits)/2])
	// A sale that is due is read by the snapshot, by the transaction, and once
	// more to be marked. The first transaction on a store looks whether there is money.
	if reads := m.sales.Load(); reads != int64(3*due)+1 {
		t.Errorf("%d sales were read for %d payouts", reads, due)
	}
	if heap > 64<<20 {
		t.Errorf("the heap grew by %d MiB", heap>>20)
	}
}

// A mirror is another system that follows the events of sales, as docs/receiver.md
// says, and reads adjustments and payouts by their routes, because these fire no
// events.
type mirror struct {
	after uuid.UUID // the last event that it got
	sales map[string]mirroredSale
}

// A mirroredSale is a sale as a mirror has it. The row of a deleted sale stays, for its
// revision.
type mirroredSale struct {
	revision int64
	gone     bool
	sale     affiliate.Sale
}

// follow takes the events that are new.
func (m *mirror) follow(w *scene.World) {
	w.T.Helper()
	if m.sales == nil {
		m.sales = map[string]mirroredSale{}
	}
	for {
		events := scene.Must(w.EventsAfter(context.Background(), m.after, 1000))
		if len(events) == 0 {
			return
		}
		for _, e := range events {
			m.after = e.ID
			if e.Type.Family() == "sale" && e.Revision > m.sales[e.ObjectID].revision {
				m.sales[e.ObjectID] = rowOf(w, e)
			}
		}
	}
}

func rowOf(w *scene.World, e affiliate.Event) mirroredSale {
	w.T.Helper()
	row := mirroredSale{revision: e.Revision, gone: e.Type == affiliate.SaleDeleted}
	if row.gone {
		return row
	}
	var payload struct{ Body affiliate.Sale }
	if err := json.Unmarshal(e.Payload, &payload); err != nil {
		w.T.Fatalf("%s: %v", e.Type, err)
	}
	row.sale = payload.Body
	return row
}

// check compares the mirror with the program: which sales stand, what they come to,
// and the balance of their affiliate.
func (m *mirror) check(w *scene.World, owner uuid.UUID) {
	w.T.Helper()
	m.follow(w)
	standing := 0
	for _, sale := range scene.Must(w.Sales(context.Background(), affiliate.SaleQuery{}, affiliate.Page{Limit: 1000})).Items {
		row := m.sales[fmt.Sprint(sale.ID)]
		if row.gone != (sale.Status == affiliate.SaleRefunded) {
			w.T.Errorf("sale %d is %s, in the mirror gone is %v", sale.ID, sale.Status, row.gone)
		}
		if row.gone {
			continue
		}
		standing++
		row.sale.UpdatedAt, row.sale.Referral, row.sale.Affiliate = sale.UpdatedAt, sale.Referral, sale.Affiliate
		if diff := cmp.Diff(sale, row.sale); diff != "" {
			w.T.Errorf("sale %d (-program +mirror):\n%s", sale.ID, diff)
		}
	}
	for _, row := range m.sales {
		if !row.gone {
			standing--
		}
	}
	if standing != 0 {
		w.T.Errorf("the program has %d more sales than the mirror", standing)
	}
	balance := scene.Must(w.Balance(context.Background(), affiliate.AffiliateRef{ID: owner}))
	if held, open := m.owed(w, owner); held != balance.Held || open != scene.Must(balance.Payable.Add(balance.Maturing)) {
		w.T.Errorf("the mirror has %v held and %v open, the balance is %+v", held, open, balance)
	}
}

// owed is what the mirror says of an affiliate: the commissions of its sales and the
// adjustments, less the payouts that stand.
func (m *mirror) owed(w *scene.World, owner uuid.UUID) (held, open affiliate.Amount) {
	for _, row := range m.sales {
		if row.gone || row.sale.AffiliateID != owner {
			continue
		}
		for _, c := range row.sale.Commissions {
			switch c.ApprovalStatus {
			case affiliate.ApprovalOnHold:
				held = scene.Must(held.Add(c.CommissionEarned))
			case affiliate.ApprovalAccepted:
				open = scene.Must(open.Add(c.CommissionEarned))
			}
		}
	}
	page := affiliate.Page{Limit: 1000}
	for _, a := range scene.Must(w.Adjustments(context.Background(), affiliate.AdjustmentQuery{AffiliateID: affiliate.Set(owner)}, page)).Items {
		open = scene.Must(open.Add(a.Amount))
	}
	for _, p := range scene.Must(w.Payouts(context.Background(), affiliate.PayoutQuery{AffiliateID: affiliate.Set(owner)}, page)).Items {
		if p.Status != affiliate.PayoutCanceled && p.Status != affiliate.PayoutReturned {
			open = scene.Must(open.Sub(p.Amount))
		}
	}
	return held, open
}

// A sale whose dispute was won counts again, as often as that happens: its status, its
// figures and its commission, and whoever gets the events hears it.
func TestPaymentCountsAgain(t *testing.T) {
	for name, payout := range map[string]string{"before a payout": "S", "in a payout": "S P", "after a payout": "S PP"} {
		t.Run(name, func(t *testing.T) {
			s, m := scene.NewPayShop(t), &mirror{}
			s.Play(strings.Fields(payout)...)
			link := func() affiliate.Link {
				return scene.Must(s.Links(t.Context(), affiliate.LinkQuery{Slug: affiliate.Set("mara")}, affiliate.Page{})).Items[0]
			}
			before, seen := link(), len(s.EventTypes(0))
			for _, step := range []struct {
				word, gives string
				status      affiliate.SaleStatus
				fires       affiliate.EventType
			}{
				{"D:dp_1:120:lost@1", "0", affiliate.SaleRefunded, affiliate.SaleDeleted},
				{"D:dp_1:120:won@2", "20", affiliate.SaleActive, affiliate.SaleUpdated},
				{"D:dp_1:120:lost@3", "0", affiliate.SaleRefunded, affiliate.SaleDeleted},
				{"D:dp_1:120:won@4", "20", affiliate.SaleActive, affiliate.SaleUpdated},
				{"R:re_1:120", "0", affiliate.SaleRefunded, affiliate.SaleDeleted},
				{"R:re_1:120:failed", "20", affiliate.SaleActive, affiliate.SaleUpdated},
			} {
				s.Play(step.word)
				sale := s.Gives("pi_1", step.gives)
				m.check(s.World, s.Mara.ID)
				if sale.Status != step.status || sale.RefundedAt.IsNull() == (step.status == affiliate.SaleRefunded) {
					t.Errorf("after %s: status %s, refunded %v at %v", step.word, sale.Status, sale.RefundedAmount, sale.RefundedAt)
				}
				if diff := cmp.Diff([]affiliate.EventType{step.fires}, s.EventTypes(seen)); diff != "" {
					t.Errorf("%s fired (-want +got):\n%s", step.word, diff)
				}
				seen = len(s.EventTypes(0))
			}
			if diff := cmp.Diff(before, link()); diff != "" {
				t.Errorf("the figures of the link (-before +after):\n%s", diff)
			}
		})
	}
}

// What adjustments made up for, before a sale could count again, is not paid twice.
func TestPaymentAdjustedBefore(t *testing.T) {
	s := scene.NewPayShop(t)
	s.Play("S", "D:dp_1:120:lost@1")
	made := scene.Must(s.RecordAdjustment(t.Context(), affiliate.AdjustmentParams{
		AffiliateID: s.Mara.ID, SaleID: s.SaleOf("pi_1").ID, Kind: affiliate.AdjustDisputeWon, Amount: scene.Sum("20"), Reason: "stripe dp_1: won",
	}))
	scene.Behind(t, s.World, func(tx *record.Tx) {
		for pay, err := range tx.Payments.List(record.Query{}) {
			scene.Must(0, err)
			pay.Peak, pay.Adjusted, pay.Adjustments = scene.Sum("120"), scene.Sum("20"), []uuid.UUID{made.ID}
			pay.Disputes[0].State = affiliate.DisputeWon
			scene.Must(0, tx.Payments.Replace(pay))
		}
	})
	s.Gives("pi_1", "20")
	s.Play("R:re_1:30")
	if sale := s.Gives("pi_1", "15"); sale.Status != affiliate.SaleActive || sale.CommissionEarned != scene.Sum("15") {
		t.Errorf("status %s, earned %v", sale.Status, sale.CommissionEarned)
	}
}

func TestMain(m *testing.M) { atlength.Main(m) }
