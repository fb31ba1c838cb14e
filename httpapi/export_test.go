package httpapi

// Routes lists every operation as "METHOD /path", in the order of the contract.
func Routes() []string {
	var all []string
	for _, r := range routes() {
		all = append(all, r.method+" "+prefix+r.path)
	}
	return all
}

// Paths lists every path with its Allow header.
func Paths() map[string]string {
	all := map[string]string{}
	for path, res := range resources(prefix, routes()) {
		all[path] = res.allow
	}
	return all
}
