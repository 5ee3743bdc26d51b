// Package e2e proves the relay from end to end: real Temporal, real Postgres,
// the real client libraries speaking HTTP with the sandbox. There is nothing
// in it but tests; see harness_test.go for what a test has in hand.
package e2e
