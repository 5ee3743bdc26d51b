// Package turnmodel is a model of the machinery between the ledger and the
// platforms, explored exhaustively by its tests. It has no code for the
// product: docs/architecture.md says in words what the model says in steps.
//
// One destination, two or three rows. A step is what one party does at once: a
// statement in the database, a signal, a call, a deadline that passes, a fault.
// explore_test.go walks through every order of steps, with every fault at
// every place as far as a scenario's budget goes, and shows the shortest trace
// to whatever breaks a promise. A file that is uploaded is a part that steps
// aside: it goes on beside the lane, and its row comes back when it is due.
//
// What is left out: pace, weights, edits, and VK's guid (the model's platform
// is Telegram, which can't be asked whether a message arrived).
package turnmodel
