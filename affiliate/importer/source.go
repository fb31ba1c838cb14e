package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
)

// A Source yields the rows of an import in the order affiliates, coupons,
// referrals, sales, payouts, because a row names earlier rows by their refs.
//
// A row that cannot be read comes with an [*affiliate.Error] and an Item with
// what could be read, and the next row follows. Any other error ends the walk.
// A walk begins where the files stand: for another one, make another Source.
type Source interface {
	Rows(ctx context.Context) iter.Seq2[Row, error]
}

// A Row is one thing to import.
type Row struct {
	File string // as reports name it
	Line int    // of the row's first line, from 1, the header included
	Ref  string // such as "rewardful:affiliate:8f2c…": stable, unique, and not the name of a person
	Item Item   // nil: it could not be read

	read, size int64 // bytes of the file up to here, and all of them; 0: not known
	money      money // how its amounts were read

	columns func(field string) string // the columns of its fields; nil: those are their names
}

// An Item is the content of a row: an [Affiliate], a [Coupon], a [Referral], a
// [Sale] or a [Payout].
type Item interface{ item() }

// An Affiliate is an affiliate with their links. [Run] sets Ref and OnConflict.
type Affiliate struct{ imported.Affiliate }

// A Coupon is a coupon with its codes. [Run] sets Ref.
type Coupon struct{ imported.Coupon }

// A Referral is a customer. [Run] sets Ref.
type Referral struct{ imported.Referral }

// A Sale is a payment with its commission, or a bonus. [Run] sets Ref.
type Sale struct {
	imported.Sale
	Currency affiliate.Currency // of all its amounts; empty: the program's
}

// A Payout is a payout. [Run] sets Ref.
type Payout struct {
	imported.Payout
	Currency affiliate.Currency // of its amount; empty: the program's

	// Gathered marks a payout that the reader made of commissions that the
	// service reports as paid without a payout. Rejected commissions are
	// removed from it, and its amount is reduced.
	Gathered bool
}

func (Affiliate) item() {}
func (Coupon) item()    {}
func (Referral) item()  {}
func (Sale) item()      {}
func (Payout) item()    {}

// The kinds of rows, as reports count them. Links and codes that were left out
// of their rows are counted too.
const (
	Affiliates = "affiliates"
	Links      = "links"
	Coupons    = "coupons"
	Codes      = "codes"
	Customers  = "customers" // of a mapping; reports count them among the referrals
	Referrals  = "referrals"
	Sales      = "sales"
	Payouts    = "payouts"
)

// kindOf returns the kind of a row.
func kindOf(item Item) string {
	switch item.(type) {
	case Affiliate:
		return Affiliates
	case Coupon:
		return Coupons
	case Referral:
		return Referrals
	case Sale:
		return Sales
	case Payout:
		return Payouts
	}
	return "rows"
}

// All returns the rows of several sources, one source after another.
func All(sources ...Source) Source { return sourceList(sources) }

type sourceList []Source

func (s sourceList) Rows(ctx context.Context) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for _, source := range s {
			for row, err := range source.Rows(ctx) {
				if !yield(row, err) {
					return
				}
			}
		}
	}
}

// rows is a Source that is a function.
type rows func(ctx context.Context, yield func(Row, error) bool)

func (s rows) Rows(ctx context.Context) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) { s(ctx, yield) }
}

// A service is an export that mappings describe.
type service struct {
	source string // where the names of its columns were read, and when; what is not confirmed
	files  []serviceFile
	noPaid bool // it does not say which commissions were paid
	bonus  bool // it does not say what the customers paid
}

// A serviceFile is a file of a service: affiliates is affiliates.csv or affiliates.json.
type serviceFile struct {
	name string
	Mapping
}

type columns = map[string]string

// services are those that mappings describe, by the names that Folder.Service has.
var services = map[string]service{
	"firstpromoter": {
		source: "docs.firstpromoter.com, API v2: promoters, referrals, commissions, 2026-08. Not confirmed: the currency, which no row names",
		files: []serviceFile{
			{"affiliates", Mapping{
				Kind: Affiliates, Columns: columns{
					"ref": "id", "email": "email", "name": "name", "externalId": "cust_id", "createdAt": "joined_at",
					"slug": "promoter_campaigns.*.ref_token", "status": "promoter_campaigns.0.state",
				},
				Status: columns{"accepted": "ACTIVE", "pending": "INACTIVE",
					"rejected": "DECLINED", "blocked": "BANNED", "inactive": "DEACTIVATED"},
				Optional: []string{"externalId", "createdAt", "status"},
			}},
			{"customers", Mapping{Kind: Referrals, Columns: columns{
				"ref": "id", "email": "email", "customerId": "uid",
				"affiliate": "promoter_campaign.promoter_id", "createdAt": "created_at",
			}}},
			{"commissions", Mapping{
				Kind: Sales, Columns: columns{
					"ref": "id", "customer": "referral.id",
					"affiliate": "promoter_campaign.promoter_id", "type": "commission_type",
					"total": "sale_amount", "commission": "amount", "status": "status",
					"payment": "is_paid", "keys": "event_id", "createdAt": "created_at",
				},
				Status: columns{"approved": "ACCEPTED", "pending": "ON_HOLD", "denied": "DECLINED"},
				Words: map[string]map[string]string{"payment": {"true": "PAID",
					"false": "UNPAID"}, "type": {"sale": "SALE", "custom": "BONUS"}},
				Only:     map[string][]string{"unit": {"cash"}},
				Optional: []string{"customer", "keys"}, Cents: true,
			}},
		},
	},
	"tolt": {
		source: "docs.tolt.com: partners, links, customers, commissions (expand[]=partner), 2026-11. Not confirmed: links, and the currency, which no row names",
		files: []serviceFile{
			{"affiliates", Mapping{
				Kind: Affiliates, Columns: columns{
					"ref": "id", "email": "email", "firstName": "first_name",
					"lastName": "last_name", "createdAt": "created_at", "status": "status",
				},
				Status: columns{"active": "ACTIVE", "pending": "INACTIVE",
					"suspended": "DEACTIVATED", "rejected": "DECLINED"},
				Optional: []string{"status"},
			}},
			{"links", Mapping{Kind: Affiliates, Columns: columns{
				"ref": "id", "email": "partner.email", "firstName": "partner.first_name",
				"lastName": "partner.last_name", "slug": "value",
			}}},
			{"customers", Mapping{Kind: Referrals, Columns: columns{
				"ref": "id", "email": "email", "name": "name", "customerId": "customer_id",
				"affiliate": "partner_id", "createdAt": "created_at",
			}, Optional: []string{"name"}}},
			{"commissions", Mapping{
				Kind: Sales, Columns: columns{
					"ref": "id", "customer": "customer_id", "affiliate": "partner.id",
					"total": "revenue", "commission": "amount", "status": "status",
					"keys": "charge_id", "createdAt": "created_at",
				},
				Status: columns{"approved": "ACCEPTED", "pending": "ON_HOLD", "paid": "PAID",
					"rejected": "DECLINED", "refunded": "REFUNDED"},
				Cents: true, Leads: true,
			}},
		},
	},
	"refersion": {
		source: "names of Refersion's API objects, from github.com/api-evangelist/refersion, 2026-06. Not confirmed: that the reports Export Affiliates " +
			"and Export Conversions name their columns so; rename those that differ",
		files: []serviceFile{
			{"affiliates", Mapping{
				Kind: Affiliates,
				Columns: columns{"ref": "id", "email": "email", "firstName": "first_name",
					"lastName": "last_name", "status": "status", "slug": "link"},
				Status: columns{"ACTIVE": "ACTIVE", "PENDING": "INACTIVE", "DENIED": "DECLINED",
					"DISABLED": "DEACTIVATED"},
				Parameters: []string{"rfsn"}, Optional: []string{"slug"},
			}},
			{"commissions", Mapping{
				Kind: Sales, Columns: columns{
					"ref": "conversion_id", "externalId": "order_id", "affiliate": "affiliate_id",
					"total": "order_total", "commission": "commission_total",
					"currency": "currency", "status": "status", "payment": "payment_status",
					"createdAt": "created",
				},
				Status: columns{"APPROVED": "ACCEPTED", "PENDING": "ON_HOLD", "DENIED": "DECLINED",
					"UNQUALIFIED": "DECLINED"},
				Only: map[string][]string{"is_test_conversion": {"false", "0", ""}},
			}},
		},
	},
	"partnerstack": {
		source: "docs.partnerstack.com, API v2: partnerships, customers, rewards, 2026-11, and their fields in github.com/dubinc/dub. Not confirmed: pending, scheduled",
		files: []serviceFile{
			{"affiliates", Mapping{Kind: Affiliates, Columns: columns{
				"ref": "key", "email": "email", "firstName": "first_name", "lastName": "last_name",
				"createdAt": "created_at",
			}, List: "data.items", Optional: []string{"createdAt"}}},
			{"customers", Mapping{Kind: Referrals, Columns: columns{
				"ref": "key", "email": "email", "name": "name", "customerId": "customer_key",
				"payer": "provider_key", "affiliate": "partnership_key", "createdAt": "created_at",
			}, Only: map[string][]string{"test": {"false", ""}}, List: "data.items"}},
			{"commissions", Mapping{
				Kind: Sales, Columns: columns{
					"ref": "key", "email": "customer.email", "affiliateEmail": "partnership.email",
					"total": "transaction.amount", "totalCurrency": "transaction.currency",
					"commission": "amount", "currency": "currency", "status": "reward_status",
					"createdAt": "created_at",
				},
				Status: columns{"approved": "ACCEPTED", "hold": "ON_HOLD", "pending": "ON_HOLD",
					"scheduled": "ON_HOLD", "declined": "DECLINED", "paid": "PAID"},
				List: "data.items", Optional: []string{"email", "total", "totalCurrency"}, Cents: true, Leads: true,
			}},
		},
	},
	"affiliatewp": {
		source: "the columns of its exports in github.com/wordmaid/AffiliateWP, 2.x. It names no order's total. Not confirmed: times of a site with other formats than WordPress's own",
		bonus:  true,
		files: []serviceFile{
			{"affiliates", Mapping{
				Kind: Affiliates, Columns: columns{
					"ref": "Affiliate ID", "email": "Email", "name": "Name",
					"payoutEmail": "Payment Email", "slug": "Username", "clicks": "Visits",
					"status": "Status", "createdAt": "Date Registered",
				},
				Status: columns{"active": "ACTIVE", "inactive": "DEACTIVATED",
					"pending": "INACTIVE", "rejected": "DECLINED"},
				Layouts: wordPressTimes, Optional: []string{"name", "payoutEmail"},
			}},
			{"commissions", Mapping{
				Kind: Sales, Columns: columns{
					"affiliate": "Affiliate ID", "commission": "Amount", "currency": "Currency",
					"reason": "Description", "invoiceId": "Reference", "status": "Status",
					"createdAt": "Date",
				},
				Status:  columns{"unpaid": "ACCEPTED", "paid": "PAID", "pending": "ON_HOLD", "rejected": "DECLINED"},
				Layouts: wordPressTimes,
			}},
		},
	},
	"postaffiliatepro": {
		source: "support.qualityunit.com 146800 and 590767, 2026-11. Not confirmed: !USERNAME, !FIRSTNAME, !LASTNAME and !RSTATUS of affiliates",
		files: []serviceFile{
			{"affiliates", Mapping{
				Kind: Affiliates, Table: "AFFILIATES", Columns: columns{
					"ref": "!USERID", "slug": "!REFID", "email": "!USERNAME",
					"firstName": "!FIRSTNAME", "lastName": "!LASTNAME", "status": "!RSTATUS",
					"createdAt": "!DATEINSERTED",
				},
				Status: columns{"A": "ACTIVE", "P": "INACTIVE", "D": "DECLINED"},
			}},
			{"commissions", Mapping{
				Kind: Sales, Table: "COMMISSIONS", Columns: columns{
					"ref": "!TRANSID", "affiliate": "!USERID", "externalId": "!ORDERID",
					"type": "!RTYPE", "total": "!TOTALCOST", "commission": "!COMMISSION",
					"status": "!RSTATUS", "payment": "!PAYOUTSTATUS", "createdAt": "!DATEINSERTED",
				},
				Status: columns{"A": "ACCEPTED", "P": "ON_HOLD", "D": "DECLINED"},
				Words: map[string]map[string]string{
					"payment": {"P": "PAID", "U": "UNPAID"},
					"type": {
						"S": "SALE", "A": "SALE", "U": "SALE", "B": "BONUS", "E": "BONUS",
						"F": "BONUS", "C": "BONUS", "I": "BONUS", "P": "BONUS", "R": "REFUND",
						"H": "REFUND",
					},
				},
			}},
		},
	},
	"goaffpro": {
		source: "the fields that programs ask GoAffPro's API for (affiliates, orders), 2026-11. Not confirmed: all of them; its reference is not public",
		noPaid: true,
		files: []serviceFile{
			{"affiliates", Mapping{
				Kind: Affiliates, List: "affiliates",
				Columns: columns{"ref": "id", "email": "email", "name": "name",
					"slug": "ref_code", "status": "status", "createdAt": "created_at"},
				Status: columns{"approved": "ACTIVE", "pending": "INACTIVE", "blocked": "BANNED"},
			}},
			{"commissions", Mapping{
				Kind: Sales, List: "orders", Columns: columns{
					"ref": "id", "affiliate": "affiliate_id", "externalId": "number",
					"email": "customer_email", "total": "total", "commission": "commission",
					"status": "status", "createdAt": "created",
				},
				Status: columns{"approved": "ACCEPTED", "pending": "ON_HOLD", "rejected": "DECLINED"},
			}},
		},
	},
	"uppromote": {
		source: "aff-api.uppromote.com, API v2: affiliates, referrals, 2026-11. Not confirmed: the name commission, and the currency, which no row names",
		noPaid: true,
		files: []serviceFile{
			{"affiliates", Mapping{
				Kind: Affiliates, Columns: columns{
					"ref": "id", "email": "email", "firstName": "first_name",
					"lastName": "last_name", "status": "status", "slug": "affiliate_link",
					"createdAt": "created_at",
				},
				Status: columns{"active": "ACTIVE", "inactive": "DEACTIVATED",
					"pending": "INACTIVE"}, Parameters: []string{"sca_ref"},
				Optional: []string{"createdAt"},
			}},
			{"commissions", Mapping{
				Kind: Sales, Columns: columns{
					"ref": "id", "externalId": "order_id", "affiliateEmail": "affiliate.email",
					"total": "total_sales", "commission": "commission", "status": "status",
					"createdAt": "created_at",
				},
				Status: columns{"approved": "ACCEPTED", "pending": "ON_HOLD", "denied": "DECLINED", "paid": "PAID"},
			}},
		},
	},
	"lemonsqueezy": {
		source: "docs.lemonsqueezy.com, API: affiliates, 2026-11. It lists no referrals: what is owed comes as one bonus of each affiliate. Not confirmed: the currency",
		files: []serviceFile{
			{"affiliates", Mapping{
				Kind: Affiliates, Columns: columns{
					"ref": "id", "email": "attributes.user_email", "name": "attributes.user_name",
					"status": "attributes.status", "createdAt": "attributes.created_at",
				},
				Status: columns{"active": "ACTIVE", "pending": "INACTIVE", "disabled": "DEACTIVATED"},
			}},
			{"affiliates", Mapping{
				Kind: Sales,
				Columns: columns{"ref": "id", "affiliate": "id",
					"commission": "attributes.unpaid_earnings"},
				Values: columns{"type": "BONUS", "reason": "Lemon Squeezy: unpaid earnings"}, Cents: true,
			}},
		},
	},
	"tapfiliate": {
		source: "tapfiliate.com/docs/rest, API 1.6: affiliates, conversions, 2026-08. Not confirmed: referral_link.link. A conversion with several commissions is rejected",
		noPaid: true,
		files: []serviceFile{
			{"affiliates", Mapping{Kind: Affiliates, Columns: columns{
				"ref": "id", "email": "email", "firstName": "firstname", "lastName": "lastname",
				"createdAt": "created_at", "slug": "referral_link.link",
			}, Parameters: []string{"tap_s", "ref"}, Optional: []string{"slug"}}},
			{"commissions", Mapping{
				Kind: Sales, Columns: columns{
					"ref": "id", "externalId": "external_id", "affiliate": "affiliate.id",
					"total": "amount", "commission": "commissions.0.amount",
					"status": "commissions.0.approved", "currency": "commissions.0.currency",
					"createdAt": "created_at",
				},
				Status:   columns{"true": "ACCEPTED", "false": "DECLINED", "": "ON_HOLD"},
				Only:     map[string][]string{"commissions.1.id": {""}},
				Optional: []string{"externalId", "currency"},
			}},
		},
	},
}

// wordPressTimes are WordPress's own forms of times.
var wordPressTimes = []string{"January 2, 2006 3:04 pm", "January 2, 2006"}

// Services returns the names that [Folder.Service] may have: those of services with a reader,
// and csv.
func Services() []string {
	return append(slices.Sorted(maps.Keys(services)), "dub", "rewardful", "csv")
}

// SourceOf returns where the names of a service's columns were read and when, and what of
// them is not confirmed; empty: the service has a reader of its own, or is csv.
func SourceOf(name string) string { return services[name].source }

// declared opens the files of a service that mappings describe.
func (d Folder) declared(open func(string) (io.Reader, error)) (Source, error) {
	s := services[d.Service]
	switch {
	case s.noPaid && d.PaidBefore.IsZero():
		return nil, fmt.Errorf("%s does not say which commissions were paid: say it by the day before whose sales they were (-paid-before 2026-05-01), "+
			"and compare the sum of payouts with that of the service", d.Service)
	case !s.noPaid && !d.PaidBefore.IsZero():
		return nil, fmt.Errorf("%s says which commissions were paid: -paid-before is not for it", d.Service)
	case s.bonus && !d.Bonuses:
		return nil, fmt.Errorf("%s does not say what the customers paid: -bonuses makes each commission a bonus, which no refund reduces; "+
			"else add the totals of the orders, and use a mapping.json", d.Service)
	case !s.bonus && d.Bonuses:
		return nil, fmt.Errorf("%s says what the customers paid, or has bonuses alone: -bonuses is not for it",
			d.Service)
	}
	var sources []Source
	var names []string
	for _, file := range s.files {
		m := file.Mapping
		m.Service, m.Location, m.Currency, m.PaidBefore = d.Service, d.Location, d.Currency, d.PaidBefore
		m.Parameters = append(slices.Clone(m.Parameters), cmp.Or(d.Parameter, "ref"))
		if s.bonus && m.Kind == Sales {
			m.Values = columns{"type": "BONUS"}
		}
		names = append(names, file.name)
		f, err := d.either(open, file.name)
		if err != nil {
			return nil, err
		}
		if f != nil {
			sources = append(sources, CSV(f, m))
		}
	}
	if sources == nil {
		return nil, errors.New("the folder has none of the files " +
			strings.Join(slices.Compact(names), ", ") + " (.json or .csv)")
	}
	return All(sources...), nil
}

// either opens a file that may be JSON or CSV; nil: it is not there.
func (d Folder) either(open func(string) (io.Reader, error), name string) (found io.Reader, err error) {
	for _, ending := range []string{".json", ".csv"} {
		f, err := open(name + ending)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case found != nil:
			return nil, fmt.Errorf("there are both %s.json and %s.csv", name, name)
		default:
			found = f
		}
	}
	return found, nil
}

// stripe is the provider of the ids in the exports of services that work with
// Stripe alone.
const stripe = "stripe"

// providerIDs returns the ids of a provider in texts; in one text there are spaces,
// commas or semicolons between them.
func providerIDs(provider string, texts ...string) (ids []affiliate.ProviderID) {
	for _, text := range texts {
		for _, id := range listOf(text) {
			ids = append(ids, affiliate.ProviderID{Provider: provider, ID: id})
		}
	}
	return ids
}

// listOf returns the parts of a field that holds several.
func listOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ';' || r == ',' })
}
