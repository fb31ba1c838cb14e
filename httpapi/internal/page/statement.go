package page

// StatementLines is how many lines of a statement are on a page.
const StatementLines = 300
