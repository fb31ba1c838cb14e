package affiliate_test

import (
	"fmt"
	"log"

	"github.com/tributary-go/tributary/affiliate"
)

func ExampleAmount_Format() {
	sum := affiliate.MustAmount("12.00")
	fmt.Println(sum, sum.Format("USD"), sum.Format("JPY"), sum.Format("KWD"))
	// Output: 12 12.00 12 12.000
}

func ExampleExchangeRate() {
	euro := affiliate.MustExchangeRate("1.0842") // USD
	worth, err := euro.Of(affiliate.MustAmount("99.99"), "USD")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(worth.Format("USD"))
	// Output: 108.41
}
