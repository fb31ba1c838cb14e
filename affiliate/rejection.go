package affiliate

// A Rejection is a row of the table of texts for what an adapter refuses before
// the engine is called. The rows that several texts share a [Reason] in are
// told apart here.
//
// Source: docs/contract.md 1.9, 5.
type Rejection uint8

// The rejections.
const (
	RejectPath              Rejection = iota // 404: nothing is at this path
	RejectMethod                             // 405
	RejectMediaType                          // 415
	RejectSize                               // 413
	RejectNoBody                             // the operation needs one
	RejectJSON                               // not JSON
	RejectNotAnObject                        // JSON of another kind
	RejectTrailing                           // data after the object
	RejectDepth                              // nested too deeply
	RejectUTF8                               // invalid UTF-8, or half of a surrogate pair
	RejectDuplicateField                     // names the field
	RejectUnknownField                       // names the field
	RejectQuery                              // malformed
	RejectRepeatedParameter                  // names the parameter
	RejectEmptyParameter                     // names the parameter
	RejectLimit                              // of a page
	RejectKey                                // Idempotency-Key
	RejectNoProgramID                        // of the tracking endpoints
	RejectNoReferralCode                     // of the tracking endpoints
)

// row is the rejection's row of the table of texts.
func (r Rejection) row() refusal {
	rows := [...]refusal{
		pathNotFound, methodNotAllowed, unsupportedMediaType, bodyTooLarge, bodyRequired, jsonInvalid,
		jsonNotAnObject, jsonTrailing, jsonTooDeep, jsonNotUTF8, fieldDuplicate, fieldUnknown,
		queryInvalid, parameterRepeated, parameterEmpty, limitInvalid, idempotencyKeyInvalid,
		programIDRequired, referralCodeRequired,
	}
	if int(r) >= len(rows) {
		return internalError
	}
	return rows[r]
}

// Err is the rejection as an error.
func (r Rejection) Err() *Error { return r.row().err() }

// Of is a rejection that names a field or parameter. The name is what a caller
// sent: it is cut to 64 characters and its control characters are escaped.
func (r Rejection) Of(name string) *Error {
	e := r.row().with(name)
	e.Field = printable(name)
	return e
}

// A Fault is what an adapter finds wrong with a field while it reads a request,
// as the end of the text "{field} must be …".
//
// Source: docs/contract.md 1.9.
type Fault string

// The faults.
const (
	FaultNotAString      Fault = notAString
	FaultNotANumber      Fault = notANumber
	FaultNotAnInteger    Fault = notAnInteger
	FaultNotABoolean     Fault = notABoolean
	FaultNotAnObject     Fault = notAnObject
	FaultNotStrings      Fault = notStrings
	FaultNull            Fault = notNull
	FaultEmpty           Fault = notEmpty
	FaultTooManyDecimals Fault = tooManyDecimals
	FaultTooLarge        Fault = tooLarge
	FaultNotADate        Fault = notADate
)

// Of is the error of a field: [InvalidField].
func (f Fault) Of(field string) *Error { return invalid(field, string(f)) }
