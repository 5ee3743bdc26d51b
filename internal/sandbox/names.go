package sandbox

import (
	"vestnik/internal/sandbox/core"
	"vestnik/internal/sandbox/telegram"
	"vestnik/internal/sandbox/vk"
)

// What the platforms' packages define, under one name for those who start a sandbox.

//nolint:revive // each is explained where it is defined
type (
	Options      = core.Options
	Limits       = core.Limits
	Fault        = core.Fault
	PictureFault = core.PictureFault
	Call         = core.Call
	CallFilter   = core.CallFilter

	Bot          = telegram.Bot
	Button       = telegram.Button
	Chat         = telegram.Chat
	CopyText     = telegram.CopyText
	Location     = telegram.Location
	Member       = telegram.Member
	MemberStatus = telegram.MemberStatus
	Message      = telegram.Message
	Person       = telegram.Person
	Query        = telegram.Query
	Topic        = telegram.Topic
	Update       = telegram.Update
	Webhook      = telegram.Webhook

	Callback  = vk.Callback
	Post      = vk.Post
	TokenKind = vk.TokenKind
	VKToken   = vk.Token
	Wall      = vk.Wall
	WallPhoto = vk.WallPhoto
	WallState = vk.WallState
)

// Platforms and outcomes of calls.
const (
	Telegram = core.Telegram
	VK       = core.VK

	Accepted   = core.Accepted
	ClientGone = core.ClientGone
	Refused    = core.Refused
	Faulted    = core.Faulted
	Pending    = core.Pending
)

// Chats and their members.
const (
	PrivateChat = telegram.PrivateChat
	Group       = telegram.Group
	Supergroup  = telegram.Supergroup
	Channel     = telegram.Channel

	Creator       = telegram.Creator
	Administrator = telegram.Administrator
	Ordinary      = telegram.Ordinary
	Restricted    = telegram.Restricted
	Left          = telegram.Left
	Kicked        = telegram.Kicked
	Blocked       = telegram.Blocked
	NotFound      = telegram.NotFound

	AnswerWithin = telegram.AnswerWithin
)

// Walls and tokens.
const (
	OpenWall    = vk.OpenWall
	ClosedWall  = vk.ClosedWall
	BannedWall  = vk.BannedWall
	DeletedWall = vk.DeletedWall

	ServiceToken   = vk.ServiceToken
	CommunityToken = vk.CommunityToken
	UserToken      = vk.UserToken
)

// Flood limits: Telegram's as far as they are known, and none at all.
var (
	RealLimits = core.RealLimits
	NoLimits   = core.NoLimits
)
