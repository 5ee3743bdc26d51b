// Package activities holds Vestnik's side effects: one struct for each
// collaborator, and next to it the timeouts and the retry policy under which
// workflows call it.
//
//   - Lanes starts deliveries and speaks with the destinations' lanes.
//   - Ledger records what people decide.
//   - Telegram and VK send, and edit what was sent; sending.go and amending.go
//     are what they share.
//   - Walls reads what the communities post.
package activities
