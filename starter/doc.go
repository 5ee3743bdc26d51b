// Package starter starts and steers workflows: the scan schedule, scans and
// deliveries by hand, resuming what waits, pausing destinations.
package starter
