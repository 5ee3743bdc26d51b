// Package conformance holds the guide bot to its specification: a test for
// each of the numbered demands R001 to R161, over the wire, with the real
// database, the real Temporal and the sandbox in Telegram's place.
//
//	make conformance
//
// prints pass or fail for each paragraph of the document.
package conformance
