package engine

// maxCookieDays is the limit of Config.CookieDays: a hundred years fit into a
// duration.
const maxCookieDays = 36_500
