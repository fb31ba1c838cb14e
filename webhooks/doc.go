// Package webhooks holds both ends of a webhook request.
package webhooks
