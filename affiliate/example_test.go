package affiliate_test

import (
	"fmt"

	"github.com/tributary-go/tributary/affiliate"
)

func ExampleAmount_Format() {
	sum := affiliate.MustAmount("12.00")
	fmt.Println(sum, sum.Format("USD"), sum.Format("JPY"), sum.Format("KWD"))
	// Output: 12 12.00 12 12.000
}
