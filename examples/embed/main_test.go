package main

// Example runs the program of the README.
func Example() {
	main()
	// Output: Ada Lovelace earns 9.98
}
