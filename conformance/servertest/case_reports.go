package servertest

import "strings"

const reportsRule = "contract 4.4: a report counts by day, week, month, quarter or year, page by page; money 16"

// reportCases test /reports: money check 49.
func reportCases() []serverCase {
	var cases []serverCase
	refused := func(name, query string, want denial) {
		cases = append(cases, serverCase{"M84 " + name, reportsRule, func(x *exam) { x.get("/reports?" + query).refused(want) }})
	}
	refused("no from", "to=2026-02-01&by=day", missing("from", "From is required"))
	refused("no to", "from=2026-02-01&by=day", missing("to", "To is required"))
	refused("no by", "from=2026-02-01&to=2026-02-01", missing("by", "By is required"))
	refused("from x", "from=x&to=2026-02-01&by=day", badParameter("from", asDate))
	refused("to before from", "from=2026-02-02&to=2026-02-01&by=day", badParameter("to", "must be after from"))
	refused("by DAY", "from=2026-02-01&to=2026-02-01&by=DAY", badParameter("by", "must be one of day, week, month, quarter, year"))
	refused("two ids", "from=2026-02-01&to=2026-02-01&by=day&affiliateId={{affiliate}}&linkId=x", reportOfSeveral)
	refused("1,001 days", "from=2026-01-01&to=2028-09-27&by=day", reportTooLarge)
	rank := func(name, query string, want denial) {
		cases = append(cases, serverCase{"M90 " + name, reportsRule, func(x *exam) {
			x.get("/reports/breakdown?from=2026-02-01&to=2026-02-01" + query).refused(want)
		}})
	}
	rank("no by", "", missing("by", "By is required"))
	rank("by day", "&by=day", badParameter("by", "must be one of affiliate, link, promotionalCode, coupon, product, plan, landingPage, utmSource, utmMedium, utmCampaign, sub"))
	rank("sort name", "&by=sub&sort=name", badParameter("sort", "must be one of revenue, refunds, commission, sales, conversions, clicks, referrals"))
	rank("linkId", "&by=link&linkId={{unknown}}", unknownParameter("linkId"))
	return append(cases, serverCase{"M84 250 days", reportsRule, func(x *exam) {
		const days = "/reports?from=2026-01-01&to=2026-09-07&by=day&affiliateId={{unknown}}"
		x.get(days + "&limit=250").has(`[{"deletedSales":0}` + strings.Repeat(`,{"deletedSales":0}`, 249) + `]`)
		x.get(days).has(`[{"deletedSales":0}` + strings.Repeat(`,{"deletedSales":0}`, 99) + `]`)
	}}, serverCase{"M86 an affiliate's month", reportsRule, func(x *exam) {
		payee(x)
		x.do("POST /sales", `{"referralId":"{{u}}","email":"{{u}}-c@conform.example","name":"C","totalEarned":100}`).as("s", "at:createdAt")
		x.do("PATCH /sales", `{"saleId":{{s}},"amount":60}`)
		x.do("POST /adjustments", `{"affiliateId":"{{a}}","kind":"BONUS","amount":25,"reason":"r"}`)
		x.get("/reports?from={{s.at}}&to=2090-01-01&by=month&limit=1&affiliateId={{a}}").
			has(`[{"start":"{{s.at}}","clicks":0,"referrals":1,"sales":1,"deletedSales":0,"revenue":100,"refunds":60,"commission":8,"adjustments":25}]`)
		x.get("/reports?from=2001-01-01&to=2001-01-31&by=month&affiliateId={{a}}").has(`[{"sales":0,"revenue":0,"refunds":0,"commission":0,"adjustments":0}]`)
		x.get("/reports?from=2001-01-01&to=2001-01-31&by=month&promotionalCodeId={{code}}").has(`[{"clicks":null,"referrals":null,"sales":0}]`)
		const rows = "/reports/breakdown?from={{s.at}}&to=2090-01-01&affiliateId={{a}}&by="
		x.get(rows + "affiliate").has(`[{"value":"{{a}}","clicks":0,"referrals":1,"sales":1,"revenue":100,"refunds":60,"commission":8,"adjustments":25}]`)
		x.get(rows + "promotionalCode").has(`[{"value":"","name":null,"clicks":null,"referrals":null,"sales":1,"revenue":100,"commission":8,"adjustments":25}]`)
	}})
}
