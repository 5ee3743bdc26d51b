// Package activities holds Vestnik's side effects: one struct for each
// collaborator, and next to it the timeouts and the retry policy under which
// workflows call it.
//
//   - Walls reads what the communities post.
//   - Lanes starts deliveries and speaks with the destinations' lanes.
//   - Telegram and VK send, and edit what was sent; sending.go and editing.go
//     are what they share.
//   - Ledger records what people decide, Recovery sets going again what stands
//     still, Retention ends the keeping of what people wrote.
//   - Guide is the bot's side of a session, Content takes the CMS's batches.
package activities
