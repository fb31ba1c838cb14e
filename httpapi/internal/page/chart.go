package page

import (
	"fmt"
	"math/big"
	"strings"
)

// The size of a chart, in its own units.
const (
	ChartWidth  = 600
	ChartHeight = 120
)

// A Chart shows values as bars. What it says is beside the picture, in text that keeps its
// size on every screen; each bar has its value for who points at it, and the page has a
// table of the same values.
type Chart struct {
	Language
	Title         string // what it shows, for those who do not see it
	Width, Height int
	Bars          []Bar
	Before        string    // the values of the time before, as the points of a line; empty: none
	Scale         [3]string // the values at the top, in the middle and at the bottom
	Ends          [2]string // the labels of the first and the last bar
}

// Middle is the height of the line in the middle.
func (c *Chart) Middle() int { return c.Height / 2 }

// A Bar is one bar of a chart, in the chart's units. Its Label is read by those
// who point at it.
type Bar struct {
	X, Y, Width, Height int64
	Label               string
}

// A Point is a value of a chart, with its name and what is said about it.
type Point struct {
	Name, Said string
	Value      int64
}

// NewChart draws points, and as a line the values of the time before, of which the first
// belongs to the first point. The top of its scale is a round number, which say turns into
// text. Values below zero have no height. Without anything above zero it is nil.
func NewChart(title string, points []Point, before []int64, say func(int64) string) *Chart {
	before = before[:min(len(before), len(points))]
	highest := int64(0)
	for _, p := range points {
		highest = max(highest, p.Value)
	}
	for _, v := range before {
		highest = max(highest, v)
	}
	if highest == 0 {
		return nil
	}
	c := &Chart{Title: title, Width: ChartWidth, Height: ChartHeight,
		Ends: [2]string{points[0].Name, points[len(points)-1].Name}}
	top := roundUp(highest)
	c.Scale = [3]string{say(top), say(top / 2), say(0)}
	var line strings.Builder
	for i, p := range points {
		left, right := int64(ChartWidth*i/len(points)), int64(ChartWidth*(i+1)/len(points))
		h := share(max(p.Value, 0), top)
		c.Bars = append(c.Bars,
			Bar{X: left, Y: ChartHeight - h, Width: max(1, (right-left)*3/4), Height: h,
				Label: p.Name + ": " + p.Said})
		if i < len(before) {
			fmt.Fprintf(&line, "%d,%d ", left+(right-left)*3/8, ChartHeight-share(max(before[i], 0), top))
		}
	}
	if len(before) > 1 {
		c.Before = strings.TrimSpace(line.String())
	}
	return c
}

// roundUp returns the least round number not below n whose half is round too.
func roundUp(n int64) int64 {
	for step := int64(1); ; step *= 10 {
		for _, times := range [...]int64{2, 4, 6, 8, 10, 12, 16, 20, 24, 30, 40, 50, 60, 80} {
			if step > (1<<63-1)/times {
				return 1<<63 - 1
			}
			if step*times >= n {
				return step * times
			}
		}
	}
}

// share returns what part of the height a value has; one above zero is seen.
func share(v, highest int64) int64 {
	if v == 0 || highest == 0 {
		return 0
	}
	h := new(big.Int).Mul(big.NewInt(v), big.NewInt(ChartHeight))
	return max(1, h.Div(h, big.NewInt(highest)).Int64())
}
