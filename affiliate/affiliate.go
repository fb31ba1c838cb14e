package affiliate

import "github.com/google/uuid"

// An Answer is an affiliate's answer to a signup question of the host.
type Answer struct {
	ID         uuid.UUID `json:"id"`
	QuestionID uuid.UUID `json:"questionId"`
	Answer     string    `json:"answer"`
}
