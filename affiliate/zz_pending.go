package affiliate

// notifyCode raises the code's revision, stores it and fires promocode.updated with its full body. The caller
// has set UpdatedAt and every changed field.
func (o *op) notifyCode(rec CodeRecord) error { panic("pending") }
