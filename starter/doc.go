// Package starter starts and steers workflows: the scan schedule, scans and
// deliveries by hand, resuming what waits, pausing destinations. What is owed of a
// post by the rules is said here too, for a scan and for a person's word alike.
package starter
