// Package sandbox starts a local Telegram Bot API and a local VK API over HTTP on one port, strict where the real ones
// are. `make run` uses it where no token is configured, with a page for people; tests use it with the real client
// libraries.
//
//	s, err := sandbox.Start(ctx, sandbox.Options{})
//	s.AddBot(sandbox.Bot{Token: token})
//	s.AddChat(sandbox.Chat{ID: -1001, Type: sandbox.Supergroup})
//	…                                   // a client sends to s.TelegramURL()
//	calls, err := s.WaitForCalls(ctx, sandbox.CallFilter{Method: "sendMessage"}, 1)
//
// A Server starts in about a millisecond, so that a test can have its own; it also bears many tests at once, each with
// chats and walls of its own.
//
// This package puts the parts together, and has the samples and the state file. The parts are below it:
//
//	core       calls, fault plans, pictures, the clock, and how a call is recorded, struck and answered
//	telegram   bots, chats, messages and updates
//	vk         walls, posts, photos and tokens
//	page       what a browser shows
//	markup     Telegram's HTML and MarkdownV2
//	picture    the pictures of pets and places
//
// # Addresses
//
//	/                         the page: walls, chat, destination, calls, faults
//	/guide                    the page on which a person talks to the guide bot
//	/bot<token>/<method>      Telegram: JSON, urlencoded or multipart
//	/method/<name>            VK: urlencoded; token in access_token or as Bearer
//	/upload/<ticket>          VK's upload host
//	/sandbox/photos/<name>.jpg?size=WxH[&status=404&delay_ms=N]   a picture drawn for the name
//	/sandbox/files/<name>.<extension>?bytes=N                     a file of that size
//	/sandbox/…                the control API
//
// # What is stricter than the real platforms
//
// Unknown fields and wrong types are refused, with "sandbox:" or "can't parse" in the text: 400 from Telegram, error 100
// from VK. A button must have exactly one type field.
//
// # What is weaker
//
// Only what Vestnik calls and its tests lean on. Telegram: only photos in albums; no videos, stickers, polls, inline mode or
// business; of markup bold, italic, underline, strikethrough, code and links; entities are shown on the page but not
// returned; administrators have all rights; flood limits are a bucket and a window, edits are free, and there is no 3 s
// hold before a 429; webhook addresses on this machine may be plain HTTP. VK: no execute, comments, likes, VK ID tokens or
// captcha dialogue; photos have no rights of their own; the limits VK does not publish (text length) are settings of the
// wall.
//
// # Control API
//
// JSON in and out; an error is 400 with {"error": "…"}. The bodies are the Go
// types of this package, unknown fields are refused.
//
//	GET    /sandbox/state                                    addresses, chats, walls, faults
//	GET    /sandbox/calls?platform=&method=&chat=&key=&outcome=&after=&arrived=&wait=N&timeout_ms=
//	                                                         with wait blocks until N match; 408 if in vain
//	DELETE /sandbox/calls
//	GET    /sandbox/faults
//	POST   /sandbox/faults                                   Fault → {"id"}
//	DELETE /sandbox/faults[/{id}]
//	POST   /sandbox/photos/{name}                            PictureFault
//	POST   /sandbox/telegram/bots                            Bot
//	GET    /sandbox/telegram/chats
//	POST   /sandbox/telegram/chats                           Chat
//	GET    /sandbox/telegram/chats/{chat}/messages
//	DELETE /sandbox/telegram/chats/{chat}/messages
//	PUT    /sandbox/telegram/uploads                         {"bytes"}: the largest file; 50 MB, 2,000 MB of a server of one's own
//	PUT    /sandbox/telegram/chats/{chat}/limits             Limits
//	PUT    /sandbox/telegram/chats/{chat}/members/{user}     Member
//	POST   /sandbox/telegram/say                             {"bot","from":Person,"text"} → Update
//	POST   /sandbox/telegram/press                           {"bot","from","chat","message_id","data"} → Update
//	PUT    /sandbox/telegram/webhook                         {"bot"} and Webhook
//	POST   /sandbox/vk/tokens                                VKToken
//	POST   /sandbox/vk/photos/expire                         links given so far answer 403
//	GET    /sandbox/vk/walls
//	POST   /sandbox/vk/walls                                 Wall
//	GET    /sandbox/vk/walls/{owner}/posts
//	POST   /sandbox/vk/walls/{owner}/posts                   Post → Post
//	PATCH  /sandbox/vk/walls/{owner}/posts/{post}            fields of Post
//	DELETE /sandbox/vk/walls/{owner}/posts/{post}
//
// A "bot" is named by token, id or username; empty means the sample guide
// bot, or the only bot there is. For example, three times in a row Telegram
// does what it is asked and never says so:
//
//	curl -d '{"platform":"telegram","method":"sendMessage","accept_then_fail":true,"reset":true,"times":3}' \
//	     http://127.0.0.1:8090/sandbox/faults
package sandbox
