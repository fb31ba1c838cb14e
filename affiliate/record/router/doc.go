// Package router moves programs from one store to another, of whatever kind.
//
//	_, err := router.Copy(ctx, from, to, program)
//	if err == nil {
//		_, err = router.Compare(ctx, from, to, program)
//	}
//
// Nobody may write to the program meanwhile. An interrupted [Copy] goes on where it
// ended, and [Remove] deletes the program where it was.
package router
