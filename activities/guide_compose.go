package activities

import (
	"context"
	"errors"
	"time"

	"vestnik/db/guidedb"
	"vestnik/internal/guide"
	"vestnik/internal/protocol"
)

const (
	// statusTrusted is how long the last known subscription stands in for a
	// check that can't be made.
	statusTrusted = 24 * time.Hour
	// statusKept is after how long an unchanged status is written down again.
	statusKept = 10 * time.Minute
	// nearRadius and nearMax bound "near me".
	nearRadius = 3000 // metres
	nearMax    = 10 * guide.PageSize
)

// Compose does what the update asks for and makes the screen. It may be called
// again for the same update: everything it does is idempotent.
func (a *Guide) Compose(ctx context.Context, composing Composing) (composed Composed, err error) {
	defer a.recoverInto(ctx, composing.Update, &err)
	composed, failed := a.compose(ctx, composing)
	if failed != nil {
		return composed, failed.asError()
	}
	return composed, a.hide(composing.Update, &composed)
}

// hide seals a screen that answers a search or a location, each of its pages,
// before Temporal keeps it.
func (a *Guide) hide(update protocol.BotUpdate, composed *Composed) (err error) {
	action, _ := guide.ParseAction(update.Data)
	private := len(update.Sealed) > 0 || action.Route() == guide.ToFind || action.Route() == guide.ToNear
	if a.config.Seal == nil || !private || composed == nil {
		return nil
	}
	composed.Sealed, err = a.config.Seal.Close(composed.Screen, update.ID)
	composed.Screen = guide.Screen{}
	return err
}

// reveal opens a screen that was hidden.
func (a *Guide) reveal(showing *Showing) error {
	if a.config.Seal == nil || len(showing.Composed.Sealed) == 0 {
		return nil
	}
	return a.config.Seal.Open(showing.Composed.Sealed, showing.Update.ID, &showing.Composed.Screen)
}

func (a *Guide) compose(ctx context.Context, composing Composing) (Composed, *Stop) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	c := &composer{Guide: a, update: composing.Update, view: composing.View, now: a.config.Now().In(a.config.Zone)}
	composed, err := c.compose(ctx, composing.Subscription)
	return composed, a.dbFailure(ctx, composing.Update, err)
}

// composer makes the screen for one update.
type composer struct {
	*Guide
	update protocol.BotUpdate
	view   protocol.SessionView
	now    time.Time // in the city's time zone
}

func (c *composer) compose(ctx context.Context, said guide.Subscription) (Composed, error) {
	user, err := c.config.Store.SeeUser(ctx, c.update.UserID, c.update.Language)
	if err != nil {
		return Composed{}, err
	}
	action := c.action()
	allowed, err := c.allowed(ctx, user, said)
	if err != nil {
		return Composed{}, err
	}
	again := action.Route() == guide.ToCheck
	if again {
		action = action.AfterCheck()
	}
	if !allowed {
		return Composed{Screen: c.config.Texts.GateScreen(c.config.ChannelURL, action, again)}, nil
	}
	composed, err := c.do(ctx, action)
	if errors.Is(err, guidedb.ErrNotFound) {
		return c.menu(c.config.Texts.Notices.Gone), nil
	}
	return composed, err
}

// action is what the update asks for. A message that is no command asks for
// help again where help is on the screen, otherwise it is searched for, if it
// can be, or asks for the menu.
func (c *composer) action() guide.Action {
	action, err := guide.ParseAction(c.update.Data)
	switch {
	case err == nil:
		return action
	case c.view.Help:
		return guide.OpenMenu(guide.Help)
	}
	if len(c.update.Sealed) > 0 && c.open(c.update.Sealed, c.update.ID).Words != "" {
		return guide.OpenMenu(guide.Find)
	}
	return guide.OpenMenu(guide.Main)
}

// allowed decides on what Telegram said, and remembers it. If Telegram could
// not be asked, what was known a day ago counts; if nothing is known, the
// person comes in: the fault is not theirs.
func (c *composer) allowed(ctx context.Context, user guidedb.User, said guide.Subscription) (bool, error) {
	switch said {
	case guide.Subscribed, guide.NotSubscribed:
		allowed := said == guide.Subscribed
		if user.Subscription == said && c.now.Sub(user.CheckedAt) < statusKept {
			return allowed, nil
		}
		return allowed, c.config.Store.SetSubscription(ctx, c.update.UserID, said, c.now)
	case guide.SubscriptionUnknown:
		known := user.Subscription != guide.SubscriptionUnknown && c.now.Sub(user.CheckedAt) < statusTrusted
		return !known || user.Subscription == guide.Subscribed, nil
	}
	return true, nil // nobody asked: the screen is for everybody
}

func (c *composer) do(ctx context.Context, action guide.Action) (Composed, error) {
	page := guidedb.Paging{Number: action.ListPage(), Size: guide.PageSize}
	switch action.Route() {
	case guide.ToMenu:
		return c.menu(""), nil
	case guide.ToHelp:
		return Composed{Screen: c.config.Texts.HelpScreen(c.config.ContactURL, c.config.ChannelURL), Help: true}, nil
	case guide.ToPlaces:
		return c.places(ctx, action)
	case guide.ToPlaceFilter:
		return c.placeFilter(ctx, action)
	case guide.ToPlace, guide.ToEvent:
		return c.card(ctx, action)
	case guide.ToEvents:
		return c.events(ctx, action)
	case guide.ToEventFilter:
		return c.eventFilter(ctx, action)
	case guide.ToCollections:
		return c.collections(ctx, page)
	case guide.ToCollection:
		return c.collection(ctx, action.ID, page)
	case guide.ToFavourites:
		return c.favourites(ctx, page)
	case guide.ToAddFavourite, guide.ToRemoveFavourite:
		return c.changeFavourite(ctx, action)
	case guide.ToPromos:
		return c.promos(ctx, page)
	case guide.ToPromo:
		return c.promo(ctx, action)
	case guide.ToNear:
		return c.near(ctx, action)
	case guide.ToNearFilter:
		return c.nearFilter(ctx, action)
	case guide.ToFind:
		return c.find(ctx, action)
	}
	return c.menu(c.config.Texts.Notices.Stale), nil
}

func (c *composer) menu(notice string) Composed {
	return Composed{Screen: c.config.Texts.MenuScreen(notice)}
}
