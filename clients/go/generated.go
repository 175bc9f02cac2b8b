// Code generated from docs/openapi.json by npm run docs. DO NOT EDIT.

package trunkline

import (
	"context"
	"net/url"
)

type AddCannedAnswerRequest struct {
	// One word, typed after `/` on the chat page; unique within the account regardless of case
	Name string `json:"name"`
	// The text; the chat page fills in `{{contact}}` and `{{employee}}`
	Text string `json:"text"`
	// Its place in lists; answers with the same place are sorted by name
	Order *int64 `json:"order,omitempty"`
	// Canned answers have no files
	Files []any `json:"files,omitempty"`
}

type AddSubscriptionsRequest struct {
	// The result
	Data []struct {
		// The receiver's address, at most 200 characters; "" after it was removed
		URL string `json:"url"`
		// The event that is sent there
		Event string `json:"event"`
	} `json:"data"`
}

type ChangeCannedAnswerRequest struct {
	// One word, typed after `/` on the chat page; unique within the account regardless of case
	Name *string `json:"name,omitempty"`
	// The text; the chat page fills in `{{contact}}` and `{{employee}}`
	Text *string `json:"text,omitempty"`
	// Its place in lists; answers with the same place are sorted by name
	Order *int64 `json:"order,omitempty"`
	// Canned answers have no files
	Files []any `json:"files,omitempty"`
}

type ChangeGroupRequest struct {
	// The channel
	ChannelID string `json:"channel_id"`
	// Name of the group
	Name *string `json:"name,omitempty"`
	// Direct http or https link to a picture, on a public address
	PictureURI *string `json:"picture_uri,omitempty"`
	// true: the group has no picture any more; not together with picture_uri
	RemovePicture *bool `json:"remove_picture,omitempty"`
	// Changes of the members
	Participants *struct {
		// People to add
		Add []struct {
			// Id of the person in the messenger, as in `sender.id` of messages
			ChatID *string `json:"chat_id,omitempty"`
			// Phone number with its country code
			Phone *string `json:"phone,omitempty"`
			// Username, where the messenger has them
			Username *string `json:"username,omitempty"`
		} `json:"add,omitempty"`
		// People to remove
		Remove []struct {
			// Id of the person in the messenger, as in `sender.id` of messages
			ChatID *string `json:"chat_id,omitempty"`
			// Phone number with its country code
			Phone *string `json:"phone,omitempty"`
			// Username, where the messenger has them
			Username *string `json:"username,omitempty"`
		} `json:"remove,omitempty"`
	} `json:"participants,omitempty"`
	// Changes of roles
	Roles *struct {
		// Members who become admins
		Promote []struct {
			// Id of the person in the messenger, as in `sender.id` of messages
			ChatID *string `json:"chat_id,omitempty"`
			// Phone number with its country code
			Phone *string `json:"phone,omitempty"`
			// Username, where the messenger has them
			Username *string `json:"username,omitempty"`
		} `json:"promote,omitempty"`
		// Admins who become plain members
		Demote []struct {
			// Id of the person in the messenger, as in `sender.id` of messages
			ChatID *string `json:"chat_id,omitempty"`
			// Phone number with its country code
			Phone *string `json:"phone,omitempty"`
			// Username, where the messenger has them
			Username *string `json:"username,omitempty"`
		} `json:"demote,omitempty"`
	} `json:"roles,omitempty"`
}

type ChangeGroupResponse struct {
	// The result
	Data struct {
		// The channel
		ChannelID string `json:"channel_id"`
		// Kind of chat
		ChatType string `json:"chat_type"`
		// The group's id in the messenger
		ChatID string `json:"chat_id"`
		// What became of each person of the request
		Results []struct {
			// The change
			Change string `json:"change"`
			// The person as the request names them
			Participant struct {
				// The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
				ChatID *string `json:"chat_id,omitempty"`
				// International, digits only
				Phone *string `json:"phone,omitempty"`
				// Username without the @
				Username *string `json:"username,omitempty"`
			} `json:"participant"`
			// Id of the person in the messenger, if known
			ChatID *string `json:"chat_id"`
			// done; invitation_needed: the person's settings let them join by an invitation only; unknown: there is no such account; already: they are a member or have the role; not_a_member; left_recently: they can only return by themselves; full: the group or the person's list of groups; protected: they cannot be changed by the channel's account; refused
			Result string `json:"result"`
			// The messenger's own reason
			Details *string `json:"details"`
		} `json:"results"`
	} `json:"data"`

	Meta V2Meta `json:"meta"`
}

type ChangePacingRequest struct {
	// Messages of the channel per minute
	PerMinute *float64 `json:"per_minute,omitempty"`
	// Messages of one chat per minute
	ChatPerMinute *float64 `json:"chat_per_minute,omitempty"`
	// Maximum random delay before a message, in milliseconds
	JitterMs *int64 `json:"jitter_ms,omitempty"`
	// First contacts in 24 hours once the warm-up is over; null: no limit
	FirstContactsPerDay *int64 `json:"first_contacts_per_day,omitempty"`
	// Days in which the allowance of a new channel grows; 0: the full allowance immediately
	WarmUpDays *int64 `json:"warm_up_days,omitempty"`
	// Limits to reset to the messenger's defaults
	Reset []string `json:"reset,omitempty"`
	// true: allow first contacts again, despite the messenger's warning
	EndHold *bool `json:"end_hold,omitempty"`
}

type ChangeReceiverRequest struct {
	// Maximum events per request; 0: the installation's setting
	MaxItems *int64 `json:"maxItems,omitempty"`
	// Concurrent requests
	Concurrency *int64 `json:"concurrency,omitempty"`
}

type ChangeSubscriptionsRequest struct {
	// The result
	Data []struct {
		// Id of the subscription
		ID string `json:"id"`
		// The receiver's address, at most 200 characters; "" after it was removed
		URL *string `json:"url,omitempty"`
		// The event that is sent there
		Event *string `json:"event,omitempty"`
	} `json:"data"`
}

type ChangeV2ContactsRequest struct {
	// The contacts
	Contacts []V2ContactChange `json:"contacts"`
}

type ChangeV2DealsRequest struct {
	// The deals
	Deals []V2DealChange `json:"deals"`
}

type ChangeV2UsersRequest struct {
	// The employees
	Users []V2UserChange `json:"users"`
}

type ChangeWabaTemplateByIdRequest struct {
	// MARKETING, UTILITY or AUTHENTICATION
	Category *string `json:"category,omitempty"`
	// As the messenger defines them; text has variables such as {{1}}
	Components []struct {
		// HEADER, BODY, FOOTER or BUTTONS
		Type string `json:"type"`
	} `json:"components,omitempty"`
}

type ChangeWabaTemplateRequest struct {
	// Id of the template
	TemplateID string `json:"template_id"`
	// MARKETING, UTILITY or AUTHENTICATION
	Category *string `json:"category,omitempty"`
	// As the messenger defines them; text has variables such as {{1}}
	Components []struct {
		// HEADER, BODY, FOOTER or BUTTONS
		Type string `json:"type"`
	} `json:"components,omitempty"`
}

type ChangeWebhooksRequest struct {
	// Address for webhooks, at most 200 characters; "" for none. A new address must respond to a test POST with 200
	WebhooksURI *string `json:"webhooksUri,omitempty"`
	// Sent to the receiver as Authorization: Bearer; "" for none. It is bound to the origin of webhooksUri: if that changes, set the key again
	CRMKey *string `json:"crmKey,omitempty"`
	// The events that are sent there; omitted ones keep their value
	Subscriptions *struct {
		// New messages, and status changes of outgoing messages
		MessagesAndStatuses *bool `json:"messagesAndStatuses,omitempty"`
		// Requests to create contacts and deals
		ContactsAndDealsCreation *bool `json:"contactsAndDealsCreation,omitempty"`
		// Status changes of channels
		ChannelsUpdates *bool `json:"channelsUpdates,omitempty"`
		// Moderation of templates of the WhatsApp Business Platform
		TemplateStatus *bool `json:"templateStatus,omitempty"`
		// Alias of templateStatus
		WabaTemplatesStatus *bool `json:"wabaTemplatesStatus,omitempty"`
		// Alias of templateStatus
		TemplateStatuses *bool `json:"templateStatuses,omitempty"`
		// Reactions to messages; off unless it is switched on
		Reactions *bool `json:"reactions,omitempty"`
	} `json:"subscriptions,omitempty"`
}

type ChannelCreateEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2ChannelUpdate `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type ChannelDeleteEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2ChannelUpdate `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type ChannelHistoryEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2ChannelHistory `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type ChannelQrUpdateEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2ChannelQr `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type ChannelStatusUpdateEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2ChannelUpdate `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type ChannelWabaTierUpdateEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2ChannelTier `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type ChannelsUpdatesEvent struct {
	// The events, oldest first
	ChannelsUpdates []V3ChannelUpdate `json:"channelsUpdates"`
}

type CheckPhonesRequest struct {
	// International numbers with their country codes
	Phones []string `json:"phones"`
}

type CheckPhonesResponse struct {
	// The result
	Data struct {
		// Id of the request, as in the event phones.checked
		CheckID string `json:"check_id"`
		// What is known already
		Phones []struct {
			// The number: international, digits only
			Phone string `json:"phone"`
			// Whether the messenger has an account with it; null if the messenger does not tell
			Exists *bool `json:"exists"`
			// Kind of chat
			ChatType string `json:"chat_type"`
			// The person's chat id; null if there is none or it is unknown
			ChatID *string `json:"chat_id"`
			// Username without @, if known
			Username *string `json:"username"`
		} `json:"phones"`
		// How many numbers are looked up; their results are events phones.checked
		Waiting int64 `json:"waiting"`
	} `json:"data"`

	Meta V2Meta `json:"meta"`
}

type ClearUnansweredResponse struct {
	// The result
	Data struct {
		// Eight digits
		AccountID string `json:"account_id"`
		// true
		Cleared bool `json:"cleared"`
	} `json:"data"`

	Meta V2Meta `json:"meta"`
}

type CountUnansweredResponse struct {
	// Number of unanswered messages
	CounterV2 int64 `json:"counterV2"`
	// red: of the employee's own clients; grey: of others; null: none
	Type *string `json:"type"`
	// Time of the newest of them
	LastMsgDateTime *string `json:"lastMsgDateTime"`
}

type CreateAccountRequest struct {
	// Name of the client
	Name string `json:"name"`
	// ISO 639-1, two letters
	Lang string `json:"lang"`
	// ISO 4217, three letters
	Currency string `json:"currency"`
	// ISO 3166-1, two letters
	Country string `json:"country"`
	// Offset from UTC in hours
	Timezone float64 `json:"timezone"`
}

type CreateAccountResponse struct {
	// The result
	Data struct {
		// The client account
		Account struct {
			// Eight digits
			AccountID int64 `json:"account_id"`
			// Name of the client
			Name string `json:"name"`
		} `json:"account"`
	} `json:"data"`

	Meta V2Meta `json:"meta"`
}

type CreateChannelRequest any

type CreateContactEvent struct {
	CreateContact V3ContactCreation `json:"createContact"`
}

type CreateDealEvent struct {
	CreateDeal V3DealCreation `json:"createDeal"`
}

type CreateGroupRequest struct {
	// The channel
	ChannelID string `json:"channel_id"`
	// Name of the group
	Name string `json:"name"`
	// The people to add; the channel's account is the owner
	Participants []struct {
		// Id of the person in the messenger, as in `sender.id` of messages
		ChatID *string `json:"chat_id,omitempty"`
		// Phone number with its country code
		Phone *string `json:"phone,omitempty"`
		// Username, where the messenger has them
		Username *string `json:"username,omitempty"`
	} `json:"participants,omitempty"`
}

type CreateGroupResponse struct {
	// The result
	Data struct {
		// The channel
		ChannelID string `json:"channel_id"`
		// Kind of chat
		ChatType string `json:"chat_type"`
		// The group's id in the messenger
		ChatID string `json:"chat_id"`
		// Name of the group
		Name string `json:"name"`
		// Number of members
		ParticipantsCount int64 `json:"participants_count"`
		// The members, with the channel's account; of a large group not all
		Participants []struct {
			// Id of the person in the messenger, as in `sender.id` of messages
			ChatID string `json:"chat_id"`
			// Name in the messenger; empty if unknown
			Name string `json:"name"`
			// Username without @
			Username *string `json:"username"`
			// International, digits only
			Phone *string `json:"phone"`
			// Role in the group
			Role string `json:"role"`
			// Whether it is the channel's account
			IsOwn bool `json:"is_own"`
		} `json:"participants"`
		// What became of each person of the request
		Results []struct {
			// The person as the request names them
			Participant struct {
				// The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
				ChatID *string `json:"chat_id,omitempty"`
				// International, digits only
				Phone *string `json:"phone,omitempty"`
				// Username without the @
				Username *string `json:"username,omitempty"`
			} `json:"participant"`
			// Id of the person in the messenger, if known
			ChatID *string `json:"chat_id"`
			// done; invitation_needed: the person's settings let them join by an invitation only; unknown: there is no such account; already: they are a member or have the role; not_a_member; left_recently: they can only return by themselves; full: the group or the person's list of groups; protected: they cannot be changed by the channel's account; refused
			Result string `json:"result"`
			// The messenger's own reason
			Details *string `json:"details"`
		} `json:"results"`
	} `json:"data"`

	Meta V2Meta `json:"meta"`
}

type CreateWabaTemplateRequest struct {
	// A channel of the business that the template is for
	ChannelID string `json:"channel_id"`
	// Lower-case letters, digits and underscores
	Name string `json:"name"`
	// For example en_US
	Language string `json:"language"`
	// MARKETING, UTILITY or AUTHENTICATION
	Category string `json:"category"`
	// As the messenger defines them; text has variables such as {{1}}
	Components []struct {
		// HEADER, BODY, FOOTER or BUTTONS
		Type string `json:"type"`
	} `json:"components"`
	// Drafts are not stored: a template is submitted at once
	IsDraft *bool `json:"is_draft,omitempty"`
}

type CrmEntitiesContactAddEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2ContactCreation `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type CrmEntitiesDealAddEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2DealCreation `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type DiscardParkedRequest struct {
	// Numbers of the events
	EventIds []int64 `json:"eventIds"`
}

type DiscardParkedResponse struct {
	// Number of events that are no longer parked
	Discarded int64 `json:"discarded"`
}

type EditMessageRequest struct {
	// The new text; one of text and attachment is required
	Text *string `json:"text,omitempty"`

	Attachment *V2SendAttachment `json:"attachment,omitempty"`
	// The editing employee: the id in the CRM
	CRMUserID any `json:"crm_user_id,omitempty"`
}

type EditV3MessageRequest struct {
	// The new text; one of text and contentUri is required
	Text *string `json:"text,omitempty"`
	// Direct http or https link to a file, at most 50 MB, on a public address
	ContentURI *string `json:"contentUri,omitempty"`
	// The author: the employee's id in the CRM; ignored with a sidecar API key
	CRMUserID any `json:"crmUserId,omitempty"`
}

type ExportMessagesRequest struct {
	// Start of the period, ISO 8601
	StartAt string `json:"start_at"`
	// End of the period, ISO 8601
	EndAt string `json:"end_at"`
	// Only messages of this channel
	ChannelID *string `json:"channel_id,omitempty"`
}

type ExportMessagesResponse struct {
	// The result
	Data struct {
		// pending, processing, done or webhook_failed
		Status string `json:"status"`
		// Id of the export
		ExportID string `json:"export_id"`
	} `json:"data"`

	Meta V2Meta `json:"meta"`
}

type GetAccountResponse struct {
	// The result
	Data struct {
		Account V2Account `json:"account"`
	} `json:"data"`

	Meta V2Meta `json:"meta"`
}

type GetCounterHostResponse struct {
	// A name, with a port if it is not the usual one
	Host string `json:"host"`
}

type GetGroupResponse struct {
	// The result
	Data struct {
		// The channel
		ChannelID string `json:"channel_id"`
		// Kind of chat
		ChatType string `json:"chat_type"`
		// The group's id in the messenger
		ChatID string `json:"chat_id"`
		// Name of the group
		Name string `json:"name"`
		// Number of members
		ParticipantsCount int64 `json:"participants_count"`
		// The members, with the channel's account; of a large group not all
		Participants []struct {
			// Id of the person in the messenger, as in `sender.id` of messages
			ChatID string `json:"chat_id"`
			// Name in the messenger; empty if unknown
			Name string `json:"name"`
			// Username without @
			Username *string `json:"username"`
			// International, digits only
			Phone *string `json:"phone"`
			// Role in the group
			Role string `json:"role"`
			// Whether it is the channel's account
			IsOwn bool `json:"is_own"`
		} `json:"participants"`
	} `json:"data"`

	Meta V2Meta `json:"meta"`
}

type GetHealthResponse struct {
	// ok
	Status string `json:"status"`
}

type GetMessageExportResponse struct {
	// The result
	Data struct {
		// pending, processing, done or webhook_failed
		Status string `json:"status"`
		// Link to the CSV file; null until it is ready
		URL *string `json:"url"`
	} `json:"data"`

	Meta V2Meta `json:"meta"`
}

type GetUnansweredCounterResponse struct {
	// The result
	Data struct {
		// Number of unanswered messages
		Counter int64 `json:"counter"`
		// red: of the employee's own clients; grey: of others; null: none
		Type *string `json:"type"`
	} `json:"data"`

	Meta V2Meta `json:"meta"`
}

type GetWebhooksResponse struct {
	// Address for webhooks, at most 200 characters; "" for none. A new address must respond to a test POST with 200
	WebhooksURI string `json:"webhooksUri"`
	// The events that are sent there; omitted ones keep their value
	Subscriptions struct {
		// New messages, and status changes of outgoing messages
		MessagesAndStatuses bool `json:"messagesAndStatuses"`
		// Requests to create contacts and deals
		ContactsAndDealsCreation bool `json:"contactsAndDealsCreation"`
		// Status changes of channels
		ChannelsUpdates bool `json:"channelsUpdates"`
		// Moderation of templates of the WhatsApp Business Platform
		TemplateStatus bool `json:"templateStatus"`
		// Alias of templateStatus
		WabaTemplatesStatus bool `json:"wabaTemplatesStatus"`
		// Reactions to messages; off unless it is switched on
		Reactions bool `json:"reactions"`
	} `json:"subscriptions"`
}

type GroupChatMembershipsUpdateEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2GroupMembershipsUpdate `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type GroupChatUpdateEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2GroupUpdate `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type IssueTokenRequest any

type IssueTokenResponse struct {
	// The result
	Data struct {
		// For requests, as Authorization: Bearer
		AccessToken string `json:"access_token"`
		// Valid once for new tokens; a second use revokes the whole grant
		RefreshToken string `json:"refresh_token"`
		// Bearer
		TokenType string `json:"token_type"`
		// Seconds
		ExpiresIn int64 `json:"expires_in"`
		// Seconds
		RefreshExpiresIn int64 `json:"refresh_expires_in"`
	} `json:"data"`

	Meta V2Meta `json:"meta"`
}

type LinkToChannelsPageRequest struct {
	// The transport to connect, or the channel to reconnect; without either, the person chooses
	Options *struct {
		// Messenger of the channel
		Transport *string `json:"transport,omitempty"`
		// Id of the channel
		ChannelID *string `json:"channel_id,omitempty"`
		// Where the person gets a new link if this one has expired or was used: an address of yours that requests one and redirects to it
		RefreshURL *string `json:"refresh_url,omitempty"`
		// Where the person goes on after the channel was connected; not offered in a frame
		ReturnURL *string `json:"return_url,omitempty"`
	} `json:"options,omitempty"`
}

type LinkToChatsPageRequest any

type LinkToChatsRequest any

type LinkToChatsResponse struct {
	// Valid once, within ten minutes
	URL string `json:"url"`
}

type ListAuditResponse struct {
	// The result
	Data []V3AuditEntry `json:"data"`
	// Cursor of the next page; null if there is none
	Next *string `json:"next"`
}

type ListChatsResponse struct {
	// The result
	Data []V2Chat `json:"data"`

	Meta V2PageMeta `json:"meta"`
}

type ListContactsResponse struct {
	// The total number
	Count int64 `json:"count"`
	// The result
	Data []V3Contact `json:"data"`
}

type ListDealsResponse struct {
	// The total number
	Count int64 `json:"count"`
	// The result
	Data []V3Deal `json:"data"`
}

type ListDeliveriesResponse struct {
	// The result
	Data []V3Delivery `json:"data"`
	// Cursor of the next page; null if there is none
	Next *string `json:"next"`
}

type ListParkedResponse struct {
	// The result
	Data []V3ParkedEvent `json:"data"`
	// Cursor of the next page; null if there is none
	Next *string `json:"next"`
}

type MessageAddEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2Message `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type MessageDeleteEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2Message `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type MessageEditEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2Message `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type MessageReactionEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2Reaction `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type MessageStatusUpdateEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2MessageStatus `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type MessagesDumpStatusUpdateEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2ExportStatus `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type MessagesEvent struct {
	// The events, oldest first
	Messages []V3Message `json:"messages"`
	// The events, oldest first
	Statuses []V3MessageStatus `json:"statuses,omitempty"`
}

type PhonesCheckedEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []struct {
		// Id of the request
		CheckID string `json:"check_id"`
		// Channel
		ChannelID string `json:"channel_id"`
		// Kind of channel
		Transport string `json:"transport"`
		// The results
		Phones []struct {
			// The number: international, digits only
			Phone string `json:"phone"`
			// Whether the messenger has an account with it; null if the messenger does not tell
			Exists *bool `json:"exists"`
			// Kind of chat
			ChatType string `json:"chat_type"`
			// The person's chat id; null if there is none or it is unknown
			ChatID *string `json:"chat_id"`
			// Username without @, if known
			Username *string `json:"username"`
		} `json:"phones"`
		// How many numbers of the request are still to be looked up; 0: this is the end
		Waiting int64 `json:"waiting"`
		// When they were looked up, in milliseconds
		Timestamp int64 `json:"timestamp"`
	} `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

type ReactToMessageRequest struct {
	// One emoji that the messenger offers
	Emoji string `json:"emoji"`
}

type ReactionsEvent struct {
	// The events, oldest first
	Reactions []V3Reaction `json:"reactions"`
}

type Readiness struct {
	// Whether this node can serve
	Ready bool `json:"ready"`
	// The dependencies: true, or the problem
	Checks map[string]any `json:"checks"`
}

type ReinitChannelRequest struct {
	// Those of the channel's transport; empty if a person connects the channel
	Credentials any `json:"credentials,omitempty"`

	History *V2HistoryRequest `json:"history,omitempty"`
	// The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
	Proxy *string `json:"proxy,omitempty"`
}

type RemoveSubscriptionsRequest struct {
	// The result
	Data []any `json:"data"`
}

type RemoveV2ContactsRequest struct {
	// The contacts
	Contacts []any `json:"contacts"`
}

type RemoveV2DealsRequest struct {
	// The deals
	Deals []any `json:"deals"`
}

type RemoveV2UsersRequest struct {
	// The employees
	Users []any `json:"users"`
}

type ReplaceV2PipelinesRequest struct {
	// The pipelines; they replace all existing ones
	Pipelines []V2NewPipeline `json:"pipelines"`
}

type ReplaceV2PipelinesResponse struct {
	// The result
	Data struct {
		// Number of pipelines
		PipelinesCreated int64 `json:"pipelines_created"`
		// Number of their stages
		StagesCreated int64 `json:"stages_created"`
	} `json:"data"`

	Meta V2Meta `json:"meta"`
}

type ReplayDeliveriesRequest struct {
	// Numbers of requests in the log
	DeliveryIds []int64 `json:"deliveryIds,omitempty"`
	// true: parked events instead of the log
	Parked *bool `json:"parked,omitempty"`
	// Numbers of the events
	EventIds []int64 `json:"eventIds,omitempty"`
	// The receiver; default: the account's v3 address
	ReceiverID *string `json:"receiverId,omitempty"`
	// Id of the channel
	ChannelID *string `json:"channelId,omitempty"`
	// Such as messages or channel.create
	Kind *string `json:"kind,omitempty"`
	// delivered, refused or failed
	Result *string `json:"result,omitempty"`
	// Id of the object that the events are about
	MessageID *string `json:"messageId,omitempty"`
	// Start of the period
	From *string `json:"from,omitempty"`
	// End of the period
	To *string `json:"to,omitempty"`
}

type RequestPairingCodeRequest struct {
	// Number to link, with its country code; optional once the channel has one
	PairingPhone *string `json:"pairing_phone,omitempty"`
	// Messenger of the channel
	Transport string `json:"transport"`
}

type RequestPairingCodeResponse struct {
	// The result
	Data []struct {
		// Eight characters to enter on the phone; empty if the messenger sends a code there, which you submit with `auth/2fa`
		PairingCode string `json:"pairing_code"`
		// Phone number to connect, international, digits only
		PairingPhone string `json:"pairing_phone"`
	} `json:"data"`

	Meta V2Meta `json:"meta"`
}

type RevokeTokenRequest struct {
	// An access or refresh token
	Token string `json:"token"`
}

type RotateWebhookSecretRequest struct {
	// How long requests are also signed with the old secret; default a day
	OverlapSeconds *int64 `json:"overlapSeconds,omitempty"`
}

type SaveV2ContactsRequest struct {
	// The contacts
	Contacts []V2NewContact `json:"contacts"`
}

type SaveV2DealsRequest struct {
	// The deals
	Deals []V2NewDeal `json:"deals"`
}

type SaveV2UsersRequest struct {
	// The employees
	Users []V2NewUser `json:"users"`
}

type SendMessageRequest struct {
	// Channel that sends
	ChannelID string `json:"channel_id"`
	// Message of the same chat to quote
	QuotedMessageID *string `json:"quoted_message_id,omitempty"`

	Recipient V2SendRecipient `json:"recipient"`
	// Text. Exactly one of text, attachment and template may be given
	Text *string `json:"text,omitempty"`

	Attachment *V2SendAttachment `json:"attachment,omitempty"`

	Template *V2SendTemplate `json:"template,omitempty"`
	// Payloads of the template's buttons, as in template.buttons
	Buttons []V2SendTemplateButton `json:"buttons,omitempty"`

	Keyboard *V2SendKeyboard `json:"keyboard,omitempty"`
	// The author: the employee's id in the CRM
	CRMUserID any `json:"crm_user_id,omitempty"`
	// false: the chat's unanswered messages stay unanswered
	ResetUnanswered *bool `json:"reset_unanswered,omitempty"`
}

type SendMessageResponse struct {
	// The result
	Data struct {
		// Id of the message; webhooks about its status contain it
		RequestID string `json:"request_id"`
		// The chat; while its id is unknown, the given phone or username
		ChatID string `json:"chat_id"`
	} `json:"data"`

	Meta V2Meta `json:"meta"`
}

type SendV3MessageRequest struct {
	// Channel that sends
	ChannelID string `json:"channelId"`
	// Kind of chat; must fit the channel's transport
	ChatType string `json:"chatType"`
	// The chat's id in the messenger: a phone number for whatsapp and viber, the username for instagram
	ChatID *string `json:"chatId,omitempty"`
	// telegram only: used if chatId is unknown
	Username *string `json:"username,omitempty"`
	// telegram and max only, with its country code: used if chatId is unknown
	Phone *string `json:"phone,omitempty"`
	// Text. Exactly one of text, contentUri and templateId may be given
	Text *string `json:"text,omitempty"`
	// Direct http or https link to a file, at most 50 MB, on a public address
	ContentURI *string `json:"contentUri,omitempty"`
	// true: an audio file is sent as a voice note where the messenger has them, converted if necessary; without it, only Ogg files and recordings that no messenger plays (WebM, WAV, FLAC) are
	Voice *bool `json:"voice,omitempty"`
	// Template of the WhatsApp Business Platform (templateGuid)
	TemplateID *string `json:"templateId,omitempty"`
	// Values of the template's variables, in order
	TemplateValues []string `json:"templateValues,omitempty"`
	// Message of the same chat to quote
	RefMessageID *string `json:"refMessageId,omitempty"`
	// The author: the employee's id in the CRM; ignored with a sidecar API key
	CRMUserID any `json:"crmUserId,omitempty"`
	// The CRM's id of the message; the same one within 60 seconds is refused
	CRMMessageID *string `json:"crmMessageId,omitempty"`
	// false: the chat's unanswered messages stay unanswered
	ClearUnanswered *bool `json:"clearUnanswered,omitempty"`
	// Buttons under the message; their shape depends on the transport. A list is short for an object with these buttons
	ButtonsObject any `json:"buttonsObject,omitempty"`
}

type SendV3MessageResponse struct {
	// Id of the message; webhooks about its status contain it
	MessageID string `json:"messageId"`
	// The chat; while its id is unknown, the given phone or username
	ChatID string `json:"chatId"`
}

type StatusesEvent struct {
	// The events, oldest first
	Statuses []V3MessageStatus `json:"statuses"`
	// The events, oldest first
	Messages []V3Message `json:"messages,omitempty"`
}

type SubmitPasskeyAnswerRequest struct {
	PasskeyResponse V2PasskeyResponse `json:"passkey_response"`
	// Messenger of the channel
	Transport string `json:"transport"`
}

type SubmitTwoFactorPasswordRequest struct {
	// The password or code that the messenger requires
	TwoFactorCode string `json:"two_factor_code"`
	// Messenger of the channel
	Transport string `json:"transport"`
}

type TemplateStatusEvent struct {
	TemplateStatus V3TemplateStatus `json:"templateStatus"`
}

// V2Account: The client account
type V2Account struct {
	// Eight digits
	AccountID int64 `json:"account_id"`
	// Name of the client
	Name string `json:"name"`
	// ISO 639-1, two letters
	Lang *string `json:"lang"`
	// ISO 4217, three letters
	Currency *string `json:"currency"`
	// ISO 3166-1, two letters
	Country *string `json:"country"`
	// Hours from UTC
	Timezone *float64 `json:"timezone"`
	// The last payer; the service bills no one
	Billing any `json:"billing,omitempty"`
	// Its channels
	Channels []V2Channel `json:"channels,omitempty"`
	// The plan of each channel
	Subscriptions []struct {
		// Id of the channel
		ChannelID string `json:"channel_id"`
		// Plan of the channel
		Tariff *string `json:"tariff"`
		// Whether the operator allows it to work
		Paid bool `json:"paid"`
	} `json:"subscriptions,omitempty"`
}

// V2Advert: avito only: the listing that the chat is about
type V2Advert struct {
	// Id of the listing
	ID string `json:"id"`
	// Its title
	Title *string `json:"title,omitempty"`
	// Its address
	URL *string `json:"url,omitempty"`
	// Its price, as the messenger shows it
	Price *string `json:"price,omitempty"`
}

type V2Attachment struct {
	// Link to the file
	URL string `json:"url"`
	// File name
	Name *string `json:"name"`
	// MIME type
	Mimetype *string `json:"mimetype"`
	// Bytes
	Size *int64 `json:"size"`
}

type V2AuthorizationCodeGrant struct {
	// The grant; its data object is required
	GrantType string `json:"grant_type"`
	// For authorization_code
	AuthorizeCodeData struct {
		// The code from the redirect
		Code string `json:"code"`
		// The address of the authorisation request
		RedirectURI string `json:"redirect_uri"`
		// Id of the application
		ClientID string `json:"client_id"`
		// PKCE: the verifier of code_challenge
		CodeVerifier string `json:"code_verifier"`
	} `json:"authorize_code_data"`
}

type V2AvitoCredentials struct {
	// From Avito's consent page; it can be used once and expires after a few minutes
	Code *string `json:"code,omitempty"`
	// Client id of your own Avito application, from the integration settings of your account
	ClientID *string `json:"client_id,omitempty"`
	// Secret of that application
	ClientSecret *string `json:"client_secret,omitempty"`
}

type V2Button struct {
	// Label: at most 64 characters on telegram, 20 on wapi; longer ones are not sent
	Text *string `json:"text,omitempty"`
	// wapi: text. maxbot: callback, link or message. telegram: none
	Type *string `json:"type,omitempty"`
	// wapi, and maxbot if type is callback: the data sent back when the button is pressed
	Payload *string `json:"payload,omitempty"`
	// telegram inline, and maxbot if type is link: the address that the button opens
	URL *string `json:"url,omitempty"`
	// telegram inline: the data sent back when the button is pressed, 1 to 64 bytes
	CallbackData *string `json:"callback_data,omitempty"`
	// maxbot: default, positive or negative
	Intent *string `json:"intent,omitempty"`
}

type V2CannedAnswer struct {
	// Id of the canned answer
	TemplateID string `json:"template_id"`
	// Its name
	Name string `json:"name"`
	// Its text
	Text string `json:"text"`
	// Its place in lists; answers with the same place are sorted by name
	Order int64 `json:"order"`
	// Canned answers have no files
	Files []any `json:"files"`
}

type V2CannedAnswerListResponse struct {
	// The result
	Data []V2CannedAnswer `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2CannedAnswerResponse struct {
	// The result
	Data V2CannedAnswer `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2CardLink struct {
	// Id of the employee in the CRM
	UserID any `json:"user_id"`
	// The sender's name as clients see it; default: the employee's name in the CRM
	AuthorName *string `json:"author_name,omitempty"`
	// global: all chats that the employee may see; card: those of one contact or deal
	Scope string `json:"scope"`
	// The chats that the page shows; required with the scope card
	Chats []struct {
		// Kind of chat
		ChatType string `json:"chat_type"`
		// The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
		ChatID *string `json:"chat_id,omitempty"`
		// Username without the @
		Username *string `json:"username,omitempty"`
		// International, digits only
		Phone *string `json:"phone,omitempty"`
		// Name of the contact
		ContactName *string `json:"contact_name,omitempty"`
	} `json:"chats"`
	// The chat that is open at first
	ActiveChat *struct {
		// Kind of chat
		ChatType string `json:"chat_type"`
		// The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
		ChatID *string `json:"chat_id,omitempty"`
		// Username without the @
		Username *string `json:"username,omitempty"`
		// International, digits only
		Phone *string `json:"phone,omitempty"`
		// Id of the channel
		ChannelID *string `json:"channel_id,omitempty"`
	} `json:"active_chat,omitempty"`
	// The events that the page reports to the CRM's page that embeds it
	UseEvents *struct {
		// Whether the page reports deals to the CRM's page that embeds it
		Deals *bool `json:"deals,omitempty"`
		// Whether the page reports messages to the CRM's page that embeds it
		Messages *bool `json:"messages,omitempty"`
	} `json:"use_events,omitempty"`
	// Kind of CRM
	ClientType *string `json:"client_type,omitempty"`
}

// V2ChangedMessage: The result
type V2ChangedMessage struct {
	// The message
	MessageID string `json:"message_id"`
	// Its chat in the messenger
	ChatID string `json:"chat_id"`
}

type V2ChangedMessageResponse struct {
	Data V2ChangedMessage `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2Channel struct {
	// Id of the channel
	ChannelID string `json:"channel_id"`
	// Messenger of the channel
	Transport string `json:"transport"`
	// Deprecated: use status and reason
	State string `json:"state"`
	// Whether the channel works
	Status string `json:"status"`
	// The reason for the status; null if there is none
	Reason *string `json:"reason"`
	// Phone number of the channel; "" if it has none
	Phone string `json:"phone"`
	// Username of the channel; "" if it has none
	Username string `json:"username"`
	// Id of the channel in the messenger
	MessengerID string `json:"messenger_id"`
	// Name of the channel
	Name string `json:"name"`
	// Address of the channel, or the link that a person opens to connect it
	URL *string `json:"url,omitempty"`
	// Scheme, host and port of the channel's own proxy; missing if it has none
	Proxy *string `json:"proxy,omitempty"`
	// WhatsApp Business Platform: how many conversations may be started in 24 hours
	Tier string `json:"tier"`
	// Plan of the channel
	Tariff *string `json:"tariff"`
	// What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left
	Restrictions []V2Restriction `json:"restrictions"`
}

type V2ChannelDetails struct {
	// Id of the channel
	ChannelID string `json:"channel_id"`
	// Messenger of the channel
	Transport string `json:"transport"`
	// Deprecated: use status and reason
	State string `json:"state"`
	// Whether the channel works
	Status string `json:"status"`
	// The reason for the status; null if there is none
	Reason *string `json:"reason"`
	// Phone number of the channel; "" if it has none
	Phone string `json:"phone"`
	// Username of the channel; "" if it has none
	Username string `json:"username"`
	// Id of the channel in the messenger
	MessengerID string `json:"messenger_id"`
	// Name of the channel
	Name string `json:"name"`
	// Address of the channel, or the link that a person opens to connect it
	URL *string `json:"url,omitempty"`
	// Scheme, host and port of the channel's own proxy; missing if it has none
	Proxy *string `json:"proxy,omitempty"`
	// WhatsApp Business Platform: how many conversations may be started in 24 hours
	Tier string `json:"tier"`
	// Plan of the channel
	Tariff *string `json:"tariff"`
	// What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left
	Restrictions []V2Restriction `json:"restrictions"`

	History *V2HistoryImport `json:"history,omitempty"`
}

type V2ChannelDetailsListResponse struct {
	// The result
	Data []V2ChannelDetails `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2ChannelHistory struct {
	// Channel
	ChannelID string `json:"channel_id"`
	// Kind of channel
	Transport string `json:"transport"`
	// Whether the import goes on
	Status string `json:"status"`
	// Percent; null if the messenger does not tell how much there is
	Progress *int64 `json:"progress"`
	// Messages imported so far
	Messages int64 `json:"messages"`
	// Whether it ended early, because the account's quota is used up
	IsCut bool `json:"is_cut"`
	// Time of the oldest messages to import, in milliseconds
	Since int64 `json:"since"`
	// When the channel was linked, in milliseconds
	Until int64 `json:"until"`
	// When this was counted, in milliseconds
	Timestamp int64 `json:"timestamp"`
}

type V2ChannelListResponse struct {
	// The result
	Data []V2Channel `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2ChannelQr struct {
	// Channel
	ChannelID string `json:"channel_id"`
	// Kind of channel
	Platform string `json:"platform"`
	// The QR code to scan: a PNG as a data: URI
	QRCode string `json:"qr_code"`
}

type V2ChannelTier struct {
	// Channel
	ChannelID string `json:"channel_id"`
	// How many conversations it may start
	Tier *string `json:"tier"`
}

type V2ChannelUpdate struct {
	// Channel
	ChannelID string `json:"channel_id"`
	// Kind of channel
	Transport string `json:"transport"`
	// Status of the channel
	Status string `json:"status"`
	// The reason for this status
	Reason *string `json:"reason"`
	// Name of the channel
	Name string `json:"name"`
	// Phone number of the channel; of a bot, its username
	Phone string `json:"phone"`
	// Username of the channel
	Username string `json:"username"`
	// What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left
	Restrictions []V2Restriction `json:"restrictions,omitempty"`
	// The password hint that the account's owner has set; with wait_for_password
	PasswordHint *string `json:"password_hint,omitempty"`
	// The code to compare with the one on the phone; with wait_for_code
	CompareCode *string `json:"compare_code,omitempty"`
	// Why the linking with a passkey failed; with qr
	PasskeyProblem *string `json:"passkey_problem,omitempty"`
}

type V2Chat struct {
	// Channel
	ChannelID string `json:"channel_id"`
	// Kind of channel
	Transport string `json:"transport"`
	// Kind of chat
	ChatType string `json:"chat_type"`
	// The chat's id in the messenger
	ChatID string `json:"chat_id"`
	// Name in the messenger; of a group, its title
	Name string `json:"name"`
	// Username without @
	Username *string `json:"username"`
	// International, digits only
	Phone *string `json:"phone"`
	// Link to the picture
	AvatarURI *string `json:"avatar_uri"`
	// Unanswered messages of the last seven days, at most 1,000
	Unanswered int64 `json:"unanswered"`
	// The last message, as in `message.add`
	LastMessage any `json:"last_message"`
}

type V2ChatMark struct {
	// The channel; required if several channels have the chat
	ChannelID *string `json:"channel_id,omitempty"`
}

type V2ClientCredentialsGrant struct {
	// The grant; its data object is required
	GrantType string `json:"grant_type"`
	// For client_credentials: a machine token of the partner
	ClientCredentialsData struct {
		// transport, crm or both
		Scope string `json:"scope"`
	} `json:"client_credentials_data"`
}

type V2Contact struct {
	// Id in the CRM
	ID string `json:"id"`
	// Id of the responsible employee
	ResponsibleUserID string `json:"responsible_user_id"`
	// Name of the contact
	Name string `json:"name"`
	// Chats of the contact
	ContactData []V2ContactChat `json:"contact_data"`
	// Address of the entity in the CRM
	URI *string `json:"uri,omitempty"`
}

type V2ContactChange struct {
	// Id in the CRM
	ID any `json:"id"`
	// Id of the responsible employee
	ResponsibleUserID any `json:"responsible_user_id,omitempty"`
	// Name of the contact
	Name *string `json:"name,omitempty"`
	// Chats of the contact
	ContactData []V2ContactChat `json:"contact_data,omitempty"`
	// Address of the entity in the CRM
	URI *string `json:"uri,omitempty"`
}

type V2ContactChat struct {
	// Kind of chat
	ChatType string `json:"chat_type"`
	// The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
	ChatID *string `json:"chat_id,omitempty"`
	// Username without the @
	Username *string `json:"username,omitempty"`
	// International, digits only
	Phone *string `json:"phone,omitempty"`
}

type V2ContactCreation struct {
	// The responsible employee
	ResponsibleUserID string `json:"responsible_user_id"`
	// Name of the client
	Name string `json:"name"`
	// Chats of the contact
	ContactData []struct {
		// Kind of chat
		ChatType string `json:"chat_type"`
		// The chat's id in the messenger
		ChatID string `json:"chat_id"`
	} `json:"contact_data"`

	Recipient V2Recipient `json:"recipient"`
	// auto: caused by a message; byUser: by an employee's button
	Source string `json:"source"`
}

type V2ContactListResponse struct {
	// The result
	Data []V2Contact `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2ContactResponse struct {
	// The result
	Data V2Contact `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2CreatedChannel struct {
	// Id of the channel
	ChannelID string `json:"channel_id"`
	// Messenger of the channel
	Transport string `json:"transport"`
	// The address where a person connects the channel; only if it was created without credentials
	URL *string `json:"url,omitempty"`
}

type V2CreatedChannelListResponse struct {
	// The result
	Data []V2CreatedChannel `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2Deal struct {
	// Id in the CRM
	ID string `json:"id"`
	// Id of the responsible employee
	ResponsibleUserID string `json:"responsible_user_id"`
	// Name of the deal
	Name string `json:"name"`
	// Address of the entity in the CRM
	URI *string `json:"uri,omitempty"`
	// Ids of the deal's contacts
	Contacts []string `json:"contacts"`
	// true: the deal is closed; default false
	Closed bool `json:"closed"`
}

type V2DealChange struct {
	// Id in the CRM
	ID any `json:"id"`
	// Id of the responsible employee
	ResponsibleUserID any `json:"responsible_user_id,omitempty"`
	// Name of the deal
	Name *string `json:"name,omitempty"`
	// Address of the entity in the CRM
	URI *string `json:"uri,omitempty"`
	// Ids of the deal's contacts
	Contacts []any `json:"contacts,omitempty"`
	// true: the deal is closed; default false
	Closed *bool `json:"closed,omitempty"`
}

type V2DealCreation struct {
	// The responsible employee
	ResponsibleUserID string `json:"responsible_user_id"`
	// Ids of the deal's contacts
	Contacts []string `json:"contacts"`
	// auto: caused by a message; byUser: by an employee's button
	Source string `json:"source"`
}

type V2DealListResponse struct {
	// The result
	Data []V2Deal `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2DealResponse struct {
	// The result
	Data V2Deal `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2DoneResponse struct {
	// The result
	Data any `json:"data"`

	Meta V2Meta `json:"meta"`
}

// V2EventMeta: About the request
type V2EventMeta struct {
	// The same at every repetition of this request
	IdempotencyKey string `json:"idempotency_key"`
	// Time of the first event, Unix seconds
	Timestamp int64 `json:"timestamp"`
}

type V2ExportStatus struct {
	// Id of the export
	ExportID string `json:"export_id"`
	// Status of the export
	Status string `json:"status"`
	// Link to the CSV file
	URL *string `json:"url"`
}

// V2FirstContacts: Messages to people who have never written to the channel
type V2FirstContacts struct {
	// Allowed in 24 hours, at the present state of the warm-up; null: no limit
	Allowance *int64 `json:"allowance"`
	// How many remain
	Left *int64 `json:"left"`
	// When the next one may be sent; null: immediately, or not at all
	NextAt *string `json:"next_at"`
	// End of the pause of first contacts after the messenger's warning; null: there is none
	HeldUntil *string `json:"held_until"`
	// The messenger's warning
	HoldReason *string `json:"hold_reason"`
}

type V2GlobalLink struct {
	// Id of the employee in the CRM
	UserID any `json:"user_id"`
	// The sender's name as clients see it; default: the employee's name in the CRM
	AuthorName *string `json:"author_name,omitempty"`
	// global: all chats that the employee may see; card: those of one contact or deal
	Scope string `json:"scope"`
	// The chat that is open at first
	ActiveChat *struct {
		// Kind of chat
		ChatType string `json:"chat_type"`
		// The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
		ChatID *string `json:"chat_id,omitempty"`
		// Username without the @
		Username *string `json:"username,omitempty"`
		// International, digits only
		Phone *string `json:"phone,omitempty"`
		// Id of the channel
		ChannelID *string `json:"channel_id,omitempty"`
	} `json:"active_chat,omitempty"`
	// The events that the page reports to the CRM's page that embeds it
	UseEvents *struct {
		// Whether the page reports deals to the CRM's page that embeds it
		Deals *bool `json:"deals,omitempty"`
		// Whether the page reports messages to the CRM's page that embeds it
		Messages *bool `json:"messages,omitempty"`
	} `json:"use_events,omitempty"`
	// Kind of CRM
	ClientType *string `json:"client_type,omitempty"`
}

type V2GroupMembershipsUpdate struct {
	// Channel
	ChannelID string `json:"channel_id"`
	// Kind of chat
	ChatType string `json:"chat_type"`
	// The chat's id in the messenger
	ChatID string `json:"chat_id"`
	// When it happened, in milliseconds
	Timestamp int64 `json:"timestamp"`
	// Who did it; null if the messenger does not report it
	ChangedBy any `json:"changed_by"`
	// Title
	Name string `json:"name"`
	// Link to the picture
	AvatarURI *string `json:"avatar_uri"`
	// Members who joined, left or changed their role
	Members []V2MembershipChange `json:"members"`
}

// V2GroupSender: The sender; in groups only
type V2GroupSender struct {
	// Id in the messenger
	ID string `json:"id"`
	// Name in the messenger
	Name string `json:"name"`
	// Kind of chat
	ChatType string `json:"chat_type"`
	// Id of the private chat with this person
	ChatID string `json:"chat_id"`
	// International, digits only
	Phone *string `json:"phone"`
}

type V2GroupUpdate struct {
	// Channel
	ChannelID string `json:"channel_id"`
	// Kind of chat
	ChatType string `json:"chat_type"`
	// The chat's id in the messenger
	ChatID string `json:"chat_id"`
	// When it happened, in milliseconds
	Timestamp int64 `json:"timestamp"`
	// Who did it; null if the messenger does not report it
	ChangedBy any `json:"changed_by"`
	// What changed
	Changes []string `json:"changes"`
	// Title
	Name string `json:"name"`
	// Title before
	OldName *string `json:"old_name"`
	// Link to the picture
	AvatarURI *string `json:"avatar_uri"`
}

// V2HistoryImport: The import of earlier messages; only if it was requested
type V2HistoryImport struct {
	// As requested
	Days int64 `json:"days"`
	// waiting: the channel is not linked yet, or the messenger has given nothing so far
	Status string `json:"status"`
	// Percent; null if the messenger does not tell how much there is
	Progress *int64 `json:"progress"`
	// Messages imported so far
	Messages int64 `json:"messages"`
	// Whether it ended early, because the account's quota is used up
	IsCut bool `json:"is_cut"`
}

// V2HistoryRequest: Import earlier messages, as far as the messenger gives them
type V2HistoryRequest struct {
	// How many days before the channel is linked
	Days int64 `json:"days"`
}

type V2InstagramCredentials struct {
	// Token of the account, or of the Facebook user who manages its page
	UserToken string `json:"user_token"`
	// Only with a token of Facebook Login
	PageID *string `json:"page_id,omitempty"`
	// Checked if given
	InstID *string `json:"inst_id,omitempty"`
	// Checked if given
	Username *string `json:"username,omitempty"`
}

// V2Interactive: A button, or a structured answer
type V2Interactive struct {
	// pressed: the button that the customer pressed. In an outgoing message: text, callback, link or message. Others: the kind of a structured answer, such as a form
	Type string `json:"type"`
	// Label of the button
	Text *string `json:"text,omitempty"`
	// The data sent back when the button is pressed; of an answer, its JSON
	Payload *string `json:"payload,omitempty"`
	// The address that the button opens
	URL *string `json:"url,omitempty"`
}

type V2ListMessagesResponse struct {
	// The result
	Data []V2Message `json:"data"`

	Meta V2PageMeta `json:"meta"`
}

type V2MaxbotCredentials struct {
	// Shown at business.max.ru under Chatbots, Integration
	AccessToken string `json:"access_token"`
}

type V2MembershipChange struct {
	// What happened to this person
	Action string `json:"action"`
	// Id in the messenger
	ID string `json:"id"`
	// Name in the messenger
	Name string `json:"name"`
	// Username without @
	Username *string `json:"username"`
	// International, digits only
	Phone *string `json:"phone"`
}

type V2Message struct {
	// Id of the message
	MessageID string `json:"message_id"`
	// Channel
	ChannelID string `json:"channel_id"`
	// inbound: written by the customer
	Direction string `json:"direction"`
	// When it was sent, in milliseconds
	Timestamp int64 `json:"timestamp"`
	// Kind of content
	Type string `json:"type"`
	// Status of the message
	Status string `json:"status"`
	// Employee who wrote it, as the CRM names them
	CRMUserID *string `json:"crm_user_id"`
	// Name of the author; of outgoing messages only
	AuthorName *string `json:"author_name,omitempty"`

	Recipient V2Recipient `json:"recipient"`
	// The text, or the caption of a file
	Text *string `json:"text"`
	// The file
	Attachment any `json:"attachment"`

	Error *V2MessageError `json:"error,omitempty"`
	// Written on the service's own chat page
	SentFromApp *bool `json:"sent_from_app,omitempty"`

	InstPost *V2Post `json:"inst_post,omitempty"`

	Advert *V2Advert `json:"advert,omitempty"`

	Referral *V2Referral `json:"referral,omitempty"`
	// A notice of the messenger itself, not the customer's words
	IsSystem *bool `json:"is_system,omitempty"`
	// Written before the channel was linked
	IsHistory *bool `json:"is_history,omitempty"`
	// Buttons, the pressed one, or structured answers
	Interactive []V2Interactive `json:"interactive,omitempty"`
	// The message was changed
	IsEdited *bool `json:"is_edited,omitempty"`
	// The message was deleted
	IsDeleted *bool `json:"is_deleted,omitempty"`

	QuotedMessage *V2QuotedMessage `json:"quoted_message,omitempty"`

	Sender *V2GroupSender `json:"sender,omitempty"`
	// What an edit or deletion replaced
	OldInfo *struct {
		// Text before
		OldText *string `json:"old_text"`
		// The previous author
		OldAuthorID *string `json:"old_author_id"`
		// The previous author's name
		OldAuthorName *string `json:"old_author_name"`
		// Link to the file before, if an edit replaced it
		OldContentURI *string `json:"old_content_uri,omitempty"`
	} `json:"old_info,omitempty"`
}

// V2MessageContact: The person or group of the chat
type V2MessageContact struct {
	// Name in the messenger; of a group, its title
	Name string `json:"name"`
	// Link to the picture, once it is known
	AvatarURI *string `json:"avatar_uri,omitempty"`
	// Username without @, if the messenger reports it
	Username *string `json:"username,omitempty"`
	// International, digits only, if the messenger reports it
	Phone *string `json:"phone,omitempty"`
	// avito only: the buyer, who may have several chats
	AvitoProfileID *string `json:"avito_profile_id,omitempty"`
}

// V2MessageError: The error; only with the status error
type V2MessageError struct {
	// Code, such as BAD_CONTACT
	Error string `json:"error"`
	// Description of the error
	Description string `json:"description"`
}

type V2MessageStatus struct {
	// Id of the message
	MessageID string `json:"message_id"`
	// The id in the response to the send request; null if the message was not sent through the interface
	RequestID *string `json:"request_id"`
	// Channel
	ChannelID string `json:"channel_id"`
	// The new status
	Status string `json:"status"`
	// Code of the error, with the status error
	Reason *string `json:"reason"`
	// Description of the error; only with the status error
	Description *string `json:"description,omitempty"`
}

// V2Meta: Metadata of the response
type V2Meta struct {
	// Time of the response, Unix seconds
	Timestamp int64 `json:"timestamp"`
}

type V2NewAvitoChannel struct {
	// Messenger of the channel
	Transport string `json:"transport"`
	// The credentials that the messenger requires; empty if a person connects the channel by QR code or link
	Credentials any `json:"credentials"`

	History *V2HistoryRequest `json:"history,omitempty"`
	// The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
	Proxy *string `json:"proxy,omitempty"`
}

type V2NewContact struct {
	// Id in the CRM
	ID any `json:"id"`
	// Id of the responsible employee
	ResponsibleUserID any `json:"responsible_user_id"`
	// Name of the contact
	Name string `json:"name"`
	// Chats of the contact
	ContactData []V2ContactChat `json:"contact_data"`
	// Address of the entity in the CRM
	URI *string `json:"uri,omitempty"`
}

type V2NewDeal struct {
	// Id in the CRM
	ID any `json:"id"`
	// Id of the responsible employee
	ResponsibleUserID any `json:"responsible_user_id"`
	// Name of the deal
	Name string `json:"name"`
	// Address of the entity in the CRM
	URI *string `json:"uri,omitempty"`
	// Ids of the deal's contacts
	Contacts []any `json:"contacts"`
	// true: the deal is closed; default false
	Closed *bool `json:"closed,omitempty"`
}

type V2NewInstagramChannel struct {
	// Messenger of the channel
	Transport string `json:"transport"`
	// The credentials that the messenger requires; empty if a person connects the channel by QR code or link
	Credentials any `json:"credentials"`

	History *V2HistoryRequest `json:"history,omitempty"`
	// The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
	Proxy *string `json:"proxy,omitempty"`
}

type V2NewMaxChannel struct {
	// Messenger of the channel
	Transport string `json:"transport"`

	Credentials V2NoCredentials `json:"credentials"`

	History *V2HistoryRequest `json:"history,omitempty"`
	// The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
	Proxy *string `json:"proxy,omitempty"`
}

type V2NewMaxbotChannel struct {
	// Messenger of the channel
	Transport string `json:"transport"`
	// The credentials that the messenger requires; empty if a person connects the channel by QR code or link
	Credentials any `json:"credentials"`

	History *V2HistoryRequest `json:"history,omitempty"`
	// The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
	Proxy *string `json:"proxy,omitempty"`
}

type V2NewPipeline struct {
	// Id in the CRM
	ID any `json:"id"`
	// Name of the pipeline
	Name string `json:"name"`
	// Stages of the pipeline, in order
	Stages []V2NewPipelineStage `json:"stages,omitempty"`
}

type V2NewPipelineStage struct {
	// Id in the CRM
	ID any `json:"id"`
	// Name of the stage
	Name string `json:"name"`
}

type V2NewProposal struct {
	// Channel of the chat
	ChannelID string `json:"channel_id"`
	// Kind of chat
	ChatType string `json:"chat_type"`
	// The chat's id in the messenger
	ChatID string `json:"chat_id"`
	// Text. Exactly one of text and template may be given
	Text *string `json:"text,omitempty"`

	Template *V2SendTemplate `json:"template,omitempty"`
	// Message of the same chat to quote
	QuotedMessageID *string `json:"quoted_message_id,omitempty"`
	// Seconds, after which nobody can approve it any more; default a day
	ExpiresIn *int64 `json:"expires_in,omitempty"`
}

type V2NewTelegramChannel struct {
	// Messenger of the channel
	Transport string `json:"transport"`
	// The credentials that the messenger requires; empty if a person connects the channel by QR code or link
	Credentials any `json:"credentials"`

	History *V2HistoryRequest `json:"history,omitempty"`
	// The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
	Proxy *string `json:"proxy,omitempty"`
}

type V2NewTgapiChannel struct {
	// Messenger of the channel
	Transport string `json:"transport"`

	Credentials V2NoCredentials `json:"credentials"`

	History *V2HistoryRequest `json:"history,omitempty"`
	// The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
	Proxy *string `json:"proxy,omitempty"`
}

type V2NewUser struct {
	// Id in the CRM
	ID any `json:"id"`
	// Name of the employee
	Name string `json:"name"`
	// Phone number, international, digits only; invalid ones are omitted
	Phone *string `json:"phone,omitempty"`
}

type V2NewViberChannel struct {
	// Messenger of the channel
	Transport string `json:"transport"`
	// The credentials that the messenger requires; empty if a person connects the channel by QR code or link
	Credentials any `json:"credentials"`

	History *V2HistoryRequest `json:"history,omitempty"`
	// The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
	Proxy *string `json:"proxy,omitempty"`
}

type V2NewWapiChannel struct {
	// Messenger of the channel
	Transport string `json:"transport"`
	// The credentials that the messenger requires; empty if a person connects the channel by QR code or link
	Credentials any `json:"credentials"`

	History *V2HistoryRequest `json:"history,omitempty"`
	// The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
	Proxy *string `json:"proxy,omitempty"`
}

type V2NewWhatsappChannel struct {
	// Messenger of the channel
	Transport string `json:"transport"`

	Credentials V2NoCredentials `json:"credentials"`

	History *V2HistoryRequest `json:"history,omitempty"`
	// The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
	Proxy *string `json:"proxy,omitempty"`
}

// V2NoCredentials: The credentials that the messenger requires; empty if a person connects the channel by QR code or link
type V2NoCredentials map[string]any

// V2OldInfo: What an edit or deletion replaced
type V2OldInfo struct {
	// Text before
	OldText *string `json:"old_text,omitempty"`
	// The previous author: the employee's id in the CRM
	OldAuthorID *string `json:"old_author_id,omitempty"`
	// The previous author's name
	OldAuthorName *string `json:"old_author_name,omitempty"`
	// Link to the file before, if an edit replaced it
	OldContentURI *string `json:"old_content_uri,omitempty"`
}

type V2Pacing struct {
	// Id of the channel
	ChannelID string `json:"channel_id"`

	Limits V2PacingLimits `json:"limits"`
	// Limits that differ from the messenger's defaults
	Changed []string `json:"changed"`

	FirstContacts V2FirstContacts `json:"first_contacts"`

	Queue V2SendQueue `json:"queue"`
	// Notices about it, newest first
	Notices []struct {
		// Time
		At string `json:"at"`
		// Kind of notice
		Kind string `json:"kind"`
		// Text for people
		Text string `json:"text"`
	} `json:"notices"`
}

// V2PacingLimits: The limits in effect
type V2PacingLimits struct {
	// Messages of the channel per minute
	PerMinute float64 `json:"per_minute"`
	// How many may be sent in a row
	Burst float64 `json:"burst"`
	// Messages of one chat per minute
	ChatPerMinute float64 `json:"chat_per_minute"`
	// How many may be sent in a row
	ChatBurst float64 `json:"chat_burst"`
	// Maximum random delay before a message, in milliseconds
	JitterMs int64 `json:"jitter_ms"`
	// First contacts in 24 hours once the warm-up is over; null: no limit
	FirstContactsPerDay *int64 `json:"first_contacts_per_day"`
	// Days in which the allowance of a new channel grows; 0: the full allowance immediately
	WarmUpDays int64 `json:"warm_up_days"`
}

type V2PacingListResponse struct {
	// The result
	Data []V2Pacing `json:"data"`

	Meta V2Meta `json:"meta"`
}

// V2PageLink: The result
type V2PageLink struct {
	// Valid once, within ten minutes
	Link string `json:"link"`
}

type V2PageLinkResponse struct {
	Data V2PageLink `json:"data"`

	Meta V2Meta `json:"meta"`
}

// V2PageMeta: Metadata of the response
type V2PageMeta struct {
	// Time of the response, Unix seconds
	Timestamp int64 `json:"timestamp"`
	// Cursor of the next page: `after` of the next request if this one has `after` alone, otherwise `before`; null: this is the last page
	Next *string `json:"next"`
}

// V2PasskeyRequest: The result
type V2PasskeyRequest struct {
	// The address on which the ceremony has to run: browsers permit it nowhere else
	Site *string `json:"site"`
	// What `PublicKeyCredential.parseRequestOptionsFromJSON` takes; null once the answer was accepted
	Request map[string]any `json:"request"`
	// Seconds until the messenger gives up
	ExpiresIn *int64 `json:"expires_in"`
	// Seconds in which an answer needs no comparison of codes
	PromptFor *int64 `json:"prompt_for"`
	// The code to compare with the one on the phone, with wait_for_code
	CompareCode *string `json:"compare_code"`
}

type V2PasskeyRequestResponse struct {
	Data V2PasskeyRequest `json:"data"`

	Meta V2Meta `json:"meta"`
}

// V2PasskeyResponse: The result of the ceremony: `PublicKeyCredential.toJSON()`
type V2PasskeyResponse struct {
	// Id of the passkey, base64url
	ID *string `json:"id,omitempty"`
	// Id of the passkey, base64url
	RawID string `json:"rawId"`
	// `public-key`
	Type *string `json:"type,omitempty"`
	// The assertion
	Response struct {
		// What the browser has signed, base64url
		ClientDataJSON string `json:"clientDataJSON"`
		// What the authenticator has signed, base64url
		AuthenticatorData string `json:"authenticatorData"`
		// Signature, base64url
		Signature string `json:"signature"`
		// Id of the account, base64url, or null
		UserHandle *string `json:"userHandle,omitempty"`
	} `json:"response"`
}

type V2Person struct {
	// Id in the messenger
	ID string `json:"id"`
	// Name in the messenger
	Name string `json:"name"`
	// Username without @
	Username *string `json:"username"`
	// International, digits only
	Phone *string `json:"phone"`
}

type V2Pipeline struct {
	// Id in the CRM
	ID string `json:"id"`
	// Name of the pipeline
	Name string `json:"name"`
	// Stages of the pipeline, in order
	Stages []V2PipelineStage `json:"stages"`
}

type V2PipelineListResponse struct {
	// The result
	Data []V2Pipeline `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2PipelineStage struct {
	// Id in the CRM
	ID string `json:"id"`
	// Name of the stage
	Name string `json:"name"`
}

// V2Post: The post that the message is a comment on
type V2Post struct {
	// Id of the post
	ID string `json:"id"`
	// Address of the post
	Src string `json:"src"`
	// The author of the post
	Author string `json:"author"`
	// Its text
	Description string `json:"description"`
}

// V2ProcessedEntities: The result
type V2ProcessedEntities struct {
	// How many were stored, changed or deleted
	Processed int64 `json:"processed"`
	// Ids that do not exist
	NotFound []string `json:"not_found"`
}

type V2ProcessedEntitiesResponse struct {
	Data V2ProcessedEntities `json:"data"`

	Meta V2Meta `json:"meta"`
}

// V2Proposal: The result
type V2Proposal struct {
	// Id of the proposal
	ProposalID string `json:"proposal_id"`
	// waiting: for an employee; approved: being sent; sent: the message has a status of its own; failed: it was approved and could not be sent; declined; expired
	Status string `json:"status"`
	// Channel
	ChannelID string `json:"channel_id"`
	// Kind of chat
	ChatType string `json:"chat_type"`
	// The chat's id in the messenger
	ChatID string `json:"chat_id"`
	// The text, as the employee may have changed it
	Text string `json:"text"`
	// Until when it can be approved
	ExpiresAt string `json:"expires_at"`
	// The employee who approved or declined it
	DecidedBy any `json:"decided_by"`
	// Id of the message, once it is approved
	MessageID *string `json:"message_id"`
	// Code of the error, if it could not be sent
	Error *string `json:"error"`
}

type V2ProposalDecider struct {
	// The employee's id in the CRM
	ID string `json:"id"`
	// Their name, if it is known
	Name *string `json:"name"`
}

type V2ProposalResponse struct {
	Data V2Proposal `json:"data"`

	Meta V2Meta `json:"meta"`
}

// V2QuotedMessage: The quoted message
type V2QuotedMessage struct {
	// Id of the quoted message; absent if the service never stored it
	MessageID *string `json:"message_id,omitempty"`
	// Channel
	ChannelID string `json:"channel_id"`
	// Kind of chat
	ChatType string `json:"chat_type"`
	// The chat's id in the messenger
	ChatID string `json:"chat_id"`
	// Time of sending by the messenger's clock: UTC, yyyy-mm-ddThh:mm:ss.mmmZ
	DateTime *string `json:"date_time,omitempty"`
	// Kind of content
	Type string `json:"type"`
	// inbound: written by the customer
	Status *string `json:"status,omitempty"`
	// The text, or the caption of a file
	Text *string `json:"text,omitempty"`
	// Link to the file
	ContentURI *string `json:"content_uri,omitempty"`
	// Name of the author; of outgoing messages only
	AuthorName *string `json:"author_name,omitempty"`
	// true for an outgoing message; absent if unknown
	IsEcho *bool `json:"is_echo,omitempty"`

	Contact *V2MessageContact `json:"contact,omitempty"`

	Error *V2MessageError `json:"error,omitempty"`
	// Employee who wrote it, as the CRM names them
	AuthorID *string `json:"author_id,omitempty"`
	// Written on the service's own chat page
	SentFromApp *bool `json:"sent_from_app,omitempty"`

	Sender *V2Sender `json:"sender,omitempty"`

	InstPost *V2Post `json:"inst_post,omitempty"`

	Advert *V2Advert `json:"advert,omitempty"`

	Referral *V2Referral `json:"referral,omitempty"`
	// A notice of the messenger itself, not the customer's words
	IsSystem *bool `json:"is_system,omitempty"`
	// Written before the channel was linked
	IsHistory *bool `json:"is_history,omitempty"`
	// Buttons, the pressed one, or structured answers
	Interactive []V2Interactive `json:"interactive,omitempty"`
	// The message was changed
	IsEdited *bool `json:"is_edited,omitempty"`
	// The message was deleted
	IsDeleted *bool `json:"is_deleted,omitempty"`

	OldInfo *V2OldInfo `json:"old_info,omitempty"`
}

type V2Reaction struct {
	// Id of the message
	MessageID string `json:"message_id"`
	// Channel
	ChannelID string `json:"channel_id"`

	Recipient V2Recipient `json:"recipient"`
	// The emoji; null: the reaction was removed. A person has one reaction to a message
	Emoji *string `json:"emoji"`
	// Who reacted
	From any `json:"from"`
	// Time of the reaction, in milliseconds
	Timestamp int64 `json:"timestamp"`
}

type V2ReactionAuthor struct {
	// Id in the messenger
	ID string `json:"id"`
	// Name in the messenger
	Name string `json:"name"`
}

// V2Recipient: The person or group of the chat
type V2Recipient struct {
	// The chat's id in the messenger
	ChatID string `json:"chat_id"`
	// Kind of chat
	ChatType string `json:"chat_type"`
	// Name in the messenger; of a group, its title
	Name string `json:"name"`
	// Username without @
	Username *string `json:"username"`
	// International, digits only
	Phone *string `json:"phone"`
}

// V2Referral: Where the message came from
type V2Referral struct {
	// What the customer opened the chat from
	Source string `json:"source"`
	// Its id in the messenger
	SourceID *string `json:"source_id,omitempty"`
	// Its address
	SourceURL *string `json:"source_url,omitempty"`
	// Its title
	Headline *string `json:"headline,omitempty"`
	// Its text
	Body *string `json:"body,omitempty"`
	// The parameter of the link or advertisement
	Ref *string `json:"ref,omitempty"`
	// Id of the click, for reports of conversions
	ClickID *string `json:"click_id,omitempty"`
}

type V2RefreshTokenGrant struct {
	// The grant; its data object is required
	GrantType string `json:"grant_type"`
	// For refresh_token
	RefreshTokenData struct {
		// Valid once for new tokens; a second use revokes the whole grant
		RefreshToken string `json:"refresh_token"`
		// Id of the application
		ClientID string `json:"client_id"`
	} `json:"refresh_token_data"`
}

type V2ReinitialisedChannel struct {
	// Id of the channel
	ChannelID string `json:"channel_id"`
	// Messenger of the channel
	Transport string `json:"transport"`
	// Deprecated: use status and reason
	State string `json:"state"`
	// Phone number of the channel; "" if it has none
	Phone string `json:"phone"`
	// Id of the channel in the messenger
	MessengerID string `json:"messenger_id"`
	// Plan of the channel
	Tariff *string `json:"tariff"`
	// Name of the channel
	Name string `json:"name"`
}

type V2ReinitialisedChannelListResponse struct {
	// The result
	Data []V2ReinitialisedChannel `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2Restriction struct {
	// new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it
	Kind string `json:"kind"`
	// A sentence for the owner of the channel, in English
	Reason string `json:"reason"`
	// When the service learned of it
	Since string `json:"since"`
	// When it ends; null if the messenger does not say
	Until *string `json:"until"`
}

// V2SendAttachment: A file
type V2SendAttachment struct {
	// Direct http or https link to the file, at most 50 MB, on a public address
	URL string `json:"url"`
	// File name shown to the recipient
	Name *string `json:"name,omitempty"`
	// MIME type; default: as stated by the file's host
	Mimetype *string `json:"mimetype,omitempty"`
	// Bytes; another size is reported as WRONG_CONTENT
	Size *float64 `json:"size,omitempty"`
	// SHA-1 in hex; another file is reported as WRONG_CONTENT
	Sha1 *string `json:"sha1,omitempty"`
	// true: an audio file is sent as a voice note where the messenger has them, converted if necessary; without it, only Ogg files and recordings that no messenger plays (WebM, WAV, FLAC) are
	Voice *bool `json:"voice,omitempty"`
}

// V2SendKeyboard: Buttons under the message; their shape depends on the transport
type V2SendKeyboard struct {
	// A list of buttons is one button per row; a list of lists is rows. telegram takes the first 12 buttons, wapi the first 10; maxbot requires rows
	Buttons []any `json:"buttons,omitempty"`
	// telegram: inline (default) or reply
	ReplyMarkup *string `json:"reply_markup,omitempty"`
	// telegram reply: hidden after use
	OneTimeKeyboard *bool `json:"one_time_keyboard,omitempty"`
	// telegram reply: resized to fit its buttons
	ResizeKeyboard *bool `json:"resize_keyboard,omitempty"`
	// telegram reply: shown only to the addressed people
	Selective *bool `json:"selective,omitempty"`
	// telegram: removes the reply keyboard
	RemoveKeyboard *bool `json:"remove_keyboard,omitempty"`
}

// V2SendQueue: Messages waiting to be sent
type V2SendQueue struct {
	// Number of messages
	Messages int64 `json:"messages"`
	// Number of chats
	Chats int64 `json:"chats"`
	// Since when the oldest one has been waiting
	OldestAt *string `json:"oldest_at"`
	// When the next message is sent; null: none is waiting, or unknown
	NextSendAt *string `json:"next_send_at"`
	// The waiting chats by reason
	Waiting []struct {
		// turn: about to be sent; inactive: the channel is not active; pause: the messenger asked to wait; pace: the rate; allowance: that of first contacts; hold: the messenger's warning; retry: the next attempt
		For string `json:"for"`
		// Number of chats
		Chats int64 `json:"chats"`
		// When the first of them continues; null: unknown
		Until *string `json:"until"`
	} `json:"waiting"`
}

// V2SendRecipient: The recipient: chat_id, or username or phone if the messenger supports them
type V2SendRecipient struct {
	// Kind of chat; must fit the channel's transport
	ChatType string `json:"chat_type"`
	// The chat's id in the messenger: a phone number for whatsapp and viber, the username for instagram
	ChatID *string `json:"chat_id,omitempty"`
	// telegram only: used if chat_id is unknown
	Username *string `json:"username,omitempty"`
	// telegram and max only, with its country code: used if chat_id is unknown
	Phone *string `json:"phone,omitempty"`
	// Name of the contact in the CRM
	CRMContactName *string `json:"crm_contact_name,omitempty"`
}

// V2SendTemplate: A template of the WhatsApp Business Platform
type V2SendTemplate struct {
	// Id of the template (templateGuid)
	ID string `json:"id"`
	// Values of the template's variables, in order
	Values []string `json:"values,omitempty"`
	// Payloads of the template's buttons, in order
	Buttons []V2SendTemplateButton `json:"buttons,omitempty"`
}

type V2SendTemplateButton struct {
	// Label; the template has its own
	Text *string `json:"text,omitempty"`
	// text
	Type *string `json:"type,omitempty"`
	// The data sent back when the button is pressed
	Payload string `json:"payload"`
}

// V2Sender: The sender; in groups only
type V2Sender struct {
	// Id in the messenger
	ID string `json:"id"`
	// Name in the messenger
	Name string `json:"name"`
}

// V2StoredEntities: The result
type V2StoredEntities struct {
	// How many were stored, changed or deleted
	Processed int64 `json:"processed"`
}

type V2StoredEntitiesResponse struct {
	Data V2StoredEntities `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2Subscription struct {
	// Id of the subscription
	ID string `json:"id"`
	// The receiver's address, at most 200 characters; "" after it was removed
	URL string `json:"url"`
	// The event that is sent there
	Event string `json:"event"`
}

type V2SubscriptionListResponse struct {
	// The result
	Data []V2Subscription `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2TelegramCredentials struct {
	// The token that BotFather shows after /newbot, for example 123456789:AAF…
	TelegramToken string `json:"telegram_token"`
}

type V2Template struct {
	// What template.id takes
	TemplateID string `json:"template_id"`
	// Name at the platform
	Name string `json:"name"`
	// Name for people
	Title string `json:"title"`
	// MARKETING, UTILITY or AUTHENTICATION
	Category string `json:"category"`
	// Language, such as en or pt_BR
	Language string `json:"language"`
	// APPROVED, PENDING, REJECTED, PAUSED or DISABLED
	Status string `json:"status"`
	// Reason of the rejection
	Reason *string `json:"reason,omitempty"`
	// Components of the template as defined by the platform
	Components []map[string]any `json:"components"`
	// Ids of the channels that can send it
	Channels []string `json:"channels"`
}

type V2TemplateListResponse struct {
	// The result
	Data []V2Template `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2TemplateResponse struct {
	// The result
	Data V2Template `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2TemplateStatus struct {
	// Id of the template
	TemplateID string `json:"template_id"`
	// Channel
	ChannelID string `json:"channel_id"`
	// Name of the template
	Name string `json:"name"`
	// Where its moderation stands
	Status string `json:"status"`
}

type V2TokenExchangeGrant struct {
	// The grant; its data object is required
	GrantType string `json:"grant_type"`
	// For token exchange: the token of a client account
	TokenExchangeData struct {
		// The machine token
		SubjectToken string `json:"subject_token"`
		// Kind of the machine token
		SubjectTokenType string `json:"subject_token_type"`
		// account_id of the client
		RequestedSubject any `json:"requested_subject"`
		// transport, crm or both
		Scope string `json:"scope"`
	} `json:"token_exchange_data"`
}

type V2User struct {
	// Id in the CRM
	ID string `json:"id"`
	// Name of the employee
	Name string `json:"name"`
	// Phone number, international, digits only; invalid ones are omitted
	Phone *string `json:"phone,omitempty"`
}

type V2UserChange struct {
	// Id in the CRM
	ID any `json:"id"`
	// Name of the employee
	Name *string `json:"name,omitempty"`
	// Phone number, international, digits only; invalid ones are omitted
	Phone *string `json:"phone,omitempty"`
}

type V2UserListResponse struct {
	// The result
	Data []V2User `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2UserResponse struct {
	// The result
	Data V2User `json:"data"`

	Meta V2Meta `json:"meta"`
}

type V2ViberCredentials struct {
	// Shown in the Viber Admin Panel, under Edit Info of the bot
	ViberToken string `json:"viber_token"`
	// Shown to people who open the bot for the first time
	Welcome *string `json:"welcome,omitempty"`
}

type V2VkCredentials struct {
	// From the community's settings: Manage, API usage, Access tokens
	AccessToken string `json:"access_token"`
}

type V2WapiCredentials struct {
	// From WhatsApp Manager or the app's dashboard; not the phone number itself
	PhoneNumberID string `json:"phone_number_id"`
	// The account that the number belongs to
	WabaID string `json:"waba_id"`
	// Token of a system user, with whatsapp_business_messaging and whatsapp_business_management
	AccessToken string `json:"access_token"`
	// Only when the token belongs to a Meta app of your own
	AppSecret *string `json:"app_secret,omitempty"`
}

// V3Advert: avito only: the listing that the chat is about
type V3Advert struct {
	// Id of the listing
	ID string `json:"id"`
	// Its title
	Title *string `json:"title,omitempty"`
	// Its address
	URL *string `json:"url,omitempty"`
	// Its price, as the messenger shows it
	Price *string `json:"price,omitempty"`
}

type V3AuditEntry struct {
	// Grows with time
	ID int64 `json:"id"`
	// When it was changed
	At string `json:"at"`
	// What was changed, such as channel.create
	Action string `json:"action"`
	// Id of the channel, token, grant, subscription or receiver
	Subject string `json:"subject"`
	// operator, console, token, application, partner, page or service
	Actor string `json:"actor"`
	// Id of the token, the OAuth client or the partner, or the console login
	ActorID string `json:"actorId"`
	// Address of the client, or name of the operator's machine
	From string `json:"from"`
	// Details of the change; never a secret
	Details map[string]any `json:"details"`
}

type V3Button struct {
	// Label: at most 64 characters on telegram, 20 on wapi; longer ones are not sent
	Text *string `json:"text,omitempty"`
	// wapi: text. maxbot: callback, link or message. telegram: none
	Type *string `json:"type,omitempty"`
	// wapi, and maxbot if type is callback: the data sent back when the button is pressed
	Payload *string `json:"payload,omitempty"`
	// telegram inline, and maxbot if type is link: the address that the button opens
	URL *string `json:"url,omitempty"`
	// maxbot: default, positive or negative
	Intent *string `json:"intent,omitempty"`
	// telegram inline: the data sent back when the button is pressed, 1 to 64 bytes
	CallbackData *string `json:"callbackData,omitempty"`
}

type V3CardLink struct {
	// The employee
	User struct {
		// Id of the employee in the CRM
		ID any `json:"id"`
		// The sender's name as clients see it; default: the employee's name in the CRM
		Name *string `json:"name,omitempty"`
	} `json:"user"`
	// global: all chats that the employee may see; card: those of one contact or deal
	Scope string `json:"scope"`
	// The chats that the page shows; required with the scope card
	Filter []struct {
		// Kind of chat
		ChatType string `json:"chatType"`
		// The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
		ChatID *string `json:"chatId,omitempty"`
		// Username without the @
		Username *string `json:"username,omitempty"`
		// International, digits only
		Phone *string `json:"phone,omitempty"`
		// Name of the contact
		Name *string `json:"name,omitempty"`
	} `json:"filter"`
	// The chat that is open at first
	ActiveChat *struct {
		// Kind of chat
		ChatType string `json:"chatType"`
		// The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
		ChatID *string `json:"chatId,omitempty"`
		// Username without the @
		Username *string `json:"username,omitempty"`
		// International, digits only
		Phone *string `json:"phone,omitempty"`
		// Id of the channel
		ChannelID *string `json:"channelId,omitempty"`
	} `json:"activeChat,omitempty"`
	// The events that the page reports to the CRM's page that embeds it
	Options *struct {
		// Kind of CRM
		ClientType *string `json:"clientType,omitempty"`
		// Whether the page reports deals to the CRM's page that embeds it
		UseDealsEvents *bool `json:"useDealsEvents,omitempty"`
		// Whether the page reports messages to the CRM's page that embeds it
		UseMessageEvents *bool `json:"useMessageEvents,omitempty"`
	} `json:"options,omitempty"`
}

type V3ChangedMessage struct {
	// The message
	MessageID string `json:"messageId"`
	// Its chat in the messenger
	ChatID string `json:"chatId"`
}

type V3Channel struct {
	// Id of the channel
	ChannelID string `json:"channelId"`
	// Its messenger
	Transport string `json:"transport"`
	// Phone of the channel, else its username, else its id in the messenger
	PlainID string `json:"plainId"`
	// State of the channel
	State string `json:"state"`
	// Name of the channel
	Name string `json:"name"`
	// What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left
	Restrictions []V3Restriction `json:"restrictions,omitempty"`
}

type V3ChannelUpdate struct {
	// Channel
	ChannelID string `json:"channelId"`
	// State of the channel, such as active, qr or phoneUnavailable
	State string `json:"state"`
	// Business channels only
	Tier *string `json:"tier,omitempty"`
	// The QR code to scan, as a data: URI; with the state qr
	QR *string `json:"qr,omitempty"`
	// With the state qridle: nobody scanned the code
	Qridle *string `json:"qridle,omitempty"`
	// What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left
	Restrictions []V3Restriction `json:"restrictions,omitempty"`
	// When the status was set, in milliseconds
	Timestamp int64 `json:"timestamp"`
}

type V3Contact struct {
	// Id in the CRM
	ID string `json:"id"`
	// Id of the responsible employee
	ResponsibleUserID string `json:"responsibleUserId"`
	// Name of the contact
	Name string `json:"name"`
	// Chats of the contact
	ContactData []V3ContactChat `json:"contactData"`
	// Address of the entity in the CRM
	URI *string `json:"uri,omitempty"`
}

type V3ContactChat struct {
	// Kind of chat
	ChatType string `json:"chatType"`
	// The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
	ChatID *string `json:"chatId,omitempty"`
	// Username without the @
	Username *string `json:"username,omitempty"`
	// International, digits only
	Phone *string `json:"phone,omitempty"`
}

// V3ContactCreation: The contact to create
type V3ContactCreation struct {
	// The responsible employee
	ResponsibleUserID string `json:"responsibleUserId"`
	// Name of the client
	Name string `json:"name"`
	// Chats of the contact
	ContactData []struct {
		// Kind of chat
		ChatType string `json:"chatType"`
		// The chat's id in the messenger
		ChatID string `json:"chatId"`
	} `json:"contactData"`
	// auto: caused by a message; byUser: by an employee's button
	Source string `json:"source"`
}

type V3Deal struct {
	// Id in the CRM
	ID string `json:"id"`
	// Id of the responsible employee
	ResponsibleUserID string `json:"responsibleUserId"`
	// Name of the deal
	Name string `json:"name"`
	// Address of the entity in the CRM
	URI *string `json:"uri,omitempty"`
	// Ids of the deal's contacts
	Contacts []string `json:"contacts"`
	// true: the deal is closed; default false
	Closed bool `json:"closed"`
}

// V3DealCreation: The deal to create
type V3DealCreation struct {
	// The responsible employee
	ResponsibleUserID string `json:"responsibleUserId"`
	// Ids of the deal's contacts
	Contacts []string `json:"contacts"`
	// auto: caused by a message; byUser: by an employee's button
	Source string `json:"source"`
}

type V3Delivery struct {
	// Number of the request in the log
	ID int64 `json:"id"`
	// The receiver; default: the account's v3 address
	ReceiverID string `json:"receiverId"`
	// The request's webhook-id
	DeliveryID string `json:"deliveryId"`
	// delivery, replay or test
	Purpose string `json:"purpose"`
	// Time
	At string `json:"at"`
	// Duration in milliseconds
	DurationMs int64 `json:"durationMs"`
	// Kinds of events
	Kinds []string `json:"kinds"`
	// Channels that the events are about
	ChannelIds []string `json:"channelIds"`
	// Number of events
	Items int64 `json:"items"`
	// delivered, refused or failed
	Result string `json:"result"`
	// HTTP status of the response; null if there was none
	Status *int64 `json:"status"`
	// Why there was no response
	Failure *string `json:"failure"`
}

type V3DeliveryDetails struct {
	// Number of the request in the log
	ID int64 `json:"id"`
	// The receiver; default: the account's v3 address
	ReceiverID string `json:"receiverId"`
	// The request's webhook-id
	DeliveryID string `json:"deliveryId"`
	// delivery, replay or test
	Purpose string `json:"purpose"`
	// Time
	At string `json:"at"`
	// Duration in milliseconds
	DurationMs int64 `json:"durationMs"`
	// Kinds of events
	Kinds []string `json:"kinds"`
	// Channels that the events are about
	ChannelIds []string `json:"channelIds"`
	// Number of events
	Items int64 `json:"items"`
	// delivered, refused or failed
	Result string `json:"result"`
	// HTTP status of the response; null if there was none
	Status *int64 `json:"status"`
	// Why there was no response
	Failure *string `json:"failure"`
	// Numbers of the events
	EventIds []int64 `json:"eventIds"`
	// The request body
	Body *string `json:"body"`
	// Request headers, without secrets
	SentHeaders map[string]string `json:"sentHeaders"`
	// Response headers
	ReceivedHeaders map[string]string `json:"receivedHeaders"`
	// The start of the response body
	Answer *string `json:"answer"`
}

// V3Interactive: A button, or a structured answer
type V3Interactive struct {
	// pressed: the button that the customer pressed. In an outgoing message: text, callback, link or message. Others: the kind of a structured answer, such as a form
	Type string `json:"type"`
	// Label of the button
	Text *string `json:"text,omitempty"`
	// The data sent back when the button is pressed; of an answer, its JSON
	Payload *string `json:"payload,omitempty"`
	// The address that the button opens
	URL *string `json:"url,omitempty"`
}

type V3Message struct {
	// Id of the message
	MessageID string `json:"messageId"`
	// Channel
	ChannelID string `json:"channelId"`
	// Kind of chat
	ChatType string `json:"chatType"`
	// The chat's id in the messenger
	ChatID string `json:"chatId"`
	// Time of sending by the messenger's clock: UTC, yyyy-mm-ddThh:mm:ss.mmmZ
	DateTime string `json:"dateTime"`
	// Kind of content
	Type string `json:"type"`
	// inbound: written by the customer
	Status string `json:"status"`
	// The text, or the caption of a file
	Text *string `json:"text,omitempty"`
	// Link to the file
	ContentURI *string `json:"contentUri,omitempty"`
	// Name of the author; of outgoing messages only
	AuthorName *string `json:"authorName,omitempty"`
	// true for every outgoing message, its edits and deletions; false for the customer's
	IsEcho bool `json:"isEcho"`

	Contact V3MessageContact `json:"contact"`

	Error *V3MessageError `json:"error,omitempty"`
	// Employee who wrote it, as the CRM names them
	AuthorID *string `json:"authorId,omitempty"`
	// Written on the service's own chat page
	SentFromApp *bool `json:"sentFromApp,omitempty"`

	Sender *V3Sender `json:"sender,omitempty"`

	InstPost *V3Post `json:"instPost,omitempty"`

	Advert *V3Advert `json:"advert,omitempty"`

	Referral *V3Referral `json:"referral,omitempty"`
	// A notice of the messenger itself, not the customer's words
	IsSystem *bool `json:"isSystem,omitempty"`
	// Written before the channel was linked
	IsHistory *bool `json:"isHistory,omitempty"`
	// Buttons, the pressed one, or structured answers
	Interactive []V3Interactive `json:"interactive,omitempty"`
	// The message was changed
	IsEdited *bool `json:"isEdited,omitempty"`
	// The message was deleted
	IsDeleted *bool `json:"isDeleted,omitempty"`

	OldInfo *V3OldInfo `json:"oldInfo,omitempty"`

	QuotedMessage *V3QuotedMessage `json:"quotedMessage,omitempty"`
}

// V3MessageContact: The person or group of the chat
type V3MessageContact struct {
	// Name in the messenger; of a group, its title
	Name string `json:"name"`
	// Link to the picture, once it is known
	AvatarURI *string `json:"avatarUri,omitempty"`
	// Username without @, if the messenger reports it
	Username *string `json:"username,omitempty"`
	// International, digits only, if the messenger reports it
	Phone *string `json:"phone,omitempty"`
	// avito only: the buyer, who may have several chats
	AvitoProfileID *string `json:"avitoProfileId,omitempty"`
}

// V3MessageError: The error; only with the status error
type V3MessageError struct {
	// Code, such as BAD_CONTACT
	Error string `json:"error"`
	// Description of the error
	Description string `json:"description"`
}

type V3MessageStatus struct {
	// Id of the message
	MessageID string `json:"messageId"`
	// When the service learned of it; never earlier than the previous status
	Timestamp string `json:"timestamp"`
	// edited: changed in the messenger itself
	Status string `json:"status"`
	// Only with the status error
	Error *struct {
		// Code, such as BAD_CONTACT
		Error string `json:"error"`
		// Description of the error
		Description string `json:"description"`
		// The messenger's error
		Data *string `json:"data,omitempty"`
	} `json:"error,omitempty"`
}

type V3NewContact struct {
	// Id in the CRM
	ID any `json:"id"`
	// Id of the responsible employee
	ResponsibleUserID any `json:"responsibleUserId"`
	// Name of the contact
	Name string `json:"name"`
	// Chats of the contact
	ContactData []V3ContactChat `json:"contactData"`
	// Address of the entity in the CRM
	URI *string `json:"uri,omitempty"`
}

type V3NewDeal struct {
	// Id in the CRM
	ID any `json:"id"`
	// Id of the responsible employee
	ResponsibleUserID any `json:"responsibleUserId"`
	// Name of the deal
	Name string `json:"name"`
	// Address of the entity in the CRM
	URI *string `json:"uri,omitempty"`
	// Ids of the deal's contacts
	Contacts []any `json:"contacts"`
	// true: the deal is closed; default false
	Closed *bool `json:"closed,omitempty"`
}

type V3NewPipeline struct {
	// Id in the CRM
	ID any `json:"id"`
	// Name of the pipeline
	Name string `json:"name"`
	// Stages of the pipeline, in order
	Stages []V3NewPipelineStage `json:"stages,omitempty"`
}

type V3NewPipelineStage struct {
	// Id in the CRM
	ID any `json:"id"`
	// Name of the stage
	Name string `json:"name"`
}

type V3NewUser struct {
	// Id in the CRM
	ID any `json:"id"`
	// Name of the employee
	Name string `json:"name"`
	// Phone number, international, digits only; invalid ones are omitted
	Phone *string `json:"phone,omitempty"`
}

type V3Nothing map[string]any

// V3OldInfo: What an edit or deletion replaced
type V3OldInfo struct {
	// Text before
	OldText *string `json:"oldText,omitempty"`
	// The previous author: the employee's id in the CRM
	OldAuthorID *string `json:"oldAuthorId,omitempty"`
	// The previous author's name
	OldAuthorName *string `json:"oldAuthorName,omitempty"`
	// Link to the file before, if an edit replaced it
	OldContentURI *string `json:"oldContentUri,omitempty"`
}

type V3ParkedEvent struct {
	// Number of the event
	EventID int64 `json:"eventId"`
	// The receiver; default: the account's v3 address
	ReceiverID string `json:"receiverId"`
	// Kind of event
	Kind string `json:"kind"`
	// Id of the channel
	ChannelID *string `json:"channelId"`
	// Id of its object: a message, a channel ...
	Subject string `json:"subject"`
	// Time of the event
	HappenedAt string `json:"happenedAt"`
	// When it was parked
	ParkedAt string `json:"parkedAt"`
	// Reason
	Reason string `json:"reason"`
	// The event as it would be sent
	Item any `json:"item"`
}

type V3Pipeline struct {
	// Id in the CRM
	ID string `json:"id"`
	// Name of the pipeline
	Name string `json:"name"`
	// Stages of the pipeline, in order
	Stages []V3PipelineStage `json:"stages"`
}

type V3PipelineStage struct {
	// Id in the CRM
	ID string `json:"id"`
	// Name of the stage
	Name string `json:"name"`
}

// V3Post: The post that the message is a comment on
type V3Post struct {
	// Id of the post
	ID string `json:"id"`
	// Address of the post
	Src string `json:"src"`
	// The author of the post
	Author string `json:"author"`
	// Its text
	Description string `json:"description"`
}

// V3QuotedMessage: The quoted message
type V3QuotedMessage struct {
	// Id of the quoted message; absent if the service never stored it
	MessageID *string `json:"messageId,omitempty"`
	// Channel
	ChannelID string `json:"channelId"`
	// Kind of chat
	ChatType string `json:"chatType"`
	// The chat's id in the messenger
	ChatID string `json:"chatId"`
	// Time of sending by the messenger's clock: UTC, yyyy-mm-ddThh:mm:ss.mmmZ
	DateTime *string `json:"dateTime,omitempty"`
	// Kind of content
	Type string `json:"type"`
	// inbound: written by the customer
	Status *string `json:"status,omitempty"`
	// The text, or the caption of a file
	Text *string `json:"text,omitempty"`
	// Link to the file
	ContentURI *string `json:"contentUri,omitempty"`
	// Name of the author; of outgoing messages only
	AuthorName *string `json:"authorName,omitempty"`
	// true for an outgoing message; absent if unknown
	IsEcho *bool `json:"isEcho,omitempty"`

	Contact *V3MessageContact `json:"contact,omitempty"`

	Error *V3MessageError `json:"error,omitempty"`
	// Employee who wrote it, as the CRM names them
	AuthorID *string `json:"authorId,omitempty"`
	// Written on the service's own chat page
	SentFromApp *bool `json:"sentFromApp,omitempty"`

	Sender *V3Sender `json:"sender,omitempty"`

	InstPost *V3Post `json:"instPost,omitempty"`

	Advert *V3Advert `json:"advert,omitempty"`

	Referral *V3Referral `json:"referral,omitempty"`
	// A notice of the messenger itself, not the customer's words
	IsSystem *bool `json:"isSystem,omitempty"`
	// Written before the channel was linked
	IsHistory *bool `json:"isHistory,omitempty"`
	// Buttons, the pressed one, or structured answers
	Interactive []V3Interactive `json:"interactive,omitempty"`
	// The message was changed
	IsEdited *bool `json:"isEdited,omitempty"`
	// The message was deleted
	IsDeleted *bool `json:"isDeleted,omitempty"`

	OldInfo *V3OldInfo `json:"oldInfo,omitempty"`
}

type V3Reaction struct {
	// Id of the message
	MessageID string `json:"messageId"`
	// Channel
	ChannelID string `json:"channelId"`
	// Kind of chat
	ChatType string `json:"chatType"`
	// The chat's id in the messenger
	ChatID string `json:"chatId"`
	// The emoji; null: the reaction was removed. A person has one reaction to a message
	Emoji *string `json:"emoji"`
	// Who reacted
	From any `json:"from"`
	// Time of the reaction
	Timestamp string `json:"timestamp"`
}

type V3ReactionAuthor struct {
	// Id in the messenger
	ID string `json:"id"`
	// Name in the messenger
	Name string `json:"name"`
}

type V3Receiver struct {
	// The receiver; default: the account's v3 address
	ReceiverID string `json:"receiverId"`
	// v3: the account's only address; v2: an address of subscriptions to single events
	Version string `json:"version"`
	// The receiver's address, at most 200 characters; "" after it was removed
	URL string `json:"url"`
	// Kinds of events
	Kinds []string `json:"kinds"`
	// active, failing or paused
	State string `json:"state"`
	// Since when the receiver has been paused
	PausedAt *string `json:"pausedAt"`
	// failing: it has accepted nothing for long; asked: by request
	PauseReason *string `json:"pauseReason"`
	// Since when it has accepted nothing
	FailingSince *string `json:"failingSince"`
	// Failed requests since then
	Failures int64 `json:"failures"`
	// Time of the last accepted request
	LastSuccessAt *string `json:"lastSuccessAt"`
	// Events waiting for it, among the first thousand of the account after its position; there may be more behind these
	Queued int64 `json:"queued"`
	// Events that it rejected until the end of their retry schedule
	Parked int64 `json:"parked"`
	// 0: the installation's setting
	MaxItems int64 `json:"maxItems"`
	// Concurrent requests
	Concurrency int64 `json:"concurrency"`
}

type V3ReceiverDetails struct {
	// The receiver; default: the account's v3 address
	ReceiverID string `json:"receiverId"`
	// v3: the account's only address; v2: an address of subscriptions to single events
	Version string `json:"version"`
	// The receiver's address, at most 200 characters; "" after it was removed
	URL string `json:"url"`
	// Kinds of events
	Kinds []string `json:"kinds"`
	// active, failing or paused
	State string `json:"state"`
	// Since when the receiver has been paused
	PausedAt *string `json:"pausedAt"`
	// failing: it has accepted nothing for long; asked: by request
	PauseReason *string `json:"pauseReason"`
	// Since when it has accepted nothing
	FailingSince *string `json:"failingSince"`
	// Failed requests since then
	Failures int64 `json:"failures"`
	// Time of the last accepted request
	LastSuccessAt *string `json:"lastSuccessAt"`
	// Events waiting for it, among the first thousand of the account after its position; there may be more behind these
	Queued int64 `json:"queued"`
	// Events that it rejected until the end of their retry schedule
	Parked int64 `json:"parked"`
	// 0: the installation's setting
	MaxItems int64 `json:"maxItems"`
	// Concurrent requests
	Concurrency int64 `json:"concurrency"`
	// Notices about it, newest first
	Notices []V3ReceiverNotice `json:"notices"`
}

type V3ReceiverNotice struct {
	// Time
	At string `json:"at"`
	// Kind of notice
	Kind string `json:"kind"`
	// Text for people
	Text string `json:"text"`
}

// V3Referral: Where the message came from
type V3Referral struct {
	// What the customer opened the chat from
	Source string `json:"source"`
	// Its id in the messenger
	SourceID *string `json:"sourceId,omitempty"`
	// Its address
	SourceURL *string `json:"sourceUrl,omitempty"`
	// Its title
	Headline *string `json:"headline,omitempty"`
	// Its text
	Body *string `json:"body,omitempty"`
	// The parameter of the link or advertisement
	Ref *string `json:"ref,omitempty"`
	// Id of the click, for reports of conversions
	ClickID *string `json:"clickId,omitempty"`
}

type V3Replay struct {
	// Id of the replay
	ReplayID string `json:"replayId"`
	// Time of the request
	RequestedAt string `json:"requestedAt"`
	// Time of its end; null while it runs
	FinishedAt *string `json:"finishedAt"`
	// Number of requests to replay
	Total int64 `json:"total"`
	// How many were accepted
	Delivered int64 `json:"delivered"`
	// How many were not
	Failed int64 `json:"failed"`
	// The requests that were not accepted
	Failures []struct {
		// The receiver; default: the account's v3 address
		ReceiverID string `json:"receiverId"`
		// The request's webhook-id
		DeliveryID string `json:"deliveryId"`
		// HTTP status of the response; null if there was none
		Status *int64 `json:"status"`
		// Why there was no response
		Failure *string `json:"failure"`
	} `json:"failures"`
}

type V3Restriction struct {
	// new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it
	Kind string `json:"kind"`
	// A sentence for the owner of the channel, in English
	Reason string `json:"reason"`
	// When the service learned of it
	Since string `json:"since"`
	// When it ends; null if the messenger does not say
	Until *string `json:"until"`
}

// V3Sender: The sender; in groups only
type V3Sender struct {
	// Id in the messenger
	ID string `json:"id"`
	// Name in the messenger
	Name string `json:"name"`
}

type V3Template struct {
	// The value for template.id and templateId
	TemplateGuid string `json:"templateGuid"`
	// Name at the platform
	Name string `json:"name"`
	// Name for people
	Title string `json:"title"`
	// MARKETING, UTILITY or AUTHENTICATION
	Category string `json:"category"`
	// Language, such as en or pt_BR
	Language string `json:"language"`
	// approved, pending, rejected, paused or disabled
	Status string `json:"status"`
	// Reason of the rejection
	Reason *string `json:"reason,omitempty"`
	// Components of the template as defined by the platform
	Components []map[string]any `json:"components"`
	// Ids of the channels that can send it
	Channels []string `json:"channels"`
	// The template as text, with its variables in place of values; a message may contain such text instead of the template
	TemplateCode string `json:"templateCode"`
}

// V3TemplateStatus: The template
type V3TemplateStatus struct {
	// Id of the template
	TemplateGuid string `json:"templateGuid"`
	// Name of the template
	Name string `json:"name"`
	// Where its moderation stands
	Status string `json:"status"`
}

type V3User struct {
	// Id in the CRM
	ID string `json:"id"`
	// Name of the employee
	Name string `json:"name"`
	// Phone number, international, digits only; invalid ones are omitted
	Phone *string `json:"phone,omitempty"`
}

type V3UserName struct {
	// Id in the CRM
	ID string `json:"id"`
	// Name of the employee
	Name string `json:"name"`
}

type V3WebhookSecret struct {
	// Key for verifying signatures (Standard Webhooks)
	Secret string `json:"secret"`
	// Until when the previous secret signs too
	PreviousUntil *string `json:"previousUntil"`
}

type WabaTemplateStatusUpdateEvent struct {
	// Name of the event
	Event string `json:"event"`
	// The events, oldest first
	Data []V2TemplateStatus `json:"data"`

	Meta V2EventMeta `json:"meta"`
}

// GetCounterHost: Get the host that reports unanswered messages as they change, by socket.io at `/ws-counters/`. GET /counters/ws_host/api_v3/{apiKey}
func (c *Client) GetCounterHost(ctx context.Context, apiKey string) (GetCounterHostResponse, error) {
	var result GetCounterHostResponse
	err := c.call(ctx, "GET", pathOf("/counters/ws_host/api_v3/%s", apiKey), "none", nil, nil, &result)
	return result, err
}

// GetHealth: Liveness of the process. GET /healthz
func (c *Client) GetHealth(ctx context.Context) (GetHealthResponse, error) {
	var result GetHealthResponse
	err := c.call(ctx, "GET", "/healthz", "none", nil, nil, &result)
	return result, err
}

// GetReadiness: Readiness of the node. GET /readyz
func (c *Client) GetReadiness(ctx context.Context) (Readiness, error) {
	var result Readiness
	err := c.call(ctx, "GET", "/readyz", "none", nil, nil, &result)
	return result, err
}

// CreateAccount: Create an account for a client; obtain its tokens by token exchange. POST /v2/accounts
func (c *Client) CreateAccount(ctx context.Context, body CreateAccountRequest, options ...Option) (CreateAccountResponse, error) {
	var result CreateAccountResponse
	err := c.call(ctx, "POST", "/v2/accounts", "partner", nil, body, &result, options...)
	return result, err
}

// GetAccountQuery is the query of GetAccount. Nil fields are not sent.
type GetAccountQuery struct {
	// Objects to include: `billing`, `channels`, `subscriptions`, separated by commas or repeated; others are ignored
	Expand *string
}

func (q *GetAccountQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "expand", q.Expand)
	return values
}

// GetAccount: Get one of the partner's accounts. GET /v2/accounts/{id}
func (c *Client) GetAccount(ctx context.Context, id string, query *GetAccountQuery) (GetAccountResponse, error) {
	var result GetAccountResponse
	err := c.call(ctx, "GET", pathOf("/v2/accounts/%s", id), "partner", query.values(), nil, &result)
	return result, err
}

// ListChannels: List the channels of the account. GET /v2/channels
func (c *Client) ListChannels(ctx context.Context) (V2ChannelListResponse, error) {
	var result V2ChannelListResponse
	err := c.call(ctx, "GET", "/v2/channels", "accessToken", nil, nil, &result)
	return result, err
}

// CreateChannel: Connect a messenger account as a new channel. POST /v2/channels
func (c *Client) CreateChannel(ctx context.Context, body CreateChannelRequest, options ...Option) (V2CreatedChannelListResponse, error) {
	var result V2CreatedChannelListResponse
	err := c.call(ctx, "POST", "/v2/channels", "accessToken", nil, body, &result, options...)
	return result, err
}

// GetChannel: Get a channel with its status. GET /v2/channels/{id}
func (c *Client) GetChannel(ctx context.Context, id string) (V2ChannelDetailsListResponse, error) {
	var result V2ChannelDetailsListResponse
	err := c.call(ctx, "GET", pathOf("/v2/channels/%s", id), "accessToken", nil, nil, &result)
	return result, err
}

// RemoveChannelQuery is the query of RemoveChannel. Nil fields are not sent.
type RemoveChannelQuery struct {
	// `true`: the chats are deleted too; default: they are kept
	DeleteChats *string
}

func (q *RemoveChannelQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "delete_chats", q.DeleteChats)
	return values
}

// RemoveChannel: Disconnect and delete a channel. DELETE /v2/channels/{id}
func (c *Client) RemoveChannel(ctx context.Context, id string, query *RemoveChannelQuery) (V2DoneResponse, error) {
	var result V2DoneResponse
	err := c.call(ctx, "DELETE", pathOf("/v2/channels/%s", id), "accessToken", query.values(), nil, &result)
	return result, err
}

// SubmitTwoFactorPassword: Submit the two-factor password, or the messenger's code, that a channel waits for. POST /v2/channels/{id}/auth/2fa
func (c *Client) SubmitTwoFactorPassword(ctx context.Context, id string, body SubmitTwoFactorPasswordRequest, options ...Option) (V2DoneResponse, error) {
	var result V2DoneResponse
	err := c.call(ctx, "POST", pathOf("/v2/channels/%s/auth/2fa", id), "accessToken", nil, body, &result, options...)
	return result, err
}

// GetPasskeyRequest: Get the request for the passkey, or the code to compare, that a channel waits for. GET /v2/channels/{id}/auth/passkey
func (c *Client) GetPasskeyRequest(ctx context.Context, id string) (V2PasskeyRequestResponse, error) {
	var result V2PasskeyRequestResponse
	err := c.call(ctx, "GET", pathOf("/v2/channels/%s/auth/passkey", id), "accessToken", nil, nil, &result)
	return result, err
}

// SubmitPasskeyAnswer: Submit the answer of the account's passkey. POST /v2/channels/{id}/auth/passkey
func (c *Client) SubmitPasskeyAnswer(ctx context.Context, id string, body SubmitPasskeyAnswerRequest, options ...Option) (V2DoneResponse, error) {
	var result V2DoneResponse
	err := c.call(ctx, "POST", pathOf("/v2/channels/%s/auth/passkey", id), "accessToken", nil, body, &result, options...)
	return result, err
}

// GetPacing: Get a channel's rate limits, and what waits in its queue and why. GET /v2/channels/{id}/pacing
func (c *Client) GetPacing(ctx context.Context, id string) (V2PacingListResponse, error) {
	var result V2PacingListResponse
	err := c.call(ctx, "GET", pathOf("/v2/channels/%s/pacing", id), "accessToken", nil, nil, &result)
	return result, err
}

// ChangePacing: Change a channel's rate limits, or end a pause of first contacts. PATCH /v2/channels/{id}/pacing
func (c *Client) ChangePacing(ctx context.Context, id string, body ChangePacingRequest) (V2PacingListResponse, error) {
	var result V2PacingListResponse
	err := c.call(ctx, "PATCH", pathOf("/v2/channels/%s/pacing", id), "accessToken", nil, body, &result)
	return result, err
}

// RequestPairingCode: Connect with a number and a code instead of a QR code. POST /v2/channels/{id}/pairing-code
func (c *Client) RequestPairingCode(ctx context.Context, id string, body RequestPairingCodeRequest, options ...Option) (RequestPairingCodeResponse, error) {
	var result RequestPairingCodeResponse
	err := c.call(ctx, "POST", pathOf("/v2/channels/%s/pairing-code", id), "accessToken", nil, body, &result, options...)
	return result, err
}

// CheckPhones: Find out which phone numbers the messenger has. Looked up slowly, because messengers restrict accounts that look up many; the results of 30 days are known at once. POST /v2/channels/{id}/phones/check
func (c *Client) CheckPhones(ctx context.Context, id string, body CheckPhonesRequest, options ...Option) (CheckPhonesResponse, error) {
	var result CheckPhonesResponse
	err := c.call(ctx, "POST", pathOf("/v2/channels/%s/phones/check", id), "accessToken", nil, body, &result, options...)
	return result, err
}

// ReinitChannel: Reconnect a channel, with new credentials. POST /v2/channels/{id}/reinit
func (c *Client) ReinitChannel(ctx context.Context, id string, body ReinitChannelRequest, options ...Option) (V2ReinitialisedChannelListResponse, error) {
	var result V2ReinitialisedChannelListResponse
	err := c.call(ctx, "POST", pathOf("/v2/channels/%s/reinit", id), "accessToken", nil, body, &result, options...)
	return result, err
}

// ListChatsQuery is the query of ListChats. Nil fields are not sent.
type ListChatsQuery struct {
	// Only of this channel
	ChannelID *string
	// Only what is older: a cursor from `meta.next`, or a time
	Before *string
	// Only what is newer: a cursor from `meta.next`, or a time. Alone: oldest first
	After *string
	// 1 to 100; default 50. A page of long texts is shorter
	Limit *int64
}

func (q *ListChatsQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "channel_id", q.ChannelID)
	addTo(values, "before", q.Before)
	addTo(values, "after", q.After)
	addTo(values, "limit", q.Limit)
	return values
}

// ListChats: List chats, most recent message first. While messages arrive, chats move to the top of the list. GET /v2/chats
func (c *Client) ListChats(ctx context.Context, query *ListChatsQuery) (ListChatsResponse, error) {
	var result ListChatsResponse
	err := c.call(ctx, "GET", "/v2/chats", "accessToken", query.values(), nil, &result)
	return result, err
}

// EachListChats calls use with the items of all pages of ListChats, until it returns an error.
func (c *Client) EachListChats(ctx context.Context, query *ListChatsQuery, use func(V2Chat) error) error {
	next := ListChatsQuery{}
	if query != nil {
		next = *query
	}
	for {
		page, err := c.ListChats(ctx, &next)
		if err != nil {
			return err
		}
		for _, item := range page.Data {
			if err := use(item); err != nil {
				return err
			}
		}
		if page.Meta.Next == nil {
			return nil
		}
		if next.After != nil && next.Before == nil {
			next.After = page.Meta.Next
		} else {
			next.Before = page.Meta.Next
		}
	}
}

// ListMessagesQuery is the query of ListMessages. Nil fields are not sent.
type ListMessagesQuery struct {
	// Only of this channel
	ChannelID *string
	// Only what is older: a cursor from `meta.next`, or a time
	Before *string
	// Only what is newer: a cursor from `meta.next`, or a time. Alone: oldest first
	After *string
	// 1 to 100; default 50. A page of long texts is shorter
	Limit *int64
}

func (q *ListMessagesQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "channel_id", q.ChannelID)
	addTo(values, "before", q.Before)
	addTo(values, "after", q.After)
	addTo(values, "limit", q.Limit)
	return values
}

// ListMessages: List the messages of a chat, newest first, as the event `message.add` contains them. The order, and times in `before` and `after`, are those at which the service stored the messages; of imported messages, those at which they were sent. GET /v2/chats/{chat_type}/{chat_id}/messages
func (c *Client) ListMessages(ctx context.Context, chatType string, chatID string, query *ListMessagesQuery) (V2ListMessagesResponse, error) {
	var result V2ListMessagesResponse
	err := c.call(ctx, "GET", pathOf("/v2/chats/%s/%s/messages", chatType, chatID), "accessToken", query.values(), nil, &result)
	return result, err
}

// EachListMessages calls use with the items of all pages of ListMessages, until it returns an error.
func (c *Client) EachListMessages(ctx context.Context, chatType string, chatID string, query *ListMessagesQuery, use func(V2Message) error) error {
	next := ListMessagesQuery{}
	if query != nil {
		next = *query
	}
	for {
		page, err := c.ListMessages(ctx, chatType, chatID, &next)
		if err != nil {
			return err
		}
		for _, item := range page.Data {
			if err := use(item); err != nil {
				return err
			}
		}
		if page.Meta.Next == nil {
			return nil
		}
		if next.After != nil && next.Before == nil {
			next.After = page.Meta.Next
		} else {
			next.Before = page.Meta.Next
		}
	}
}

// MarkChatAsRead: Show the people of a chat that their messages were read. POST /v2/chats/{chat_type}/{chat_id}/read
func (c *Client) MarkChatAsRead(ctx context.Context, chatType string, chatID string, body V2ChatMark, options ...Option) (V2DoneResponse, error) {
	var result V2DoneResponse
	err := c.call(ctx, "POST", pathOf("/v2/chats/%s/%s/read", chatType, chatID), "accessToken", nil, body, &result, options...)
	return result, err
}

// ShowTyping: Show the people of a chat that somebody is typing: for some seconds, or until a message is sent. POST /v2/chats/{chat_type}/{chat_id}/typing
func (c *Client) ShowTyping(ctx context.Context, chatType string, chatID string, body V2ChatMark, options ...Option) (V2DoneResponse, error) {
	var result V2DoneResponse
	err := c.call(ctx, "POST", pathOf("/v2/chats/%s/%s/typing", chatType, chatID), "accessToken", nil, body, &result, options...)
	return result, err
}

// ClearUnanswered: Mark all messages of the account as answered. DELETE /v2/chats/unanswered
func (c *Client) ClearUnanswered(ctx context.Context) (ClearUnansweredResponse, error) {
	var result ClearUnansweredResponse
	err := c.call(ctx, "DELETE", "/v2/chats/unanswered", "accessToken", nil, nil, &result)
	return result, err
}

// ListV2ContactsQuery is the query of ListV2Contacts. Nil fields are not sent.
type ListV2ContactsQuery struct {
	// How many to skip; default 0
	Offset *int64
}

func (q *ListV2ContactsQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "offset", q.Offset)
	return values
}

// ListV2Contacts: List contacts, in pages. GET /v2/contacts
func (c *Client) ListV2Contacts(ctx context.Context, query *ListV2ContactsQuery) (V2ContactListResponse, error) {
	var result V2ContactListResponse
	err := c.call(ctx, "GET", "/v2/contacts", "accessToken", query.values(), nil, &result)
	return result, err
}

// EachListV2Contacts calls use with the items of all pages of ListV2Contacts, until it returns an error.
func (c *Client) EachListV2Contacts(ctx context.Context, query *ListV2ContactsQuery, use func(V2Contact) error) error {
	next := ListV2ContactsQuery{}
	if query != nil {
		next = *query
	}
	for {
		page, err := c.ListV2Contacts(ctx, &next)
		if err != nil {
			return err
		}
		for _, item := range page.Data {
			if err := use(item); err != nil {
				return err
			}
		}
		if len(page.Data) == 0 {
			return nil
		}
		next.Offset = Ptr(valueOf(next.Offset) + int64(len(page.Data)))
	}
}

// SaveV2Contacts: Add or replace contacts: all, or none if one is invalid. POST /v2/contacts
func (c *Client) SaveV2Contacts(ctx context.Context, body SaveV2ContactsRequest, options ...Option) (V2StoredEntitiesResponse, error) {
	var result V2StoredEntitiesResponse
	err := c.call(ctx, "POST", "/v2/contacts", "accessToken", nil, body, &result, options...)
	return result, err
}

// ChangeV2Contacts: Change contacts; omitted fields keep their value. PATCH /v2/contacts
func (c *Client) ChangeV2Contacts(ctx context.Context, body ChangeV2ContactsRequest) (V2ProcessedEntitiesResponse, error) {
	var result V2ProcessedEntitiesResponse
	err := c.call(ctx, "PATCH", "/v2/contacts", "accessToken", nil, body, &result)
	return result, err
}

// RemoveV2Contacts: Delete contacts by id. DELETE /v2/contacts
func (c *Client) RemoveV2Contacts(ctx context.Context, body RemoveV2ContactsRequest) (V2ProcessedEntitiesResponse, error) {
	var result V2ProcessedEntitiesResponse
	err := c.call(ctx, "DELETE", "/v2/contacts", "accessToken", nil, body, &result)
	return result, err
}

// GetV2Contact: Get one of the contacts. GET /v2/contacts/{id}
func (c *Client) GetV2Contact(ctx context.Context, id string) (V2ContactResponse, error) {
	var result V2ContactResponse
	err := c.call(ctx, "GET", pathOf("/v2/contacts/%s", id), "accessToken", nil, nil, &result)
	return result, err
}

// RemoveV2Contact: Delete one of the contacts. DELETE /v2/contacts/{id}
func (c *Client) RemoveV2Contact(ctx context.Context, id string) (V2DoneResponse, error) {
	var result V2DoneResponse
	err := c.call(ctx, "DELETE", pathOf("/v2/contacts/%s", id), "accessToken", nil, nil, &result)
	return result, err
}

// GetUnansweredCounter: Count an employee's unanswered messages of the last 7 days. GET /v2/counters/unanswered/{user_id}
func (c *Client) GetUnansweredCounter(ctx context.Context, userID string) (GetUnansweredCounterResponse, error) {
	var result GetUnansweredCounterResponse
	err := c.call(ctx, "GET", pathOf("/v2/counters/unanswered/%s", userID), "accessToken", nil, nil, &result)
	return result, err
}

// ListV2DealsQuery is the query of ListV2Deals. Nil fields are not sent.
type ListV2DealsQuery struct {
	// How many to skip; default 0
	Offset *int64
}

func (q *ListV2DealsQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "offset", q.Offset)
	return values
}

// ListV2Deals: List deals, in pages. GET /v2/deals
func (c *Client) ListV2Deals(ctx context.Context, query *ListV2DealsQuery) (V2DealListResponse, error) {
	var result V2DealListResponse
	err := c.call(ctx, "GET", "/v2/deals", "accessToken", query.values(), nil, &result)
	return result, err
}

// EachListV2Deals calls use with the items of all pages of ListV2Deals, until it returns an error.
func (c *Client) EachListV2Deals(ctx context.Context, query *ListV2DealsQuery, use func(V2Deal) error) error {
	next := ListV2DealsQuery{}
	if query != nil {
		next = *query
	}
	for {
		page, err := c.ListV2Deals(ctx, &next)
		if err != nil {
			return err
		}
		for _, item := range page.Data {
			if err := use(item); err != nil {
				return err
			}
		}
		if len(page.Data) == 0 {
			return nil
		}
		next.Offset = Ptr(valueOf(next.Offset) + int64(len(page.Data)))
	}
}

// SaveV2Deals: Add or replace deals: all, or none if one is invalid. POST /v2/deals
func (c *Client) SaveV2Deals(ctx context.Context, body SaveV2DealsRequest, options ...Option) (V2StoredEntitiesResponse, error) {
	var result V2StoredEntitiesResponse
	err := c.call(ctx, "POST", "/v2/deals", "accessToken", nil, body, &result, options...)
	return result, err
}

// ChangeV2Deals: Change deals; omitted fields keep their value. PATCH /v2/deals
func (c *Client) ChangeV2Deals(ctx context.Context, body ChangeV2DealsRequest) (V2ProcessedEntitiesResponse, error) {
	var result V2ProcessedEntitiesResponse
	err := c.call(ctx, "PATCH", "/v2/deals", "accessToken", nil, body, &result)
	return result, err
}

// RemoveV2Deals: Delete deals by id. DELETE /v2/deals
func (c *Client) RemoveV2Deals(ctx context.Context, body RemoveV2DealsRequest) (V2ProcessedEntitiesResponse, error) {
	var result V2ProcessedEntitiesResponse
	err := c.call(ctx, "DELETE", "/v2/deals", "accessToken", nil, body, &result)
	return result, err
}

// GetV2Deal: Get one of the deals. GET /v2/deals/{id}
func (c *Client) GetV2Deal(ctx context.Context, id string) (V2DealResponse, error) {
	var result V2DealResponse
	err := c.call(ctx, "GET", pathOf("/v2/deals/%s", id), "accessToken", nil, nil, &result)
	return result, err
}

// RemoveV2Deal: Delete one of the deals. DELETE /v2/deals/{id}
func (c *Client) RemoveV2Deal(ctx context.Context, id string) (V2DoneResponse, error) {
	var result V2DoneResponse
	err := c.call(ctx, "DELETE", pathOf("/v2/deals/%s", id), "accessToken", nil, nil, &result)
	return result, err
}

// CreateGroup: Create a group; messages can be sent to it at once. POST /v2/groups
func (c *Client) CreateGroup(ctx context.Context, body CreateGroupRequest, options ...Option) (CreateGroupResponse, error) {
	var result CreateGroupResponse
	err := c.call(ctx, "POST", "/v2/groups", "accessToken", nil, body, &result, options...)
	return result, err
}

// GetGroupQuery is the query of GetGroup. Nil fields are not sent.
type GetGroupQuery struct {
	// The channel
	ChannelID *string
}

func (q *GetGroupQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "channel_id", q.ChannelID)
	return values
}

// GetGroup: Get a group with its members and their roles, as the messenger knows it now. GET /v2/groups/{chat_id}
func (c *Client) GetGroup(ctx context.Context, chatID string, query *GetGroupQuery) (GetGroupResponse, error) {
	var result GetGroupResponse
	err := c.call(ctx, "GET", pathOf("/v2/groups/%s", chatID), "accessToken", query.values(), nil, &result)
	return result, err
}

// ChangeGroup: Change a group: its name, picture, members and roles, one after the other until the messenger refuses one; the error then names in `done` what was changed. PATCH /v2/groups/{chat_id}
func (c *Client) ChangeGroup(ctx context.Context, chatID string, body ChangeGroupRequest) (ChangeGroupResponse, error) {
	var result ChangeGroupResponse
	err := c.call(ctx, "PATCH", pathOf("/v2/groups/%s", chatID), "accessToken", nil, body, &result)
	return result, err
}

// LinkToChannelsPage: Create a one-time link to the page where a person connects or reconnects a channel. POST /v2/iframe-links/channels
func (c *Client) LinkToChannelsPage(ctx context.Context, body LinkToChannelsPageRequest, options ...Option) (V2PageLinkResponse, error) {
	var result V2PageLinkResponse
	err := c.call(ctx, "POST", "/v2/iframe-links/channels", "accessToken", nil, body, &result, options...)
	return result, err
}

// LinkToChatsPage: Create a one-time link to the chat page. POST /v2/iframe-links/chats
func (c *Client) LinkToChatsPage(ctx context.Context, body LinkToChatsPageRequest, options ...Option) (V2PageLinkResponse, error) {
	var result V2PageLinkResponse
	err := c.call(ctx, "POST", "/v2/iframe-links/chats", "accessToken", nil, body, &result, options...)
	return result, err
}

// SendMessage: Send a message; webhooks report its status. POST /v2/messages
func (c *Client) SendMessage(ctx context.Context, body SendMessageRequest, options ...Option) (SendMessageResponse, error) {
	var result SendMessageResponse
	err := c.call(ctx, "POST", "/v2/messages", "accessToken", nil, body, &result, options...)
	return result, err
}

// EditMessage: Edit a sent message in the messenger. PATCH /v2/messages/{id}
func (c *Client) EditMessage(ctx context.Context, id string, body EditMessageRequest) (V2ChangedMessageResponse, error) {
	var result V2ChangedMessageResponse
	err := c.call(ctx, "PATCH", pathOf("/v2/messages/%s", id), "accessToken", nil, body, &result)
	return result, err
}

// RemoveMessage: Delete a sent message for both sides. DELETE /v2/messages/{id}
func (c *Client) RemoveMessage(ctx context.Context, id string) (V2ChangedMessageResponse, error) {
	var result V2ChangedMessageResponse
	err := c.call(ctx, "DELETE", pathOf("/v2/messages/%s", id), "accessToken", nil, nil, &result)
	return result, err
}

// ReactToMessage: React to a message of either side; replaces the channel's earlier reaction. PUT /v2/messages/{id}/reaction
func (c *Client) ReactToMessage(ctx context.Context, id string, body ReactToMessageRequest) (V2ChangedMessageResponse, error) {
	var result V2ChangedMessageResponse
	err := c.call(ctx, "PUT", pathOf("/v2/messages/%s/reaction", id), "accessToken", nil, body, &result)
	return result, err
}

// RemoveReaction: Remove the channel's reaction to a message. DELETE /v2/messages/{id}/reaction
func (c *Client) RemoveReaction(ctx context.Context, id string) (V2ChangedMessageResponse, error) {
	var result V2ChangedMessageResponse
	err := c.call(ctx, "DELETE", pathOf("/v2/messages/%s/reaction", id), "accessToken", nil, nil, &result)
	return result, err
}

// ExportMessages: Request the messages of a period as CSV; the webhook messages_dump.status_update contains the link. POST /v2/messages/messages_dump
func (c *Client) ExportMessages(ctx context.Context, body ExportMessagesRequest, options ...Option) (ExportMessagesResponse, error) {
	var result ExportMessagesResponse
	err := c.call(ctx, "POST", "/v2/messages/messages_dump", "accessToken", nil, body, &result, options...)
	return result, err
}

// GetMessageExport: Get the progress of an export, and the link to its file. GET /v2/messages/messages_dump/{export_id}
func (c *Client) GetMessageExport(ctx context.Context, exportID string) (GetMessageExportResponse, error) {
	var result GetMessageExportResponse
	err := c.call(ctx, "GET", pathOf("/v2/messages/messages_dump/%s", exportID), "accessToken", nil, nil, &result)
	return result, err
}

// ProposeMessage: Propose a message into an existing chat; it is sent when an employee approves it on the chat page. POST /v2/messages/proposals
func (c *Client) ProposeMessage(ctx context.Context, body V2NewProposal, options ...Option) (V2ProposalResponse, error) {
	var result V2ProposalResponse
	err := c.call(ctx, "POST", "/v2/messages/proposals", "accessToken", nil, body, &result, options...)
	return result, err
}

// GetProposal: Get what became of a proposed message. GET /v2/messages/proposals/{id}
func (c *Client) GetProposal(ctx context.Context, id string) (V2ProposalResponse, error) {
	var result V2ProposalResponse
	err := c.call(ctx, "GET", pathOf("/v2/messages/proposals/%s", id), "accessToken", nil, nil, &result)
	return result, err
}

// SearchMessagesQuery is the query of SearchMessages. Nil fields are not sent.
type SearchMessagesQuery struct {
	// Words that the message has, in any order; each also matches the beginning of a word
	Text *string
	// Only what is older: a cursor from `meta.next`, or a time
	Before *string
	// 1 to 100; default 50. A page of long texts is shorter
	Limit *int64
}

func (q *SearchMessagesQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "text", q.Text)
	addTo(values, "before", q.Before)
	addTo(values, "limit", q.Limit)
	return values
}

// SearchMessages: Find messages by their words in all chats, newest first. Messages of the last seconds may be missing. GET /v2/messages/search
func (c *Client) SearchMessages(ctx context.Context, query *SearchMessagesQuery) (V2ListMessagesResponse, error) {
	var result V2ListMessagesResponse
	err := c.call(ctx, "GET", "/v2/messages/search", "accessToken", query.values(), nil, &result)
	return result, err
}

// EachSearchMessages calls use with the items of all pages of SearchMessages, until it returns an error.
func (c *Client) EachSearchMessages(ctx context.Context, query *SearchMessagesQuery, use func(V2Message) error) error {
	next := SearchMessagesQuery{}
	if query != nil {
		next = *query
	}
	for {
		page, err := c.SearchMessages(ctx, &next)
		if err != nil {
			return err
		}
		for _, item := range page.Data {
			if err := use(item); err != nil {
				return err
			}
		}
		if page.Meta.Next == nil {
			return nil
		}
		next.Before = page.Meta.Next
	}
}

// RevokeToken: Revoke a token of the partner, and all tokens of the same grant. POST /v2/oauth/revoke
func (c *Client) RevokeToken(ctx context.Context, body RevokeTokenRequest, options ...Option) (V2DoneResponse, error) {
	var result V2DoneResponse
	err := c.call(ctx, "POST", "/v2/oauth/revoke", "partner", nil, body, &result, options...)
	return result, err
}

// IssueToken: Issue tokens for a partner's password, a machine token, a refresh token or a code. POST /v2/oauth/token
func (c *Client) IssueToken(ctx context.Context, body IssueTokenRequest, options ...Option) (IssueTokenResponse, error) {
	var result IssueTokenResponse
	err := c.call(ctx, "POST", "/v2/oauth/token", "partner", nil, body, &result, options...)
	return result, err
}

// ListV2Pipelines: List the pipelines with their stages. GET /v2/pipelines
func (c *Client) ListV2Pipelines(ctx context.Context) (V2PipelineListResponse, error) {
	var result V2PipelineListResponse
	err := c.call(ctx, "GET", "/v2/pipelines", "accessToken", nil, nil, &result)
	return result, err
}

// ReplaceV2Pipelines: Replace all pipelines. POST /v2/pipelines
func (c *Client) ReplaceV2Pipelines(ctx context.Context, body ReplaceV2PipelinesRequest, options ...Option) (ReplaceV2PipelinesResponse, error) {
	var result ReplaceV2PipelinesResponse
	err := c.call(ctx, "POST", "/v2/pipelines", "accessToken", nil, body, &result, options...)
	return result, err
}

// ListWabaTemplatesQuery is the query of ListWabaTemplates. Nil fields are not sent.
type ListWabaTemplatesQuery struct {
	// 1 to 1,000; default 100
	Limit *int64
	// How many to skip; default 0
	Offset *int64
}

func (q *ListWabaTemplatesQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "limit", q.Limit)
	addTo(values, "offset", q.Offset)
	return values
}

// ListWabaTemplates: List the templates of the WhatsApp Business Platform, by name and language. GET /v2/templates/waba
func (c *Client) ListWabaTemplates(ctx context.Context, query *ListWabaTemplatesQuery) (V2TemplateListResponse, error) {
	var result V2TemplateListResponse
	err := c.call(ctx, "GET", "/v2/templates/waba", "accessToken", query.values(), nil, &result)
	return result, err
}

// EachListWabaTemplates calls use with the items of all pages of ListWabaTemplates, until it returns an error.
func (c *Client) EachListWabaTemplates(ctx context.Context, query *ListWabaTemplatesQuery, use func(V2Template) error) error {
	next := ListWabaTemplatesQuery{}
	if query != nil {
		next = *query
	}
	for {
		page, err := c.ListWabaTemplates(ctx, &next)
		if err != nil {
			return err
		}
		for _, item := range page.Data {
			if err := use(item); err != nil {
				return err
			}
		}
		if len(page.Data) == 0 {
			return nil
		}
		next.Offset = Ptr(valueOf(next.Offset) + int64(len(page.Data)))
	}
}

// CreateWabaTemplate: Submit a template for approval; a webhook reports the result. The fields may also be in `template`. POST /v2/templates/waba
func (c *Client) CreateWabaTemplate(ctx context.Context, body CreateWabaTemplateRequest, options ...Option) (V2TemplateResponse, error) {
	var result V2TemplateResponse
	err := c.call(ctx, "POST", "/v2/templates/waba", "accessToken", nil, body, &result, options...)
	return result, err
}

// ChangeWabaTemplate: Change a template's content or category; it is moderated again. PATCH /v2/templates/waba
func (c *Client) ChangeWabaTemplate(ctx context.Context, body ChangeWabaTemplateRequest) (V2TemplateResponse, error) {
	var result V2TemplateResponse
	err := c.call(ctx, "PATCH", "/v2/templates/waba", "accessToken", nil, body, &result)
	return result, err
}

// RemoveWabaTemplateQuery is the query of RemoveWabaTemplate. Nil fields are not sent.
type RemoveWabaTemplateQuery struct {
	// Id of the template
	TemplateID *string
}

func (q *RemoveWabaTemplateQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "template_id", q.TemplateID)
	return values
}

// RemoveWabaTemplate: Delete a template of the business. DELETE /v2/templates/waba
func (c *Client) RemoveWabaTemplate(ctx context.Context, query *RemoveWabaTemplateQuery) (V2DoneResponse, error) {
	var result V2DoneResponse
	err := c.call(ctx, "DELETE", "/v2/templates/waba", "accessToken", query.values(), nil, &result)
	return result, err
}

// GetWabaTemplate: Get a template of the WhatsApp Business Platform. GET /v2/templates/waba/{template_id}
func (c *Client) GetWabaTemplate(ctx context.Context, templateID string) (V2TemplateResponse, error) {
	var result V2TemplateResponse
	err := c.call(ctx, "GET", pathOf("/v2/templates/waba/%s", templateID), "accessToken", nil, nil, &result)
	return result, err
}

// ChangeWabaTemplateById: Change a template's content or category; it is moderated again. PATCH /v2/templates/waba/{template_id}
func (c *Client) ChangeWabaTemplateById(ctx context.Context, templateID string, body ChangeWabaTemplateByIdRequest) (V2TemplateResponse, error) {
	var result V2TemplateResponse
	err := c.call(ctx, "PATCH", pathOf("/v2/templates/waba/%s", templateID), "accessToken", nil, body, &result)
	return result, err
}

// RemoveWabaTemplateById: Delete a template of the business. DELETE /v2/templates/waba/{template_id}
func (c *Client) RemoveWabaTemplateById(ctx context.Context, templateID string) (V2DoneResponse, error) {
	var result V2DoneResponse
	err := c.call(ctx, "DELETE", pathOf("/v2/templates/waba/%s", templateID), "accessToken", nil, nil, &result)
	return result, err
}

// ListCannedAnswers: List the canned answers of the account, by order and name. GET /v2/templates/wz
func (c *Client) ListCannedAnswers(ctx context.Context) (V2CannedAnswerListResponse, error) {
	var result V2CannedAnswerListResponse
	err := c.call(ctx, "GET", "/v2/templates/wz", "accessToken", nil, nil, &result)
	return result, err
}

// AddCannedAnswer: Add a canned answer. POST /v2/templates/wz
func (c *Client) AddCannedAnswer(ctx context.Context, body AddCannedAnswerRequest, options ...Option) (V2CannedAnswerResponse, error) {
	var result V2CannedAnswerResponse
	err := c.call(ctx, "POST", "/v2/templates/wz", "accessToken", nil, body, &result, options...)
	return result, err
}

// GetCannedAnswer: Get a canned answer. GET /v2/templates/wz/{template_id}
func (c *Client) GetCannedAnswer(ctx context.Context, templateID string) (V2CannedAnswerResponse, error) {
	var result V2CannedAnswerResponse
	err := c.call(ctx, "GET", pathOf("/v2/templates/wz/%s", templateID), "accessToken", nil, nil, &result)
	return result, err
}

// ChangeCannedAnswer: Change a canned answer; omitted fields keep their value. PATCH /v2/templates/wz/{template_id}
func (c *Client) ChangeCannedAnswer(ctx context.Context, templateID string, body ChangeCannedAnswerRequest) (V2CannedAnswerResponse, error) {
	var result V2CannedAnswerResponse
	err := c.call(ctx, "PATCH", pathOf("/v2/templates/wz/%s", templateID), "accessToken", nil, body, &result)
	return result, err
}

// RemoveCannedAnswer: Delete a canned answer. DELETE /v2/templates/wz/{template_id}
func (c *Client) RemoveCannedAnswer(ctx context.Context, templateID string) (V2DoneResponse, error) {
	var result V2DoneResponse
	err := c.call(ctx, "DELETE", pathOf("/v2/templates/wz/%s", templateID), "accessToken", nil, nil, &result)
	return result, err
}

// ListV2UsersQuery is the query of ListV2Users. Nil fields are not sent.
type ListV2UsersQuery struct {
	// How many to skip; default 0
	Offset *int64
}

func (q *ListV2UsersQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "offset", q.Offset)
	return values
}

// ListV2Users: List users, in pages. GET /v2/users
func (c *Client) ListV2Users(ctx context.Context, query *ListV2UsersQuery) (V2UserListResponse, error) {
	var result V2UserListResponse
	err := c.call(ctx, "GET", "/v2/users", "accessToken", query.values(), nil, &result)
	return result, err
}

// EachListV2Users calls use with the items of all pages of ListV2Users, until it returns an error.
func (c *Client) EachListV2Users(ctx context.Context, query *ListV2UsersQuery, use func(V2User) error) error {
	next := ListV2UsersQuery{}
	if query != nil {
		next = *query
	}
	for {
		page, err := c.ListV2Users(ctx, &next)
		if err != nil {
			return err
		}
		for _, item := range page.Data {
			if err := use(item); err != nil {
				return err
			}
		}
		if len(page.Data) == 0 {
			return nil
		}
		next.Offset = Ptr(valueOf(next.Offset) + int64(len(page.Data)))
	}
}

// SaveV2Users: Add or replace users: all, or none if one is invalid. POST /v2/users
func (c *Client) SaveV2Users(ctx context.Context, body SaveV2UsersRequest, options ...Option) (V2StoredEntitiesResponse, error) {
	var result V2StoredEntitiesResponse
	err := c.call(ctx, "POST", "/v2/users", "accessToken", nil, body, &result, options...)
	return result, err
}

// ChangeV2Users: Change users; omitted fields keep their value. PATCH /v2/users
func (c *Client) ChangeV2Users(ctx context.Context, body ChangeV2UsersRequest) (V2ProcessedEntitiesResponse, error) {
	var result V2ProcessedEntitiesResponse
	err := c.call(ctx, "PATCH", "/v2/users", "accessToken", nil, body, &result)
	return result, err
}

// RemoveV2Users: Delete users by id. DELETE /v2/users
func (c *Client) RemoveV2Users(ctx context.Context, body RemoveV2UsersRequest) (V2ProcessedEntitiesResponse, error) {
	var result V2ProcessedEntitiesResponse
	err := c.call(ctx, "DELETE", "/v2/users", "accessToken", nil, body, &result)
	return result, err
}

// GetV2User: Get one of the users. GET /v2/users/{id}
func (c *Client) GetV2User(ctx context.Context, id string) (V2UserResponse, error) {
	var result V2UserResponse
	err := c.call(ctx, "GET", pathOf("/v2/users/%s", id), "accessToken", nil, nil, &result)
	return result, err
}

// RemoveV2User: Delete one of the users. DELETE /v2/users/{id}
func (c *Client) RemoveV2User(ctx context.Context, id string) (V2DoneResponse, error) {
	var result V2DoneResponse
	err := c.call(ctx, "DELETE", pathOf("/v2/users/%s", id), "accessToken", nil, nil, &result)
	return result, err
}

// ListSubscriptions: List the subscriptions of addresses to events. GET /v2/webhooks
func (c *Client) ListSubscriptions(ctx context.Context) (V2SubscriptionListResponse, error) {
	var result V2SubscriptionListResponse
	err := c.call(ctx, "GET", "/v2/webhooks", "accessToken", nil, nil, &result)
	return result, err
}

// AddSubscriptions: Subscribe addresses to events: all, or none if one is invalid. POST /v2/webhooks
func (c *Client) AddSubscriptions(ctx context.Context, body AddSubscriptionsRequest, options ...Option) (V2SubscriptionListResponse, error) {
	var result V2SubscriptionListResponse
	err := c.call(ctx, "POST", "/v2/webhooks", "accessToken", nil, body, &result, options...)
	return result, err
}

// ChangeSubscriptions: Change subscriptions; omitted fields keep their value. PATCH /v2/webhooks
func (c *Client) ChangeSubscriptions(ctx context.Context, body ChangeSubscriptionsRequest) (V2SubscriptionListResponse, error) {
	var result V2SubscriptionListResponse
	err := c.call(ctx, "PATCH", "/v2/webhooks", "accessToken", nil, body, &result)
	return result, err
}

// RemoveSubscriptions: Delete subscriptions by id. DELETE /v2/webhooks
func (c *Client) RemoveSubscriptions(ctx context.Context, body RemoveSubscriptionsRequest) (V2DoneResponse, error) {
	var result V2DoneResponse
	err := c.call(ctx, "DELETE", "/v2/webhooks", "accessToken", nil, body, &result)
	return result, err
}

// ListAuditQuery is the query of ListAudit. Nil fields are not sent.
type ListAuditQuery struct {
	// Entries per page, 1 to 1000; default 100
	Limit *int64
	// `next` of the previous page
	Cursor *string
	// Changes of this kind only
	Action *string
}

func (q *ListAuditQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "limit", q.Limit)
	addTo(values, "cursor", q.Cursor)
	addTo(values, "action", q.Action)
	return values
}

// ListAudit: List the changes in the account, newest first. GET /v3/audit
func (c *Client) ListAudit(ctx context.Context, query *ListAuditQuery) (ListAuditResponse, error) {
	var result ListAuditResponse
	err := c.call(ctx, "GET", "/v3/audit", "apiKey", query.values(), nil, &result)
	return result, err
}

// EachListAudit calls use with the items of all pages of ListAudit, until it returns an error.
func (c *Client) EachListAudit(ctx context.Context, query *ListAuditQuery, use func(V3AuditEntry) error) error {
	next := ListAuditQuery{}
	if query != nil {
		next = *query
	}
	for {
		page, err := c.ListAudit(ctx, &next)
		if err != nil {
			return err
		}
		for _, item := range page.Data {
			if err := use(item); err != nil {
				return err
			}
		}
		if page.Next == nil {
			return nil
		}
		next.Cursor = page.Next
	}
}

// ListV3Channels: List the channels of the account, in short form. GET /v3/channels
func (c *Client) ListV3Channels(ctx context.Context) ([]V3Channel, error) {
	var result []V3Channel
	err := c.call(ctx, "GET", "/v3/channels", "apiKey", nil, nil, &result)
	return result, err
}

// ListContactsQuery is the query of ListContacts. Nil fields are not sent.
type ListContactsQuery struct {
	// How many to skip; default 0
	Offset *int64
}

func (q *ListContactsQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "offset", q.Offset)
	return values
}

// ListContacts: List contacts in pages of 100, by id. GET /v3/contacts
func (c *Client) ListContacts(ctx context.Context, query *ListContactsQuery) (ListContactsResponse, error) {
	var result ListContactsResponse
	err := c.call(ctx, "GET", "/v3/contacts", "apiKey", query.values(), nil, &result)
	return result, err
}

// EachListContacts calls use with the items of all pages of ListContacts, until it returns an error.
func (c *Client) EachListContacts(ctx context.Context, query *ListContactsQuery, use func(V3Contact) error) error {
	next := ListContactsQuery{}
	if query != nil {
		next = *query
	}
	for {
		page, err := c.ListContacts(ctx, &next)
		if err != nil {
			return err
		}
		for _, item := range page.Data {
			if err := use(item); err != nil {
				return err
			}
		}
		if len(page.Data) == 0 {
			return nil
		}
		next.Offset = Ptr(valueOf(next.Offset) + int64(len(page.Data)))
	}
}

// SaveContacts: Add or replace contacts: all, or none if one is invalid. POST /v3/contacts
func (c *Client) SaveContacts(ctx context.Context, body []V3NewContact, options ...Option) (V3Nothing, error) {
	var result V3Nothing
	err := c.call(ctx, "POST", "/v3/contacts", "apiKey", nil, body, &result, options...)
	return result, err
}

// GetContact: Get one of the contacts. GET /v3/contacts/{id}
func (c *Client) GetContact(ctx context.Context, id string) (V3Contact, error) {
	var result V3Contact
	err := c.call(ctx, "GET", pathOf("/v3/contacts/%s", id), "apiKey", nil, nil, &result)
	return result, err
}

// RemoveContact: Delete one of the contacts. DELETE /v3/contacts/{id}
func (c *Client) RemoveContact(ctx context.Context, id string) (V3Nothing, error) {
	var result V3Nothing
	err := c.call(ctx, "DELETE", pathOf("/v3/contacts/%s", id), "apiKey", nil, nil, &result)
	return result, err
}

// BulkDeleteContacts: Delete several of the contacts; the response lists those that did not exist. PATCH /v3/contacts/bulk_delete
func (c *Client) BulkDeleteContacts(ctx context.Context, body []any) ([]string, error) {
	var result []string
	err := c.call(ctx, "PATCH", "/v3/contacts/bulk_delete", "apiKey", nil, body, &result)
	return result, err
}

// ListDealsQuery is the query of ListDeals. Nil fields are not sent.
type ListDealsQuery struct {
	// How many to skip; default 0
	Offset *int64
}

func (q *ListDealsQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "offset", q.Offset)
	return values
}

// ListDeals: List deals in pages of 100, by id. GET /v3/deals
func (c *Client) ListDeals(ctx context.Context, query *ListDealsQuery) (ListDealsResponse, error) {
	var result ListDealsResponse
	err := c.call(ctx, "GET", "/v3/deals", "apiKey", query.values(), nil, &result)
	return result, err
}

// EachListDeals calls use with the items of all pages of ListDeals, until it returns an error.
func (c *Client) EachListDeals(ctx context.Context, query *ListDealsQuery, use func(V3Deal) error) error {
	next := ListDealsQuery{}
	if query != nil {
		next = *query
	}
	for {
		page, err := c.ListDeals(ctx, &next)
		if err != nil {
			return err
		}
		for _, item := range page.Data {
			if err := use(item); err != nil {
				return err
			}
		}
		if len(page.Data) == 0 {
			return nil
		}
		next.Offset = Ptr(valueOf(next.Offset) + int64(len(page.Data)))
	}
}

// SaveDeals: Add or replace deals: all, or none if one is invalid. POST /v3/deals
func (c *Client) SaveDeals(ctx context.Context, body []V3NewDeal, options ...Option) (V3Nothing, error) {
	var result V3Nothing
	err := c.call(ctx, "POST", "/v3/deals", "apiKey", nil, body, &result, options...)
	return result, err
}

// GetDeal: Get one of the deals. GET /v3/deals/{id}
func (c *Client) GetDeal(ctx context.Context, id string) (V3Deal, error) {
	var result V3Deal
	err := c.call(ctx, "GET", pathOf("/v3/deals/%s", id), "apiKey", nil, nil, &result)
	return result, err
}

// RemoveDeal: Delete one of the deals. DELETE /v3/deals/{id}
func (c *Client) RemoveDeal(ctx context.Context, id string) (V3Nothing, error) {
	var result V3Nothing
	err := c.call(ctx, "DELETE", pathOf("/v3/deals/%s", id), "apiKey", nil, nil, &result)
	return result, err
}

// BulkDeleteDeals: Delete several of the deals; the response lists those that did not exist. PATCH /v3/deals/bulk_delete
func (c *Client) BulkDeleteDeals(ctx context.Context, body []any) ([]string, error) {
	var result []string
	err := c.call(ctx, "PATCH", "/v3/deals/bulk_delete", "apiKey", nil, body, &result)
	return result, err
}

// LinkToChats: Create a one-time link to the chat page. POST /v3/iframe
func (c *Client) LinkToChats(ctx context.Context, body LinkToChatsRequest, options ...Option) (LinkToChatsResponse, error) {
	var result LinkToChatsResponse
	err := c.call(ctx, "POST", "/v3/iframe", "apiKey", nil, body, &result, options...)
	return result, err
}

// SendV3Message: Send a message; webhooks report its status. POST /v3/message
func (c *Client) SendV3Message(ctx context.Context, body SendV3MessageRequest, options ...Option) (SendV3MessageResponse, error) {
	var result SendV3MessageResponse
	err := c.call(ctx, "POST", "/v3/message", "apiKey", nil, body, &result, options...)
	return result, err
}

// EditV3Message: Edit a sent message in the messenger, within 15 minutes of its delivery. PATCH /v3/message/{id}
func (c *Client) EditV3Message(ctx context.Context, id string, body EditV3MessageRequest) (V3ChangedMessage, error) {
	var result V3ChangedMessage
	err := c.call(ctx, "PATCH", pathOf("/v3/message/%s", id), "apiKey", nil, body, &result)
	return result, err
}

// RemoveV3Message: Delete a sent message for both sides. DELETE /v3/message/{id}
func (c *Client) RemoveV3Message(ctx context.Context, id string) (V3ChangedMessage, error) {
	var result V3ChangedMessage
	err := c.call(ctx, "DELETE", pathOf("/v3/message/%s", id), "apiKey", nil, nil, &result)
	return result, err
}

// ListPipelines: List the pipelines with their stages. GET /v3/pipelines
func (c *Client) ListPipelines(ctx context.Context) ([]V3Pipeline, error) {
	var result []V3Pipeline
	err := c.call(ctx, "GET", "/v3/pipelines", "apiKey", nil, nil, &result)
	return result, err
}

// ReplacePipelines: Replace all pipelines. POST /v3/pipelines
func (c *Client) ReplacePipelines(ctx context.Context, body []V3NewPipeline, options ...Option) (V3Nothing, error) {
	var result V3Nothing
	err := c.call(ctx, "POST", "/v3/pipelines", "apiKey", nil, body, &result, options...)
	return result, err
}

// ListTemplatesQuery is the query of ListTemplates. Nil fields are not sent.
type ListTemplatesQuery struct {
	// 1 to 1,000; default 100
	Limit *int64
	// How many to skip; default 0
	Offset *int64
}

func (q *ListTemplatesQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "limit", q.Limit)
	addTo(values, "offset", q.Offset)
	return values
}

// ListTemplates: List the templates of the WhatsApp Business Platform, by name and language. GET /v3/templates/whatsapp
func (c *Client) ListTemplates(ctx context.Context, query *ListTemplatesQuery) ([]V3Template, error) {
	var result []V3Template
	err := c.call(ctx, "GET", "/v3/templates/whatsapp", "apiKey", query.values(), nil, &result)
	return result, err
}

// CountUnanswered: Count an employee's unanswered messages of the last 7 days. GET /v3/unanswered/{userId}
func (c *Client) CountUnanswered(ctx context.Context, userID string) (CountUnansweredResponse, error) {
	var result CountUnansweredResponse
	err := c.call(ctx, "GET", pathOf("/v3/unanswered/%s", userID), "apiKey", nil, nil, &result)
	return result, err
}

// ListUsers: List the employees, by name. GET /v3/users
func (c *Client) ListUsers(ctx context.Context) ([]V3UserName, error) {
	var result []V3UserName
	err := c.call(ctx, "GET", "/v3/users", "apiKey", nil, nil, &result)
	return result, err
}

// SaveUsers: Add or change employees: all, or none if one is invalid. POST /v3/users
func (c *Client) SaveUsers(ctx context.Context, body []V3NewUser, options ...Option) (V3Nothing, error) {
	var result V3Nothing
	err := c.call(ctx, "POST", "/v3/users", "apiKey", nil, body, &result, options...)
	return result, err
}

// GetUser: Get one of the users. GET /v3/users/{id}
func (c *Client) GetUser(ctx context.Context, id string) (V3User, error) {
	var result V3User
	err := c.call(ctx, "GET", pathOf("/v3/users/%s", id), "apiKey", nil, nil, &result)
	return result, err
}

// RemoveUser: Delete one of the users. DELETE /v3/users/{id}
func (c *Client) RemoveUser(ctx context.Context, id string) (V3Nothing, error) {
	var result V3Nothing
	err := c.call(ctx, "DELETE", pathOf("/v3/users/%s", id), "apiKey", nil, nil, &result)
	return result, err
}

// BulkDeleteUsers: Delete several of the users; the response lists those that did not exist. PATCH /v3/users/bulk_delete
func (c *Client) BulkDeleteUsers(ctx context.Context, body []any) ([]string, error) {
	var result []string
	err := c.call(ctx, "PATCH", "/v3/users/bulk_delete", "apiKey", nil, body, &result)
	return result, err
}

// GetWebhooks: Get the webhook address and its subscriptions. GET /v3/webhooks
func (c *Client) GetWebhooks(ctx context.Context) (GetWebhooksResponse, error) {
	var result GetWebhooksResponse
	err := c.call(ctx, "GET", "/v3/webhooks", "apiKey", nil, nil, &result)
	return result, err
}

// ChangeWebhooks: Set the webhook address and its subscriptions. PATCH /v3/webhooks
func (c *Client) ChangeWebhooks(ctx context.Context, body ChangeWebhooksRequest) (string, error) {
	var result string
	err := c.call(ctx, "PATCH", "/v3/webhooks", "apiKey", nil, body, &result)
	return result, err
}

// ListDeliveriesQuery is the query of ListDeliveries. Nil fields are not sent.
type ListDeliveriesQuery struct {
	// The receiver; default: the account's v3 address
	ReceiverID *string
	// Id of the channel
	ChannelID *string
	// Such as messages or channel.create
	Kind *string
	// delivered, refused or failed
	Result *string
	// Id of the object that the events are about
	MessageID *string
	// Start of the period
	From *string
	// End of the period
	To *string
	// Entries per page, 1 to 1000; default 100
	Limit *int64
	// `next` of the previous page
	Cursor *string
	// Number of the event
	EventID *int64
	// Id of the replay
	ReplayID *string
}

func (q *ListDeliveriesQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "receiverId", q.ReceiverID)
	addTo(values, "channelId", q.ChannelID)
	addTo(values, "kind", q.Kind)
	addTo(values, "result", q.Result)
	addTo(values, "messageId", q.MessageID)
	addTo(values, "from", q.From)
	addTo(values, "to", q.To)
	addTo(values, "limit", q.Limit)
	addTo(values, "cursor", q.Cursor)
	addTo(values, "eventId", q.EventID)
	addTo(values, "replayId", q.ReplayID)
	return values
}

// ListDeliveries: List the requests to receivers of the last 30 days, newest first. GET /v3/webhooks/deliveries
func (c *Client) ListDeliveries(ctx context.Context, query *ListDeliveriesQuery) (ListDeliveriesResponse, error) {
	var result ListDeliveriesResponse
	err := c.call(ctx, "GET", "/v3/webhooks/deliveries", "apiKey", query.values(), nil, &result)
	return result, err
}

// EachListDeliveries calls use with the items of all pages of ListDeliveries, until it returns an error.
func (c *Client) EachListDeliveries(ctx context.Context, query *ListDeliveriesQuery, use func(V3Delivery) error) error {
	next := ListDeliveriesQuery{}
	if query != nil {
		next = *query
	}
	for {
		page, err := c.ListDeliveries(ctx, &next)
		if err != nil {
			return err
		}
		for _, item := range page.Data {
			if err := use(item); err != nil {
				return err
			}
		}
		if page.Next == nil {
			return nil
		}
		next.Cursor = page.Next
	}
}

// GetDelivery: Get a request with its body, headers and response. GET /v3/webhooks/deliveries/{id}
func (c *Client) GetDelivery(ctx context.Context, id string) (V3DeliveryDetails, error) {
	var result V3DeliveryDetails
	err := c.call(ctx, "GET", pathOf("/v3/webhooks/deliveries/%s", id), "apiKey", nil, nil, &result)
	return result, err
}

// DiscardParkedQuery is the query of DiscardParked. Nil fields are not sent.
type DiscardParkedQuery struct {
	// The receiver; default: the account's v3 address
	ReceiverID *string
}

func (q *DiscardParkedQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "receiverId", q.ReceiverID)
	return values
}

// DiscardParked: Discard parked events; a replay that was requested before may still send them. POST /v3/webhooks/discard
func (c *Client) DiscardParked(ctx context.Context, body DiscardParkedRequest, query *DiscardParkedQuery, options ...Option) (DiscardParkedResponse, error) {
	var result DiscardParkedResponse
	err := c.call(ctx, "POST", "/v3/webhooks/discard", "apiKey", query.values(), body, &result, options...)
	return result, err
}

// ListParkedQuery is the query of ListParked. Nil fields are not sent.
type ListParkedQuery struct {
	// The receiver; default: the account's v3 address
	ReceiverID *string
	// Entries per page, 1 to 1000; default 100
	Limit *int64
	// `next` of the previous page
	Cursor *string
}

func (q *ListParkedQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "receiverId", q.ReceiverID)
	addTo(values, "limit", q.Limit)
	addTo(values, "cursor", q.Cursor)
	return values
}

// ListParked: List the events that a receiver rejected until the end of their retry schedule, newest first. GET /v3/webhooks/parked
func (c *Client) ListParked(ctx context.Context, query *ListParkedQuery) (ListParkedResponse, error) {
	var result ListParkedResponse
	err := c.call(ctx, "GET", "/v3/webhooks/parked", "apiKey", query.values(), nil, &result)
	return result, err
}

// EachListParked calls use with the items of all pages of ListParked, until it returns an error.
func (c *Client) EachListParked(ctx context.Context, query *ListParkedQuery, use func(V3ParkedEvent) error) error {
	next := ListParkedQuery{}
	if query != nil {
		next = *query
	}
	for {
		page, err := c.ListParked(ctx, &next)
		if err != nil {
			return err
		}
		for _, item := range page.Data {
			if err := use(item); err != nil {
				return err
			}
		}
		if page.Next == nil {
			return nil
		}
		next.Cursor = page.Next
	}
}

// PauseReceiverQuery is the query of PauseReceiver. Nil fields are not sent.
type PauseReceiverQuery struct {
	// The receiver; default: the account's v3 address
	ReceiverID *string
}

func (q *PauseReceiverQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "receiverId", q.ReceiverID)
	return values
}

// PauseReceiver: Pause a receiver; its events are kept. POST /v3/webhooks/pause
func (c *Client) PauseReceiver(ctx context.Context, query *PauseReceiverQuery, options ...Option) (V3Receiver, error) {
	var result V3Receiver
	err := c.call(ctx, "POST", "/v3/webhooks/pause", "apiKey", query.values(), nil, &result, options...)
	return result, err
}

// ListReceivers: List the receivers of webhooks and their health. GET /v3/webhooks/receivers
func (c *Client) ListReceivers(ctx context.Context) ([]V3Receiver, error) {
	var result []V3Receiver
	err := c.call(ctx, "GET", "/v3/webhooks/receivers", "apiKey", nil, nil, &result)
	return result, err
}

// GetReceiver: Get a receiver with its latest notices. GET /v3/webhooks/receivers/{receiverId}
func (c *Client) GetReceiver(ctx context.Context, receiverID string) (V3ReceiverDetails, error) {
	var result V3ReceiverDetails
	err := c.call(ctx, "GET", pathOf("/v3/webhooks/receivers/%s", receiverID), "apiKey", nil, nil, &result)
	return result, err
}

// ChangeReceiver: Set the maximum events per request, and the number of concurrent requests. PATCH /v3/webhooks/receivers/{receiverId}
func (c *Client) ChangeReceiver(ctx context.Context, receiverID string, body ChangeReceiverRequest) (V3Receiver, error) {
	var result V3Receiver
	err := c.call(ctx, "PATCH", pathOf("/v3/webhooks/receivers/%s", receiverID), "apiKey", nil, body, &result)
	return result, err
}

// ReplayDeliveries: Replay deliveries: selected ones, those of a period, or parked events. POST /v3/webhooks/replay
func (c *Client) ReplayDeliveries(ctx context.Context, body ReplayDeliveriesRequest, options ...Option) (V3Replay, error) {
	var result V3Replay
	err := c.call(ctx, "POST", "/v3/webhooks/replay", "apiKey", nil, body, &result, options...)
	return result, err
}

// GetReplay: Get the progress of a replay. GET /v3/webhooks/replay/{id}
func (c *Client) GetReplay(ctx context.Context, id string) (V3Replay, error) {
	var result V3Replay
	err := c.call(ctx, "GET", pathOf("/v3/webhooks/replay/%s", id), "apiKey", nil, nil, &result)
	return result, err
}

// ResumeReceiverQuery is the query of ResumeReceiver. Nil fields are not sent.
type ResumeReceiverQuery struct {
	// The receiver; default: the account's v3 address
	ReceiverID *string
}

func (q *ResumeReceiverQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "receiverId", q.ReceiverID)
	return values
}

// ResumeReceiver: Resume a paused receiver; kept events are delivered first. POST /v3/webhooks/resume
func (c *Client) ResumeReceiver(ctx context.Context, query *ResumeReceiverQuery, options ...Option) (V3Receiver, error) {
	var result V3Receiver
	err := c.call(ctx, "POST", "/v3/webhooks/resume", "apiKey", query.values(), nil, &result, options...)
	return result, err
}

// GetWebhookSecretQuery is the query of GetWebhookSecret. Nil fields are not sent.
type GetWebhookSecretQuery struct {
	// The receiver; default: the account's v3 address
	ReceiverID *string
}

func (q *GetWebhookSecretQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "receiverId", q.ReceiverID)
	return values
}

// GetWebhookSecret: Get the secret that signs webhooks. GET /v3/webhooks/secret
func (c *Client) GetWebhookSecret(ctx context.Context, query *GetWebhookSecretQuery) (V3WebhookSecret, error) {
	var result V3WebhookSecret
	err := c.call(ctx, "GET", "/v3/webhooks/secret", "apiKey", query.values(), nil, &result)
	return result, err
}

// RotateWebhookSecretQuery is the query of RotateWebhookSecret. Nil fields are not sent.
type RotateWebhookSecretQuery struct {
	// The receiver; default: the account's v3 address
	ReceiverID *string
}

func (q *RotateWebhookSecretQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "receiverId", q.ReceiverID)
	return values
}

// RotateWebhookSecret: Create a new secret; for a time requests are signed with both. POST /v3/webhooks/secret
func (c *Client) RotateWebhookSecret(ctx context.Context, body RotateWebhookSecretRequest, query *RotateWebhookSecretQuery, options ...Option) (V3WebhookSecret, error) {
	var result V3WebhookSecret
	err := c.call(ctx, "POST", "/v3/webhooks/secret", "apiKey", query.values(), body, &result, options...)
	return result, err
}

// TestReceiverQuery is the query of TestReceiver. Nil fields are not sent.
type TestReceiverQuery struct {
	// The receiver; default: the account's v3 address
	ReceiverID *string
}

func (q *TestReceiverQuery) values() url.Values {
	if q == nil {
		return nil
	}
	values := url.Values{}
	addTo(values, "receiverId", q.ReceiverID)
	return values
}

// TestReceiver: Send a receiver an example of each event it is subscribed to, marked as a test. POST /v3/webhooks/test
func (c *Client) TestReceiver(ctx context.Context, query *TestReceiverQuery, options ...Option) ([]struct {
	// Kind of event
	Kind string `json:"kind"`
	// Whether the receiver accepted it
	Ok bool `json:"ok"`
	// HTTP status of the response; null if there was none
	Status *int64 `json:"status"`
	// Why there was no response
	Failure *string `json:"failure"`
	// Duration in milliseconds
	DurationMs int64 `json:"durationMs"`
}, error) {
	var result []struct {
		// Kind of event
		Kind string `json:"kind"`
		// Whether the receiver accepted it
		Ok bool `json:"ok"`
		// HTTP status of the response; null if there was none
		Status *int64 `json:"status"`
		// Why there was no response
		Failure *string `json:"failure"`
		// Duration in milliseconds
		DurationMs int64 `json:"durationMs"`
	}
	err := c.call(ctx, "POST", "/v3/webhooks/test", "apiKey", query.values(), nil, &result, options...)
	return result, err
}
