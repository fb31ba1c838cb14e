package affiliate_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/atlength"
	"github.com/tributary-go/tributary/internal/scene"
)

const (
	highest = "922337203685477.5807"
	lowest  = "-922337203685477.5807"
)

func TestParseAmount(t *testing.T) {
	long := strings.Repeat("9", 60_000)
	zeros := strings.Repeat("0", 60_000)
	for _, tt := range []struct {
		name string
		in   string
		want int64
		err  error
	}{
		{"Zero", "0", 0, nil},
		{"MinusZero", "-0", 0, nil},
		{"MinusZeroDecimals", "-0.00000", 0, nil},
		{"ZeroAnyExponent", "0e999999999999999999999", 0, nil},
		{"Whole", "40", 40_0000, nil},
		{"Decimals", "199.99", 199_9900, nil},
		{"Negative", "-12.5", -12_5000, nil},
		{"SmallestStep", "0.0001", 1, nil},
		{"TrailingZeros", "12.50000", 12_5000, nil},
		{"ManyTrailingZeros", "1." + zeros, 1_0000, nil},
		{"Exponent", "1e2", 100_0000, nil},
		{"ExponentUpperPlus", "1E+2", 100_0000, nil},
		{"ExponentLeadingZeros", "1e" + zeros + "2", 100_0000, nil},
		{"NegativeExponent", "1e-4", 1, nil},
		{"ExponentMovesPoint", "1234.5678e-0", 1234_5678, nil},
		{"ExponentShortensDecimals", "0.00012345e4", 1_2345, nil},
		{"ExponentDropsZeros", "125000e-4", 12_5000, nil},
		{"HugeAndBack", "1" + zeros + "e-60000", 1_0000, nil},
		{"TinyAndBack", "0." + zeros + "1e60001", 1_0000, nil},
		{"Highest", highest, math.MaxInt64, nil},
		{"Lowest", lowest, -math.MaxInt64, nil},
		{"HighestExponent", "9223372036854775807e-4", math.MaxInt64, nil},

		{"FiveDecimals", "33.33333", 0, affiliate.ErrAmountDecimals},
		{"FiveDecimalsExponent", "1e-5", 0, affiliate.ErrAmountDecimals},
		{"FloatNoise", "0.30000000000000004", 0, affiliate.ErrAmountDecimals},
		{"FloatReadsHundred", "100.000000000000001", 0, affiliate.ErrAmountDecimals},
		{"FloatReadsZero", "1e-400", 0, affiliate.ErrAmountDecimals},
		{"HugeNegativeExponent", "1e-999999999", 0, affiliate.ErrAmountDecimals},
		{"WrappingNegativeExponent", "1e-18446744073709551616", 0, affiliate.ErrAmountDecimals},
		{"ManyDecimals", "0." + long, 0, affiliate.ErrAmountDecimals},
		{"DecimalsBeforeRange", long + ".00001", 0, affiliate.ErrAmountDecimals},

		{"OneStepOver", "922337203685477.5808", 0, affiliate.ErrAmountRange},
		{"OneStepUnder", "-922337203685477.5808", 0, affiliate.ErrAmountRange},
		{"SixteenDigits", "1000000000000000", 0, affiliate.ErrAmountRange},
		{"FifteenNines", "999999999999999", 0, affiliate.ErrAmountRange},
		{"NineteenNines", "999999999999999.9999", 0, affiliate.ErrAmountRange},
		{"Exponent19", "1e19", 0, affiliate.ErrAmountRange},
		{"Exponent400", "1e400", 0, affiliate.ErrAmountRange},
		{"WrapsToZero", "1844674407370955.1616", 0, affiliate.ErrAmountRange}, // 2^64 steps
		{"HugeExponent", "1e999999999", 0, affiliate.ErrAmountRange},
		{"WrappingExponent", "1e18446744073709551616", 0, affiliate.ErrAmountRange},
		{"Digits60000", long, 0, affiliate.ErrAmountRange},

		{"Empty", "", 0, affiliate.ErrAmountSyntax},
		{"Minus", "-", 0, affiliate.ErrAmountSyntax},
		{"Plus", "+5", 0, affiliate.ErrAmountSyntax},
		{"LeadingZero", "01", 0, affiliate.ErrAmountSyntax},
		{"LeadingZeroNegative", "-01", 0, affiliate.ErrAmountSyntax},
		{"NoWhole", ".5", 0, affiliate.ErrAmountSyntax},
		{"NoDecimals", "5.", 0, affiliate.ErrAmountSyntax},
		{"NoDecimalsExponent", "5.e1", 0, affiliate.ErrAmountSyntax},
		{"TwoPoints", "1.2.3", 0, affiliate.ErrAmountSyntax},
		{"NoExponent", "1e", 0, affiliate.ErrAmountSyntax},
		{"NoExponentSign", "1e+", 0, affiliate.ErrAmountSyntax},
		{"TwoSigns", "1e+-2", 0, affiliate.ErrAmountSyntax},
		{"FractionalExponent", "1e1.5", 0, affiliate.ErrAmountSyntax},
		{"Hex", "0x10", 0, affiliate.ErrAmountSyntax},
		{"Underscore", "1_000", 0, affiliate.ErrAmountSyntax},
		{"Comma", "1,5", 0, affiliate.ErrAmountSyntax},
		{"NaN", "NaN", 0, affiliate.ErrAmountSyntax},
		{"Infinity", "Infinity", 0, affiliate.ErrAmountSyntax},
		{"Space", " 1", 0, affiliate.ErrAmountSyntax},
		{"SpaceAfter", "1 ", 0, affiliate.ErrAmountSyntax},
		{"Quoted", `"1"`, 0, affiliate.ErrAmountSyntax},
		{"ArabicDigit", "٣", 0, affiliate.ErrAmountSyntax},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := affiliate.ParseAmount(tt.in)
			p, perr := affiliate.ParsePercent(tt.in)
			if !errors.Is(err, tt.err) || !errors.Is(perr, tt.err) {
				t.Errorf("errors %v and %v, want %v", err, perr, tt.err)
			}
			if diff := cmp.Diff([]int64{tt.want, tt.want}, []int64{a.Scaled(), p.Scaled()}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAmountFromMinor: minor units are those of the currency, and what is out of range is refused.
func TestAmountFromMinor(t *testing.T) {
	for _, tt := range []struct {
		n    int64
		c    affiliate.Currency
		want string
	}{
		{1999, "USD", "19.99"}, {-1999, "USD", "-19.99"}, {1999, "JPY", "1999"}, {1999, "KWD", "1.999"}, {1999, "CLF", "0.1999"}, {0, "JPY", "0"},
		{math.MaxInt64 / 100, "USD", "922337203685477.58"}, {-math.MaxInt64 / 100, "USD", "-922337203685477.58"}, {math.MaxInt64, "CLF", "922337203685477.5807"},
	} {
		got, err := affiliate.AmountFromMinor(tt.n, tt.c)
		if err != nil || got.String() != tt.want {
			t.Errorf("%d %s: %s, %v, want %s", tt.n, tt.c, got, err, tt.want)
		}
	}
	for _, tt := range []struct {
		n int64
		c affiliate.Currency
	}{{math.MaxInt64/100 + 1, "USD"}, {-math.MaxInt64/100 - 1, "USD"}, {math.MaxInt64, "JPY"}, {math.MinInt64, "CLF"}, {math.MinInt64, "USD"}} {
		if got, err := affiliate.AmountFromMinor(tt.n, tt.c); !errors.Is(err, affiliate.ErrAmountRange) {
			t.Errorf("%d %s: %s, %v", tt.n, tt.c, got, err)
		}
	}
}

func TestAmountText(t *testing.T) {
	for want, n := range map[string]int64{
		"0": 0, "40": 40_0000, "12.5": 12_5000, "199.99": 199_9900, "0.0001": 1, "-0.0001": -1,
		"-12.5": -12_5000, "0.01": 100, "1.001": 1_0010, "1000": 1000_0000, highest: math.MaxInt64, lowest: -math.MaxInt64,
	} {
		t.Run(want, func(t *testing.T) {
			a, p := affiliate.AmountFromScaled(n), affiliate.PercentFromScaled(n)
			aj, aerr := json.Marshal(a)
			pj, perr := json.Marshal(p)
			if aerr != nil || perr != nil {
				t.Fatal(aerr, perr)
			}
			got := []string{a.String(), p.String(), string(aj), string(pj), string(a.AppendJSON([]byte("x")))}
			if diff := cmp.Diff([]string{want, want, want, want, "x" + want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAmountFormat: an amount has the decimals that are usual for the currency,
// and more when it needs them.
func TestAmountFormat(t *testing.T) {
	for _, tt := range []struct {
		in       string
		currency affiliate.Currency
		want     string
	}{
		{"12", "USD", "12.00"},
		{"12.5", "USD", "12.50"},
		{"12.345", "USD", "12.345"},
		{"0", "USD", "0.00"},
		{"-0.5", "USD", "-0.50"},
		{"1200", "JPY", "1200"},
		{"1200.5", "JPY", "1200.5"},
		{"3.5", "KWD", "3.500"},
		{"1", "CLF", "1.0000"},
		{highest, "JPY", highest},
		{lowest, "USD", lowest},
	} {
		if got := affiliate.MustAmount(tt.in).Format(tt.currency); got != tt.want {
			t.Errorf("%s %s = %q, want %q", tt.in, tt.currency, got, tt.want)
		}
	}
}

// TestAmountErrorTexts: the errors do not mention JSON, because amounts are
// read from other files too.
func TestAmountErrorTexts(t *testing.T) {
	for in, want := range map[string]string{
		"$12": "affiliate: not a number such as 12.50", "12,50": "affiliate: not a number such as 12.50", "": "affiliate: not a number such as 12.50",
		"0.00001": "affiliate: more than 4 decimal places", "1e18": "affiliate: amount out of range",
	} {
		_, amount := affiliate.ParseAmount(in)
		_, rate := affiliate.ParsePercent(in)
		if diff := cmp.Diff([]string{want, want}, []string{amount.Error(), rate.Error()}); diff != "" {
			t.Errorf("%q: %s", in, diff)
		}
	}
}

func TestAmountUnmarshal(t *testing.T) {
	for _, tt := range []struct {
		name string
		json string
		want string
		err  error
	}{
		{"Number", `1.5`, "1.5", nil},
		{"Null", `null`, "7", nil},
		{"String", `"1.5"`, "7", affiliate.ErrAmountSyntax},
		{"Bool", `true`, "7", affiliate.ErrAmountSyntax},
		{"Array", `[]`, "7", affiliate.ErrAmountSyntax},
		{"FloatNoiseBelow", `86.33999999999999`, "86.34", nil},
		{"FloatNoiseAbove", `0.30000000000000004`, "0.3", nil},
		{"FloatNoiseCarries", `99.99999999999999`, "100", nil},
		{"FloatNoiseNegative", `-5.1499999999999995`, "-5.15", nil},
		{"FloatNoiseSmall", `5.551115123125783e-17`, "0", nil},
		{"HalfUp", `1.00005`, "1.0001", nil},
		{"HalfDown", `-1.00005`, "-1.0001", nil},
		{"BelowHalf", `1.00004999999999`, "1", nil},
		{"HalfOfTheLast", `0.00005`, "0.0001", nil},
		{"BelowHalfOfTheLast", `4.9999e-5`, "0", nil},
		{"NegativeToZero", `-0.00004`, "0", nil},
		{"NoDigitThere", `0.000009`, "0", nil},
		{"Tiny", `1e-999999999`, "0", nil},
		{"ExponentAndNoise", `3.3333333333333335e1`, "33.3333", nil},
		{"HighestWithNoise", highest + "4", highest, nil},
		{"RoundsOutOfRange", highest + "5", "7", affiliate.ErrAmountRange},
		{"Range", `1e19`, "7", affiliate.ErrAmountRange},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, p := affiliate.MustAmount("7"), affiliate.MustPercent("7")
			aerr := json.Unmarshal([]byte(tt.json), &a)
			perr := json.Unmarshal([]byte(tt.json), &p)
			if !errors.Is(aerr, tt.err) || !errors.Is(perr, tt.err) {
				t.Errorf("errors %v and %v, want %v", aerr, perr, tt.err)
			}
			if diff := cmp.Diff([]string{tt.want, tt.want}, []string{a.String(), p.String()}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAmountSums(t *testing.T) {
	for _, tt := range []struct {
		name, a, b, sum, diff string // "" when the result does not fit
	}{
		{"Plain", "0.1", "0.2", "0.3", "-0.1"},
		{"Zero", "5", "0", "5", "5"},
		{"Negative", "-5", "-2.5", "-7.5", "-2.5"},
		{"Highest", highest, "0", highest, highest},
		{"HighestOneMore", highest, "0.0001", "", "922337203685477.5806"},
		{"LowestByOne", "-922337203685477.5806", "-0.0001", lowest, "-922337203685477.5805"},
		{"LowestOneLess", lowest, "0.0001", "-922337203685477.5806", ""},
		{"Twice", highest, highest, "", "0"},
		{"TwiceLowest", lowest, lowest, "", "0"},
		{"Opposite", highest, lowest, "0", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := affiliate.MustAmount(tt.a), affiliate.MustAmount(tt.b)
			sum, serr := a.Add(b)
			diff, derr := a.Sub(b)
			checkAmount(t, "Add", tt.sum, sum, serr)
			checkAmount(t, "Sub", tt.diff, diff, derr)
		})
	}
}

// checkAmount fails unless got is want, or err is ErrAmountRange if want is "".
func checkAmount(t *testing.T, op, want string, got affiliate.Amount, err error) {
	t.Helper()
	if want == "" {
		if !errors.Is(err, affiliate.ErrAmountRange) || !got.IsZero() {
			t.Errorf("%s = %v, %v, want 0, ErrAmountRange", op, got, err)
		}
		return
	}
	if err != nil || got.String() != want {
		t.Errorf("%s = %v, %v, want %s", op, got, err, want)
	}
}

func TestAmountRound(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		currency affiliate.Currency
		want     string
	}{
		{"Down", "10.0049", "USD", "10"},
		{"HalfUp", "10.005", "USD", "10.01"},
		{"HalfAwayFromZero", "-10.005", "USD", "-10.01"},
		{"NegativeDown", "-10.0049", "USD", "-10"},
		{"NotTwice", "0.0049", "USD", "0"}, // rounded to 0.005 first, it would become 0.01
		{"YenHalf", "10.5", "JPY", "11"},
		{"YenDown", "10.4999", "JPY", "10"},
		{"DinarHalf", "1.2345", "KWD", "1.235"},
		{"FourDigits", "1.2345", "CLF", "1.2345"},
		{"Highest", highest, "CLF", highest},
		{"NoRoom", highest, "JPY", ""},
		{"NoRoomBelow", lowest, "USD", "-922337203685477.58"},
		{"Unknown", "1.005", "", "1.01"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := affiliate.MustAmount(tt.in).Round(tt.currency)
			checkAmount(t, "Round", tt.want, got, err)
		})
	}
}

func TestPercentOf(t *testing.T) {
	for _, tt := range []struct {
		name, rate, of string
		currency       affiliate.Currency
		want           string
	}{
		{"documented", "20", "199.99", "USD", "40"},
		{"Fraction", "17.5", "149.99", "USD", "26.25"},
		{"HalfUp", "50", "0.01", "USD", "0.01"},
		{"HalfAwayFromZero", "50", "-0.01", "USD", "-0.01"},
		{"NegativeRate", "-50", "0.01", "USD", "-0.01"},
		{"NotTwice", "49.9999", "0.01", "USD", "0"}, // 0.00499999: rounded to four decimals first, it would become 0.01
		{"NotTwiceYen", "99.9999", "0.5", "JPY", "0"},
		{"Yen", "12.5", "100", "JPY", "13"},
		{"Dinar", "12.5", "1.234", "KWD", "0.154"},
		{"Zero", "0", highest, "USD", "0"},
		{"AllOfHighest", "100", highest, "CLF", highest},
		{"NoRoom", "100.0001", highest, "CLF", ""},
		{"NoRoomAtAll", highest, highest, "USD", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := affiliate.MustPercent(tt.rate).Of(affiliate.MustAmount(tt.of), tt.currency)
			checkAmount(t, "Of", tt.want, got, err)
		})
	}
}

func TestAmountPortion(t *testing.T) {
	for _, tt := range []struct {
		name, amount, part, whole string
		currency                  affiliate.Currency
		want                      string
	}{
		{"Half", "40", "100", "200", "USD", "20"},
		{"Third", "10", "1", "3", "USD", "3.33"},
		{"TwoThirds", "10", "2", "3", "USD", "6.67"},
		{"HalfUp", "0.01", "1", "2", "USD", "0.01"},
		{"HalfAwayFromZero", "-0.01", "1", "2", "USD", "-0.01"},
		{"NotTwice", "0.01", "0.4999", "1", "USD", "0"},
		{"JustUnderHalfYen", "1", "499999999999.9999", "1000000000000", "JPY", "0"},
		{"FourDigitsHalf", "0.0001", "1", "2", "CLF", "0.0001"},
		{"FourDigitsUnderHalf", "0.0001", "1", "3", "CLF", "0"},
		{"Nothing", "40", "0", "200", "USD", "0"},
		{"Everything", "39.99", "199.99", "199.99", "USD", "39.99"},
		{"HighestWhole", highest, highest, highest, "CLF", highest},
		{"NoRoom", highest, "3", "2", "CLF", ""},
		{"NoRoomInWord", highest, highest, "0.0001", "CLF", ""},
		{"RoundsOutOfWord", "25.3921", "14529514355.8111", "0.0002", "CLF", ""}, // 2^64 - 1/2 steps
		{"RoundsOutOfWordDinar", "25.3921", "14529514355.8111", "0.0002", "KWD", ""},
		{"ZeroWhole", "1", "1", "0", "USD", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := affiliate.MustAmount(tt.amount).Portion(affiliate.MustAmount(tt.part), affiliate.MustAmount(tt.whole), tt.currency)
			checkAmount(t, "Portion", tt.want, got, err)
		})
	}
}

func TestAmountOrder(t *testing.T) {
	type facts struct {
		Cmp, Sign   int
		Equal, Zero bool
	}
	for _, tt := range []struct {
		name, a, b string
		want       facts
	}{
		{"Less", "-1", "1", facts{Cmp: -1, Sign: -1}},
		{"Same", "0", "-0", facts{Equal: true, Zero: true}},
		{"More", "1.0001", "1", facts{Cmp: 1, Sign: 1}},
		{"Extremes", lowest, highest, facts{Cmp: -1, Sign: -1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := affiliate.MustAmount(tt.a), affiliate.MustAmount(tt.b)
			p, q := affiliate.MustPercent(tt.a), affiliate.MustPercent(tt.b)
			got := []facts{
				{a.Cmp(b), a.Sign(), a.Equal(b), a.IsZero()},
				{p.Cmp(q), p.Sign(), p.Equal(q), p.IsZero()},
			}
			if diff := cmp.Diff([]facts{tt.want, tt.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestScaled(t *testing.T) {
	for in, want := range map[int64]int64{
		0: 0, 1: 1, math.MaxInt64: math.MaxInt64, -math.MaxInt64: -math.MaxInt64, math.MinInt64: -math.MaxInt64,
	} {
		got := []int64{affiliate.AmountFromScaled(in).Scaled(), affiliate.PercentFromScaled(in).Scaled()}
		if diff := cmp.Diff([]int64{want, want}, got); diff != "" {
			t.Errorf("%d: %s", in, diff)
		}
	}
	if got := affiliate.MustPercent("5.25").Amount(); !got.Equal(affiliate.MustAmount("5.25")) {
		t.Errorf("Percent.Amount = %v", got)
	}
}

func TestMustPanics(t *testing.T) {
	for name, call := range map[string]func(){
		"MustAmount":  func() { affiliate.MustAmount("x") },
		"MustPercent": func() { affiliate.MustPercent("1.00001") },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("did not panic")
				}
			}()
			call()
		})
	}
}

func drawScaled(t *rapid.T, label string) int64 {
	return rapid.OneOf(
		rapid.Int64Range(-2_000_0000, 2_000_0000),
		rapid.Int64Range(-math.MaxInt64, math.MaxInt64),
	).Draw(t, label)
}

func sameAsRat(t *rapid.T, op string, exact *big.Rat, c affiliate.Currency, got affiliate.Amount, err error) {
	want, ok := scene.Rounded(exact, c)
	if ok != (err == nil) || !ok && !errors.Is(err, affiliate.ErrAmountRange) || !got.Equal(want) {
		t.Fatalf("%s = %v, %v, want %v, room %v", op, got, err, want, ok)
	}
}

func TestArithmeticEqualsRat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(scene.Currencies()).Draw(t, "currency")
		n, part, whole := drawScaled(t, "n"), drawScaled(t, "part"), drawScaled(t, "whole")
		a := affiliate.AmountFromScaled(n)

		got, err := a.Round(c)
		sameAsRat(t, "Round", big.NewRat(n, 1), c, got, err)

		exact := new(big.Rat).Mul(big.NewRat(n, 1), big.NewRat(part, 100_0000))
		got, err = affiliate.PercentFromScaled(part).Of(a, c)
		sameAsRat(t, "Of", exact, c, got, err)

		got, err = a.Add(affiliate.AmountFromScaled(part))
		sameAsRat(t, "Add", new(big.Rat).Add(big.NewRat(n, 1), big.NewRat(part, 1)), "CLF", got, err)
		got, err = a.Sub(affiliate.AmountFromScaled(part))
		sameAsRat(t, "Sub", new(big.Rat).Sub(big.NewRat(n, 1), big.NewRat(part, 1)), "CLF", got, err)

		if whole == 0 {
			return
		}
		exact = new(big.Rat).Mul(big.NewRat(n, 1), big.NewRat(part, whole))
		got, err = a.Portion(affiliate.AmountFromScaled(part), affiliate.AmountFromScaled(whole), c)
		sameAsRat(t, "Portion", exact, c, got, err)
	})
}

func TestAmountRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := affiliate.AmountFromScaled(drawScaled(t, "n"))
		b := scene.Must(json.Marshal(want))
		var got affiliate.Amount
		scene.Must(0, json.Unmarshal(b, &got))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzAmount(f *testing.F) {
	for _, s := range []string{
		"0", "-0", "12.50000", "1e2", "1e-4", "1e-5", highest, lowest, "922337203685477.5808", "1e999999999",
		"1e-999999999", "01", "1.", ".5", "-", "+1", "1e+", "0.00012345e4", "NaN", "1 ", `"1"`, "1e-0",
		"86.33999999999999", "-0.00005", "4.9e-5", highest + "5",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := affiliate.ParseAmount(s)
		want := slowAmount(s)
		readsAsRat(t, s, want)
		if diff := cmp.Diff(want, err, cmpopts.EquateErrors()); diff != "" && want != errTooSlow {
			t.Fatal(diff)
		}
		if err != nil {
			return
		}
		if want == nil {
			exact, _ := new(big.Rat).SetString(s)
			if exact.Cmp(big.NewRat(a.Scaled(), 10_000)) != 0 {
				t.Fatalf("%q is %v", s, a)
			}
		}
		back, err := affiliate.ParseAmount(a.String())
		if err != nil || !back.Equal(a) {
			t.Fatalf("%q is %v, which is %v, %v", s, a, back, err)
		}
		if !json.Valid([]byte(a.String())) || strings.ContainsAny(a.String(), "eE") {
			t.Fatalf("%q is written as %s", s, a)
		}
	})
}

// readsAsRat fails the test unless JSON reads s as ParseAmount does, with the
// error refused; but decimals beyond the fourth are rounded.
func readsAsRat(t *testing.T, s string, refused error) {
	t.Helper()
	if refused == errTooSlow {
		return
	}
	var got affiliate.Amount
	err := got.UnmarshalJSON([]byte(s))
	if refused == affiliate.ErrAmountSyntax {
		if !errors.Is(err, refused) && s != "null" {
			t.Fatalf("%q is read as %v, %v", s, got, err)
		}
		return
	}
	exact, _ := new(big.Rat).SetString(s)
	want, ok := scene.Rounded(exact.Mul(exact, big.NewRat(10_000, 1)), "CLF")
	if ok != (err == nil) || !ok && !errors.Is(err, affiliate.ErrAmountRange) || !got.Equal(want) {
		t.Fatalf("%q is read as %v, %v, want %v, room %v", s, got, err, want, ok)
	}
}

var errTooSlow = errors.New("exponent too large for the reference")

// slowAmount returns the error that ParseAmount must return for s. It uses
// exact rationals.
func slowAmount(s string) error {
	if !json.Valid([]byte(s)) || strings.Trim(s, "0123456789.eE+-") != "" {
		return affiliate.ErrAmountSyntax
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		if exp, err := strconv.Atoi(s[i+1:]); err != nil || exp > 999 || exp < -999 {
			return errTooSlow
		}
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return affiliate.ErrAmountSyntax
	}
	r.Mul(r, big.NewRat(10_000, 1))
	if !r.IsInt() {
		return affiliate.ErrAmountDecimals
	}
	if n := r.Num(); !n.IsInt64() || n.Int64() == math.MinInt64 {
		return affiliate.ErrAmountRange
	}
	return nil
}

func TestAmountAllocations(t *testing.T) {
	amount, rate := affiliate.MustAmount("149.99"), affiliate.MustPercent("17.5")
	buf := make([]byte, 0, 64)
	for name, call := range map[string]func(){
		"PercentOf":  func() { _, _ = rate.Of(amount, "USD") },
		"Portion":    func() { _, _ = amount.Portion(amount, amount, "USD") },
		"AppendJSON": func() { buf = amount.AppendJSON(buf[:0]) },
		"Parse":      func() { _, _ = affiliate.ParseAmount("149.99") },
		"Unmarshal":  func() { _ = amount.UnmarshalJSON([]byte("149.99")) },
	} {
		t.Run(name, func(t *testing.T) {
			if got := testing.AllocsPerRun(100, call); got != 0 {
				t.Errorf("%v allocations, want 0", got)
			}
		})
	}
}

func TestParseCurrency(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     affiliate.Currency
		err      error
	}{
		{"Upper", "USD", "USD", nil},
		{"Lower", "usd", "USD", nil},
		{"Mixed", "eUr", "EUR", nil},
		{"FundsCode", "CHW", "CHW", nil},
		{"Metal", "XAU", "XAU", nil},
		{"CaribbeanGuilder", "XCG", "XCG", nil},
		{"Empty", "", "", affiliate.ErrCurrency},
		{"Short", "US", "", affiliate.ErrCurrency},
		{"Long", "USDD", "", affiliate.ErrCurrency},
		{"Sign", "U$D", "", affiliate.ErrCurrency},
		{"FullWidth", "ＵＳＤ", "", affiliate.ErrCurrency},
		{"DotlessI", "ıN", "", affiliate.ErrCurrency}, // three bytes
		{"Unknown", "ZZZ", "", affiliate.ErrCurrency},
		{"Withdrawn", "BGN", "", affiliate.ErrCurrency},
		{"Space", " USD", "", affiliate.ErrCurrency},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := affiliate.ParseCurrency(tt.in)
			if !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCurrencyDigits(t *testing.T) {
	for c, want := range map[affiliate.Currency]int{
		"USD": 2, "EUR": 2, "JPY": 0, "KRW": 0, "VND": 0, "ISK": 0, "CLP": 0, "UYI": 0, "XOF": 0,
		"KWD": 3, "TND": 3, "BHD": 3, "CLF": 4, "UYW": 4, "HUF": 2, "MGA": 2, "MRU": 2, "XAU": 2, "": 2, "ZZZ": 2,
	} {
		if got := c.Digits(); got != want {
			t.Errorf("%q has %d digits, want %d", c, got, want)
		}
	}
}

// TestCurrencyTable counts the codes by their digits, so that a code that is
// missing, or is in one table only, is found.
func TestCurrencyTable(t *testing.T) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	got := map[int]int{}
	for _, a := range letters {
		for _, b := range letters {
			for _, c := range letters {
				code := string([]rune{a, b, c})
				if _, err := affiliate.ParseCurrency(code); err == nil {
					got[affiliate.Currency(code).Digits()]++
				} else if affiliate.Currency(code).Digits() != 2 {
					t.Errorf("%s has digits and is unknown", code)
				}
			}
		}
	}
	if diff := cmp.Diff(map[int]int{0: 17, 2: 152, 3: 7, 4: 2}, got); diff != "" {
		t.Error(diff)
	}
}

func TestMain(m *testing.M) { atlength.Main(m) }
