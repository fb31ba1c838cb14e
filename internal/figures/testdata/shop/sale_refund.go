package shop

type refund struct{ of *order }

type order struct{}

func (r refund) worth(kind int) int {
	switch {
	case kind == 1, kind == 2:
		return 1
	case kind > 3:
		for range kind {
			if r.of == nil {
				return 2
			}
		}
	}
	return 0
}
