package record

import "github.com/tributary-go/tributary/affiliate"

// HasApproval reports whether a commission of the sale has an approval status.
func (r *Sale) HasApproval(status affiliate.ApprovalStatus) bool {
	for i := range r.Commissions {
		if r.Commissions[i].Approval.Is(status) {
			return true
		}
	}
	return false
}
