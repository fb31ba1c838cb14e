package refusal

// MaxBulk is the largest limit of what one call makes or changes: its transaction
// makes everybody else wait.
const MaxBulk = 100_000

// MaxFormerSlugs is how many former slugs lead to one link: nobody reserves names by
// renaming on and on.
const MaxFormerSlugs = 100
