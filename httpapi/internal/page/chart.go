package page

import "math/big"

// The size of a chart, in its own units.
const (
	ChartWidth  = 600
	ChartHeight = 80
)

// A Bar is one bar of a chart, in the chart's units. Its Label is read by those
// who do not see it.
type Bar struct {
	X, Y, Width, Height int64
	Label               string
}

// Bars returns the bars for some values, the highest as high as the chart. Values
// below zero have no height.
func Bars(values []int64, labels []string) []Bar {
	highest := int64(0)
	for _, v := range values {
		highest = max(highest, v)
	}
	bars := make([]Bar, len(values))
	for i, v := range values {
		step := int64(ChartWidth / len(values))
		h := share(max(v, 0), highest)
		bars[i] = Bar{X: int64(i) * step, Y: ChartHeight - h, Width: step - step/4, Height: h, Label: labels[i]}
	}
	return bars
}

// share returns what part of the height a value has; one above zero is seen.
func share(v, highest int64) int64 {
	if v == 0 || highest == 0 {
		return 0
	}
	h := new(big.Int).Mul(big.NewInt(v), big.NewInt(ChartHeight))
	return max(1, h.Div(h, big.NewInt(highest)).Int64())
}
