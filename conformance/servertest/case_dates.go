package servertest

import (
	"fmt"
	"strings"
)

// dateCases test a date field of an operation. with makes a body from the field.
// The rows have numbers of their own for redeemBy; for another field they all
// have the given number.
func dateCases(number, operation, field string, with func(member string) string) []serverCase {
	const rule = "contract 1.4, date: RFC 3339 with zone, or YYYY-MM-DD for that day's last millisecond; years 1–9999"
	member := func(s string) string { return with(`"` + field + `":` + s) }
	rows := []refusedCase{
		{number + " " + field + ` ""`, member(`""`), mustBe(field, notEmpty)},
		{number + " " + field + " a number", member(`1795132800`), mustBe(field, asString)},
		{number + " " + field + " true", member(`true`), mustBe(field, asString)},
	}
	for _, row := range []string{
		"B165 tomorrow", "B165 1795132800", "B166 2026-02-29", "B166 2026-13-01", "B166 2026-00-10", "B166 2026-04-31", "B167 2026-1-2", "B167 20261120", "B167 2026-W47-5",
		"B167 2026-324", "B167  2026-11-20", "B167 2026-11-20 ", "B167 ２０２６-11-20", "B168 2026-11-20T10:00:00", "B168 2026-11-20 10:00:00Z", "B168 2026-11-20T10:00Z",
		"B169 2026-11-20T10:00:00+24:00", "B170 2026-11-20T10:00:00,5Z", "B170 2026-11-20T1:00:00Z", "B170 2026-11-20T10:00:00.Z", "B171 2026-11-20T23:59:60Z",
		"B171 2026-11-20T24:00:00Z", "B172 0000-01-01", "B172 10000-01-01", "B172 -001-01-01",
	} {
		own, s := rowOf(row)
		if number != "B165" {
			own = number
		}
		rows = append(rows, refusedCase{fmt.Sprintf("%s %s %q", own, field, s), member(`"` + s + `"`), mustBe(field, asDate)})
	}
	cases := refusals(rule, operation, rows...)
	for _, instant := range [][2]string{
		{"2031-11-20T10:00:00Z", "2031-11-20T10:00:00.000Z"}, {"2031-11-20T10:00:00.123456789Z", "2031-11-20T10:00:00.123Z"},
		{"2031-11-20T10:00:00+05:30", "2031-11-20T04:30:00.000Z"}, {"2031-11-20T10:00:00.5-01:00", "2031-11-20T11:00:00.500Z"},
	} {
		cases = append(cases, successes(rule, operation, acceptedCase{
			strings.Replace(number, "B165", "B174", 1) + " " + field + " " + instant[0], member(`"` + instant[0] + `"`), `{"` + field + `":"` + instant[1] + `"}`,
		})...)
	}
	for _, day := range []string{"2031-03-29", "2024-02-29", "9999-12-31", "2001-01-01"} {
		cases = append(cases, serverCase{strings.Replace(number, "B165", "B174", 1) + " " + field + " " + day, rule, func(x *exam) {
			a := x.do(operation, member(`"`+day+`"`))
			if got := a.ok().text(field); !strings.HasSuffix(got, ":59.999Z") { // the hour is of the program's own time zone
				a.wants("the day's last millisecond")
			}
		}})
	}
	return cases
}
