package client_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/client"
)

// losingTransport is a transport to a handler. The handler carries out every request,
// and the transport loses the first answers.
type losingTransport struct {
	handler   http.Handler
	lose      int
	seen      int
	meanwhile func() // after each answer that is lost; nil: nothing
}

func (l *losingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	l.seen++
	in := httptest.NewRequestWithContext(r.Context(), r.Method, r.URL.String(), r.Body)
	in.Header = r.Header
	w := httptest.NewRecorder()
	l.handler.ServeHTTP(w, in)
	if l.seen <= l.lose {
		if l.meanwhile != nil {
			l.meanwhile()
		}
		return nil, io.ErrUnexpectedEOF
	}
	return w.Result(), nil
}

// A shop is an engine with an affiliate, a code and a sale, and a client that
// loses the first answer of the next call.
type shop struct {
	*tributary.Program
	client *client.Client
	line   *losingTransport
	coupon affiliate.Coupon
	sale   affiliate.Sale
}

func newShop(t *testing.T, change ...func(*client.Config)) *shop {
	t.Helper()
	ctx := t.Context()
	p, h := newEngine(t)
	line := &losingTransport{handler: h, lose: 1}
	cfg := client.Config{HTTP: &http.Client{Transport: line}}
	for _, c := range change {
		c(&cfg)
	}
	ada := must(p.CreateAffiliate(ctx, affiliate.AffiliateParams{FirstName: "Ada", LastName: "L", Email: "ada@example.com"}))
	coupon := must(p.CreateCoupon(ctx, affiliate.CouponParams{Name: "All", PercentOff: affiliate.Set(affiliate.MustPercent("10"))}))
	must(p.CreateCode(ctx, affiliate.CodeParams{CouponID: coupon.ID, Code: "ADA", AffiliateID: ada.ID}))
	sale := must(p.RecordSale(ctx, affiliate.SaleParams{PromoCode: "ADA", TotalEarned: affiliate.MustAmount("100")}))
	return &shop{p, must(client.New(testBase, testKey, cfg)), line, coupon, sale.Sale.Or(affiliate.Sale{})}
}

// events counts the events of a type.
func (s *shop) events(t *testing.T, typ affiliate.EventType) int {
	t.Helper()
	return len(must(s.Events(t.Context(), affiliate.EventQuery{Type: typ}, affiliate.Page{})).Items)
}

// TestLostAnswer: the first answer is lost after the server committed. No call
// has a second effect, and no call returns an untrue result.
func TestLostAnswer(t *testing.T) {
	t.Run("POST is replayed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShop(t)
			var stored []byte
			got, err := s.client.RecordSale(t.Context(), affiliate.SaleParams{
				Once:      affiliate.Once{Replayed: func(answer []byte) { stored = answer }},
				PromoCode: "ADA", TotalEarned: affiliate.MustAmount("5"), ExternalID: "order-2",
			})
			if err != nil || got.Outcome != affiliate.SaleRecorded || s.line.seen != 2 {
				t.Fatalf("got %v, %v after %d attempts", got.Outcome, err, s.line.seen)
			}
			sale, _ := got.Sale.Get()
			if sale.ID != s.sale.ID+1 || string(stored) != jsonOf(sale) {
				t.Errorf("sale %d, replayed %s", sale.ID, stored)
			}
			s.sold(t, 2)
		})
	})
	t.Run("POST to a server without keys", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShop(t, func(cfg *client.Config) { cfg.NoRepeat = true })
			err := errOf(s.client.RecordSale(t.Context(), affiliate.SaleParams{PromoCode: "ADA", TotalEarned: affiliate.MustAmount("5"), ExternalID: "order-2"}))
			if e := failure(t, err); e.Attempts != 1 || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("got %v after %d attempts", err, e.Attempts)
			}
			s.sold(t, 2)
		})
	})
	t.Run("POST refused is refused again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShop(t)
			var stored string
			err := errOf(s.client.RecordSale(t.Context(), affiliate.SaleParams{
				Once: affiliate.Once{Replayed: func(answer []byte) { stored = string(answer) }}, PromoCode: "NONE", TotalEarned: affiliate.MustAmount("5"),
			}))
			if e := failure(t, err); e.Attempts != 2 || !errors.Is(err, affiliate.CodeNotFound) || stored != "null" {
				t.Errorf("got %v after %d attempts, replayed %q", err, e.Attempts, stored)
			}
		})
	})
	t.Run("PUT", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShop(t)
			got, err := s.client.UpdateCoupon(t.Context(), s.coupon.ID, affiliate.CouponUpdate{Name: affiliate.Set("New")})
			if err != nil || got.Name != "New" || s.events(t, affiliate.CouponUpdated) != 1 {
				t.Errorf("got %q, %v, %d events", got.Name, err, s.events(t, affiliate.CouponUpdated))
			}
		})
	})
	t.Run("DELETE is answered as at first", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShop(t)
			got, err := s.client.DeleteCoupon(t.Context(), s.coupon.ID)
			if err != nil || got.ID != s.coupon.ID || s.line.seen != 2 {
				t.Errorf("got %v, %v after %d attempts", got, err, s.line.seen)
			}
			if n := s.events(t, affiliate.CouponDeleted); n != 1 {
				t.Errorf("%d coupon.deleted", n)
			}
		})
	})
	t.Run("DELETE to a server without keys", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShop(t, func(cfg *client.Config) { cfg.NoRepeat = true })
			err := errOf(s.client.DeleteCoupon(t.Context(), s.coupon.ID))
			if e := failure(t, err); e.Attempts != 1 || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("got %v after %d attempts", err, e.Attempts)
			}
		})
	})
	t.Run("a keyed write is a replay in another call", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newShop(t)
			var stored string
			keyed := s.client.Keyed(affiliate.Once{Key: "drop-all", Replayed: func(answer []byte) { stored = string(answer) }})
			first := must(keyed.DeleteCoupon(t.Context(), s.coupon.ID))
			again, err := keyed.DeleteCoupon(t.Context(), s.coupon.ID)
			if err != nil || again != first || stored == "" {
				t.Errorf("got %v, %v, replayed %q", again, err, stored)
			}
			if err := keyed.DeleteSale(t.Context(), s.sale.ID); !errors.Is(err, affiliate.IdempotencyKeyReused) {
				t.Errorf("another write under the key: %v", err)
			}
		})
	})
	for name, refund := range map[string]affiliate.Refund{
		"PATCH in full": {},
		"PATCH with id": {Amount: affiliate.Set(affiliate.MustAmount("30")), RefundID: "r1"},
		"PATCH in part": {Amount: affiliate.Set(affiliate.MustAmount("30"))},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShop(t)
				refund.SaleID = s.sale.ID
				got, err := s.client.RefundSale(t.Context(), refund)
				if err != nil || got.AlreadyRefunded || !got.Success || s.line.seen != 2 {
					t.Errorf("got %+v, %v after %d attempts", got, err, s.line.seen)
				}
				s.refunded(t, refund.Amount.Or(affiliate.MustAmount("100")))
			})
		})
	}
}

// sold fails the test unless there are n sales, each with one event and one
// redemption.
func (s *shop) sold(t *testing.T, n int) {
	t.Helper()
	sales := len(must(s.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})).Items)
	redeemed := must(s.Coupon(t.Context(), affiliate.CouponRef{ID: s.coupon.ID})).TimesRedeemed
	if events := s.events(t, affiliate.SaleCreated); sales != n || events != n || redeemed != int64(n) {
		t.Errorf("%d sales, %d events, %d redemptions; want %d each", sales, events, redeemed, n)
	}
	if err := s.Verify(t.Context()); err != nil {
		t.Errorf("Verify: %v", err)
	}
}

// refunded fails the test unless this amount of the sale was refunded.
func (s *shop) refunded(t *testing.T, want affiliate.Amount) {
	t.Helper()
	if got := must(s.Sale(t.Context(), s.sale.ID)).RefundedAmount; !got.Equal(want) {
		t.Errorf("refunded %v, want %v", got, want)
	}
}

// rudeServer is a TCP server that answers the first requests of each connection,
// reads one more and then closes the connection. So a used connection breaks
// after the server has received a request.
type rudeServer struct {
	net.Listener
	polite   int
	requests atomic.Int64
}

func newRude(t *testing.T, polite int) *rudeServer {
	t.Helper()
	r := &rudeServer{Listener: must(net.Listen("tcp", "127.0.0.1:0")), polite: polite}
	t.Cleanup(func() { r.Close() })
	go func() {
		for {
			conn, err := r.Accept()
			if err != nil {
				return
			}
			go r.serve(conn)
		}
	}()
	return r
}

func (r *rudeServer) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReader(conn)
	for n := 1; ; n++ {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		r.requests.Add(1)
		if n > r.polite {
			return
		}
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\nnull")
	}
}

// TestNoRepeatOnOldConnection: net/http sends a request with an
// Idempotency-Key again by itself when an old connection breaks. Under
// NoRepeat even that must not happen.
func TestNoRepeatOnOldConnection(t *testing.T) {
	for _, row := range []struct {
		name     string
		noRepeat bool
		most     int64 // requests that reach the server, the first one included
		refused  bool
	}{
		{"keys known", false, 100, false},
		{"NoRepeat", true, 2, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			srv := newRude(t, 1)
			c := must(client.New("http://"+srv.Addr().String(), testKey, client.Config{NoRepeat: row.noRepeat}))
			defer c.CloseIdleConnections()
			must(c.RecordSale(t.Context(), affiliate.SaleParams{}))
			_, err := c.RecordSale(t.Context(), affiliate.SaleParams{}) // on the same connection
			if (err != nil) != row.refused {
				t.Errorf("second call: %v", err)
			}
			if n := srv.requests.Load(); n > row.most || n < 2 {
				t.Errorf("%d requests reached the server, at most %d may", n, row.most)
			}
		})
	}
}

// TestTCPFaults causes network failures on real connections.
func TestTCPFaults(t *testing.T) {
	quick := func(cfg *client.Config) { cfg.MinWait, cfg.MaxWait = 1, 1 }
	hangUp := func(afterHeaders bool) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, buf, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			if afterHeaders {
				buf.WriteString("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"id\":")
				buf.Flush()
			}
			conn.(*net.TCPConn).SetLinger(0) // reset, not close
			conn.Close()
		}
	}
	unused := must(net.Listen("tcp", "127.0.0.1:0"))
	unused.Close()

	for _, row := range []struct {
		name     string
		start    func(t *testing.T, hits *atomic.Int64) string
		attempts int // attempts of a POST, without and with NoRepeat
		guarded  int
		hits     bool
	}{
		{"refused", func(*testing.T, *atomic.Int64) string { return "http://" + unused.Addr().String() }, 3, 3, false},
		{"reset before headers", serving(hangUp(false)), 3, 1, true},
		{"reset inside body", serving(hangUp(true)), 3, 1, true},
		{"unknown authority", func(t *testing.T, _ *atomic.Int64) string {
			srv := httptest.NewUnstartedServer(http.NotFoundHandler())
			srv.Config.ErrorLog = discard()
			srv.StartTLS()
			t.Cleanup(srv.Close)
			return srv.URL
		}, 1, 1, false},
		{"no TLS", func(t *testing.T, hits *atomic.Int64) string {
			return "https" + serving(http.NotFound)(t, hits)[len("http"):]
		}, 1, 1, false},
	} {
		for _, noPost := range []bool{false, true} {
			want := row.attempts
			if noPost {
				want = row.guarded
			}
			t.Run(row.name, func(t *testing.T) {
				var hits atomic.Int64
				cfg := client.Config{NoRepeat: noPost}
				quick(&cfg)
				c := must(client.New(row.start(t, &hits), testKey, cfg))
				defer c.CloseIdleConnections()
				e := failure(t, errOf(c.RecordSale(t.Context(), affiliate.SaleParams{})))
				if e.Attempts != want || e.Status != 0 || row.hits && hits.Load() != int64(want) {
					t.Errorf("NoRepeat %v: %d attempts, %d arrived, status %d, want %d: %v", noPost, e.Attempts, hits.Load(), e.Status, want, e)
				}
			})
		}
	}
}

// serving starts a server that counts its requests.
func serving(h http.HandlerFunc) func(t *testing.T, hits *atomic.Int64) string {
	return func(t *testing.T, hits *atomic.Int64) string {
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			hits.Add(1)
			h(w, r)
		}))
		srv.Config.ErrorLog = discard()
		srv.Start()
		t.Cleanup(srv.Close)
		return srv.URL
	}
}

// TestLostAnswerAndAnotherCaller: the answer of a write is lost, another caller
// changes the same record, and then the write is repeated. The repeat has no
// effect: the other caller's change stays.
func TestLostAnswerAndAnotherCaller(t *testing.T) {
	for name, test := range map[string]func(t *testing.T, s *shop){
		"a code is switched on again":             codeStaysOff,
		"an affiliate's successor is deleted":     affiliateStays,
		"a customer's successor is deleted":       customerStays,
		"a link of another affiliate is deleted":  linkStays,
		"a link is renamed under its old owner":   renamedLinkStays,
		"a part of a sale is refunded once again": partIsRefundedOnce,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShop(t)
				test(t, s)
				if s.line.seen != 2 {
					t.Errorf("%d attempts, want 2", s.line.seen)
				}
				if err := s.Verify(t.Context()); err != nil {
					t.Errorf("Verify: %v", err)
				}
			})
		})
	}
}

func codeStaysOff(t *testing.T, s *shop) {
	code := must(s.Code(t.Context(), affiliate.CodeRef{Code: "ADA"}))
	active := func(on bool) affiliate.CodeUpdate { return affiliate.CodeUpdate{Active: affiliate.Set(on)} }
	must(s.UpdateCode(t.Context(), code.ID, active(false)))
	s.line.meanwhile = func() {
		if got := must(s.UpdateCode(t.Context(), code.ID, active(false))); got.Active {
			t.Error("the other caller is told that the code is active")
		}
	}
	got, err := s.client.UpdateCode(t.Context(), code.ID, active(true))
	if err != nil || !got.Active {
		t.Errorf("answered active %v, %v; want what the first attempt did", got.Active, err)
	}
	if must(s.Code(t.Context(), affiliate.CodeRef{ID: code.ID})).Active {
		t.Error("the repeat switched the code on again")
	}
}

func affiliateStays(t *testing.T, s *shop) {
	in := affiliate.AffiliateParams{FirstName: "Ada", LastName: "M", Email: "bea@example.com", AffiliateLink: "bea"}
	must(s.CreateAffiliate(t.Context(), in))
	var sale affiliate.Sale
	s.line.meanwhile = func() {
		must(s.ReleaseSlug(t.Context(), "bea"))
		must(s.CreateAffiliate(t.Context(), in))
		sale = must(s.RecordSale(t.Context(), affiliate.SaleParams{
			ReferralID: "bea", Email: "kim@example.net", Name: "Kim", TotalEarned: affiliate.MustAmount("5"),
		})).Sale.Or(affiliate.Sale{})
	}
	if err := s.client.Forfeiting().DeleteAffiliate(t.Context(), affiliate.AffiliateRef{Email: "bea@example.com"}); err != nil {
		t.Error(err)
	}
	if _, err := s.Affiliate(t.Context(), "bea@example.com"); err != nil {
		t.Errorf("the repeat deleted the successor: %v", err)
	}
	if _, err := s.Sale(t.Context(), sale.ID); err != nil {
		t.Errorf("and its sale: %v", err)
	}
}

func customerStays(t *testing.T, s *shop) {
	in := affiliate.ReferralParams{AffiliateEmail: "ada@example.com", Name: "Kim", Email: "kim@example.net", ReferredUserExternalID: "7"}
	must(s.CreateReferral(t.Context(), in))
	s.line.meanwhile = func() { must(s.CreateReferral(t.Context(), in)) }
	if err := s.client.Forfeiting().DeleteReferral(t.Context(), "kim@example.net"); err != nil {
		t.Error(err)
	}
	if _, err := s.Referral(t.Context(), "kim@example.net"); err != nil {
		t.Errorf("the repeat deleted the successor: %v", err)
	}
}

func linkStays(t *testing.T, s *shop) {
	ada := must(s.Affiliate(t.Context(), "ada@example.com"))
	bea := must(s.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "B", LastName: "C", Email: "bea@example.com"}))
	first := must(s.CreateLink(t.Context(), affiliate.LinkParams{Link: "spring", AffiliateID: ada.ID}))
	s.line.meanwhile = func() {
		must(s.ReleaseSlug(t.Context(), "spring"))
		must(s.CreateLink(t.Context(), affiliate.LinkParams{Link: "spring", AffiliateID: bea.ID}))
	}
	got, err := s.client.DeleteLink(t.Context(), affiliate.LinkRef{Slug: "spring"})
	if err != nil || got.ID != first.ID {
		t.Errorf("answered %v, %v; want link %v", got, err, first.ID)
	}
	if left := must(s.Links(t.Context(), affiliate.LinkQuery{Slug: affiliate.Set("spring")}, affiliate.Page{})).Items; len(left) != 1 {
		t.Errorf("the repeat deleted the new link: %v", left)
	}
}

func renamedLinkStays(t *testing.T, s *shop) {
	ada := must(s.Affiliate(t.Context(), "ada@example.com"))
	bea := must(s.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "B", LastName: "C", Email: "bea@example.com"}))
	first := must(s.CreateLink(t.Context(), affiliate.LinkParams{Link: "spring", AffiliateID: ada.ID}))
	s.line.meanwhile = func() {
		must(s.ReleaseSlug(t.Context(), "spring"))
		must(s.CreateLink(t.Context(), affiliate.LinkParams{Link: "spring", AffiliateID: bea.ID}))
	}
	got, err := s.client.RenameLink(t.Context(), affiliate.LinkRef{Slug: "spring"}, "summer")
	if err != nil || got.ID != first.ID {
		t.Errorf("answered %v, %v; want link %v", got.ID, err, first.ID)
	}
}

func partIsRefundedOnce(t *testing.T, s *shop) {
	part := affiliate.Refund{SaleID: s.sale.ID, Amount: affiliate.Set(affiliate.MustAmount("30"))}
	got, err := s.client.RefundSale(t.Context(), part)
	if err != nil || got.AlreadyRefunded || got.Reason != affiliate.RefundedInPart {
		t.Errorf("answered %+v, %v", got, err)
	}
	s.refunded(t, affiliate.MustAmount("30"))
}
