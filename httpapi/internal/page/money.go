package page

import (
	"strconv"
	"strings"

	"github.com/tributary-go/tributary/affiliate"
)

// Money returns an amount for people: 1,234.50 USD. No line ends between the two.
func Money(a affiliate.Amount, c affiliate.Currency) string {
	return grouped(a.Format(c)) + "\u00a0" + string(c)
}

// Count returns a number for people: 12,345.
func Count(n int64) string { return grouped(strconv.FormatInt(n, 10)) }

// grouped puts a comma between thousands.
func grouped(number string) string {
	whole, rest, point := strings.Cut(number, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "−", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		rest = "." + rest
	}
	return sign + whole + rest
}
