package refusal

// MaxBulk is the largest limit of what one call makes or changes: its transaction
// makes everybody else wait.
const MaxBulk = 100_000
