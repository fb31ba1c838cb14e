package amounts

import "github.com/tributary-go/tributary/affiliate"

// marks are the signs of currencies, with the currencies that each may mean.
var marks = map[string][]affiliate.Currency{
	"$": {
		"USD", "ARS", "AUD", "BBD", "BMD", "BND", "BSD", "BZD", "CAD", "CLP", "COP", "CUP", "DOP",
		"FJD", "GYD", "HKD", "JMD", "KYD", "LRD", "MXN", "NAD", "NZD", "SBD", "SGD", "SRD", "TTD",
		"TWD", "UYU", "XCD",
	},
	"US$": {"USD"}, "A$": {"AUD"}, "AU$": {"AUD"}, "C$": {"CAD", "NIO"}, "CA$": {"CAD"},
	"HK$": {"HKD"}, "MX$": {"MXN"}, "NT$": {"TWD"},
	"NZ$": {"NZD"}, "R$": {"BRL"}, "S$": {"SGD"}, "SG$": {"SGD"},
	"€": {"EUR"},
	"£": {"GBP", "EGP", "FKP", "GIP", "LBP", "SDG", "SHP", "SSP", "SYP"},
	"¥": {"JPY", "CNY"}, "￥": {"JPY", "CNY"}, "JP¥": {"JPY"}, "CN¥": {"CNY"}, "円": {"JPY"}, "元": {"CNY"},
	"kr": {"SEK", "DKK", "ISK", "NOK"}, "kr.": {"DKK", "SEK", "ISK", "NOK"},
	"Fr": {"CHF"}, "Fr.": {"CHF"}, "SFr.": {"CHF"}, "zł": {"PLN"}, "Kč": {"CZK"}, "Ft": {"HUF"}, "lei": {"RON", "MDL"},
	"R": {"ZAR"}, "RM": {"MYR"}, "Rp": {"IDR"}, "S/": {"PEN"},
	"Rs": {"INR", "LKR", "MUR", "NPR", "PKR"}, "Rs.": {"INR", "LKR", "MUR", "NPR", "PKR"},
	"₹": {"INR"}, "₽": {"RUB"}, "₩": {"KRW", "KPW"}, "₪": {"ILS"}, "₫": {"VND"}, "₺": {"TRY"},
	"₴": {"UAH"}, "₦": {"NGN"}, "₱": {"PHP"}, "฿": {"THB"}, "₡": {"CRC"}, "₲": {"PYG"},
	"₸": {"KZT"}, "₼": {"AZN"}, "₾": {"GEL"}, "₵": {"GHS"}, "₭": {"LAK"}, "₮": {"MNT"},
	"៛": {"KHR"},
}
