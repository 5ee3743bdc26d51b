package sandbox

// Sample tokens and ids, for `vestnik dev` and the page. They open nothing
// but a sandbox.
const (
	TelegramToken  = "7000000001:AAsandbox-relay-bot-0000000000000000"
	GuideBotToken  = "7000000002:AAsandbox-guide-bot-0000000000000000"
	VKReadToken    = "sandbox-service-key"
	VKWriteToken   = "sandbox-community-key"
	VKMediaToken   = "sandbox-user-key"
	ChatID         = int64(-1001000000001)
	GuideChannelID = int64(-1001000000002)
	GuideChannel   = "@sandbox_city"

	DestinationOwnerID = int64(-900000005)
)

func (s *Server) addSamples(restored bool) {}
