package benchkit

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

type floorCoupon struct {
	id            string
	percentOff    int64
	valid         bool
	max, redeemed int64
}

type floorAffiliate struct {
	id, email  string
	rate       int64 // percent
	clicks     int64
	sales      int64
	revenue    int64 // 1/10,000
	commission int64
}

type floorCode struct {
	id, code      string
	coupon        *floorCoupon
	affiliate     *floorAffiliate
	active        bool
	expiresAt     time.Time
	max, redeemed int64
}

// floorSale has the fields of a sale on the wire. The fields that the floor
// never reads are exported, so that linters accept them.
type floorSale struct {
	id                      string
	number                  int64
	code                    *floorCode
	affiliate               *floorAffiliate
	externalID              string
	total, rate             int64
	commission              *floorCommission
	status, trigger, source string
	createdAt, updatedAt    time.Time
	ProgramID, ReferralID   string
	InvoiceID, Name, Email  string
	Integration             string
	Link                    *floorLink
	Tax, Shipping, Refunded int64
	Clicks                  int64
	Products                []string
	Metadata                map[string]any
	RefundedAt              *time.Time
}

type floorCommission struct {
	id                   string
	sale                 *floorSale
	affiliate            *floorAffiliate
	earned               int64
	approval, rewardType string
	createdAt, updatedAt time.Time
	PayoutID, HoldReason string
	ManuallyPaid         bool
}

type floorEvent struct {
	id   string
	typ  string
	sale *floorSale
	at   time.Time
}

type floorClick struct {
	id        string
	number    int64
	link      *floorLink
	landing   string
	createdAt time.Time
}

type floorLink struct {
	id, slug  string
	affiliate *floorAffiliate
	clicks    int64
	sales     int64
	revenue   int64
}

type floorCustomer struct {
	id, name, email   string
	affiliate         *floorAffiliate
	sales, revenue    int64
	commission        int64
	status, medium    string
	createdAt         time.Time
	UpdatedAt         time.Time
	Plan, Source      string
	Link              *floorLink
	Notes, CustomerID string
}

// floorRow is a row of the ledger.
type floorRow struct {
	sale     *floorSale
	code     *floorCode
	at       time.Time
	Restored *time.Time
}

// A Floor is the floor of the benchmarks: the code that somebody would write by
// hand for exactly these operations. It has one mutex, and maps with string ids
// and pointers, and stores events by reference. It has counters but no other
// statistics, no history but the sales, one program, and no rollback.
type Floor struct {
	mu         sync.Mutex
	customers  map[string]*floorCustomer // by email
	ledger     []*floorRow
	codes      map[string]*floorCode // by upper-cased text
	sales      map[string]*floorSale
	byExternal map[string]*floorSale
	clicks     map[string]*floorClick
	links      map[string]*floorLink // by lower-cased slug
	ownLinks   map[string][]*floorLink
	events     []*floorEvent
	numbers    int64
	first      *floorCode
}

func newFloor() *Floor {
	return &Floor{
		codes: map[string]*floorCode{}, sales: map[string]*floorSale{},
		byExternal: map[string]*floorSale{}, customers: map[string]*floorCustomer{},
		clicks: map[string]*floorClick{}, links: map[string]*floorLink{},
		ownLinks: map[string][]*floorLink{},
	}
}

var errFloor = errors.New("refused")

func floorID() string { return uuid.Must(uuid.NewV7()).String() }

// Sell redeems a code: both counters, sale, commission and event. With an email
// it also has a customer, who may be new, and a row in the ledger. The total is
// in 1/10,000.
func (f *Floor) Sell(text, externalID, name, email string, total int64) error {
	now := time.Now()
	id, event := floorID(), floorID()
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, known := f.byExternal[externalID]; known && externalID != "" {
		return errFloor
	}
	code := f.codes[strings.ToUpper(text)]
	switch {
	case code == nil || !code.active || !code.coupon.valid || code.affiliate == nil:
		return errFloor
	case !code.expiresAt.IsZero() && now.After(code.expiresAt):
		return errFloor
	case code.max > 0 && code.redeemed >= code.max, code.coupon.max > 0 && code.coupon.redeemed >= code.coupon.max:
		return errFloor
	}
	f.numbers++
	earned := (total*code.affiliate.rate/100 + 50) / 100 * 100
	sale := &floorSale{
		id: id, number: f.numbers, code: code, affiliate: code.affiliate, externalID: externalID, total: total,
		rate: code.affiliate.rate, status: "ACTIVE", trigger: "PURCHASE", source: "API", createdAt: now, updatedAt: now,
	}
	sale.commission = &floorCommission{
		id: "c" + strconv.FormatInt(f.numbers, 10), sale: sale, affiliate: code.affiliate, earned: earned,
		approval: "ACCEPTED", rewardType: "CASH", createdAt: now, updatedAt: now,
	}
	f.sales[id] = sale
	if externalID != "" {
		f.byExternal[externalID] = sale
	}
	if email != "" {
		f.buys(sale, strings.ToLower(email), name, now)
		f.ledger = append(f.ledger, &floorRow{sale: sale, code: code, at: now})
	}
	code.redeemed++
	code.coupon.redeemed++
	code.affiliate.sales++
	code.affiliate.revenue += total
	code.affiliate.commission += earned
	f.events = append(f.events, &floorEvent{event, "sale.created", sale, now})
	return nil
}

// buys joins the customer of a sale.
func (f *Floor) buys(sale *floorSale, email, name string, now time.Time) {
	customer := f.customers[email]
	if customer == nil {
		customer = &floorCustomer{
			id: floorID(), name: name, email: email, affiliate: sale.affiliate, status: "ACTIVE",
			medium: "COUPON", createdAt: now,
		}
		f.customers[email] = customer
		f.events = append(f.events, &floorEvent{floorID(), "referral.created", sale, now})
	}
	customer.sales++
	customer.revenue += sale.total
	customer.commission += sale.commission.earned
	sale.ReferralID, sale.Name, sale.Email = customer.id, name, email
}

// Click records a visit.
func (f *Floor) Click(slug, landing string) error {
	now := time.Now()
	id := floorID()
	f.mu.Lock()
	defer f.mu.Unlock()
	link := f.links[strings.ToLower(slug)]
	if link == nil {
		return errFloor
	}
	f.numbers++
	click := &floorClick{id, f.numbers, link, landing, now}
	f.clicks[id] = click
	link.clicks++
	link.affiliate.clicks++
	return nil
}

// AddCode issues a code of the affiliate and coupon that the first code of
// [FillFloor] has.
func (f *Floor) AddCode(text string) error {
	id, event := floorID(), floorID()
	f.mu.Lock()
	defer f.mu.Unlock()
	key := strings.ToUpper(text)
	if f.codes[key] != nil {
		return errFloor
	}
	code := &floorCode{id: id, code: text, coupon: f.first.coupon, affiliate: f.first.affiliate, active: true}
	f.codes[key] = code
	f.events = append(f.events, &floorEvent{id: event, typ: "promocode.created"})
	return nil
}

// AddLink gives the first affiliate one more link.
func (f *Floor) AddLink(slug string) {
	link := &floorLink{id: floorID(), slug: slug, affiliate: f.first.affiliate}
	f.links[slug] = link
	f.ownLinks[link.affiliate.id] = append(f.ownLinks[link.affiliate.id], link)
}

// A FloorLink is a link in a list of the floor.
type FloorLink struct {
	ID, Slug, URL          string
	Clicks, Sales, Revenue int64
}

// Links lists the links of the first affiliate with their counters.
func (f *Floor) Links() []FloorLink {
	f.mu.Lock()
	defer f.mu.Unlock()
	own := f.ownLinks[f.first.affiliate.id]
	out := make([]FloorLink, len(own))
	for i, l := range own {
		out[i] = FloorLink{l.id, l.slug, "https://beans.example/shop?ref=" + l.slug, l.clicks, l.sales, l.revenue}
	}
	return out
}

// FillFloor makes a floor of the same shape as a [Shop].
func FillFloor(codes int) *Floor {
	f := newFloor()
	coupon := &floorCoupon{id: floorID(), percentOff: 20, valid: true}
	for i := range codes {
		n := strconv.Itoa(i)
		aff := &floorAffiliate{id: floorID(), email: "a" + n + "@example.com", rate: 20}
		code := &floorCode{id: floorID(), code: "CODE" + n, coupon: coupon, affiliate: aff, active: true}
		f.codes[code.code] = code
		if i == 0 {
			f.first = code
		}
		link := &floorLink{id: floorID(), slug: "slug-" + n, affiliate: aff}
		f.links[link.slug] = link
		f.ownLinks[aff.id] = append(f.ownLinks[aff.id], link)
	}
	return f
}
