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
//	entities   Telegram's markup
//	picture    the pictures of pets and places
//
// # Addresses
//
//	/                         the page: walls, chat, destination, calls, faults
//	/guide                    the page on which a person talks to the guide bot
//	/bot<token>/<method>      Telegram: JSON, urlencoded or multipart
//	/method/<name>            VK: urlencoded; token in access_token or as Bearer
//	/upload/<ticket>          VK's upload host
//	/sandbox/photos/<name>.jpg?size=WxH[&status=404&as=html|text&bytes=N&truncate&delay_ms=N]
//	                          a picture drawn for the name, spoilt if asked
//	/sandbox/files/<name>.<extension>?bytes=N
//	                          a file of that size, spoilt as the picture of its name
//	/sandbox/…                the control API
//
// # What is stricter than the real platforms
//
// Unknown fields and wrong types are refused, with "sandbox:" in the text:
// "Bad Request: sandbox: unknown field …" from Telegram, error 100 from VK. A
// button must have exactly one type field. What the real platform lets pass
// and a careful client would not send is noted in Call.Warnings.
//
// # What is weaker
//
// Telegram and VK: only the methods that Vestnik calls. Telegram: only photos in albums; no videos, stickers, polls, inline mode,
// business or legacy Markdown; entities that the server finds itself (links,
// phones) are shown on the page but not returned; flood limits are a bucket and
// a window, edits are free, and there is no 3 s hold before a 429; webhook
// addresses on this machine may be plain HTTP. VK: no execute, comments,
// likes or captcha dialogue; photos have no rights of their own; the limits
// VK does not publish (text length, posts a day) are settings of the wall.
//
// # Control API
//
// JSON in and out; an error is 400 with {"error": "…"}. The bodies are the Go
// types of this package, unknown fields are refused.
//
//	GET    /sandbox/state                                    addresses, bots, chats, walls, faults
//	GET    /sandbox/calls?platform=&method=&chat=&key=&outcome=&after=&arrived=&limit=
//	       …&wait=N&timeout_ms=                              blocks until N match; 408 if in vain
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
//	GET    /sandbox/telegram/chats/{chat}/queries            presses and their answers
//	PUT    /sandbox/telegram/uploads                         {"bytes"}: the largest file; 50 MB, 2,000 MB of a server of one's own
//	PUT    /sandbox/telegram/chats/{chat}/limits             Limits
//	PUT    /sandbox/telegram/chats/{chat}/members/{user}     Member
//	POST   /sandbox/telegram/say                             {"bot","from":Person,"chat","text"} → Update
//	POST   /sandbox/telegram/locate                          {"bot","from","latitude","longitude"} → Update
//	POST   /sandbox/telegram/press                           {"bot","from","chat","message_id","data"} → Update
//	POST   /sandbox/telegram/updates                         {"bot","kind","content"} → Update
//	PUT    /sandbox/telegram/webhook                         {"bot"} and Webhook
//	PUT    /sandbox/telegram/delivery                        {"bot"} and DeliveryMode
//	POST   /sandbox/telegram/release                         {"bot","reverse","together"} → []Delivery
//	POST   /sandbox/telegram/redeliver                       {"bot","update_id","copies","together"} → []Delivery
//	GET    /sandbox/telegram/deliveries?bot=
//	POST   /sandbox/vk/tokens                                VKToken
//	POST   /sandbox/vk/callbacks                             Callback: where a community's new posts are told
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
