package decimal_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tributary-go/tributary/internal/decimal"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		in      string
		want    int64
		err     error // of Parse
		rounded int64 // of ParseRounded, if Parse refuses the decimals
	}{
		{in: "0"}, {in: "-0"}, {in: "0.00000"}, {in: "0e999999999"},
		{in: "12.5", want: 125_000}, {in: "12.50000", want: 125_000}, {in: "1e2", want: 1_000_000}, {in: "-0.0001", want: -1},
		{in: "1234567e-7", err: decimal.ErrDecimals, rounded: 1235}, {in: "0.00004", err: decimal.ErrDecimals},
		{in: "86.33999999999999", err: decimal.ErrDecimals, rounded: 863_400}, {in: "-0.00005", err: decimal.ErrDecimals, rounded: -1},
		{in: "922337203685477.5807", want: math.MaxInt64}, {in: "-922337203685477.5807", want: -math.MaxInt64},
		{in: "922337203685477.5808", err: decimal.ErrRange}, {in: "1e15", err: decimal.ErrRange}, {in: "1e999999999999999999999", err: decimal.ErrRange},
		{in: "1" + strings.Repeat("0", 1000) + "e-1000", want: 10_000}, {in: "0." + strings.Repeat("0", 1000) + "1e1001", want: 10_000},
		{in: "", err: decimal.ErrSyntax}, {in: "+1", err: decimal.ErrSyntax}, {in: "1.", err: decimal.ErrSyntax}, {in: "01", err: decimal.ErrSyntax},
		{in: "1 ", err: decimal.ErrSyntax}, {in: "1e", err: decimal.ErrSyntax}, {in: "1,5", err: decimal.ErrSyntax}, {in: `"1"`, err: decimal.ErrSyntax},
	} {
		got, err := decimal.Parse(tt.in)
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("Parse(%.40q) = %d, %v, want %d, %v", tt.in, got, err, tt.want, tt.err)
		}
		want, wantErr := tt.want, tt.err
		if errors.Is(tt.err, decimal.ErrDecimals) {
			want, wantErr = tt.rounded, nil
		}
		if got, err := decimal.ParseRounded(tt.in); got != want || !errors.Is(err, wantErr) {
			t.Errorf("ParseRounded(%.40q) = %d, %v, want %d, %v", tt.in, got, err, want, wantErr)
		}
	}
}

// TestAppend: a written number reads back, and equals that of math/big.
func TestAppend(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Min(-math.MaxInt64).Draw(t, "n")
		text := string(decimal.Append(nil, n))
		if back, err := decimal.Parse(text); back != n || err != nil {
			t.Fatalf("%d is written as %s and read as %d, %v", n, text, back, err)
		}
		if rat, ok := new(big.Rat).SetString(text); !ok || rat.Cmp(big.NewRat(n, decimal.Scale)) != 0 {
			t.Fatalf("%d is written as %s", n, text)
		}
		if strings.Contains(text, ".") && strings.HasSuffix(text, "0") {
			t.Fatalf("%s ends in a zero", text)
		}
	})
}

// TestMul: the product is rounded once, half away from zero, as by math/big.
func TestMul(t *testing.T) {
	any64, step := rapid.Int64Min(-math.MaxInt64), rapid.SampledFrom([]int64{1, 10, 100, 1000, 10_000})
	rapid.Check(t, func(t *rapid.T) {
		a, r, step := any64.Draw(t, "a"), decimal.Ratio{Num: any64.Draw(t, "num"), Den: any64.Draw(t, "den")}, step.Draw(t, "step")
		if rapid.Bool().Draw(t, "small") {
			a, r.Num, r.Den = a%100_000, r.Num%1000, r.Den%1000
		}
		got, err := decimal.Mul(a, r, step)
		if r.Den == 0 {
			if !errors.Is(err, decimal.ErrRange) {
				t.Fatalf("by zero: %d, %v", got, err)
			}
			return
		}
		check(t, got, err, new(big.Rat).Mul(big.NewRat(a, 1), big.NewRat(r.Num, r.Den)), step)
	})
}

// TestMulTwice: the product of three numbers is rounded once.
func TestMulTwice(t *testing.T) {
	natural, step := rapid.Int64Min(0), rapid.SampledFrom([]int64{1, 10, 100, 1000, 10_000})
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Int64Min(1).Draw(t, "whole")
		a, part, step := natural.Draw(t, "a"), decimal.Ratio{Num: rapid.Int64Range(0, whole).Draw(t, "part"), Den: whole}, step.Draw(t, "step")
		rate := decimal.Ratio{Num: rapid.Int64Range(0, 2_000_000).Draw(t, "rate"), Den: 1_000_000}
		got, err := decimal.MulTwice(a, part, rate, step)
		want := new(big.Rat).Mul(big.NewRat(a, 1), big.NewRat(part.Num, part.Den))
		check(t, got, err, want.Mul(want, big.NewRat(rate.Num, rate.Den)), step)
	})
	if _, err := decimal.MulTwice(1, decimal.Ratio{}, decimal.Ratio{Num: 1, Den: 2}, 1); !errors.Is(err, decimal.ErrRange) {
		t.Errorf("by zero: %v", err)
	}
}

// check compares a result with the exact value, rounded to a step.
func check(t *rapid.T, got int64, err error, exact *big.Rat, step int64) {
	t.Helper()
	scaled := new(big.Rat).Quo(exact, big.NewRat(step, 1))
	half := big.NewRat(1, 2)
	if scaled.Sign() < 0 {
		half.Neg(half)
	}
	scaled.Add(scaled, half)
	want := new(big.Int).Quo(scaled.Num(), scaled.Denom()) // cut towards zero
	want.Mul(want, big.NewInt(step))
	if new(big.Int).Abs(want).Cmp(big.NewInt(math.MaxInt64)) > 0 {
		if !errors.Is(err, decimal.ErrRange) {
			t.Fatalf("%d, %v, want ErrRange for %v", got, err, want)
		}
		return
	}
	if err != nil || want.Cmp(big.NewInt(got)) != 0 {
		t.Fatalf("%d, %v, want %v", got, err, want)
	}
}
