package affiliate_test

import (
	"testing"
	"time"

	"github.com/tributary-go/tributary/affiliate"
)

// TestReviewRules: what each rule of the package holds.
func TestReviewRules(t *testing.T) {
	buys := func(customer string) affiliate.Evidence { return affiliate.Evidence{CustomerEmail: customer} }
	of := func(customer, email, payout string) affiliate.Evidence {
		return affiliate.Evidence{CustomerEmail: customer, Affiliate: affiliate.ReviewedAffiliate{Email: email, PayoutEmail: payout}}
	}
	landed := func(query string) affiliate.Evidence {
		return affiliate.Evidence{LandingURL: "https://shop.example/p?" + query}
	}
	brought := func(n int) affiliate.Evidence { return affiliate.Evidence{NewCustomers: n} }
	for _, tt := range []struct {
		name string
		rule affiliate.ReviewRule
		of   affiliate.Evidence
		want bool
	}{
		{"disposable", affiliate.Disposable(), buys("tom@mailinator.com"), true},
		{"disposable, below", affiliate.Disposable(), buys("Tom@x.y.Mailinator.com"), true},
		{"disposable, free", affiliate.Disposable(), buys("tom@gmail.com"), false},
		{"disposable, another", affiliate.Disposable(), buys("tom@mailinator.com.example"), false},
		{"disposable, no email", affiliate.Disposable(), buys(""), false},
		{"disposable, no address", affiliate.Disposable(), buys("mailinator.com"), false},

		{"domain", affiliate.OwnDomain(), of("tom@acme.example", "ada@acme.example", ""), true},
		{"domain, payout", affiliate.OwnDomain(), of("tom@acme.example", "ada@gmail.com", "pay@acme.example"), true},
		{"domain, below", affiliate.OwnDomain(), of("tom@it.acme.example", "ada@acme.example", ""), true},
		{"domain, above", affiliate.OwnDomain(), of("tom@acme.example", "ada@it.acme.example", ""), true},
		{"domain, its end", affiliate.OwnDomain(), of("tom@notacme.example", "ada@acme.example", ""), false},
		{"domain, free", affiliate.OwnDomain(), of("tom@gmx.de", "ada@gmx.de", ""), false},
		{"domain, below free", affiliate.OwnDomain(), of("tom@x.gmx.de", "ada@gmx.de", ""), false},
		{"domain, throw-away", affiliate.OwnDomain(), of("tom@mailinator.com", "ada@mailinator.com", ""), false},
		{"domain, suffix", affiliate.OwnDomain(), of("tom@acme.co.uk", "ada@other.co.uk", ""), false},
		{"domain, no dot", affiliate.OwnDomain(), of("tom@acme.com", "ada@com", ""), false},
		{"domain, a host", affiliate.OwnDomain(), of("tom@intranet", "ada@intranet", ""), true},
		{"domain, no email", affiliate.OwnDomain(), of("", "ada@acme.example", ""), false},
		{"domain, erased", affiliate.OwnDomain(), of("", "", ""), false},

		{"search, gclid", affiliate.PaidSearch(), landed("gclid=x"), true},
		{"search, gbraid", affiliate.PaidSearch(), landed("a=b&gbraid=x"), true},
		{"search, wbraid", affiliate.PaidSearch(), landed("wbraid=x"), true},
		{"search, msclkid", affiliate.PaidSearch(), landed("msclkid=x"), true},
		{"search, medium", affiliate.PaidSearch(), landed("utm_medium=CPC"), true},
		{"search, ppc", affiliate.PaidSearch(), landed("utm_medium=ppc"), true},
		{"search, paidsearch", affiliate.PaidSearch(), landed("utm_medium=paidsearch"), true},
		{"search, paid_search", affiliate.PaidSearch(), landed("utm_medium=paid_search"), true},
		{"search, sem", affiliate.PaidSearch(), landed("utm_medium=sem"), true},
		{"search, none", affiliate.PaidSearch(), landed("ref=ada&utm_medium=social&utm_campaign=gclid"), false},
		{"search, in a path", affiliate.PaidSearch(), affiliate.Evidence{LandingURL: "https://shop.example/gclid=x"}, false},
		{"search, no page", affiliate.PaidSearch(), affiliate.Evidence{}, false},
		{"search, cut", affiliate.PaidSearch(), landed("utm_medium=cpc&utm_term=x%2"), true},
		{"term", affiliate.PaidSearch("Other", "ACME shop"), landed("gclid=x&utm_term=cheap+Acme%20Shop+code"), true},
		{"term, keyword", affiliate.PaidSearch("acme"), landed("utm_medium=cpc&keyword=acme"), true},
		{"term, q", affiliate.PaidSearch("acme"), landed("utm_medium=cpc&q=acme"), true},
		{"term, query", affiliate.PaidSearch("acme"), landed("utm_medium=cpc&query=acme"), true},
		{"term, another", affiliate.PaidSearch("acme"), landed("utm_medium=cpc&utm_term=shoes&ref=acme"), false},
		{"term, not paid", affiliate.PaidSearch("acme"), landed("utm_term=acme"), false},
		{"term, blank", affiliate.PaidSearch(" "), landed("utm_medium=cpc&utm_term=shoes"), false},

		{"burst", affiliate.Burst(3, time.Hour), brought(4), true},
		{"burst, as many", affiliate.Burst(3, time.Hour), brought(3), false},
		{"refunded", affiliate.Refunded(3, 20), affiliate.Evidence{Refunded: 4}, true},
		{"refunded, as many", affiliate.Refunded(3, 20), affiliate.Evidence{Refunded: 3}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.rule.Holds(tt.of); got != tt.want {
				t.Errorf("%s: %v, want %v", tt.rule.Reason, got, tt.want)
			}
		})
	}
}
