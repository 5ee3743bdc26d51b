package db

// HashedKeys are a fingerprint's keys as the table holds them, for tests of the
// look-up.
var HashedKeys = hashedKeys
