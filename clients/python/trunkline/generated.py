# Made from docs/openapi.json by `npm run docs`; what is changed here is lost.
from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, Optional, TypedDict, Union

from ._http import Http, segment


TestReceiverResultItem = TypedDict("TestReceiverResultItem", {
    # Kind of event
    "kind": str,
    # Whether the receiver accepted it
    "ok": bool,
    # HTTP status of the response; null if there was none
    "status": Optional[int],
    # Why there was no response
    "failure": Optional[str],
    # Duration in milliseconds
    "durationMs": int,
})


AddCannedAnswerRequest = TypedDict("AddCannedAnswerRequest", {
    # One word, typed after `/` on the chat page; unique within the account regardless of case
    "name": str,
    # The text; the chat page fills in `{{contact}}` and `{{employee}}`
    "text": str,
    # Its place in lists; answers with the same place are sorted by name
    "order": NotRequired[int],
    # Canned answers have no files
    "files": NotRequired[List[Any]],
})


AddSubscriptionsRequestDataItem = TypedDict("AddSubscriptionsRequestDataItem", {
    # The receiver's address, at most 200 characters; "" after it was removed
    "url": str,
    # The event that is sent there
    "event": Literal["message.add", "message.status_update", "message.edit", "message.delete", "message.reaction", "channel.create", "channel.delete", "channel.status_update", "channel.qr_update", "channel.waba_tier_update", "channel.history", "phones.checked", "waba_template.status_update", "crm_entities.contact_add", "crm_entities.deal_add", "group_chat.update", "group_chat.memberships_update", "messages_dump.status_update"],
})


AddSubscriptionsRequest = TypedDict("AddSubscriptionsRequest", {
    # The result
    "data": List["AddSubscriptionsRequestDataItem"],
})


ChangeCannedAnswerRequest = TypedDict("ChangeCannedAnswerRequest", {
    # One word, typed after `/` on the chat page; unique within the account regardless of case
    "name": NotRequired[str],
    # The text; the chat page fills in `{{contact}}` and `{{employee}}`
    "text": NotRequired[str],
    # Its place in lists; answers with the same place are sorted by name
    "order": NotRequired[int],
    # Canned answers have no files
    "files": NotRequired[List[Any]],
})


ChangeGroupRequestParticipantsAddItem = TypedDict("ChangeGroupRequestParticipantsAddItem", {
    # Id of the person in the messenger, as in `sender.id` of messages
    "chat_id": NotRequired[str],
    # Phone number with its country code
    "phone": NotRequired[str],
    # Username, where the messenger has them
    "username": NotRequired[str],
})


ChangeGroupRequestParticipantsRemoveItem = TypedDict("ChangeGroupRequestParticipantsRemoveItem", {
    # Id of the person in the messenger, as in `sender.id` of messages
    "chat_id": NotRequired[str],
    # Phone number with its country code
    "phone": NotRequired[str],
    # Username, where the messenger has them
    "username": NotRequired[str],
})


ChangeGroupRequestParticipants = TypedDict("ChangeGroupRequestParticipants", {
    # People to add
    "add": NotRequired[List["ChangeGroupRequestParticipantsAddItem"]],
    # People to remove
    "remove": NotRequired[List["ChangeGroupRequestParticipantsRemoveItem"]],
})


ChangeGroupRequestRolesPromoteItem = TypedDict("ChangeGroupRequestRolesPromoteItem", {
    # Id of the person in the messenger, as in `sender.id` of messages
    "chat_id": NotRequired[str],
    # Phone number with its country code
    "phone": NotRequired[str],
    # Username, where the messenger has them
    "username": NotRequired[str],
})


ChangeGroupRequestRolesDemoteItem = TypedDict("ChangeGroupRequestRolesDemoteItem", {
    # Id of the person in the messenger, as in `sender.id` of messages
    "chat_id": NotRequired[str],
    # Phone number with its country code
    "phone": NotRequired[str],
    # Username, where the messenger has them
    "username": NotRequired[str],
})


ChangeGroupRequestRoles = TypedDict("ChangeGroupRequestRoles", {
    # Members who become admins
    "promote": NotRequired[List["ChangeGroupRequestRolesPromoteItem"]],
    # Admins who become plain members
    "demote": NotRequired[List["ChangeGroupRequestRolesDemoteItem"]],
})


ChangeGroupRequest = TypedDict("ChangeGroupRequest", {
    # The channel
    "channel_id": str,
    # Name of the group
    "name": NotRequired[str],
    # Direct http or https link to a picture, on a public address
    "picture_uri": NotRequired[str],
    # true: the group has no picture any more; not together with picture_uri
    "remove_picture": NotRequired[bool],
    # Changes of the members
    "participants": NotRequired["ChangeGroupRequestParticipants"],
    # Changes of roles
    "roles": NotRequired["ChangeGroupRequestRoles"],
})


ChangeGroupResponseDataResultsItemParticipant = TypedDict("ChangeGroupResponseDataResultsItemParticipant", {
    # The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
    "chat_id": NotRequired[str],
    # International, digits only
    "phone": NotRequired[str],
    # Username without the @
    "username": NotRequired[str],
})


ChangeGroupResponseDataResultsItem = TypedDict("ChangeGroupResponseDataResultsItem", {
    # The change
    "change": Literal["add", "remove", "promote", "demote"],
    # The person as the request names them
    "participant": "ChangeGroupResponseDataResultsItemParticipant",
    # Id of the person in the messenger, if known
    "chat_id": Optional[str],
    # done; invitation_needed: the person's settings let them join by an invitation only; unknown: there is no such account; already: they are a member or have the role; not_a_member; left_recently: they can only return by themselves; full: the group or the person's list of groups; protected: they cannot be changed by the channel's account; refused
    "result": Literal["done", "invitation_needed", "unknown", "already", "not_a_member", "left_recently", "full", "protected", "refused"],
    # The messenger's own reason
    "details": Optional[str],
})


ChangeGroupResponseData = TypedDict("ChangeGroupResponseData", {
    # The channel
    "channel_id": str,
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The group's id in the messenger
    "chat_id": str,
    # What became of each person of the request
    "results": List["ChangeGroupResponseDataResultsItem"],
})


ChangeGroupResponse = TypedDict("ChangeGroupResponse", {
    # The result
    "data": "ChangeGroupResponseData",
    "meta": "V2Meta",
})


ChangePacingRequest = TypedDict("ChangePacingRequest", {
    # Messages of the channel per minute
    "per_minute": NotRequired[float],
    # Messages of one chat per minute
    "chat_per_minute": NotRequired[float],
    # Maximum random delay before a message, in milliseconds
    "jitter_ms": NotRequired[int],
    # First contacts in 24 hours once the warm-up is over; null: no limit
    "first_contacts_per_day": NotRequired[int],
    # Days in which the allowance of a new channel grows; 0: the full allowance immediately
    "warm_up_days": NotRequired[int],
    # Limits to reset to the messenger's defaults
    "reset": NotRequired[List[Literal["per_minute", "chat_per_minute", "jitter_ms", "first_contacts_per_day", "warm_up_days"]]],
    # true: allow first contacts again, despite the messenger's warning
    "end_hold": NotRequired[bool],
})


ChangeReceiverRequest = TypedDict("ChangeReceiverRequest", {
    # Maximum events per request; 0: the installation's setting
    "maxItems": NotRequired[int],
    # Concurrent requests
    "concurrency": NotRequired[int],
})


ChangeSubscriptionsRequestDataItem = TypedDict("ChangeSubscriptionsRequestDataItem", {
    # Id of the subscription
    "id": str,
    # The receiver's address, at most 200 characters; "" after it was removed
    "url": NotRequired[str],
    # The event that is sent there
    "event": NotRequired[Literal["message.add", "message.status_update", "message.edit", "message.delete", "message.reaction", "channel.create", "channel.delete", "channel.status_update", "channel.qr_update", "channel.waba_tier_update", "channel.history", "phones.checked", "waba_template.status_update", "crm_entities.contact_add", "crm_entities.deal_add", "group_chat.update", "group_chat.memberships_update", "messages_dump.status_update"]],
})


ChangeSubscriptionsRequest = TypedDict("ChangeSubscriptionsRequest", {
    # The result
    "data": List["ChangeSubscriptionsRequestDataItem"],
})


ChangeV2ContactsRequest = TypedDict("ChangeV2ContactsRequest", {
    # The contacts
    "contacts": List["V2ContactChange"],
})


ChangeV2DealsRequest = TypedDict("ChangeV2DealsRequest", {
    # The deals
    "deals": List["V2DealChange"],
})


ChangeV2UsersRequest = TypedDict("ChangeV2UsersRequest", {
    # The employees
    "users": List["V2UserChange"],
})


ChangeWabaTemplateByIdRequestComponentsItem = TypedDict("ChangeWabaTemplateByIdRequestComponentsItem", {
    # HEADER, BODY, FOOTER or BUTTONS
    "type": str,
})


ChangeWabaTemplateByIdRequest = TypedDict("ChangeWabaTemplateByIdRequest", {
    # MARKETING, UTILITY or AUTHENTICATION
    "category": NotRequired[Literal["AUTHENTICATION", "MARKETING", "UTILITY"]],
    # As the messenger defines them; text has variables such as {{1}}
    "components": NotRequired[List["ChangeWabaTemplateByIdRequestComponentsItem"]],
})


ChangeWabaTemplateRequestComponentsItem = TypedDict("ChangeWabaTemplateRequestComponentsItem", {
    # HEADER, BODY, FOOTER or BUTTONS
    "type": str,
})


ChangeWabaTemplateRequest = TypedDict("ChangeWabaTemplateRequest", {
    # Id of the template
    "template_id": str,
    # MARKETING, UTILITY or AUTHENTICATION
    "category": NotRequired[Literal["AUTHENTICATION", "MARKETING", "UTILITY"]],
    # As the messenger defines them; text has variables such as {{1}}
    "components": NotRequired[List["ChangeWabaTemplateRequestComponentsItem"]],
})


ChangeWebhooksRequestSubscriptions = TypedDict("ChangeWebhooksRequestSubscriptions", {
    # New messages, and status changes of outgoing messages
    "messagesAndStatuses": NotRequired[bool],
    # Requests to create contacts and deals
    "contactsAndDealsCreation": NotRequired[bool],
    # Status changes of channels
    "channelsUpdates": NotRequired[bool],
    # Moderation of templates of the WhatsApp Business Platform
    "templateStatus": NotRequired[bool],
    # Alias of templateStatus
    "wabaTemplatesStatus": NotRequired[bool],
    # Alias of templateStatus
    "templateStatuses": NotRequired[bool],
    # Reactions to messages; off unless it is switched on
    "reactions": NotRequired[bool],
})


ChangeWebhooksRequest = TypedDict("ChangeWebhooksRequest", {
    # Address for webhooks, at most 200 characters; "" for none. A new address must respond to a test POST with 200
    "webhooksUri": NotRequired[str],
    # Sent to the receiver as Authorization: Bearer; "" for none. It is bound to the origin of webhooksUri: if that changes, set the key again
    "crmKey": NotRequired[str],
    # The events that are sent there; omitted ones keep their value
    "subscriptions": NotRequired["ChangeWebhooksRequestSubscriptions"],
})


ChannelCreateEvent = TypedDict("ChannelCreateEvent", {
    # Name of the event
    "event": Literal["channel.create"],
    # The events, oldest first
    "data": List["V2ChannelUpdate"],
    "meta": "V2EventMeta",
})


ChannelDeleteEvent = TypedDict("ChannelDeleteEvent", {
    # Name of the event
    "event": Literal["channel.delete"],
    # The events, oldest first
    "data": List["V2ChannelUpdate"],
    "meta": "V2EventMeta",
})


ChannelHistoryEvent = TypedDict("ChannelHistoryEvent", {
    # Name of the event
    "event": Literal["channel.history"],
    # The events, oldest first
    "data": List["V2ChannelHistory"],
    "meta": "V2EventMeta",
})


ChannelQrUpdateEvent = TypedDict("ChannelQrUpdateEvent", {
    # Name of the event
    "event": Literal["channel.qr_update"],
    # The events, oldest first
    "data": List["V2ChannelQr"],
    "meta": "V2EventMeta",
})


ChannelStatusUpdateEvent = TypedDict("ChannelStatusUpdateEvent", {
    # Name of the event
    "event": Literal["channel.status_update"],
    # The events, oldest first
    "data": List["V2ChannelUpdate"],
    "meta": "V2EventMeta",
})


ChannelWabaTierUpdateEvent = TypedDict("ChannelWabaTierUpdateEvent", {
    # Name of the event
    "event": Literal["channel.waba_tier_update"],
    # The events, oldest first
    "data": List["V2ChannelTier"],
    "meta": "V2EventMeta",
})


ChannelsUpdatesEvent = TypedDict("ChannelsUpdatesEvent", {
    # The events, oldest first
    "channelsUpdates": List["V3ChannelUpdate"],
})


CheckPhonesRequest = TypedDict("CheckPhonesRequest", {
    # International numbers with their country codes
    "phones": List[str],
})


CheckPhonesResponseDataPhonesItem = TypedDict("CheckPhonesResponseDataPhonesItem", {
    # The number: international, digits only
    "phone": str,
    # Whether the messenger has an account with it; null if the messenger does not tell
    "exists": Optional[bool],
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The person's chat id; null if there is none or it is unknown
    "chat_id": Optional[str],
    # Username without @, if known
    "username": Optional[str],
})


CheckPhonesResponseData = TypedDict("CheckPhonesResponseData", {
    # Id of the request, as in the event phones.checked
    "check_id": str,
    # What is known already
    "phones": List["CheckPhonesResponseDataPhonesItem"],
    # How many numbers are looked up; their results are events phones.checked
    "waiting": int,
})


CheckPhonesResponse = TypedDict("CheckPhonesResponse", {
    # The result
    "data": "CheckPhonesResponseData",
    "meta": "V2Meta",
})


ClearUnansweredResponseData = TypedDict("ClearUnansweredResponseData", {
    # Eight digits
    "account_id": str,
    # true
    "cleared": bool,
})


ClearUnansweredResponse = TypedDict("ClearUnansweredResponse", {
    # The result
    "data": "ClearUnansweredResponseData",
    "meta": "V2Meta",
})


CountUnansweredResponse = TypedDict("CountUnansweredResponse", {
    # Number of unanswered messages
    "counterV2": int,
    # red: of the employee's own clients; grey: of others; null: none
    "type": Optional[str],
    # Time of the newest of them
    "lastMsgDateTime": Optional[str],
})


CreateAccountRequest = TypedDict("CreateAccountRequest", {
    # Name of the client
    "name": str,
    # ISO 639-1, two letters
    "lang": str,
    # ISO 4217, three letters
    "currency": str,
    # ISO 3166-1, two letters
    "country": str,
    # Offset from UTC in hours
    "timezone": float,
})


CreateAccountResponseDataAccount = TypedDict("CreateAccountResponseDataAccount", {
    # Eight digits
    "account_id": int,
    # Name of the client
    "name": str,
})


CreateAccountResponseData = TypedDict("CreateAccountResponseData", {
    # The client account
    "account": "CreateAccountResponseDataAccount",
})


CreateAccountResponse = TypedDict("CreateAccountResponse", {
    # The result
    "data": "CreateAccountResponseData",
    "meta": "V2Meta",
})


CreateChannelRequest = Union["V2NewWhatsappChannel", "V2NewWapiChannel", "V2NewTelegramChannel", "V2NewTgapiChannel", "V2NewInstagramChannel", "V2NewViberChannel", "V2NewAvitoChannel", "V2NewMaxChannel", "V2NewMaxbotChannel"]


CreateContactEvent = TypedDict("CreateContactEvent", {
    "createContact": "V3ContactCreation",
})


CreateDealEvent = TypedDict("CreateDealEvent", {
    "createDeal": "V3DealCreation",
})


CreateGroupRequestParticipantsItem = TypedDict("CreateGroupRequestParticipantsItem", {
    # Id of the person in the messenger, as in `sender.id` of messages
    "chat_id": NotRequired[str],
    # Phone number with its country code
    "phone": NotRequired[str],
    # Username, where the messenger has them
    "username": NotRequired[str],
})


CreateGroupRequest = TypedDict("CreateGroupRequest", {
    # The channel
    "channel_id": str,
    # Name of the group
    "name": str,
    # The people to add; the channel's account is the owner
    "participants": NotRequired[List["CreateGroupRequestParticipantsItem"]],
})


CreateGroupResponseDataParticipantsItem = TypedDict("CreateGroupResponseDataParticipantsItem", {
    # Id of the person in the messenger, as in `sender.id` of messages
    "chat_id": str,
    # Name in the messenger; empty if unknown
    "name": str,
    # Username without @
    "username": Optional[str],
    # International, digits only
    "phone": Optional[str],
    # Role in the group
    "role": Literal["member", "admin", "owner"],
    # Whether it is the channel's account
    "is_own": bool,
})


CreateGroupResponseDataResultsItemParticipant = TypedDict("CreateGroupResponseDataResultsItemParticipant", {
    # The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
    "chat_id": NotRequired[str],
    # International, digits only
    "phone": NotRequired[str],
    # Username without the @
    "username": NotRequired[str],
})


CreateGroupResponseDataResultsItem = TypedDict("CreateGroupResponseDataResultsItem", {
    # The person as the request names them
    "participant": "CreateGroupResponseDataResultsItemParticipant",
    # Id of the person in the messenger, if known
    "chat_id": Optional[str],
    # done; invitation_needed: the person's settings let them join by an invitation only; unknown: there is no such account; already: they are a member or have the role; not_a_member; left_recently: they can only return by themselves; full: the group or the person's list of groups; protected: they cannot be changed by the channel's account; refused
    "result": Literal["done", "invitation_needed", "unknown", "already", "not_a_member", "left_recently", "full", "protected", "refused"],
    # The messenger's own reason
    "details": Optional[str],
})


CreateGroupResponseData = TypedDict("CreateGroupResponseData", {
    # The channel
    "channel_id": str,
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The group's id in the messenger
    "chat_id": str,
    # Name of the group
    "name": str,
    # Number of members
    "participants_count": int,
    # The members, with the channel's account; of a large group not all
    "participants": List["CreateGroupResponseDataParticipantsItem"],
    # What became of each person of the request
    "results": List["CreateGroupResponseDataResultsItem"],
})


CreateGroupResponse = TypedDict("CreateGroupResponse", {
    # The result
    "data": "CreateGroupResponseData",
    "meta": "V2Meta",
})


CreateWabaTemplateRequestComponentsItem = TypedDict("CreateWabaTemplateRequestComponentsItem", {
    # HEADER, BODY, FOOTER or BUTTONS
    "type": str,
})


CreateWabaTemplateRequest = TypedDict("CreateWabaTemplateRequest", {
    # A channel of the business that the template is for
    "channel_id": str,
    # Lower-case letters, digits and underscores
    "name": str,
    # For example en_US
    "language": str,
    # MARKETING, UTILITY or AUTHENTICATION
    "category": Literal["AUTHENTICATION", "MARKETING", "UTILITY"],
    # As the messenger defines them; text has variables such as {{1}}
    "components": List["CreateWabaTemplateRequestComponentsItem"],
    # Drafts are not stored: a template is submitted at once
    "is_draft": NotRequired[Literal[False]],
})


CrmEntitiesContactAddEvent = TypedDict("CrmEntitiesContactAddEvent", {
    # Name of the event
    "event": Literal["crm_entities.contact_add"],
    # The events, oldest first
    "data": List["V2ContactCreation"],
    "meta": "V2EventMeta",
})


CrmEntitiesDealAddEvent = TypedDict("CrmEntitiesDealAddEvent", {
    # Name of the event
    "event": Literal["crm_entities.deal_add"],
    # The events, oldest first
    "data": List["V2DealCreation"],
    "meta": "V2EventMeta",
})


DiscardParkedRequest = TypedDict("DiscardParkedRequest", {
    # Numbers of the events
    "eventIds": List[int],
})


DiscardParkedResponse = TypedDict("DiscardParkedResponse", {
    # Number of events that are no longer parked
    "discarded": int,
})


EditMessageRequest = TypedDict("EditMessageRequest", {
    # The new text; one of text and attachment is required
    "text": NotRequired[str],
    "attachment": NotRequired["V2SendAttachment"],
    # The editing employee: the id in the CRM
    "crm_user_id": NotRequired[Union[str, int]],
})


EditV3MessageRequest = TypedDict("EditV3MessageRequest", {
    # The new text; one of text and contentUri is required
    "text": NotRequired[str],
    # Direct http or https link to a file, at most 50 MB, on a public address
    "contentUri": NotRequired[str],
    # The author: the employee's id in the CRM; ignored with a sidecar API key
    "crmUserId": NotRequired[Union[str, int]],
})


Error = TypedDict("Error", {
    # Code of the error
    "error": str,
    # Description of the error
    "description": str,
    # Details for developers; invalid fields as `fields`: [{field, message}] on v2; on v3 their names, and the same objects as `details`
    "data": NotRequired[Any],
    # HTTP status, on message routes
    "status": NotRequired[int],
    # The response's X-Request-Id, on message routes: 32 hexadecimal digits
    "requestId": NotRequired[str],
})


ExportMessagesRequest = TypedDict("ExportMessagesRequest", {
    # Start of the period, ISO 8601
    "start_at": str,
    # End of the period, ISO 8601
    "end_at": str,
    # Only messages of this channel
    "channel_id": NotRequired[str],
})


ExportMessagesResponseData = TypedDict("ExportMessagesResponseData", {
    # pending, processing, done or webhook_failed
    "status": str,
    # Id of the export
    "export_id": str,
})


ExportMessagesResponse = TypedDict("ExportMessagesResponse", {
    # The result
    "data": "ExportMessagesResponseData",
    "meta": "V2Meta",
})


GetAccountResponseData = TypedDict("GetAccountResponseData", {
    "account": "V2Account",
})


GetAccountResponse = TypedDict("GetAccountResponse", {
    # The result
    "data": "GetAccountResponseData",
    "meta": "V2Meta",
})


GetCounterHostResponse = TypedDict("GetCounterHostResponse", {
    # A name, with a port if it is not the usual one
    "host": str,
})


GetGroupResponseDataParticipantsItem = TypedDict("GetGroupResponseDataParticipantsItem", {
    # Id of the person in the messenger, as in `sender.id` of messages
    "chat_id": str,
    # Name in the messenger; empty if unknown
    "name": str,
    # Username without @
    "username": Optional[str],
    # International, digits only
    "phone": Optional[str],
    # Role in the group
    "role": Literal["member", "admin", "owner"],
    # Whether it is the channel's account
    "is_own": bool,
})


GetGroupResponseData = TypedDict("GetGroupResponseData", {
    # The channel
    "channel_id": str,
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The group's id in the messenger
    "chat_id": str,
    # Name of the group
    "name": str,
    # Number of members
    "participants_count": int,
    # The members, with the channel's account; of a large group not all
    "participants": List["GetGroupResponseDataParticipantsItem"],
})


GetGroupResponse = TypedDict("GetGroupResponse", {
    # The result
    "data": "GetGroupResponseData",
    "meta": "V2Meta",
})


GetHealthResponse = TypedDict("GetHealthResponse", {
    # ok
    "status": Literal["ok"],
})


GetMessageExportResponseData = TypedDict("GetMessageExportResponseData", {
    # pending, processing, done or webhook_failed
    "status": str,
    # Link to the CSV file; null until it is ready
    "url": Optional[str],
})


GetMessageExportResponse = TypedDict("GetMessageExportResponse", {
    # The result
    "data": "GetMessageExportResponseData",
    "meta": "V2Meta",
})


GetUnansweredCounterResponseData = TypedDict("GetUnansweredCounterResponseData", {
    # Number of unanswered messages
    "counter": int,
    # red: of the employee's own clients; grey: of others; null: none
    "type": Optional[str],
})


GetUnansweredCounterResponse = TypedDict("GetUnansweredCounterResponse", {
    # The result
    "data": "GetUnansweredCounterResponseData",
    "meta": "V2Meta",
})


GetWebhooksResponseSubscriptions = TypedDict("GetWebhooksResponseSubscriptions", {
    # New messages, and status changes of outgoing messages
    "messagesAndStatuses": bool,
    # Requests to create contacts and deals
    "contactsAndDealsCreation": bool,
    # Status changes of channels
    "channelsUpdates": bool,
    # Moderation of templates of the WhatsApp Business Platform
    "templateStatus": bool,
    # Alias of templateStatus
    "wabaTemplatesStatus": bool,
    # Reactions to messages; off unless it is switched on
    "reactions": bool,
})


GetWebhooksResponse = TypedDict("GetWebhooksResponse", {
    # Address for webhooks, at most 200 characters; "" for none. A new address must respond to a test POST with 200
    "webhooksUri": str,
    # The events that are sent there; omitted ones keep their value
    "subscriptions": "GetWebhooksResponseSubscriptions",
})


GroupChatMembershipsUpdateEvent = TypedDict("GroupChatMembershipsUpdateEvent", {
    # Name of the event
    "event": Literal["group_chat.memberships_update"],
    # The events, oldest first
    "data": List["V2GroupMembershipsUpdate"],
    "meta": "V2EventMeta",
})


GroupChatUpdateEvent = TypedDict("GroupChatUpdateEvent", {
    # Name of the event
    "event": Literal["group_chat.update"],
    # The events, oldest first
    "data": List["V2GroupUpdate"],
    "meta": "V2EventMeta",
})


IssueTokenRequest = Union["V2ClientCredentialsGrant", "V2TokenExchangeGrant", "V2RefreshTokenGrant", "V2AuthorizationCodeGrant"]


IssueTokenResponseData = TypedDict("IssueTokenResponseData", {
    # For requests, as Authorization: Bearer
    "access_token": str,
    # Valid once for new tokens; a second use revokes the whole grant
    "refresh_token": str,
    # Bearer
    "token_type": Literal["Bearer"],
    # Seconds
    "expires_in": int,
    # Seconds
    "refresh_expires_in": int,
})


IssueTokenResponse = TypedDict("IssueTokenResponse", {
    # The result
    "data": "IssueTokenResponseData",
    "meta": "V2Meta",
})


LinkToChannelsPageRequestOptions = TypedDict("LinkToChannelsPageRequestOptions", {
    # Messenger of the channel
    "transport": NotRequired[Literal["whatsapp", "wapi", "telegram", "tgapi", "instagram", "viber", "avito", "max", "maxbot", "vk"]],
    # Id of the channel
    "channel_id": NotRequired[str],
    # Where the person gets a new link if this one has expired or was used: an address of yours that requests one and redirects to it
    "refresh_url": NotRequired[str],
    # Where the person goes on after the channel was connected; not offered in a frame
    "return_url": NotRequired[str],
})


LinkToChannelsPageRequest = TypedDict("LinkToChannelsPageRequest", {
    # The transport to connect, or the channel to reconnect; without either, the person chooses
    "options": NotRequired["LinkToChannelsPageRequestOptions"],
})


LinkToChatsPageRequest = Union["V2GlobalLink", "V2CardLink"]


LinkToChatsRequest1User = TypedDict("LinkToChatsRequest1User", {
    # Id of the employee in the CRM
    "id": Union[str, int],
    # The sender's name as clients see it; default: the employee's name in the CRM
    "name": NotRequired[str],
})


LinkToChatsRequest1FilterItem = TypedDict("LinkToChatsRequest1FilterItem", {
    # Kind of chat
    "chatType": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
    "chatId": NotRequired[str],
    # Username without the @
    "username": NotRequired[str],
    # International, digits only
    "phone": NotRequired[str],
    # Name of the contact
    "name": NotRequired[str],
})


LinkToChatsRequest1ActiveChat = TypedDict("LinkToChatsRequest1ActiveChat", {
    # Kind of chat
    "chatType": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
    "chatId": NotRequired[str],
    # Username without the @
    "username": NotRequired[str],
    # International, digits only
    "phone": NotRequired[str],
    # Id of the channel
    "channelId": NotRequired[str],
})


LinkToChatsRequest1Options = TypedDict("LinkToChatsRequest1Options", {
    # Kind of CRM
    "clientType": NotRequired[str],
    # Whether the page reports deals to the CRM's page that embeds it
    "useDealsEvents": NotRequired[bool],
    # Whether the page reports messages to the CRM's page that embeds it
    "useMessageEvents": NotRequired[bool],
})


LinkToChatsRequest1 = TypedDict("LinkToChatsRequest1", {
    # The employee
    "user": "LinkToChatsRequest1User",
    # global: all chats that the employee may see; card: those of one contact or deal
    "scope": Literal["global"],
    # The chats that the page shows; required with the scope card
    "filter": NotRequired[List["LinkToChatsRequest1FilterItem"]],
    # The chat that is open at first
    "activeChat": NotRequired["LinkToChatsRequest1ActiveChat"],
    # The events that the page reports to the CRM's page that embeds it
    "options": NotRequired["LinkToChatsRequest1Options"],
})


LinkToChatsRequest = Union["LinkToChatsRequest1", "V3CardLink"]


LinkToChatsResponse = TypedDict("LinkToChatsResponse", {
    # Valid once, within ten minutes
    "url": str,
})


ListAuditResponse = TypedDict("ListAuditResponse", {
    # The result
    "data": List["V3AuditEntry"],
    # Cursor of the next page; null if there is none
    "next": Optional[str],
})


ListChatsResponse = TypedDict("ListChatsResponse", {
    # The result
    "data": List["V2Chat"],
    "meta": "V2PageMeta",
})


ListContactsResponse = TypedDict("ListContactsResponse", {
    # The total number
    "count": int,
    # The result
    "data": List["V3Contact"],
})


ListDealsResponse = TypedDict("ListDealsResponse", {
    # The total number
    "count": int,
    # The result
    "data": List["V3Deal"],
})


ListDeliveriesResponse = TypedDict("ListDeliveriesResponse", {
    # The result
    "data": List["V3Delivery"],
    # Cursor of the next page; null if there is none
    "next": Optional[str],
})


ListParkedResponse = TypedDict("ListParkedResponse", {
    # The result
    "data": List["V3ParkedEvent"],
    # Cursor of the next page; null if there is none
    "next": Optional[str],
})


MessageAddEvent = TypedDict("MessageAddEvent", {
    # Name of the event
    "event": Literal["message.add"],
    # The events, oldest first
    "data": List["V2Message"],
    "meta": "V2EventMeta",
})


MessageDeleteEvent = TypedDict("MessageDeleteEvent", {
    # Name of the event
    "event": Literal["message.delete"],
    # The events, oldest first
    "data": List["V2Message"],
    "meta": "V2EventMeta",
})


MessageEditEvent = TypedDict("MessageEditEvent", {
    # Name of the event
    "event": Literal["message.edit"],
    # The events, oldest first
    "data": List["V2Message"],
    "meta": "V2EventMeta",
})


MessageReactionEvent = TypedDict("MessageReactionEvent", {
    # Name of the event
    "event": Literal["message.reaction"],
    # The events, oldest first
    "data": List["V2Reaction"],
    "meta": "V2EventMeta",
})


MessageStatusUpdateEvent = TypedDict("MessageStatusUpdateEvent", {
    # Name of the event
    "event": Literal["message.status_update"],
    # The events, oldest first
    "data": List["V2MessageStatus"],
    "meta": "V2EventMeta",
})


MessagesDumpStatusUpdateEvent = TypedDict("MessagesDumpStatusUpdateEvent", {
    # Name of the event
    "event": Literal["messages_dump.status_update"],
    # The events, oldest first
    "data": List["V2ExportStatus"],
    "meta": "V2EventMeta",
})


MessagesEvent = TypedDict("MessagesEvent", {
    # The events, oldest first
    "messages": List["V3Message"],
    # The events, oldest first
    "statuses": NotRequired[List["V3MessageStatus"]],
})


PhonesCheckedEventDataItemPhonesItem = TypedDict("PhonesCheckedEventDataItemPhonesItem", {
    # The number: international, digits only
    "phone": str,
    # Whether the messenger has an account with it; null if the messenger does not tell
    "exists": Optional[bool],
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The person's chat id; null if there is none or it is unknown
    "chat_id": Optional[str],
    # Username without @, if known
    "username": Optional[str],
})


PhonesCheckedEventDataItem = TypedDict("PhonesCheckedEventDataItem", {
    # Id of the request
    "check_id": str,
    # Channel
    "channel_id": str,
    # Kind of channel
    "transport": str,
    # The results
    "phones": List["PhonesCheckedEventDataItemPhonesItem"],
    # How many numbers of the request are still to be looked up; 0: this is the end
    "waiting": int,
    # When they were looked up, in milliseconds
    "timestamp": int,
})


PhonesCheckedEvent = TypedDict("PhonesCheckedEvent", {
    # Name of the event
    "event": Literal["phones.checked"],
    # The events, oldest first
    "data": List["PhonesCheckedEventDataItem"],
    "meta": "V2EventMeta",
})


ReactToMessageRequest = TypedDict("ReactToMessageRequest", {
    # One emoji that the messenger offers
    "emoji": str,
})


ReactionsEvent = TypedDict("ReactionsEvent", {
    # The events, oldest first
    "reactions": List["V3Reaction"],
})


Readiness = TypedDict("Readiness", {
    # Whether this node can serve
    "ready": bool,
    # The dependencies: true, or the problem
    "checks": Dict[str, Any],
})


ReinitChannelRequest = TypedDict("ReinitChannelRequest", {
    # Those of the channel's transport; empty if a person connects the channel
    "credentials": NotRequired[Union["V2NoCredentials", "V2AvitoCredentials", "V2InstagramCredentials", "V2MaxbotCredentials", "V2TelegramCredentials", "V2ViberCredentials", "V2VkCredentials", "V2WapiCredentials"]],
    "history": NotRequired["V2HistoryRequest"],
    # The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
    "proxy": NotRequired[str],
})


RemoveSubscriptionsRequestDataItem2 = TypedDict("RemoveSubscriptionsRequestDataItem2", {
    # Id of the subscription
    "id": str,
})


RemoveSubscriptionsRequest = TypedDict("RemoveSubscriptionsRequest", {
    # The result
    "data": List[Union[str, "RemoveSubscriptionsRequestDataItem2"]],
})


RemoveV2ContactsRequestContactsItem2 = TypedDict("RemoveV2ContactsRequestContactsItem2", {
    # Id in the CRM
    "id": Union[str, int],
})


RemoveV2ContactsRequest = TypedDict("RemoveV2ContactsRequest", {
    # The contacts
    "contacts": List[Union[Union[str, int], "RemoveV2ContactsRequestContactsItem2"]],
})


RemoveV2DealsRequestDealsItem2 = TypedDict("RemoveV2DealsRequestDealsItem2", {
    # Id in the CRM
    "id": Union[str, int],
})


RemoveV2DealsRequest = TypedDict("RemoveV2DealsRequest", {
    # The deals
    "deals": List[Union[Union[str, int], "RemoveV2DealsRequestDealsItem2"]],
})


RemoveV2UsersRequestUsersItem2 = TypedDict("RemoveV2UsersRequestUsersItem2", {
    # Id in the CRM
    "id": Union[str, int],
})


RemoveV2UsersRequest = TypedDict("RemoveV2UsersRequest", {
    # The employees
    "users": List[Union[Union[str, int], "RemoveV2UsersRequestUsersItem2"]],
})


ReplaceV2PipelinesRequest = TypedDict("ReplaceV2PipelinesRequest", {
    # The pipelines; they replace all existing ones
    "pipelines": List["V2NewPipeline"],
})


ReplaceV2PipelinesResponseData = TypedDict("ReplaceV2PipelinesResponseData", {
    # Number of pipelines
    "pipelines_created": int,
    # Number of their stages
    "stages_created": int,
})


ReplaceV2PipelinesResponse = TypedDict("ReplaceV2PipelinesResponse", {
    # The result
    "data": "ReplaceV2PipelinesResponseData",
    "meta": "V2Meta",
})


ReplayDeliveriesRequest = TypedDict("ReplayDeliveriesRequest", {
    # Numbers of requests in the log
    "deliveryIds": NotRequired[List[int]],
    # true: parked events instead of the log
    "parked": NotRequired[bool],
    # Numbers of the events
    "eventIds": NotRequired[List[int]],
    # The receiver; default: the account's v3 address
    "receiverId": NotRequired[str],
    # Id of the channel
    "channelId": NotRequired[str],
    # Such as messages or channel.create
    "kind": NotRequired[str],
    # delivered, refused or failed
    "result": NotRequired[Literal["delivered", "refused", "failed"]],
    # Id of the object that the events are about
    "messageId": NotRequired[str],
    # Start of the period
    "from": NotRequired[str],
    # End of the period
    "to": NotRequired[str],
})


RequestPairingCodeRequest = TypedDict("RequestPairingCodeRequest", {
    # Number to link, with its country code; optional once the channel has one
    "pairing_phone": NotRequired[str],
    # Messenger of the channel
    "transport": Literal["whatsapp", "wapi", "telegram", "tgapi", "instagram", "viber", "avito", "max", "maxbot"],
})


RequestPairingCodeResponseDataItem = TypedDict("RequestPairingCodeResponseDataItem", {
    # Eight characters to enter on the phone; empty if the messenger sends a code there, which you submit with `auth/2fa`
    "pairing_code": str,
    # Phone number to connect, international, digits only
    "pairing_phone": str,
})


RequestPairingCodeResponse = TypedDict("RequestPairingCodeResponse", {
    # The result
    "data": List["RequestPairingCodeResponseDataItem"],
    "meta": "V2Meta",
})


RevokeTokenRequest = TypedDict("RevokeTokenRequest", {
    # An access or refresh token
    "token": str,
})


RotateWebhookSecretRequest = TypedDict("RotateWebhookSecretRequest", {
    # How long requests are also signed with the old secret; default a day
    "overlapSeconds": NotRequired[int],
})


SaveV2ContactsRequest = TypedDict("SaveV2ContactsRequest", {
    # The contacts
    "contacts": List["V2NewContact"],
})


SaveV2DealsRequest = TypedDict("SaveV2DealsRequest", {
    # The deals
    "deals": List["V2NewDeal"],
})


SaveV2UsersRequest = TypedDict("SaveV2UsersRequest", {
    # The employees
    "users": List["V2NewUser"],
})


SendMessageRequest = TypedDict("SendMessageRequest", {
    # Channel that sends
    "channel_id": str,
    # Message of the same chat to quote
    "quoted_message_id": NotRequired[str],
    "recipient": "V2SendRecipient",
    # Text. Exactly one of text, attachment and template may be given
    "text": NotRequired[str],
    "attachment": NotRequired["V2SendAttachment"],
    "template": NotRequired["V2SendTemplate"],
    # Payloads of the template's buttons, as in template.buttons
    "buttons": NotRequired[List["V2SendTemplateButton"]],
    "keyboard": NotRequired["V2SendKeyboard"],
    # The author: the employee's id in the CRM
    "crm_user_id": NotRequired[Union[str, int]],
    # false: the chat's unanswered messages stay unanswered
    "reset_unanswered": NotRequired[bool],
})


SendMessageResponseData = TypedDict("SendMessageResponseData", {
    # Id of the message; webhooks about its status contain it
    "request_id": str,
    # The chat; while its id is unknown, the given phone or username
    "chat_id": str,
})


SendMessageResponse = TypedDict("SendMessageResponse", {
    # The result
    "data": "SendMessageResponseData",
    "meta": "V2Meta",
})


SendV3MessageRequestButtonsObjectButtonsItem = TypedDict("SendV3MessageRequestButtonsObjectButtonsItem", {
    # Label: at most 64 characters on telegram, 20 on wapi; longer ones are not sent
    "text": NotRequired[str],
    # wapi: text. maxbot: callback, link or message. telegram: none
    "type": NotRequired[str],
    # wapi, and maxbot if type is callback: the data sent back when the button is pressed
    "payload": NotRequired[str],
    # telegram inline, and maxbot if type is link: the address that the button opens
    "url": NotRequired[str],
    # maxbot: default, positive or negative
    "intent": NotRequired[str],
    # telegram inline: the data sent back when the button is pressed, 1 to 64 bytes
    "callbackData": NotRequired[str],
})


SendV3MessageRequestButtonsObject = TypedDict("SendV3MessageRequestButtonsObject", {
    # A list of buttons is one button per row; a list of lists is rows. telegram takes the first 12 buttons, wapi the first 10; maxbot requires rows
    "buttons": NotRequired[List[Union["SendV3MessageRequestButtonsObjectButtonsItem", List["V3Button"]]]],
    # telegram: inline (default) or reply
    "replyMarkup": NotRequired[str],
    # telegram reply: hidden after use
    "oneTimeKeyboard": NotRequired[bool],
    # telegram reply: resized to fit its buttons
    "resizeKeyboard": NotRequired[bool],
    # telegram reply: shown only to the addressed people
    "selective": NotRequired[bool],
    # telegram: removes the reply keyboard
    "removeKeyboard": NotRequired[bool],
})


SendV3MessageRequestButtonsObjectItem = TypedDict("SendV3MessageRequestButtonsObjectItem", {
    # Label: at most 64 characters on telegram, 20 on wapi; longer ones are not sent
    "text": NotRequired[str],
    # wapi: text. maxbot: callback, link or message. telegram: none
    "type": NotRequired[str],
    # wapi, and maxbot if type is callback: the data sent back when the button is pressed
    "payload": NotRequired[str],
    # telegram inline, and maxbot if type is link: the address that the button opens
    "url": NotRequired[str],
    # maxbot: default, positive or negative
    "intent": NotRequired[str],
    # telegram inline: the data sent back when the button is pressed, 1 to 64 bytes
    "callbackData": NotRequired[str],
})


SendV3MessageRequest = TypedDict("SendV3MessageRequest", {
    # Channel that sends
    "channelId": str,
    # Kind of chat; must fit the channel's transport
    "chatType": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger: a phone number for whatsapp and viber, the username for instagram
    "chatId": NotRequired[str],
    # telegram only: used if chatId is unknown
    "username": NotRequired[str],
    # telegram and max only, with its country code: used if chatId is unknown
    "phone": NotRequired[str],
    # Text. Exactly one of text, contentUri and templateId may be given
    "text": NotRequired[str],
    # Direct http or https link to a file, at most 50 MB, on a public address
    "contentUri": NotRequired[str],
    # true: an audio file is sent as a voice note where the messenger has them, converted if necessary; without it, only Ogg files and recordings that no messenger plays (WebM, WAV, FLAC) are
    "voice": NotRequired[bool],
    # Template of the WhatsApp Business Platform (templateGuid)
    "templateId": NotRequired[str],
    # Values of the template's variables, in order
    "templateValues": NotRequired[List[str]],
    # Message of the same chat to quote
    "refMessageId": NotRequired[str],
    # The author: the employee's id in the CRM; ignored with a sidecar API key
    "crmUserId": NotRequired[Union[str, int]],
    # The CRM's id of the message; the same one within 60 seconds is refused
    "crmMessageId": NotRequired[str],
    # false: the chat's unanswered messages stay unanswered
    "clearUnanswered": NotRequired[bool],
    # Buttons under the message; their shape depends on the transport. A list is short for an object with these buttons
    "buttonsObject": NotRequired[Union["SendV3MessageRequestButtonsObject", List[Union["SendV3MessageRequestButtonsObjectItem", List["V3Button"]]]]],
})


SendV3MessageResponse = TypedDict("SendV3MessageResponse", {
    # Id of the message; webhooks about its status contain it
    "messageId": str,
    # The chat; while its id is unknown, the given phone or username
    "chatId": str,
})


StatusesEvent = TypedDict("StatusesEvent", {
    # The events, oldest first
    "statuses": List["V3MessageStatus"],
    # The events, oldest first
    "messages": NotRequired[List["V3Message"]],
})


SubmitPasskeyAnswerRequest = TypedDict("SubmitPasskeyAnswerRequest", {
    "passkey_response": "V2PasskeyResponse",
    # Messenger of the channel
    "transport": Literal["whatsapp", "wapi", "telegram", "tgapi", "instagram", "viber", "avito", "max", "maxbot"],
})


SubmitTwoFactorPasswordRequest = TypedDict("SubmitTwoFactorPasswordRequest", {
    # The password or code that the messenger requires
    "two_factor_code": str,
    # Messenger of the channel
    "transport": Literal["whatsapp", "wapi", "telegram", "tgapi", "instagram", "viber", "avito", "max", "maxbot"],
})


TemplateStatusEvent = TypedDict("TemplateStatusEvent", {
    "templateStatus": "V3TemplateStatus",
})


V2AccountSubscriptionsItem = TypedDict("V2AccountSubscriptionsItem", {
    # Id of the channel
    "channel_id": str,
    # Plan of the channel
    "tariff": Optional[str],
    # Whether the operator allows it to work
    "paid": bool,
})


V2Account = TypedDict("V2Account", {
    # Eight digits
    "account_id": int,
    # Name of the client
    "name": str,
    # ISO 639-1, two letters
    "lang": Optional[str],
    # ISO 4217, three letters
    "currency": Optional[str],
    # ISO 3166-1, two letters
    "country": Optional[str],
    # Hours from UTC
    "timezone": Optional[float],
    # The last payer; the service bills no one
    "billing": NotRequired[Any],
    # Its channels
    "channels": NotRequired[List["V2Channel"]],
    # The plan of each channel
    "subscriptions": NotRequired[List["V2AccountSubscriptionsItem"]],
})


V2Advert = TypedDict("V2Advert", {
    # Id of the listing
    "id": str,
    # Its title
    "title": NotRequired[str],
    # Its address
    "url": NotRequired[str],
    # Its price, as the messenger shows it
    "price": NotRequired[str],
})


V2Attachment = TypedDict("V2Attachment", {
    # Link to the file
    "url": str,
    # File name
    "name": Optional[str],
    # MIME type
    "mimetype": Optional[str],
    # Bytes
    "size": Optional[int],
})


V2AuthorizationCodeGrantAuthorizeCodeData = TypedDict("V2AuthorizationCodeGrantAuthorizeCodeData", {
    # The code from the redirect
    "code": str,
    # The address of the authorisation request
    "redirect_uri": str,
    # Id of the application
    "client_id": str,
    # PKCE: the verifier of code_challenge
    "code_verifier": str,
})


V2AuthorizationCodeGrant = TypedDict("V2AuthorizationCodeGrant", {
    # The grant; its data object is required
    "grant_type": Literal["authorization_code"],
    # For authorization_code
    "authorize_code_data": "V2AuthorizationCodeGrantAuthorizeCodeData",
})


V2AvitoCredentials = TypedDict("V2AvitoCredentials", {
    # From Avito's consent page; it can be used once and expires after a few minutes
    "code": NotRequired[str],
    # Client id of your own Avito application, from the integration settings of your account
    "client_id": NotRequired[str],
    # Secret of that application
    "client_secret": NotRequired[str],
})


V2Button = TypedDict("V2Button", {
    # Label: at most 64 characters on telegram, 20 on wapi; longer ones are not sent
    "text": NotRequired[str],
    # wapi: text. maxbot: callback, link or message. telegram: none
    "type": NotRequired[str],
    # wapi, and maxbot if type is callback: the data sent back when the button is pressed
    "payload": NotRequired[str],
    # telegram inline, and maxbot if type is link: the address that the button opens
    "url": NotRequired[str],
    # telegram inline: the data sent back when the button is pressed, 1 to 64 bytes
    "callback_data": NotRequired[str],
    # maxbot: default, positive or negative
    "intent": NotRequired[str],
})


V2CannedAnswer = TypedDict("V2CannedAnswer", {
    # Id of the canned answer
    "template_id": str,
    # Its name
    "name": str,
    # Its text
    "text": str,
    # Its place in lists; answers with the same place are sorted by name
    "order": int,
    # Canned answers have no files
    "files": List[Any],
})


V2CannedAnswerListResponse = TypedDict("V2CannedAnswerListResponse", {
    # The result
    "data": List["V2CannedAnswer"],
    "meta": "V2Meta",
})


V2CannedAnswerResponse = TypedDict("V2CannedAnswerResponse", {
    # The result
    "data": "V2CannedAnswer",
    "meta": "V2Meta",
})


V2CardLinkChatsItem = TypedDict("V2CardLinkChatsItem", {
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
    "chat_id": NotRequired[str],
    # Username without the @
    "username": NotRequired[str],
    # International, digits only
    "phone": NotRequired[str],
    # Name of the contact
    "contact_name": NotRequired[str],
})


V2CardLinkActiveChat = TypedDict("V2CardLinkActiveChat", {
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
    "chat_id": NotRequired[str],
    # Username without the @
    "username": NotRequired[str],
    # International, digits only
    "phone": NotRequired[str],
    # Id of the channel
    "channel_id": NotRequired[str],
})


V2CardLinkUseEvents = TypedDict("V2CardLinkUseEvents", {
    # Whether the page reports deals to the CRM's page that embeds it
    "deals": NotRequired[bool],
    # Whether the page reports messages to the CRM's page that embeds it
    "messages": NotRequired[bool],
})


V2CardLink = TypedDict("V2CardLink", {
    # Id of the employee in the CRM
    "user_id": Union[str, int],
    # The sender's name as clients see it; default: the employee's name in the CRM
    "author_name": NotRequired[str],
    # global: all chats that the employee may see; card: those of one contact or deal
    "scope": Literal["card"],
    # The chats that the page shows; required with the scope card
    "chats": List["V2CardLinkChatsItem"],
    # The chat that is open at first
    "active_chat": NotRequired["V2CardLinkActiveChat"],
    # The events that the page reports to the CRM's page that embeds it
    "use_events": NotRequired["V2CardLinkUseEvents"],
    # Kind of CRM
    "client_type": NotRequired[str],
})


V2ChangedMessage = TypedDict("V2ChangedMessage", {
    # The message
    "message_id": str,
    # Its chat in the messenger
    "chat_id": str,
})


V2ChangedMessageResponse = TypedDict("V2ChangedMessageResponse", {
    "data": "V2ChangedMessage",
    "meta": "V2Meta",
})


V2Channel = TypedDict("V2Channel", {
    # Id of the channel
    "channel_id": str,
    # Messenger of the channel
    "transport": str,
    # Deprecated: use status and reason
    "state": Literal["active", "init", "waitForPassword", "waitForPasskey", "qr", "disabled", "blocked", "notEnoughMoney", "rejected", "unauthorized", "foreignphone", "qridle", "openElsewhere", "phoneUnavailable"],
    # Whether the channel works
    "status": Literal["active", "init", "disabled"],
    # The reason for the status; null if there is none
    "reason": Literal[None, "wait_for_password", "wait_for_code", "wait_for_passkey", "qr", "sync", "proxy", "blocked", "not_enough_money", "rejected", "unauthorized", "foreignphone", "qridle", "openelsewhere"],
    # Phone number of the channel; "" if it has none
    "phone": str,
    # Username of the channel; "" if it has none
    "username": str,
    # Id of the channel in the messenger
    "messenger_id": str,
    # Name of the channel
    "name": str,
    # Address of the channel, or the link that a person opens to connect it
    "url": NotRequired[str],
    # Scheme, host and port of the channel's own proxy; missing if it has none
    "proxy": NotRequired[str],
    # WhatsApp Business Platform: how many conversations may be started in 24 hours
    "tier": Literal["TIER_0", "TIER_50", "TIER_250", "TIER_1K", "TIER_2K", "TIER_10K", "TIER_100K", "TIER_UNLIMITED"],
    # Plan of the channel
    "tariff": Optional[str],
    # What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left
    "restrictions": List["V2Restriction"],
})


V2ChannelDetails = TypedDict("V2ChannelDetails", {
    # Id of the channel
    "channel_id": str,
    # Messenger of the channel
    "transport": str,
    # Deprecated: use status and reason
    "state": Literal["active", "init", "waitForPassword", "waitForPasskey", "qr", "disabled", "blocked", "notEnoughMoney", "rejected", "unauthorized", "foreignphone", "qridle", "openElsewhere", "phoneUnavailable"],
    # Whether the channel works
    "status": Literal["active", "init", "disabled"],
    # The reason for the status; null if there is none
    "reason": Literal[None, "wait_for_password", "wait_for_code", "wait_for_passkey", "qr", "sync", "proxy", "blocked", "not_enough_money", "rejected", "unauthorized", "foreignphone", "qridle", "openelsewhere"],
    # Phone number of the channel; "" if it has none
    "phone": str,
    # Username of the channel; "" if it has none
    "username": str,
    # Id of the channel in the messenger
    "messenger_id": str,
    # Name of the channel
    "name": str,
    # Address of the channel, or the link that a person opens to connect it
    "url": NotRequired[str],
    # Scheme, host and port of the channel's own proxy; missing if it has none
    "proxy": NotRequired[str],
    # WhatsApp Business Platform: how many conversations may be started in 24 hours
    "tier": Literal["TIER_0", "TIER_50", "TIER_250", "TIER_1K", "TIER_2K", "TIER_10K", "TIER_100K", "TIER_UNLIMITED"],
    # Plan of the channel
    "tariff": Optional[str],
    # What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left
    "restrictions": List["V2Restriction"],
    "history": NotRequired["V2HistoryImport"],
})


V2ChannelDetailsListResponse = TypedDict("V2ChannelDetailsListResponse", {
    # The result
    "data": List["V2ChannelDetails"],
    "meta": "V2Meta",
})


V2ChannelHistory = TypedDict("V2ChannelHistory", {
    # Channel
    "channel_id": str,
    # Kind of channel
    "transport": str,
    # Whether the import goes on
    "status": Literal["running", "done"],
    # Percent; null if the messenger does not tell how much there is
    "progress": Optional[int],
    # Messages imported so far
    "messages": int,
    # Whether it ended early, because the account's quota is used up
    "is_cut": bool,
    # Time of the oldest messages to import, in milliseconds
    "since": int,
    # When the channel was linked, in milliseconds
    "until": int,
    # When this was counted, in milliseconds
    "timestamp": int,
})


V2ChannelListResponse = TypedDict("V2ChannelListResponse", {
    # The result
    "data": List["V2Channel"],
    "meta": "V2Meta",
})


V2ChannelQr = TypedDict("V2ChannelQr", {
    # Channel
    "channel_id": str,
    # Kind of channel
    "platform": str,
    # The QR code to scan: a PNG as a data: URI
    "qr_code": str,
})


V2ChannelTier = TypedDict("V2ChannelTier", {
    # Channel
    "channel_id": str,
    # How many conversations it may start
    "tier": Literal["TIER_0", "TIER_50", "TIER_250", "TIER_1K", "TIER_2K", "TIER_10K", "TIER_100K", "TIER_UNLIMITED", None],
})


V2ChannelUpdate = TypedDict("V2ChannelUpdate", {
    # Channel
    "channel_id": str,
    # Kind of channel
    "transport": str,
    # Status of the channel
    "status": Literal["active", "init", "disabled"],
    # The reason for this status
    "reason": Optional[str],
    # Name of the channel
    "name": str,
    # Phone number of the channel; of a bot, its username
    "phone": str,
    # Username of the channel
    "username": str,
    # What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left
    "restrictions": NotRequired[List["V2Restriction"]],
    # The password hint that the account's owner has set; with wait_for_password
    "password_hint": NotRequired[str],
    # The code to compare with the one on the phone; with wait_for_code
    "compare_code": NotRequired[str],
    # Why the linking with a passkey failed; with qr
    "passkey_problem": NotRequired[Literal["expired", "refused", "silent", "interrupted"]],
})


V2Chat = TypedDict("V2Chat", {
    # Channel
    "channel_id": str,
    # Kind of channel
    "transport": str,
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger
    "chat_id": str,
    # Name in the messenger; of a group, its title
    "name": str,
    # Username without @
    "username": Optional[str],
    # International, digits only
    "phone": Optional[str],
    # Link to the picture
    "avatar_uri": Optional[str],
    # Unanswered messages of the last seven days, at most 1,000
    "unanswered": int,
    # The last message, as in `message.add`
    "last_message": Union["V2Message", Any],
})


V2ChatMark = TypedDict("V2ChatMark", {
    # The channel; required if several channels have the chat
    "channel_id": NotRequired[str],
})


V2ClientCredentialsGrantClientCredentialsData = TypedDict("V2ClientCredentialsGrantClientCredentialsData", {
    # transport, crm or both
    "scope": str,
})


V2ClientCredentialsGrant = TypedDict("V2ClientCredentialsGrant", {
    # The grant; its data object is required
    "grant_type": Literal["client_credentials"],
    # For client_credentials: a machine token of the partner
    "client_credentials_data": "V2ClientCredentialsGrantClientCredentialsData",
})


V2Contact = TypedDict("V2Contact", {
    # Id in the CRM
    "id": str,
    # Id of the responsible employee
    "responsible_user_id": str,
    # Name of the contact
    "name": str,
    # Chats of the contact
    "contact_data": List["V2ContactChat"],
    # Address of the entity in the CRM
    "uri": NotRequired[str],
})


V2ContactChange = TypedDict("V2ContactChange", {
    # Id in the CRM
    "id": Union[str, int],
    # Id of the responsible employee
    "responsible_user_id": NotRequired[Union[str, int]],
    # Name of the contact
    "name": NotRequired[str],
    # Chats of the contact
    "contact_data": NotRequired[List["V2ContactChat"]],
    # Address of the entity in the CRM
    "uri": NotRequired[str],
})


V2ContactChat = TypedDict("V2ContactChat", {
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
    "chat_id": NotRequired[str],
    # Username without the @
    "username": NotRequired[str],
    # International, digits only
    "phone": NotRequired[str],
})


V2ContactCreationContactDataItem = TypedDict("V2ContactCreationContactDataItem", {
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger
    "chat_id": str,
})


V2ContactCreation = TypedDict("V2ContactCreation", {
    # The responsible employee
    "responsible_user_id": str,
    # Name of the client
    "name": str,
    # Chats of the contact
    "contact_data": List["V2ContactCreationContactDataItem"],
    "recipient": "V2Recipient",
    # auto: caused by a message; byUser: by an employee's button
    "source": Literal["auto", "byUser"],
})


V2ContactListResponse = TypedDict("V2ContactListResponse", {
    # The result
    "data": List["V2Contact"],
    "meta": "V2Meta",
})


V2ContactResponse = TypedDict("V2ContactResponse", {
    # The result
    "data": "V2Contact",
    "meta": "V2Meta",
})


V2CreatedChannel = TypedDict("V2CreatedChannel", {
    # Id of the channel
    "channel_id": str,
    # Messenger of the channel
    "transport": str,
    # The address where a person connects the channel; only if it was created without credentials
    "url": NotRequired[str],
})


V2CreatedChannelListResponse = TypedDict("V2CreatedChannelListResponse", {
    # The result
    "data": List["V2CreatedChannel"],
    "meta": "V2Meta",
})


V2Deal = TypedDict("V2Deal", {
    # Id in the CRM
    "id": str,
    # Id of the responsible employee
    "responsible_user_id": str,
    # Name of the deal
    "name": str,
    # Address of the entity in the CRM
    "uri": NotRequired[str],
    # Ids of the deal's contacts
    "contacts": List[str],
    # true: the deal is closed; default false
    "closed": bool,
})


V2DealChange = TypedDict("V2DealChange", {
    # Id in the CRM
    "id": Union[str, int],
    # Id of the responsible employee
    "responsible_user_id": NotRequired[Union[str, int]],
    # Name of the deal
    "name": NotRequired[str],
    # Address of the entity in the CRM
    "uri": NotRequired[str],
    # Ids of the deal's contacts
    "contacts": NotRequired[List[Union[str, int]]],
    # true: the deal is closed; default false
    "closed": NotRequired[bool],
})


V2DealCreation = TypedDict("V2DealCreation", {
    # The responsible employee
    "responsible_user_id": str,
    # Ids of the deal's contacts
    "contacts": List[str],
    # auto: caused by a message; byUser: by an employee's button
    "source": Literal["auto", "byUser"],
})


V2DealListResponse = TypedDict("V2DealListResponse", {
    # The result
    "data": List["V2Deal"],
    "meta": "V2Meta",
})


V2DealResponse = TypedDict("V2DealResponse", {
    # The result
    "data": "V2Deal",
    "meta": "V2Meta",
})


V2DoneResponse = TypedDict("V2DoneResponse", {
    # The result
    "data": Any,
    "meta": "V2Meta",
})


V2EventMeta = TypedDict("V2EventMeta", {
    # The same at every repetition of this request
    "idempotency_key": str,
    # Time of the first event, Unix seconds
    "timestamp": int,
})


V2ExportStatus = TypedDict("V2ExportStatus", {
    # Id of the export
    "export_id": str,
    # Status of the export
    "status": Literal["pending", "processing", "done", "webhook_failed"],
    # Link to the CSV file
    "url": Optional[str],
})


V2FirstContacts = TypedDict("V2FirstContacts", {
    # Allowed in 24 hours, at the present state of the warm-up; null: no limit
    "allowance": Optional[int],
    # How many remain
    "left": Optional[int],
    # When the next one may be sent; null: immediately, or not at all
    "next_at": Optional[str],
    # End of the pause of first contacts after the messenger's warning; null: there is none
    "held_until": Optional[str],
    # The messenger's warning
    "hold_reason": Optional[str],
})


V2GlobalLinkActiveChat = TypedDict("V2GlobalLinkActiveChat", {
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
    "chat_id": NotRequired[str],
    # Username without the @
    "username": NotRequired[str],
    # International, digits only
    "phone": NotRequired[str],
    # Id of the channel
    "channel_id": NotRequired[str],
})


V2GlobalLinkUseEvents = TypedDict("V2GlobalLinkUseEvents", {
    # Whether the page reports deals to the CRM's page that embeds it
    "deals": NotRequired[bool],
    # Whether the page reports messages to the CRM's page that embeds it
    "messages": NotRequired[bool],
})


V2GlobalLink = TypedDict("V2GlobalLink", {
    # Id of the employee in the CRM
    "user_id": Union[str, int],
    # The sender's name as clients see it; default: the employee's name in the CRM
    "author_name": NotRequired[str],
    # global: all chats that the employee may see; card: those of one contact or deal
    "scope": Literal["global"],
    # The chat that is open at first
    "active_chat": NotRequired["V2GlobalLinkActiveChat"],
    # The events that the page reports to the CRM's page that embeds it
    "use_events": NotRequired["V2GlobalLinkUseEvents"],
    # Kind of CRM
    "client_type": NotRequired[str],
})


V2GroupMembershipsUpdate = TypedDict("V2GroupMembershipsUpdate", {
    # Channel
    "channel_id": str,
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger
    "chat_id": str,
    # When it happened, in milliseconds
    "timestamp": int,
    # Who did it; null if the messenger does not report it
    "changed_by": Union["V2Person", Any],
    # Title
    "name": str,
    # Link to the picture
    "avatar_uri": Optional[str],
    # Members who joined, left or changed their role
    "members": List["V2MembershipChange"],
})


V2GroupSender = TypedDict("V2GroupSender", {
    # Id in the messenger
    "id": str,
    # Name in the messenger
    "name": str,
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # Id of the private chat with this person
    "chat_id": str,
    # International, digits only
    "phone": Optional[str],
})


V2GroupUpdate = TypedDict("V2GroupUpdate", {
    # Channel
    "channel_id": str,
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger
    "chat_id": str,
    # When it happened, in milliseconds
    "timestamp": int,
    # Who did it; null if the messenger does not report it
    "changed_by": Union["V2Person", Any],
    # What changed
    "changes": List[Literal["name", "avatar"]],
    # Title
    "name": str,
    # Title before
    "old_name": Optional[str],
    # Link to the picture
    "avatar_uri": Optional[str],
})


V2HistoryImport = TypedDict("V2HistoryImport", {
    # As requested
    "days": int,
    # waiting: the channel is not linked yet, or the messenger has given nothing so far
    "status": Literal["waiting", "running", "done"],
    # Percent; null if the messenger does not tell how much there is
    "progress": Optional[int],
    # Messages imported so far
    "messages": int,
    # Whether it ended early, because the account's quota is used up
    "is_cut": bool,
})


V2HistoryRequest = TypedDict("V2HistoryRequest", {
    # How many days before the channel is linked
    "days": int,
})


V2InstagramCredentials = TypedDict("V2InstagramCredentials", {
    # Token of the account, or of the Facebook user who manages its page
    "user_token": str,
    # Only with a token of Facebook Login
    "page_id": NotRequired[str],
    # Checked if given
    "inst_id": NotRequired[str],
    # Checked if given
    "username": NotRequired[str],
})


V2Interactive = TypedDict("V2Interactive", {
    # pressed: the button that the customer pressed. In an outgoing message: text, callback, link or message. Others: the kind of a structured answer, such as a form
    "type": str,
    # Label of the button
    "text": NotRequired[str],
    # The data sent back when the button is pressed; of an answer, its JSON
    "payload": NotRequired[str],
    # The address that the button opens
    "url": NotRequired[str],
})


V2ListMessagesResponse = TypedDict("V2ListMessagesResponse", {
    # The result
    "data": List["V2Message"],
    "meta": "V2PageMeta",
})


V2MaxbotCredentials = TypedDict("V2MaxbotCredentials", {
    # Shown at business.max.ru under Chatbots, Integration
    "access_token": str,
})


V2MembershipChange = TypedDict("V2MembershipChange", {
    # What happened to this person
    "action": Literal["added", "removed", "left", "promoted", "demoted"],
    # Id in the messenger
    "id": str,
    # Name in the messenger
    "name": str,
    # Username without @
    "username": Optional[str],
    # International, digits only
    "phone": Optional[str],
})


V2MessageOldInfo = TypedDict("V2MessageOldInfo", {
    # Text before
    "old_text": Optional[str],
    # The previous author
    "old_author_id": Optional[str],
    # The previous author's name
    "old_author_name": Optional[str],
    # Link to the file before, if an edit replaced it
    "old_content_uri": NotRequired[str],
})


V2Message = TypedDict("V2Message", {
    # Id of the message
    "message_id": str,
    # Channel
    "channel_id": str,
    # inbound: written by the customer
    "direction": Literal["inbound", "outbound"],
    # When it was sent, in milliseconds
    "timestamp": int,
    # Kind of content
    "type": Literal["text", "image", "audio", "video", "document", "vcard", "geo", "wapi_template", "unsupported", "missing_call", "unknown"],
    # Status of the message
    "status": Literal["inbound", "sent", "delivered", "read", "error"],
    # Employee who wrote it, as the CRM names them
    "crm_user_id": Optional[str],
    # Name of the author; of outgoing messages only
    "author_name": NotRequired[str],
    "recipient": "V2Recipient",
    # The text, or the caption of a file
    "text": Optional[str],
    # The file
    "attachment": Union["V2Attachment", Any],
    "error": NotRequired["V2MessageError"],
    # Written on the service's own chat page
    "sent_from_app": NotRequired[Literal[True]],
    "inst_post": NotRequired["V2Post"],
    "advert": NotRequired["V2Advert"],
    "referral": NotRequired["V2Referral"],
    # A notice of the messenger itself, not the customer's words
    "is_system": NotRequired[Literal[True]],
    # Written before the channel was linked
    "is_history": NotRequired[Literal[True]],
    # Buttons, the pressed one, or structured answers
    "interactive": NotRequired[List["V2Interactive"]],
    # The message was changed
    "is_edited": NotRequired[Literal[True]],
    # The message was deleted
    "is_deleted": NotRequired[Literal[True]],
    "quoted_message": NotRequired["V2QuotedMessage"],
    "sender": NotRequired["V2GroupSender"],
    # What an edit or deletion replaced
    "old_info": NotRequired["V2MessageOldInfo"],
})


V2MessageContact = TypedDict("V2MessageContact", {
    # Name in the messenger; of a group, its title
    "name": str,
    # Link to the picture, once it is known
    "avatar_uri": NotRequired[str],
    # Username without @, if the messenger reports it
    "username": NotRequired[str],
    # International, digits only, if the messenger reports it
    "phone": NotRequired[str],
    # avito only: the buyer, who may have several chats
    "avito_profile_id": NotRequired[str],
})


V2MessageError = TypedDict("V2MessageError", {
    # Code, such as BAD_CONTACT
    "error": str,
    # Description of the error
    "description": str,
})


V2MessageStatus = TypedDict("V2MessageStatus", {
    # Id of the message
    "message_id": str,
    # The id in the response to the send request; null if the message was not sent through the interface
    "request_id": Optional[str],
    # Channel
    "channel_id": str,
    # The new status
    "status": Literal["sent", "delivered", "read", "error", "edited"],
    # Code of the error, with the status error
    "reason": Optional[str],
    # Description of the error; only with the status error
    "description": NotRequired[str],
})


V2Meta = TypedDict("V2Meta", {
    # Time of the response, Unix seconds
    "timestamp": int,
})


V2NewAvitoChannel = TypedDict("V2NewAvitoChannel", {
    # Messenger of the channel
    "transport": Literal["avito"],
    # The credentials that the messenger requires; empty if a person connects the channel by QR code or link
    "credentials": Union["V2AvitoCredentials", "V2NoCredentials"],
    "history": NotRequired["V2HistoryRequest"],
    # The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
    "proxy": NotRequired[str],
})


V2NewContact = TypedDict("V2NewContact", {
    # Id in the CRM
    "id": Union[str, int],
    # Id of the responsible employee
    "responsible_user_id": Union[str, int],
    # Name of the contact
    "name": str,
    # Chats of the contact
    "contact_data": List["V2ContactChat"],
    # Address of the entity in the CRM
    "uri": NotRequired[str],
})


V2NewDeal = TypedDict("V2NewDeal", {
    # Id in the CRM
    "id": Union[str, int],
    # Id of the responsible employee
    "responsible_user_id": Union[str, int],
    # Name of the deal
    "name": str,
    # Address of the entity in the CRM
    "uri": NotRequired[str],
    # Ids of the deal's contacts
    "contacts": List[Union[str, int]],
    # true: the deal is closed; default false
    "closed": NotRequired[bool],
})


V2NewInstagramChannel = TypedDict("V2NewInstagramChannel", {
    # Messenger of the channel
    "transport": Literal["instagram"],
    # The credentials that the messenger requires; empty if a person connects the channel by QR code or link
    "credentials": Union["V2InstagramCredentials", "V2NoCredentials"],
    "history": NotRequired["V2HistoryRequest"],
    # The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
    "proxy": NotRequired[str],
})


V2NewMaxChannel = TypedDict("V2NewMaxChannel", {
    # Messenger of the channel
    "transport": Literal["max"],
    "credentials": "V2NoCredentials",
    "history": NotRequired["V2HistoryRequest"],
    # The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
    "proxy": NotRequired[str],
})


V2NewMaxbotChannel = TypedDict("V2NewMaxbotChannel", {
    # Messenger of the channel
    "transport": Literal["maxbot"],
    # The credentials that the messenger requires; empty if a person connects the channel by QR code or link
    "credentials": Union["V2MaxbotCredentials", "V2NoCredentials"],
    "history": NotRequired["V2HistoryRequest"],
    # The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
    "proxy": NotRequired[str],
})


V2NewPipeline = TypedDict("V2NewPipeline", {
    # Id in the CRM
    "id": Union[str, int],
    # Name of the pipeline
    "name": str,
    # Stages of the pipeline, in order
    "stages": NotRequired[List["V2NewPipelineStage"]],
})


V2NewPipelineStage = TypedDict("V2NewPipelineStage", {
    # Id in the CRM
    "id": Union[str, int],
    # Name of the stage
    "name": str,
})


V2NewProposal = TypedDict("V2NewProposal", {
    # Channel of the chat
    "channel_id": str,
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger
    "chat_id": str,
    # Text. Exactly one of text and template may be given
    "text": NotRequired[str],
    "template": NotRequired["V2SendTemplate"],
    # Message of the same chat to quote
    "quoted_message_id": NotRequired[str],
    # Seconds, after which nobody can approve it any more; default a day
    "expires_in": NotRequired[int],
})


V2NewTelegramChannel = TypedDict("V2NewTelegramChannel", {
    # Messenger of the channel
    "transport": Literal["telegram"],
    # The credentials that the messenger requires; empty if a person connects the channel by QR code or link
    "credentials": Union["V2TelegramCredentials", "V2NoCredentials"],
    "history": NotRequired["V2HistoryRequest"],
    # The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
    "proxy": NotRequired[str],
})


V2NewTgapiChannel = TypedDict("V2NewTgapiChannel", {
    # Messenger of the channel
    "transport": Literal["tgapi"],
    "credentials": "V2NoCredentials",
    "history": NotRequired["V2HistoryRequest"],
    # The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
    "proxy": NotRequired[str],
})


V2NewUser = TypedDict("V2NewUser", {
    # Id in the CRM
    "id": Union[str, int],
    # Name of the employee
    "name": str,
    # Phone number, international, digits only; invalid ones are omitted
    "phone": NotRequired[str],
})


V2NewViberChannel = TypedDict("V2NewViberChannel", {
    # Messenger of the channel
    "transport": Literal["viber"],
    # The credentials that the messenger requires; empty if a person connects the channel by QR code or link
    "credentials": Union["V2ViberCredentials", "V2NoCredentials"],
    "history": NotRequired["V2HistoryRequest"],
    # The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
    "proxy": NotRequired[str],
})


V2NewWapiChannel = TypedDict("V2NewWapiChannel", {
    # Messenger of the channel
    "transport": Literal["wapi"],
    # The credentials that the messenger requires; empty if a person connects the channel by QR code or link
    "credentials": Union["V2WapiCredentials", "V2NoCredentials"],
    "history": NotRequired["V2HistoryRequest"],
    # The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
    "proxy": NotRequired[str],
})


V2NewWhatsappChannel = TypedDict("V2NewWhatsappChannel", {
    # Messenger of the channel
    "transport": Literal["whatsapp"],
    "credentials": "V2NoCredentials",
    "history": NotRequired["V2HistoryRequest"],
    # The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own
    "proxy": NotRequired[str],
})


V2NoCredentials = Dict[str, Any]


V2OldInfo = TypedDict("V2OldInfo", {
    # Text before
    "old_text": NotRequired[str],
    # The previous author: the employee's id in the CRM
    "old_author_id": NotRequired[str],
    # The previous author's name
    "old_author_name": NotRequired[str],
    # Link to the file before, if an edit replaced it
    "old_content_uri": NotRequired[str],
})


V2PacingNoticesItem = TypedDict("V2PacingNoticesItem", {
    # Time
    "at": str,
    # Kind of notice
    "kind": str,
    # Text for people
    "text": str,
})


V2Pacing = TypedDict("V2Pacing", {
    # Id of the channel
    "channel_id": str,
    "limits": "V2PacingLimits",
    # Limits that differ from the messenger's defaults
    "changed": List[Literal["per_minute", "chat_per_minute", "jitter_ms", "first_contacts_per_day", "warm_up_days"]],
    "first_contacts": "V2FirstContacts",
    "queue": "V2SendQueue",
    # Notices about it, newest first
    "notices": List["V2PacingNoticesItem"],
})


V2PacingLimits = TypedDict("V2PacingLimits", {
    # Messages of the channel per minute
    "per_minute": float,
    # How many may be sent in a row
    "burst": float,
    # Messages of one chat per minute
    "chat_per_minute": float,
    # How many may be sent in a row
    "chat_burst": float,
    # Maximum random delay before a message, in milliseconds
    "jitter_ms": int,
    # First contacts in 24 hours once the warm-up is over; null: no limit
    "first_contacts_per_day": Optional[int],
    # Days in which the allowance of a new channel grows; 0: the full allowance immediately
    "warm_up_days": int,
})


V2PacingListResponse = TypedDict("V2PacingListResponse", {
    # The result
    "data": List["V2Pacing"],
    "meta": "V2Meta",
})


V2PageLink = TypedDict("V2PageLink", {
    # Valid once, within ten minutes
    "link": str,
})


V2PageLinkResponse = TypedDict("V2PageLinkResponse", {
    "data": "V2PageLink",
    "meta": "V2Meta",
})


V2PageMeta = TypedDict("V2PageMeta", {
    # Time of the response, Unix seconds
    "timestamp": int,
    # Cursor of the next page: `after` of the next request if this one has `after` alone, otherwise `before`; null: this is the last page
    "next": Optional[str],
})


V2PasskeyRequest = TypedDict("V2PasskeyRequest", {
    # The address on which the ceremony has to run: browsers permit it nowhere else
    "site": Optional[str],
    # What `PublicKeyCredential.parseRequestOptionsFromJSON` takes; null once the answer was accepted
    "request": Optional[Dict[str, Any]],
    # Seconds until the messenger gives up
    "expires_in": Optional[int],
    # Seconds in which an answer needs no comparison of codes
    "prompt_for": Optional[int],
    # The code to compare with the one on the phone, with wait_for_code
    "compare_code": Optional[str],
})


V2PasskeyRequestResponse = TypedDict("V2PasskeyRequestResponse", {
    "data": "V2PasskeyRequest",
    "meta": "V2Meta",
})


V2PasskeyResponseResponse = TypedDict("V2PasskeyResponseResponse", {
    # What the browser has signed, base64url
    "clientDataJSON": str,
    # What the authenticator has signed, base64url
    "authenticatorData": str,
    # Signature, base64url
    "signature": str,
    # Id of the account, base64url, or null
    "userHandle": NotRequired[Optional[str]],
})


V2PasskeyResponse = TypedDict("V2PasskeyResponse", {
    # Id of the passkey, base64url
    "id": NotRequired[str],
    # Id of the passkey, base64url
    "rawId": str,
    # `public-key`
    "type": NotRequired[str],
    # The assertion
    "response": "V2PasskeyResponseResponse",
})


V2Person = TypedDict("V2Person", {
    # Id in the messenger
    "id": str,
    # Name in the messenger
    "name": str,
    # Username without @
    "username": Optional[str],
    # International, digits only
    "phone": Optional[str],
})


V2Pipeline = TypedDict("V2Pipeline", {
    # Id in the CRM
    "id": str,
    # Name of the pipeline
    "name": str,
    # Stages of the pipeline, in order
    "stages": List["V2PipelineStage"],
})


V2PipelineListResponse = TypedDict("V2PipelineListResponse", {
    # The result
    "data": List["V2Pipeline"],
    "meta": "V2Meta",
})


V2PipelineStage = TypedDict("V2PipelineStage", {
    # Id in the CRM
    "id": str,
    # Name of the stage
    "name": str,
})


V2Post = TypedDict("V2Post", {
    # Id of the post
    "id": str,
    # Address of the post
    "src": str,
    # The author of the post
    "author": str,
    # Its text
    "description": str,
})


V2ProcessedEntities = TypedDict("V2ProcessedEntities", {
    # How many were stored, changed or deleted
    "processed": int,
    # Ids that do not exist
    "not_found": List[str],
})


V2ProcessedEntitiesResponse = TypedDict("V2ProcessedEntitiesResponse", {
    "data": "V2ProcessedEntities",
    "meta": "V2Meta",
})


V2Proposal = TypedDict("V2Proposal", {
    # Id of the proposal
    "proposal_id": str,
    # waiting: for an employee; approved: being sent; sent: the message has a status of its own; failed: it was approved and could not be sent; declined; expired
    "status": Literal["waiting", "approved", "sent", "failed", "declined", "expired"],
    # Channel
    "channel_id": str,
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger
    "chat_id": str,
    # The text, as the employee may have changed it
    "text": str,
    # Until when it can be approved
    "expires_at": str,
    # The employee who approved or declined it
    "decided_by": Union["V2ProposalDecider", Any],
    # Id of the message, once it is approved
    "message_id": Optional[str],
    # Code of the error, if it could not be sent
    "error": Optional[str],
})


V2ProposalDecider = TypedDict("V2ProposalDecider", {
    # The employee's id in the CRM
    "id": str,
    # Their name, if it is known
    "name": Optional[str],
})


V2ProposalResponse = TypedDict("V2ProposalResponse", {
    "data": "V2Proposal",
    "meta": "V2Meta",
})


V2QuotedMessage = TypedDict("V2QuotedMessage", {
    # Id of the quoted message; absent if the service never stored it
    "message_id": NotRequired[str],
    # Channel
    "channel_id": str,
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger
    "chat_id": str,
    # Time of sending by the messenger's clock: UTC, yyyy-mm-ddThh:mm:ss.mmmZ
    "date_time": NotRequired[str],
    # Kind of content
    "type": Literal["text", "image", "audio", "video", "document", "vcard", "geo", "wapi_template", "unsupported", "missing_call", "unknown"],
    # inbound: written by the customer
    "status": NotRequired[Literal["inbound", "sent", "delivered", "read", "error"]],
    # The text, or the caption of a file
    "text": NotRequired[str],
    # Link to the file
    "content_uri": NotRequired[str],
    # Name of the author; of outgoing messages only
    "author_name": NotRequired[str],
    # true for an outgoing message; absent if unknown
    "is_echo": NotRequired[bool],
    "contact": NotRequired["V2MessageContact"],
    "error": NotRequired["V2MessageError"],
    # Employee who wrote it, as the CRM names them
    "author_id": NotRequired[str],
    # Written on the service's own chat page
    "sent_from_app": NotRequired[Literal[True]],
    "sender": NotRequired["V2Sender"],
    "inst_post": NotRequired["V2Post"],
    "advert": NotRequired["V2Advert"],
    "referral": NotRequired["V2Referral"],
    # A notice of the messenger itself, not the customer's words
    "is_system": NotRequired[Literal[True]],
    # Written before the channel was linked
    "is_history": NotRequired[Literal[True]],
    # Buttons, the pressed one, or structured answers
    "interactive": NotRequired[List["V2Interactive"]],
    # The message was changed
    "is_edited": NotRequired[Literal[True]],
    # The message was deleted
    "is_deleted": NotRequired[Literal[True]],
    "old_info": NotRequired["V2OldInfo"],
})


V2Reaction = TypedDict("V2Reaction", {
    # Id of the message
    "message_id": str,
    # Channel
    "channel_id": str,
    "recipient": "V2Recipient",
    # The emoji; null: the reaction was removed. A person has one reaction to a message
    "emoji": Optional[str],
    # Who reacted
    "from": Union["V2ReactionAuthor", Literal["us"]],
    # Time of the reaction, in milliseconds
    "timestamp": int,
})


V2ReactionAuthor = TypedDict("V2ReactionAuthor", {
    # Id in the messenger
    "id": str,
    # Name in the messenger
    "name": str,
})


V2Recipient = TypedDict("V2Recipient", {
    # The chat's id in the messenger
    "chat_id": str,
    # Kind of chat
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # Name in the messenger; of a group, its title
    "name": str,
    # Username without @
    "username": Optional[str],
    # International, digits only
    "phone": Optional[str],
})


V2Referral = TypedDict("V2Referral", {
    # What the customer opened the chat from
    "source": Literal["ad", "post", "product", "link", "unknown"],
    # Its id in the messenger
    "source_id": NotRequired[str],
    # Its address
    "source_url": NotRequired[str],
    # Its title
    "headline": NotRequired[str],
    # Its text
    "body": NotRequired[str],
    # The parameter of the link or advertisement
    "ref": NotRequired[str],
    # Id of the click, for reports of conversions
    "click_id": NotRequired[str],
})


V2RefreshTokenGrantRefreshTokenData = TypedDict("V2RefreshTokenGrantRefreshTokenData", {
    # Valid once for new tokens; a second use revokes the whole grant
    "refresh_token": str,
    # Id of the application
    "client_id": str,
})


V2RefreshTokenGrant = TypedDict("V2RefreshTokenGrant", {
    # The grant; its data object is required
    "grant_type": Literal["refresh_token"],
    # For refresh_token
    "refresh_token_data": "V2RefreshTokenGrantRefreshTokenData",
})


V2ReinitialisedChannel = TypedDict("V2ReinitialisedChannel", {
    # Id of the channel
    "channel_id": str,
    # Messenger of the channel
    "transport": str,
    # Deprecated: use status and reason
    "state": Literal["active", "init", "waitForPassword", "waitForPasskey", "qr", "disabled", "blocked", "notEnoughMoney", "rejected", "unauthorized", "foreignphone", "qridle", "openElsewhere", "phoneUnavailable"],
    # Phone number of the channel; "" if it has none
    "phone": str,
    # Id of the channel in the messenger
    "messenger_id": str,
    # Plan of the channel
    "tariff": Optional[str],
    # Name of the channel
    "name": str,
})


V2ReinitialisedChannelListResponse = TypedDict("V2ReinitialisedChannelListResponse", {
    # The result
    "data": List["V2ReinitialisedChannel"],
    "meta": "V2Meta",
})


V2Restriction = TypedDict("V2Restriction", {
    # new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it
    "kind": Literal["new_chats", "replies", "unanswered", "spam", "volume", "quality", "block_announced"],
    # A sentence for the owner of the channel, in English
    "reason": str,
    # When the service learned of it
    "since": str,
    # When it ends; null if the messenger does not say
    "until": Optional[str],
})


V2SendAttachment = TypedDict("V2SendAttachment", {
    # Direct http or https link to the file, at most 50 MB, on a public address
    "url": str,
    # File name shown to the recipient
    "name": NotRequired[str],
    # MIME type; default: as stated by the file's host
    "mimetype": NotRequired[str],
    # Bytes; another size is reported as WRONG_CONTENT
    "size": NotRequired[float],
    # SHA-1 in hex; another file is reported as WRONG_CONTENT
    "sha1": NotRequired[str],
    # true: an audio file is sent as a voice note where the messenger has them, converted if necessary; without it, only Ogg files and recordings that no messenger plays (WebM, WAV, FLAC) are
    "voice": NotRequired[bool],
})


V2SendKeyboardButtonsItem = TypedDict("V2SendKeyboardButtonsItem", {
    # Label: at most 64 characters on telegram, 20 on wapi; longer ones are not sent
    "text": NotRequired[str],
    # wapi: text. maxbot: callback, link or message. telegram: none
    "type": NotRequired[str],
    # wapi, and maxbot if type is callback: the data sent back when the button is pressed
    "payload": NotRequired[str],
    # telegram inline, and maxbot if type is link: the address that the button opens
    "url": NotRequired[str],
    # telegram inline: the data sent back when the button is pressed, 1 to 64 bytes
    "callback_data": NotRequired[str],
    # maxbot: default, positive or negative
    "intent": NotRequired[str],
})


V2SendKeyboard = TypedDict("V2SendKeyboard", {
    # A list of buttons is one button per row; a list of lists is rows. telegram takes the first 12 buttons, wapi the first 10; maxbot requires rows
    "buttons": NotRequired[List[Union["V2SendKeyboardButtonsItem", List["V2Button"]]]],
    # telegram: inline (default) or reply
    "reply_markup": NotRequired[str],
    # telegram reply: hidden after use
    "one_time_keyboard": NotRequired[bool],
    # telegram reply: resized to fit its buttons
    "resize_keyboard": NotRequired[bool],
    # telegram reply: shown only to the addressed people
    "selective": NotRequired[bool],
    # telegram: removes the reply keyboard
    "remove_keyboard": NotRequired[bool],
})


V2SendQueueWaitingItem = TypedDict("V2SendQueueWaitingItem", {
    # turn: about to be sent; inactive: the channel is not active; pause: the messenger asked to wait; pace: the rate; allowance: that of first contacts; hold: the messenger's warning; retry: the next attempt
    "for": Literal["turn", "inactive", "stopped", "pause", "pace", "allowance", "hold", "retry"],
    # Number of chats
    "chats": int,
    # When the first of them continues; null: unknown
    "until": Optional[str],
})


V2SendQueue = TypedDict("V2SendQueue", {
    # Number of messages
    "messages": int,
    # Number of chats
    "chats": int,
    # Since when the oldest one has been waiting
    "oldest_at": Optional[str],
    # When the next message is sent; null: none is waiting, or unknown
    "next_send_at": Optional[str],
    # The waiting chats by reason
    "waiting": List["V2SendQueueWaitingItem"],
})


V2SendRecipient = TypedDict("V2SendRecipient", {
    # Kind of chat; must fit the channel's transport
    "chat_type": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger: a phone number for whatsapp and viber, the username for instagram
    "chat_id": NotRequired[str],
    # telegram only: used if chat_id is unknown
    "username": NotRequired[str],
    # telegram and max only, with its country code: used if chat_id is unknown
    "phone": NotRequired[str],
    # Name of the contact in the CRM
    "crm_contact_name": NotRequired[str],
})


V2SendTemplate = TypedDict("V2SendTemplate", {
    # Id of the template (templateGuid)
    "id": str,
    # Values of the template's variables, in order
    "values": NotRequired[List[str]],
    # Payloads of the template's buttons, in order
    "buttons": NotRequired[List["V2SendTemplateButton"]],
})


V2SendTemplateButton = TypedDict("V2SendTemplateButton", {
    # Label; the template has its own
    "text": NotRequired[str],
    # text
    "type": NotRequired[str],
    # The data sent back when the button is pressed
    "payload": str,
})


V2Sender = TypedDict("V2Sender", {
    # Id in the messenger
    "id": str,
    # Name in the messenger
    "name": str,
})


V2StoredEntities = TypedDict("V2StoredEntities", {
    # How many were stored, changed or deleted
    "processed": int,
})


V2StoredEntitiesResponse = TypedDict("V2StoredEntitiesResponse", {
    "data": "V2StoredEntities",
    "meta": "V2Meta",
})


V2Subscription = TypedDict("V2Subscription", {
    # Id of the subscription
    "id": str,
    # The receiver's address, at most 200 characters; "" after it was removed
    "url": str,
    # The event that is sent there
    "event": str,
})


V2SubscriptionListResponse = TypedDict("V2SubscriptionListResponse", {
    # The result
    "data": List["V2Subscription"],
    "meta": "V2Meta",
})


V2TelegramCredentials = TypedDict("V2TelegramCredentials", {
    # The token that BotFather shows after /newbot, for example 123456789:AAF…
    "telegram_token": str,
})


V2Template = TypedDict("V2Template", {
    # What template.id takes
    "template_id": str,
    # Name at the platform
    "name": str,
    # Name for people
    "title": str,
    # MARKETING, UTILITY or AUTHENTICATION
    "category": str,
    # Language, such as en or pt_BR
    "language": str,
    # APPROVED, PENDING, REJECTED, PAUSED or DISABLED
    "status": str,
    # Reason of the rejection
    "reason": NotRequired[str],
    # Components of the template as defined by the platform
    "components": List[Dict[str, Any]],
    # Ids of the channels that can send it
    "channels": List[str],
})


V2TemplateListResponse = TypedDict("V2TemplateListResponse", {
    # The result
    "data": List["V2Template"],
    "meta": "V2Meta",
})


V2TemplateResponse = TypedDict("V2TemplateResponse", {
    # The result
    "data": "V2Template",
    "meta": "V2Meta",
})


V2TemplateStatus = TypedDict("V2TemplateStatus", {
    # Id of the template
    "template_id": str,
    # Channel
    "channel_id": str,
    # Name of the template
    "name": str,
    # Where its moderation stands
    "status": Literal["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"],
})


V2TokenExchangeGrantTokenExchangeData = TypedDict("V2TokenExchangeGrantTokenExchangeData", {
    # The machine token
    "subject_token": str,
    # Kind of the machine token
    "subject_token_type": str,
    # account_id of the client
    "requested_subject": Union[str, int],
    # transport, crm or both
    "scope": str,
})


V2TokenExchangeGrant = TypedDict("V2TokenExchangeGrant", {
    # The grant; its data object is required
    "grant_type": Literal["urn:ietf:params:oauth:grant-type:token-exchange"],
    # For token exchange: the token of a client account
    "token_exchange_data": "V2TokenExchangeGrantTokenExchangeData",
})


V2User = TypedDict("V2User", {
    # Id in the CRM
    "id": str,
    # Name of the employee
    "name": str,
    # Phone number, international, digits only; invalid ones are omitted
    "phone": NotRequired[str],
})


V2UserChange = TypedDict("V2UserChange", {
    # Id in the CRM
    "id": Union[str, int],
    # Name of the employee
    "name": NotRequired[str],
    # Phone number, international, digits only; invalid ones are omitted
    "phone": NotRequired[str],
})


V2UserListResponse = TypedDict("V2UserListResponse", {
    # The result
    "data": List["V2User"],
    "meta": "V2Meta",
})


V2UserResponse = TypedDict("V2UserResponse", {
    # The result
    "data": "V2User",
    "meta": "V2Meta",
})


V2ViberCredentials = TypedDict("V2ViberCredentials", {
    # Shown in the Viber Admin Panel, under Edit Info of the bot
    "viber_token": str,
    # Shown to people who open the bot for the first time
    "welcome": NotRequired[str],
})


V2VkCredentials = TypedDict("V2VkCredentials", {
    # From the community's settings: Manage, API usage, Access tokens
    "access_token": str,
})


V2WapiCredentials = TypedDict("V2WapiCredentials", {
    # From WhatsApp Manager or the app's dashboard; not the phone number itself
    "phone_number_id": str,
    # The account that the number belongs to
    "waba_id": str,
    # Token of a system user, with whatsapp_business_messaging and whatsapp_business_management
    "access_token": str,
    # Only when the token belongs to a Meta app of your own
    "app_secret": NotRequired[str],
})


V3Advert = TypedDict("V3Advert", {
    # Id of the listing
    "id": str,
    # Its title
    "title": NotRequired[str],
    # Its address
    "url": NotRequired[str],
    # Its price, as the messenger shows it
    "price": NotRequired[str],
})


V3AuditEntry = TypedDict("V3AuditEntry", {
    # Grows with time
    "id": int,
    # When it was changed
    "at": str,
    # What was changed, such as channel.create
    "action": str,
    # Id of the channel, token, grant, subscription or receiver
    "subject": str,
    # operator, console, token, application, partner, page or service
    "actor": str,
    # Id of the token, the OAuth client or the partner, or the console login
    "actorId": str,
    # Address of the client, or name of the operator's machine
    "from": str,
    # Details of the change; never a secret
    "details": Dict[str, Any],
})


V3Button = TypedDict("V3Button", {
    # Label: at most 64 characters on telegram, 20 on wapi; longer ones are not sent
    "text": NotRequired[str],
    # wapi: text. maxbot: callback, link or message. telegram: none
    "type": NotRequired[str],
    # wapi, and maxbot if type is callback: the data sent back when the button is pressed
    "payload": NotRequired[str],
    # telegram inline, and maxbot if type is link: the address that the button opens
    "url": NotRequired[str],
    # maxbot: default, positive or negative
    "intent": NotRequired[str],
    # telegram inline: the data sent back when the button is pressed, 1 to 64 bytes
    "callbackData": NotRequired[str],
})


V3CardLinkUser = TypedDict("V3CardLinkUser", {
    # Id of the employee in the CRM
    "id": Union[str, int],
    # The sender's name as clients see it; default: the employee's name in the CRM
    "name": NotRequired[str],
})


V3CardLinkFilterItem = TypedDict("V3CardLinkFilterItem", {
    # Kind of chat
    "chatType": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
    "chatId": NotRequired[str],
    # Username without the @
    "username": NotRequired[str],
    # International, digits only
    "phone": NotRequired[str],
    # Name of the contact
    "name": NotRequired[str],
})


V3CardLinkActiveChat = TypedDict("V3CardLinkActiveChat", {
    # Kind of chat
    "chatType": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
    "chatId": NotRequired[str],
    # Username without the @
    "username": NotRequired[str],
    # International, digits only
    "phone": NotRequired[str],
    # Id of the channel
    "channelId": NotRequired[str],
})


V3CardLinkOptions = TypedDict("V3CardLinkOptions", {
    # Kind of CRM
    "clientType": NotRequired[str],
    # Whether the page reports deals to the CRM's page that embeds it
    "useDealsEvents": NotRequired[bool],
    # Whether the page reports messages to the CRM's page that embeds it
    "useMessageEvents": NotRequired[bool],
})


V3CardLink = TypedDict("V3CardLink", {
    # The employee
    "user": "V3CardLinkUser",
    # global: all chats that the employee may see; card: those of one contact or deal
    "scope": Literal["card"],
    # The chats that the page shows; required with the scope card
    "filter": List["V3CardLinkFilterItem"],
    # The chat that is open at first
    "activeChat": NotRequired["V3CardLinkActiveChat"],
    # The events that the page reports to the CRM's page that embeds it
    "options": NotRequired["V3CardLinkOptions"],
})


V3ChangedMessage = TypedDict("V3ChangedMessage", {
    # The message
    "messageId": str,
    # Its chat in the messenger
    "chatId": str,
})


V3Channel = TypedDict("V3Channel", {
    # Id of the channel
    "channelId": str,
    # Its messenger
    "transport": str,
    # Phone of the channel, else its username, else its id in the messenger
    "plainId": str,
    # State of the channel
    "state": Literal["active", "init", "waitForPassword", "waitForPasskey", "qr", "disabled", "blocked", "notEnoughMoney", "rejected", "unauthorized", "foreignphone", "qridle", "openElsewhere", "phoneUnavailable"],
    # Name of the channel
    "name": str,
    # What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left
    "restrictions": NotRequired[List["V3Restriction"]],
})


V3ChannelUpdate = TypedDict("V3ChannelUpdate", {
    # Channel
    "channelId": str,
    # State of the channel, such as active, qr or phoneUnavailable
    "state": str,
    # Business channels only
    "tier": NotRequired[Literal["TIER_0", "TIER_50", "TIER_250", "TIER_1K", "TIER_2K", "TIER_10K", "TIER_100K", "TIER_UNLIMITED"]],
    # The QR code to scan, as a data: URI; with the state qr
    "qr": NotRequired[str],
    # With the state qridle: nobody scanned the code
    "qridle": NotRequired[Literal["qridle"]],
    # What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left
    "restrictions": NotRequired[List["V3Restriction"]],
    # When the status was set, in milliseconds
    "timestamp": int,
})


V3Contact = TypedDict("V3Contact", {
    # Id in the CRM
    "id": str,
    # Id of the responsible employee
    "responsibleUserId": str,
    # Name of the contact
    "name": str,
    # Chats of the contact
    "contactData": List["V3ContactChat"],
    # Address of the entity in the CRM
    "uri": NotRequired[str],
})


V3ContactChat = TypedDict("V3ContactChat", {
    # Kind of chat
    "chatType": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram
    "chatId": NotRequired[str],
    # Username without the @
    "username": NotRequired[str],
    # International, digits only
    "phone": NotRequired[str],
})


V3ContactCreationContactDataItem = TypedDict("V3ContactCreationContactDataItem", {
    # Kind of chat
    "chatType": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger
    "chatId": str,
})


V3ContactCreation = TypedDict("V3ContactCreation", {
    # The responsible employee
    "responsibleUserId": str,
    # Name of the client
    "name": str,
    # Chats of the contact
    "contactData": List["V3ContactCreationContactDataItem"],
    # auto: caused by a message; byUser: by an employee's button
    "source": Literal["auto", "byUser"],
})


V3Deal = TypedDict("V3Deal", {
    # Id in the CRM
    "id": str,
    # Id of the responsible employee
    "responsibleUserId": str,
    # Name of the deal
    "name": str,
    # Address of the entity in the CRM
    "uri": NotRequired[str],
    # Ids of the deal's contacts
    "contacts": List[str],
    # true: the deal is closed; default false
    "closed": bool,
})


V3DealCreation = TypedDict("V3DealCreation", {
    # The responsible employee
    "responsibleUserId": str,
    # Ids of the deal's contacts
    "contacts": List[str],
    # auto: caused by a message; byUser: by an employee's button
    "source": Literal["auto", "byUser"],
})


V3Delivery = TypedDict("V3Delivery", {
    # Number of the request in the log
    "id": int,
    # The receiver; default: the account's v3 address
    "receiverId": str,
    # The request's webhook-id
    "deliveryId": str,
    # delivery, replay or test
    "purpose": str,
    # Time
    "at": str,
    # Duration in milliseconds
    "durationMs": int,
    # Kinds of events
    "kinds": List[str],
    # Channels that the events are about
    "channelIds": List[str],
    # Number of events
    "items": int,
    # delivered, refused or failed
    "result": str,
    # HTTP status of the response; null if there was none
    "status": Optional[int],
    # Why there was no response
    "failure": Optional[str],
})


V3DeliveryDetails = TypedDict("V3DeliveryDetails", {
    # Number of the request in the log
    "id": int,
    # The receiver; default: the account's v3 address
    "receiverId": str,
    # The request's webhook-id
    "deliveryId": str,
    # delivery, replay or test
    "purpose": str,
    # Time
    "at": str,
    # Duration in milliseconds
    "durationMs": int,
    # Kinds of events
    "kinds": List[str],
    # Channels that the events are about
    "channelIds": List[str],
    # Number of events
    "items": int,
    # delivered, refused or failed
    "result": str,
    # HTTP status of the response; null if there was none
    "status": Optional[int],
    # Why there was no response
    "failure": Optional[str],
    # Numbers of the events
    "eventIds": List[int],
    # The request body
    "body": Optional[str],
    # Request headers, without secrets
    "sentHeaders": Optional[Dict[str, str]],
    # Response headers
    "receivedHeaders": Optional[Dict[str, str]],
    # The start of the response body
    "answer": Optional[str],
})


V3Interactive = TypedDict("V3Interactive", {
    # pressed: the button that the customer pressed. In an outgoing message: text, callback, link or message. Others: the kind of a structured answer, such as a form
    "type": str,
    # Label of the button
    "text": NotRequired[str],
    # The data sent back when the button is pressed; of an answer, its JSON
    "payload": NotRequired[str],
    # The address that the button opens
    "url": NotRequired[str],
})


V3Message = TypedDict("V3Message", {
    # Id of the message
    "messageId": str,
    # Channel
    "channelId": str,
    # Kind of chat
    "chatType": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger
    "chatId": str,
    # Time of sending by the messenger's clock: UTC, yyyy-mm-ddThh:mm:ss.mmmZ
    "dateTime": str,
    # Kind of content
    "type": Literal["text", "image", "audio", "video", "document", "vcard", "geo", "wapi_template", "unsupported", "missing_call", "unknown"],
    # inbound: written by the customer
    "status": Literal["inbound", "sent", "delivered", "read", "error"],
    # The text, or the caption of a file
    "text": NotRequired[str],
    # Link to the file
    "contentUri": NotRequired[str],
    # Name of the author; of outgoing messages only
    "authorName": NotRequired[str],
    # true for every outgoing message, its edits and deletions; false for the customer's
    "isEcho": bool,
    "contact": "V3MessageContact",
    "error": NotRequired["V3MessageError"],
    # Employee who wrote it, as the CRM names them
    "authorId": NotRequired[str],
    # Written on the service's own chat page
    "sentFromApp": NotRequired[Literal[True]],
    "sender": NotRequired["V3Sender"],
    "instPost": NotRequired["V3Post"],
    "advert": NotRequired["V3Advert"],
    "referral": NotRequired["V3Referral"],
    # A notice of the messenger itself, not the customer's words
    "isSystem": NotRequired[Literal[True]],
    # Written before the channel was linked
    "isHistory": NotRequired[Literal[True]],
    # Buttons, the pressed one, or structured answers
    "interactive": NotRequired[List["V3Interactive"]],
    # The message was changed
    "isEdited": NotRequired[Literal[True]],
    # The message was deleted
    "isDeleted": NotRequired[Literal[True]],
    "oldInfo": NotRequired["V3OldInfo"],
    "quotedMessage": NotRequired["V3QuotedMessage"],
})


V3MessageContact = TypedDict("V3MessageContact", {
    # Name in the messenger; of a group, its title
    "name": str,
    # Link to the picture, once it is known
    "avatarUri": NotRequired[str],
    # Username without @, if the messenger reports it
    "username": NotRequired[str],
    # International, digits only, if the messenger reports it
    "phone": NotRequired[str],
    # avito only: the buyer, who may have several chats
    "avitoProfileId": NotRequired[str],
})


V3MessageError = TypedDict("V3MessageError", {
    # Code, such as BAD_CONTACT
    "error": str,
    # Description of the error
    "description": str,
})


V3MessageStatusError = TypedDict("V3MessageStatusError", {
    # Code, such as BAD_CONTACT
    "error": str,
    # Description of the error
    "description": str,
    # The messenger's error
    "data": NotRequired[str],
})


V3MessageStatus = TypedDict("V3MessageStatus", {
    # Id of the message
    "messageId": str,
    # When the service learned of it; never earlier than the previous status
    "timestamp": str,
    # edited: changed in the messenger itself
    "status": Literal["sent", "delivered", "read", "error", "edited"],
    # Only with the status error
    "error": NotRequired["V3MessageStatusError"],
})


V3NewContact = TypedDict("V3NewContact", {
    # Id in the CRM
    "id": Union[str, int],
    # Id of the responsible employee
    "responsibleUserId": Union[str, int],
    # Name of the contact
    "name": str,
    # Chats of the contact
    "contactData": List["V3ContactChat"],
    # Address of the entity in the CRM
    "uri": NotRequired[str],
})


V3NewDeal = TypedDict("V3NewDeal", {
    # Id in the CRM
    "id": Union[str, int],
    # Id of the responsible employee
    "responsibleUserId": Union[str, int],
    # Name of the deal
    "name": str,
    # Address of the entity in the CRM
    "uri": NotRequired[str],
    # Ids of the deal's contacts
    "contacts": List[Union[str, int]],
    # true: the deal is closed; default false
    "closed": NotRequired[bool],
})


V3NewPipeline = TypedDict("V3NewPipeline", {
    # Id in the CRM
    "id": Union[str, int],
    # Name of the pipeline
    "name": str,
    # Stages of the pipeline, in order
    "stages": NotRequired[List["V3NewPipelineStage"]],
})


V3NewPipelineStage = TypedDict("V3NewPipelineStage", {
    # Id in the CRM
    "id": Union[str, int],
    # Name of the stage
    "name": str,
})


V3NewUser = TypedDict("V3NewUser", {
    # Id in the CRM
    "id": Union[str, int],
    # Name of the employee
    "name": str,
    # Phone number, international, digits only; invalid ones are omitted
    "phone": NotRequired[str],
})


V3Nothing = Dict[str, Any]


V3OldInfo = TypedDict("V3OldInfo", {
    # Text before
    "oldText": NotRequired[str],
    # The previous author: the employee's id in the CRM
    "oldAuthorId": NotRequired[str],
    # The previous author's name
    "oldAuthorName": NotRequired[str],
    # Link to the file before, if an edit replaced it
    "oldContentUri": NotRequired[str],
})


V3ParkedEvent = TypedDict("V3ParkedEvent", {
    # Number of the event
    "eventId": int,
    # The receiver; default: the account's v3 address
    "receiverId": str,
    # Kind of event
    "kind": str,
    # Id of the channel
    "channelId": Optional[str],
    # Id of its object: a message, a channel ...
    "subject": str,
    # Time of the event
    "happenedAt": str,
    # When it was parked
    "parkedAt": str,
    # Reason
    "reason": str,
    # The event as it would be sent
    "item": Any,
})


V3Pipeline = TypedDict("V3Pipeline", {
    # Id in the CRM
    "id": str,
    # Name of the pipeline
    "name": str,
    # Stages of the pipeline, in order
    "stages": List["V3PipelineStage"],
})


V3PipelineStage = TypedDict("V3PipelineStage", {
    # Id in the CRM
    "id": str,
    # Name of the stage
    "name": str,
})


V3Post = TypedDict("V3Post", {
    # Id of the post
    "id": str,
    # Address of the post
    "src": str,
    # The author of the post
    "author": str,
    # Its text
    "description": str,
})


V3QuotedMessage = TypedDict("V3QuotedMessage", {
    # Id of the quoted message; absent if the service never stored it
    "messageId": NotRequired[str],
    # Channel
    "channelId": str,
    # Kind of chat
    "chatType": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger
    "chatId": str,
    # Time of sending by the messenger's clock: UTC, yyyy-mm-ddThh:mm:ss.mmmZ
    "dateTime": NotRequired[str],
    # Kind of content
    "type": Literal["text", "image", "audio", "video", "document", "vcard", "geo", "wapi_template", "unsupported", "missing_call", "unknown"],
    # inbound: written by the customer
    "status": NotRequired[Literal["inbound", "sent", "delivered", "read", "error"]],
    # The text, or the caption of a file
    "text": NotRequired[str],
    # Link to the file
    "contentUri": NotRequired[str],
    # Name of the author; of outgoing messages only
    "authorName": NotRequired[str],
    # true for an outgoing message; absent if unknown
    "isEcho": NotRequired[bool],
    "contact": NotRequired["V3MessageContact"],
    "error": NotRequired["V3MessageError"],
    # Employee who wrote it, as the CRM names them
    "authorId": NotRequired[str],
    # Written on the service's own chat page
    "sentFromApp": NotRequired[Literal[True]],
    "sender": NotRequired["V3Sender"],
    "instPost": NotRequired["V3Post"],
    "advert": NotRequired["V3Advert"],
    "referral": NotRequired["V3Referral"],
    # A notice of the messenger itself, not the customer's words
    "isSystem": NotRequired[Literal[True]],
    # Written before the channel was linked
    "isHistory": NotRequired[Literal[True]],
    # Buttons, the pressed one, or structured answers
    "interactive": NotRequired[List["V3Interactive"]],
    # The message was changed
    "isEdited": NotRequired[Literal[True]],
    # The message was deleted
    "isDeleted": NotRequired[Literal[True]],
    "oldInfo": NotRequired["V3OldInfo"],
})


V3Reaction = TypedDict("V3Reaction", {
    # Id of the message
    "messageId": str,
    # Channel
    "channelId": str,
    # Kind of chat
    "chatType": Literal["whatsapp", "whatsgroup", "viber", "instagram", "telegram", "telegroup", "vk", "avito", "max", "maxgroup"],
    # The chat's id in the messenger
    "chatId": str,
    # The emoji; null: the reaction was removed. A person has one reaction to a message
    "emoji": Optional[str],
    # Who reacted
    "from": Union["V3ReactionAuthor", Literal["us"]],
    # Time of the reaction
    "timestamp": str,
})


V3ReactionAuthor = TypedDict("V3ReactionAuthor", {
    # Id in the messenger
    "id": str,
    # Name in the messenger
    "name": str,
})


V3Receiver = TypedDict("V3Receiver", {
    # The receiver; default: the account's v3 address
    "receiverId": str,
    # v3: the account's only address; v2: an address of subscriptions to single events
    "version": str,
    # The receiver's address, at most 200 characters; "" after it was removed
    "url": str,
    # Kinds of events
    "kinds": List[str],
    # active, failing or paused
    "state": str,
    # Since when the receiver has been paused
    "pausedAt": Optional[str],
    # failing: it has accepted nothing for long; asked: by request
    "pauseReason": Optional[str],
    # Since when it has accepted nothing
    "failingSince": Optional[str],
    # Failed requests since then
    "failures": int,
    # Time of the last accepted request
    "lastSuccessAt": Optional[str],
    # Events waiting for it, among the first thousand of the account after its position; there may be more behind these
    "queued": int,
    # Events that it rejected until the end of their retry schedule
    "parked": int,
    # 0: the installation's setting
    "maxItems": int,
    # Concurrent requests
    "concurrency": int,
})


V3ReceiverDetails = TypedDict("V3ReceiverDetails", {
    # The receiver; default: the account's v3 address
    "receiverId": str,
    # v3: the account's only address; v2: an address of subscriptions to single events
    "version": str,
    # The receiver's address, at most 200 characters; "" after it was removed
    "url": str,
    # Kinds of events
    "kinds": List[str],
    # active, failing or paused
    "state": str,
    # Since when the receiver has been paused
    "pausedAt": Optional[str],
    # failing: it has accepted nothing for long; asked: by request
    "pauseReason": Optional[str],
    # Since when it has accepted nothing
    "failingSince": Optional[str],
    # Failed requests since then
    "failures": int,
    # Time of the last accepted request
    "lastSuccessAt": Optional[str],
    # Events waiting for it, among the first thousand of the account after its position; there may be more behind these
    "queued": int,
    # Events that it rejected until the end of their retry schedule
    "parked": int,
    # 0: the installation's setting
    "maxItems": int,
    # Concurrent requests
    "concurrency": int,
    # Notices about it, newest first
    "notices": List["V3ReceiverNotice"],
})


V3ReceiverNotice = TypedDict("V3ReceiverNotice", {
    # Time
    "at": str,
    # Kind of notice
    "kind": str,
    # Text for people
    "text": str,
})


V3Referral = TypedDict("V3Referral", {
    # What the customer opened the chat from
    "source": Literal["ad", "post", "product", "link", "unknown"],
    # Its id in the messenger
    "sourceId": NotRequired[str],
    # Its address
    "sourceUrl": NotRequired[str],
    # Its title
    "headline": NotRequired[str],
    # Its text
    "body": NotRequired[str],
    # The parameter of the link or advertisement
    "ref": NotRequired[str],
    # Id of the click, for reports of conversions
    "clickId": NotRequired[str],
})


V3ReplayFailuresItem = TypedDict("V3ReplayFailuresItem", {
    # The receiver; default: the account's v3 address
    "receiverId": str,
    # The request's webhook-id
    "deliveryId": str,
    # HTTP status of the response; null if there was none
    "status": Optional[int],
    # Why there was no response
    "failure": Optional[str],
})


V3Replay = TypedDict("V3Replay", {
    # Id of the replay
    "replayId": str,
    # Time of the request
    "requestedAt": str,
    # Time of its end; null while it runs
    "finishedAt": Optional[str],
    # Number of requests to replay
    "total": int,
    # How many were accepted
    "delivered": int,
    # How many were not
    "failed": int,
    # The requests that were not accepted
    "failures": List["V3ReplayFailuresItem"],
})


V3Restriction = TypedDict("V3Restriction", {
    # new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it
    "kind": Literal["new_chats", "replies", "unanswered", "spam", "volume", "quality", "block_announced"],
    # A sentence for the owner of the channel, in English
    "reason": str,
    # When the service learned of it
    "since": str,
    # When it ends; null if the messenger does not say
    "until": Optional[str],
})


V3Sender = TypedDict("V3Sender", {
    # Id in the messenger
    "id": str,
    # Name in the messenger
    "name": str,
})


V3Template = TypedDict("V3Template", {
    # The value for template.id and templateId
    "templateGuid": str,
    # Name at the platform
    "name": str,
    # Name for people
    "title": str,
    # MARKETING, UTILITY or AUTHENTICATION
    "category": str,
    # Language, such as en or pt_BR
    "language": str,
    # approved, pending, rejected, paused or disabled
    "status": str,
    # Reason of the rejection
    "reason": NotRequired[str],
    # Components of the template as defined by the platform
    "components": List[Dict[str, Any]],
    # Ids of the channels that can send it
    "channels": List[str],
    # The template as text, with its variables in place of values; a message may contain such text instead of the template
    "templateCode": str,
})


V3TemplateStatus = TypedDict("V3TemplateStatus", {
    # Id of the template
    "templateGuid": str,
    # Name of the template
    "name": str,
    # Where its moderation stands
    "status": Literal["APPROVED", "PENDING", "REJECTED", "PAUSED", "DISABLED"],
})


V3User = TypedDict("V3User", {
    # Id in the CRM
    "id": str,
    # Name of the employee
    "name": str,
    # Phone number, international, digits only; invalid ones are omitted
    "phone": NotRequired[str],
})


V3UserName = TypedDict("V3UserName", {
    # Id in the CRM
    "id": str,
    # Name of the employee
    "name": str,
})


V3WebhookSecret = TypedDict("V3WebhookSecret", {
    # Key for verifying signatures (Standard Webhooks)
    "secret": str,
    # Until when the previous secret signs too
    "previousUntil": Optional[str],
})


WabaTemplateStatusUpdateEvent = TypedDict("WabaTemplateStatusUpdateEvent", {
    # Name of the event
    "event": Literal["waba_template.status_update"],
    # The events, oldest first
    "data": List["V2TemplateStatus"],
    "meta": "V2EventMeta",
})


class Operations(Http):
    """A method for every operation of the interface."""

    def get_counter_host(self, api_key: str) -> "GetCounterHostResponse":
        """Get the host that reports unanswered messages as they change, by socket.io at `/ws-counters/`. `GET /counters/ws_host/api_v3/{apiKey}`"""
        return self._call("GET", f"/counters/ws_host/api_v3/{segment(api_key)}", "none")

    def get_health(self) -> "GetHealthResponse":
        """Liveness of the process. `GET /healthz`"""
        return self._call("GET", "/healthz", "none")

    def get_readiness(self) -> "Readiness":
        """Readiness of the node. `GET /readyz`"""
        return self._call("GET", "/readyz", "none")

    def create_account(self, body: "CreateAccountRequest", *, idempotency_key: Optional[str] = None) -> "CreateAccountResponse":
        """Create an account for a client; obtain its tokens by token exchange. `POST /v2/accounts`"""
        return self._call("POST", "/v2/accounts", "partner", body=body, idempotency_key=idempotency_key)

    def get_account(self, id: str, *, expand: Optional[Union[str, List[str]]] = None) -> "GetAccountResponse":
        """Get one of the partner's accounts. `GET /v2/accounts/{id}`"""
        return self._call("GET", f"/v2/accounts/{segment(id)}", "partner", query={"expand": expand})

    def list_channels(self) -> "V2ChannelListResponse":
        """List the channels of the account. `GET /v2/channels`"""
        return self._call("GET", "/v2/channels", "accessToken")

    def create_channel(self, body: "CreateChannelRequest", *, idempotency_key: Optional[str] = None) -> "V2CreatedChannelListResponse":
        """Connect a messenger account as a new channel. `POST /v2/channels`"""
        return self._call("POST", "/v2/channels", "accessToken", body=body, idempotency_key=idempotency_key)

    def get_channel(self, id: str) -> "V2ChannelDetailsListResponse":
        """Get a channel with its status. `GET /v2/channels/{id}`"""
        return self._call("GET", f"/v2/channels/{segment(id)}", "accessToken")

    def remove_channel(self, id: str, *, delete_chats: Optional[str] = None) -> "V2DoneResponse":
        """Disconnect and delete a channel. `DELETE /v2/channels/{id}`"""
        return self._call("DELETE", f"/v2/channels/{segment(id)}", "accessToken", query={"delete_chats": delete_chats})

    def submit_two_factor_password(self, id: str, body: "SubmitTwoFactorPasswordRequest", *, idempotency_key: Optional[str] = None) -> "V2DoneResponse":
        """Submit the two-factor password, or the messenger's code, that a channel waits for. `POST /v2/channels/{id}/auth/2fa`"""
        return self._call("POST", f"/v2/channels/{segment(id)}/auth/2fa", "accessToken", body=body, idempotency_key=idempotency_key)

    def get_passkey_request(self, id: str) -> "V2PasskeyRequestResponse":
        """Get the request for the passkey, or the code to compare, that a channel waits for. `GET /v2/channels/{id}/auth/passkey`"""
        return self._call("GET", f"/v2/channels/{segment(id)}/auth/passkey", "accessToken")

    def submit_passkey_answer(self, id: str, body: "SubmitPasskeyAnswerRequest", *, idempotency_key: Optional[str] = None) -> "V2DoneResponse":
        """Submit the answer of the account's passkey. `POST /v2/channels/{id}/auth/passkey`"""
        return self._call("POST", f"/v2/channels/{segment(id)}/auth/passkey", "accessToken", body=body, idempotency_key=idempotency_key)

    def get_pacing(self, id: str) -> "V2PacingListResponse":
        """Get a channel's rate limits, and what waits in its queue and why. `GET /v2/channels/{id}/pacing`"""
        return self._call("GET", f"/v2/channels/{segment(id)}/pacing", "accessToken")

    def change_pacing(self, id: str, body: "ChangePacingRequest") -> "V2PacingListResponse":
        """Change a channel's rate limits, or end a pause of first contacts. `PATCH /v2/channels/{id}/pacing`"""
        return self._call("PATCH", f"/v2/channels/{segment(id)}/pacing", "accessToken", body=body)

    def request_pairing_code(self, id: str, body: "RequestPairingCodeRequest", *, idempotency_key: Optional[str] = None) -> "RequestPairingCodeResponse":
        """Connect with a number and a code instead of a QR code. `POST /v2/channels/{id}/pairing-code`"""
        return self._call("POST", f"/v2/channels/{segment(id)}/pairing-code", "accessToken", body=body, idempotency_key=idempotency_key)

    def check_phones(self, id: str, body: "CheckPhonesRequest", *, idempotency_key: Optional[str] = None) -> "CheckPhonesResponse":
        """Find out which phone numbers the messenger has. Looked up slowly, because messengers restrict accounts that look up many; the results of 30 days are known at once. `POST /v2/channels/{id}/phones/check`"""
        return self._call("POST", f"/v2/channels/{segment(id)}/phones/check", "accessToken", body=body, idempotency_key=idempotency_key)

    def reinit_channel(self, id: str, body: "ReinitChannelRequest", *, idempotency_key: Optional[str] = None) -> "V2ReinitialisedChannelListResponse":
        """Reconnect a channel, with new credentials. `POST /v2/channels/{id}/reinit`"""
        return self._call("POST", f"/v2/channels/{segment(id)}/reinit", "accessToken", body=body, idempotency_key=idempotency_key)

    def list_chats(self, *, channel_id: Optional[str] = None, before: Optional[str] = None, after: Optional[str] = None, limit: Optional[int] = None) -> "ListChatsResponse":
        """List chats, most recent message first. While messages arrive, chats move to the top of the list. `GET /v2/chats`"""
        return self._call("GET", "/v2/chats", "accessToken", query={"channel_id": channel_id, "before": before, "after": after, "limit": limit})

    def list_messages(self, chat_type: str, chat_id: str, *, channel_id: Optional[str] = None, before: Optional[str] = None, after: Optional[str] = None, limit: Optional[int] = None) -> "V2ListMessagesResponse":
        """List the messages of a chat, newest first, as the event `message.add` contains them. The order, and times in `before` and `after`, are those at which the service stored the messages; of imported messages, those at which they were sent. `GET /v2/chats/{chat_type}/{chat_id}/messages`"""
        return self._call("GET", f"/v2/chats/{segment(chat_type)}/{segment(chat_id)}/messages", "accessToken", query={"channel_id": channel_id, "before": before, "after": after, "limit": limit})

    def mark_chat_as_read(self, chat_type: str, chat_id: str, body: "V2ChatMark", *, idempotency_key: Optional[str] = None) -> "V2DoneResponse":
        """Show the people of a chat that their messages were read. `POST /v2/chats/{chat_type}/{chat_id}/read`"""
        return self._call("POST", f"/v2/chats/{segment(chat_type)}/{segment(chat_id)}/read", "accessToken", body=body, idempotency_key=idempotency_key)

    def show_typing(self, chat_type: str, chat_id: str, body: "V2ChatMark", *, idempotency_key: Optional[str] = None) -> "V2DoneResponse":
        """Show the people of a chat that somebody is typing: for some seconds, or until a message is sent. `POST /v2/chats/{chat_type}/{chat_id}/typing`"""
        return self._call("POST", f"/v2/chats/{segment(chat_type)}/{segment(chat_id)}/typing", "accessToken", body=body, idempotency_key=idempotency_key)

    def clear_unanswered(self) -> "ClearUnansweredResponse":
        """Mark all messages of the account as answered. `DELETE /v2/chats/unanswered`"""
        return self._call("DELETE", "/v2/chats/unanswered", "accessToken")

    def list_v2_contacts(self, *, offset: Optional[int] = None) -> "V2ContactListResponse":
        """List contacts, in pages. `GET /v2/contacts`"""
        return self._call("GET", "/v2/contacts", "accessToken", query={"offset": offset})

    def save_v2_contacts(self, body: "SaveV2ContactsRequest", *, idempotency_key: Optional[str] = None) -> "V2StoredEntitiesResponse":
        """Add or replace contacts: all, or none if one is invalid. `POST /v2/contacts`"""
        return self._call("POST", "/v2/contacts", "accessToken", body=body, idempotency_key=idempotency_key)

    def change_v2_contacts(self, body: "ChangeV2ContactsRequest") -> "V2ProcessedEntitiesResponse":
        """Change contacts; omitted fields keep their value. `PATCH /v2/contacts`"""
        return self._call("PATCH", "/v2/contacts", "accessToken", body=body)

    def remove_v2_contacts(self, body: "RemoveV2ContactsRequest") -> "V2ProcessedEntitiesResponse":
        """Delete contacts by id. `DELETE /v2/contacts`"""
        return self._call("DELETE", "/v2/contacts", "accessToken", body=body)

    def get_v2_contact(self, id: str) -> "V2ContactResponse":
        """Get one of the contacts. `GET /v2/contacts/{id}`"""
        return self._call("GET", f"/v2/contacts/{segment(id)}", "accessToken")

    def remove_v2_contact(self, id: str) -> "V2DoneResponse":
        """Delete one of the contacts. `DELETE /v2/contacts/{id}`"""
        return self._call("DELETE", f"/v2/contacts/{segment(id)}", "accessToken")

    def get_unanswered_counter(self, user_id: str) -> "GetUnansweredCounterResponse":
        """Count an employee's unanswered messages of the last 7 days. `GET /v2/counters/unanswered/{user_id}`"""
        return self._call("GET", f"/v2/counters/unanswered/{segment(user_id)}", "accessToken")

    def list_v2_deals(self, *, offset: Optional[int] = None) -> "V2DealListResponse":
        """List deals, in pages. `GET /v2/deals`"""
        return self._call("GET", "/v2/deals", "accessToken", query={"offset": offset})

    def save_v2_deals(self, body: "SaveV2DealsRequest", *, idempotency_key: Optional[str] = None) -> "V2StoredEntitiesResponse":
        """Add or replace deals: all, or none if one is invalid. `POST /v2/deals`"""
        return self._call("POST", "/v2/deals", "accessToken", body=body, idempotency_key=idempotency_key)

    def change_v2_deals(self, body: "ChangeV2DealsRequest") -> "V2ProcessedEntitiesResponse":
        """Change deals; omitted fields keep their value. `PATCH /v2/deals`"""
        return self._call("PATCH", "/v2/deals", "accessToken", body=body)

    def remove_v2_deals(self, body: "RemoveV2DealsRequest") -> "V2ProcessedEntitiesResponse":
        """Delete deals by id. `DELETE /v2/deals`"""
        return self._call("DELETE", "/v2/deals", "accessToken", body=body)

    def get_v2_deal(self, id: str) -> "V2DealResponse":
        """Get one of the deals. `GET /v2/deals/{id}`"""
        return self._call("GET", f"/v2/deals/{segment(id)}", "accessToken")

    def remove_v2_deal(self, id: str) -> "V2DoneResponse":
        """Delete one of the deals. `DELETE /v2/deals/{id}`"""
        return self._call("DELETE", f"/v2/deals/{segment(id)}", "accessToken")

    def create_group(self, body: "CreateGroupRequest", *, idempotency_key: Optional[str] = None) -> "CreateGroupResponse":
        """Create a group; messages can be sent to it at once. `POST /v2/groups`"""
        return self._call("POST", "/v2/groups", "accessToken", body=body, idempotency_key=idempotency_key)

    def get_group(self, chat_id: str, *, channel_id: str) -> "GetGroupResponse":
        """Get a group with its members and their roles, as the messenger knows it now. `GET /v2/groups/{chat_id}`"""
        return self._call("GET", f"/v2/groups/{segment(chat_id)}", "accessToken", query={"channel_id": channel_id})

    def change_group(self, chat_id: str, body: "ChangeGroupRequest") -> "ChangeGroupResponse":
        """Change a group: its name, picture, members and roles, one after the other until the messenger refuses one; the error then names in `done` what was changed. `PATCH /v2/groups/{chat_id}`"""
        return self._call("PATCH", f"/v2/groups/{segment(chat_id)}", "accessToken", body=body)

    def link_to_channels_page(self, body: "LinkToChannelsPageRequest", *, idempotency_key: Optional[str] = None) -> "V2PageLinkResponse":
        """Create a one-time link to the page where a person connects or reconnects a channel. `POST /v2/iframe-links/channels`"""
        return self._call("POST", "/v2/iframe-links/channels", "accessToken", body=body, idempotency_key=idempotency_key)

    def link_to_chats_page(self, body: "LinkToChatsPageRequest", *, idempotency_key: Optional[str] = None) -> "V2PageLinkResponse":
        """Create a one-time link to the chat page. `POST /v2/iframe-links/chats`"""
        return self._call("POST", "/v2/iframe-links/chats", "accessToken", body=body, idempotency_key=idempotency_key)

    def send_message(self, body: "SendMessageRequest", *, idempotency_key: Optional[str] = None) -> "SendMessageResponse":
        """Send a message; webhooks report its status. `POST /v2/messages`"""
        return self._call("POST", "/v2/messages", "accessToken", body=body, idempotency_key=idempotency_key)

    def edit_message(self, id: str, body: "EditMessageRequest") -> "V2ChangedMessageResponse":
        """Edit a sent message in the messenger. `PATCH /v2/messages/{id}`"""
        return self._call("PATCH", f"/v2/messages/{segment(id)}", "accessToken", body=body)

    def remove_message(self, id: str) -> "V2ChangedMessageResponse":
        """Delete a sent message for both sides. `DELETE /v2/messages/{id}`"""
        return self._call("DELETE", f"/v2/messages/{segment(id)}", "accessToken")

    def react_to_message(self, id: str, body: "ReactToMessageRequest") -> "V2ChangedMessageResponse":
        """React to a message of either side; replaces the channel's earlier reaction. `PUT /v2/messages/{id}/reaction`"""
        return self._call("PUT", f"/v2/messages/{segment(id)}/reaction", "accessToken", body=body)

    def remove_reaction(self, id: str) -> "V2ChangedMessageResponse":
        """Remove the channel's reaction to a message. `DELETE /v2/messages/{id}/reaction`"""
        return self._call("DELETE", f"/v2/messages/{segment(id)}/reaction", "accessToken")

    def export_messages(self, body: "ExportMessagesRequest", *, idempotency_key: Optional[str] = None) -> "ExportMessagesResponse":
        """Request the messages of a period as CSV; the webhook messages_dump.status_update contains the link. `POST /v2/messages/messages_dump`"""
        return self._call("POST", "/v2/messages/messages_dump", "accessToken", body=body, idempotency_key=idempotency_key)

    def get_message_export(self, export_id: str) -> "GetMessageExportResponse":
        """Get the progress of an export, and the link to its file. `GET /v2/messages/messages_dump/{export_id}`"""
        return self._call("GET", f"/v2/messages/messages_dump/{segment(export_id)}", "accessToken")

    def propose_message(self, body: "V2NewProposal", *, idempotency_key: Optional[str] = None) -> "V2ProposalResponse":
        """Propose a message into an existing chat; it is sent when an employee approves it on the chat page. `POST /v2/messages/proposals`"""
        return self._call("POST", "/v2/messages/proposals", "accessToken", body=body, idempotency_key=idempotency_key)

    def get_proposal(self, id: str) -> "V2ProposalResponse":
        """Get what became of a proposed message. `GET /v2/messages/proposals/{id}`"""
        return self._call("GET", f"/v2/messages/proposals/{segment(id)}", "accessToken")

    def search_messages(self, *, text: str, before: Optional[str] = None, limit: Optional[int] = None) -> "V2ListMessagesResponse":
        """Find messages by their words in all chats, newest first. Messages of the last seconds may be missing. `GET /v2/messages/search`"""
        return self._call("GET", "/v2/messages/search", "accessToken", query={"text": text, "before": before, "limit": limit})

    def revoke_token(self, body: "RevokeTokenRequest", *, idempotency_key: Optional[str] = None) -> "V2DoneResponse":
        """Revoke a token of the partner, and all tokens of the same grant. `POST /v2/oauth/revoke`"""
        return self._call("POST", "/v2/oauth/revoke", "partner", body=body, idempotency_key=idempotency_key)

    def issue_token(self, body: "IssueTokenRequest", *, idempotency_key: Optional[str] = None) -> "IssueTokenResponse":
        """Issue tokens for a partner's password, a machine token, a refresh token or a code. `POST /v2/oauth/token`"""
        return self._call("POST", "/v2/oauth/token", "partner", body=body, idempotency_key=idempotency_key)

    def list_v2_pipelines(self) -> "V2PipelineListResponse":
        """List the pipelines with their stages. `GET /v2/pipelines`"""
        return self._call("GET", "/v2/pipelines", "accessToken")

    def replace_v2_pipelines(self, body: "ReplaceV2PipelinesRequest", *, idempotency_key: Optional[str] = None) -> "ReplaceV2PipelinesResponse":
        """Replace all pipelines. `POST /v2/pipelines`"""
        return self._call("POST", "/v2/pipelines", "accessToken", body=body, idempotency_key=idempotency_key)

    def list_waba_templates(self, *, limit: Optional[int] = None, offset: Optional[int] = None) -> "V2TemplateListResponse":
        """List the templates of the WhatsApp Business Platform, by name and language. `GET /v2/templates/waba`"""
        return self._call("GET", "/v2/templates/waba", "accessToken", query={"limit": limit, "offset": offset})

    def create_waba_template(self, body: "CreateWabaTemplateRequest", *, idempotency_key: Optional[str] = None) -> "V2TemplateResponse":
        """Submit a template for approval; a webhook reports the result. The fields may also be in `template`. `POST /v2/templates/waba`"""
        return self._call("POST", "/v2/templates/waba", "accessToken", body=body, idempotency_key=idempotency_key)

    def change_waba_template(self, body: "ChangeWabaTemplateRequest") -> "V2TemplateResponse":
        """Change a template's content or category; it is moderated again. `PATCH /v2/templates/waba`"""
        return self._call("PATCH", "/v2/templates/waba", "accessToken", body=body)

    def remove_waba_template(self, *, template_id: str) -> "V2DoneResponse":
        """Delete a template of the business. `DELETE /v2/templates/waba`"""
        return self._call("DELETE", "/v2/templates/waba", "accessToken", query={"template_id": template_id})

    def get_waba_template(self, template_id: str) -> "V2TemplateResponse":
        """Get a template of the WhatsApp Business Platform. `GET /v2/templates/waba/{template_id}`"""
        return self._call("GET", f"/v2/templates/waba/{segment(template_id)}", "accessToken")

    def change_waba_template_by_id(self, template_id: str, body: "ChangeWabaTemplateByIdRequest") -> "V2TemplateResponse":
        """Change a template's content or category; it is moderated again. `PATCH /v2/templates/waba/{template_id}`"""
        return self._call("PATCH", f"/v2/templates/waba/{segment(template_id)}", "accessToken", body=body)

    def remove_waba_template_by_id(self, template_id: str) -> "V2DoneResponse":
        """Delete a template of the business. `DELETE /v2/templates/waba/{template_id}`"""
        return self._call("DELETE", f"/v2/templates/waba/{segment(template_id)}", "accessToken")

    def list_canned_answers(self) -> "V2CannedAnswerListResponse":
        """List the canned answers of the account, by order and name. `GET /v2/templates/wz`"""
        return self._call("GET", "/v2/templates/wz", "accessToken")

    def add_canned_answer(self, body: "AddCannedAnswerRequest", *, idempotency_key: Optional[str] = None) -> "V2CannedAnswerResponse":
        """Add a canned answer. `POST /v2/templates/wz`"""
        return self._call("POST", "/v2/templates/wz", "accessToken", body=body, idempotency_key=idempotency_key)

    def get_canned_answer(self, template_id: str) -> "V2CannedAnswerResponse":
        """Get a canned answer. `GET /v2/templates/wz/{template_id}`"""
        return self._call("GET", f"/v2/templates/wz/{segment(template_id)}", "accessToken")

    def change_canned_answer(self, template_id: str, body: "ChangeCannedAnswerRequest") -> "V2CannedAnswerResponse":
        """Change a canned answer; omitted fields keep their value. `PATCH /v2/templates/wz/{template_id}`"""
        return self._call("PATCH", f"/v2/templates/wz/{segment(template_id)}", "accessToken", body=body)

    def remove_canned_answer(self, template_id: str) -> "V2DoneResponse":
        """Delete a canned answer. `DELETE /v2/templates/wz/{template_id}`"""
        return self._call("DELETE", f"/v2/templates/wz/{segment(template_id)}", "accessToken")

    def list_v2_users(self, *, offset: Optional[int] = None) -> "V2UserListResponse":
        """List users, in pages. `GET /v2/users`"""
        return self._call("GET", "/v2/users", "accessToken", query={"offset": offset})

    def save_v2_users(self, body: "SaveV2UsersRequest", *, idempotency_key: Optional[str] = None) -> "V2StoredEntitiesResponse":
        """Add or replace users: all, or none if one is invalid. `POST /v2/users`"""
        return self._call("POST", "/v2/users", "accessToken", body=body, idempotency_key=idempotency_key)

    def change_v2_users(self, body: "ChangeV2UsersRequest") -> "V2ProcessedEntitiesResponse":
        """Change users; omitted fields keep their value. `PATCH /v2/users`"""
        return self._call("PATCH", "/v2/users", "accessToken", body=body)

    def remove_v2_users(self, body: "RemoveV2UsersRequest") -> "V2ProcessedEntitiesResponse":
        """Delete users by id. `DELETE /v2/users`"""
        return self._call("DELETE", "/v2/users", "accessToken", body=body)

    def get_v2_user(self, id: str) -> "V2UserResponse":
        """Get one of the users. `GET /v2/users/{id}`"""
        return self._call("GET", f"/v2/users/{segment(id)}", "accessToken")

    def remove_v2_user(self, id: str) -> "V2DoneResponse":
        """Delete one of the users. `DELETE /v2/users/{id}`"""
        return self._call("DELETE", f"/v2/users/{segment(id)}", "accessToken")

    def list_subscriptions(self) -> "V2SubscriptionListResponse":
        """List the subscriptions of addresses to events. `GET /v2/webhooks`"""
        return self._call("GET", "/v2/webhooks", "accessToken")

    def add_subscriptions(self, body: "AddSubscriptionsRequest", *, idempotency_key: Optional[str] = None) -> "V2SubscriptionListResponse":
        """Subscribe addresses to events: all, or none if one is invalid. `POST /v2/webhooks`"""
        return self._call("POST", "/v2/webhooks", "accessToken", body=body, idempotency_key=idempotency_key)

    def change_subscriptions(self, body: "ChangeSubscriptionsRequest") -> "V2SubscriptionListResponse":
        """Change subscriptions; omitted fields keep their value. `PATCH /v2/webhooks`"""
        return self._call("PATCH", "/v2/webhooks", "accessToken", body=body)

    def remove_subscriptions(self, body: "RemoveSubscriptionsRequest") -> "V2DoneResponse":
        """Delete subscriptions by id. `DELETE /v2/webhooks`"""
        return self._call("DELETE", "/v2/webhooks", "accessToken", body=body)

    def list_audit(self, *, limit: Optional[int] = None, cursor: Optional[str] = None, action: Optional[Literal["account.create", "account.frames", "account.move", "account.move_revoke", "token.create", "token.revoke", "partner.create", "partner.password", "oauth_client.create", "grant.consent", "grant.create", "grant.revoke", "channel.create", "channel.reinit", "channel.delete", "channel.paid", "channel.unpaid", "channel.pacing", "channel.rename", "webhook.settings", "webhook.subscribe", "webhook.change", "webhook.unsubscribe", "webhook.secret", "webhook.receiver", "webhook.pause", "webhook.resume", "webhook.replay", "webhook.discard", "operator.invite", "operator.create", "operator.reset", "operator.remove", "operator.password", "operator.second_factor", "operator.sign_in", "operator.change", "operator.refuse", "alert.test", "channel.stop", "channel.go_on", "channel.clear", "channel.record", "channel.record_end", "inbound.replay", "inbound.remove", "crm.settings", "crm.user", "message.export", "canned_answer.create", "canned_answer.change", "canned_answer.delete", "proposal.create", "proposal.approve", "proposal.decline", "installation.key", "installation.export", "installation.import", "installation.sink"]] = None) -> "ListAuditResponse":
        """List the changes in the account, newest first. `GET /v3/audit`"""
        return self._call("GET", "/v3/audit", "apiKey", query={"limit": limit, "cursor": cursor, "action": action})

    def list_v3_channels(self) -> List["V3Channel"]:
        """List the channels of the account, in short form. `GET /v3/channels`"""
        return self._call("GET", "/v3/channels", "apiKey")

    def list_contacts(self, *, offset: Optional[int] = None) -> "ListContactsResponse":
        """List contacts in pages of 100, by id. `GET /v3/contacts`"""
        return self._call("GET", "/v3/contacts", "apiKey", query={"offset": offset})

    def save_contacts(self, body: List["V3NewContact"], *, idempotency_key: Optional[str] = None) -> "V3Nothing":
        """Add or replace contacts: all, or none if one is invalid. `POST /v3/contacts`"""
        return self._call("POST", "/v3/contacts", "apiKey", body=body, idempotency_key=idempotency_key)

    def get_contact(self, id: str) -> "V3Contact":
        """Get one of the contacts. `GET /v3/contacts/{id}`"""
        return self._call("GET", f"/v3/contacts/{segment(id)}", "apiKey")

    def remove_contact(self, id: str) -> "V3Nothing":
        """Delete one of the contacts. `DELETE /v3/contacts/{id}`"""
        return self._call("DELETE", f"/v3/contacts/{segment(id)}", "apiKey")

    def bulk_delete_contacts(self, body: List[Union[str, int]]) -> List[str]:
        """Delete several of the contacts; the response lists those that did not exist. `PATCH /v3/contacts/bulk_delete`"""
        return self._call("PATCH", "/v3/contacts/bulk_delete", "apiKey", body=body)

    def list_deals(self, *, offset: Optional[int] = None) -> "ListDealsResponse":
        """List deals in pages of 100, by id. `GET /v3/deals`"""
        return self._call("GET", "/v3/deals", "apiKey", query={"offset": offset})

    def save_deals(self, body: List["V3NewDeal"], *, idempotency_key: Optional[str] = None) -> "V3Nothing":
        """Add or replace deals: all, or none if one is invalid. `POST /v3/deals`"""
        return self._call("POST", "/v3/deals", "apiKey", body=body, idempotency_key=idempotency_key)

    def get_deal(self, id: str) -> "V3Deal":
        """Get one of the deals. `GET /v3/deals/{id}`"""
        return self._call("GET", f"/v3/deals/{segment(id)}", "apiKey")

    def remove_deal(self, id: str) -> "V3Nothing":
        """Delete one of the deals. `DELETE /v3/deals/{id}`"""
        return self._call("DELETE", f"/v3/deals/{segment(id)}", "apiKey")

    def bulk_delete_deals(self, body: List[Union[str, int]]) -> List[str]:
        """Delete several of the deals; the response lists those that did not exist. `PATCH /v3/deals/bulk_delete`"""
        return self._call("PATCH", "/v3/deals/bulk_delete", "apiKey", body=body)

    def link_to_chats(self, body: "LinkToChatsRequest", *, idempotency_key: Optional[str] = None) -> "LinkToChatsResponse":
        """Create a one-time link to the chat page. `POST /v3/iframe`"""
        return self._call("POST", "/v3/iframe", "apiKey", body=body, idempotency_key=idempotency_key)

    def send_v3_message(self, body: "SendV3MessageRequest", *, idempotency_key: Optional[str] = None) -> "SendV3MessageResponse":
        """Send a message; webhooks report its status. `POST /v3/message`"""
        return self._call("POST", "/v3/message", "apiKey", body=body, idempotency_key=idempotency_key)

    def edit_v3_message(self, id: str, body: "EditV3MessageRequest") -> "V3ChangedMessage":
        """Edit a sent message in the messenger, within 15 minutes of its delivery. `PATCH /v3/message/{id}`"""
        return self._call("PATCH", f"/v3/message/{segment(id)}", "apiKey", body=body)

    def remove_v3_message(self, id: str) -> "V3ChangedMessage":
        """Delete a sent message for both sides. `DELETE /v3/message/{id}`"""
        return self._call("DELETE", f"/v3/message/{segment(id)}", "apiKey")

    def list_pipelines(self) -> List["V3Pipeline"]:
        """List the pipelines with their stages. `GET /v3/pipelines`"""
        return self._call("GET", "/v3/pipelines", "apiKey")

    def replace_pipelines(self, body: List["V3NewPipeline"], *, idempotency_key: Optional[str] = None) -> "V3Nothing":
        """Replace all pipelines. `POST /v3/pipelines`"""
        return self._call("POST", "/v3/pipelines", "apiKey", body=body, idempotency_key=idempotency_key)

    def list_templates(self, *, limit: Optional[int] = None, offset: Optional[int] = None) -> List["V3Template"]:
        """List the templates of the WhatsApp Business Platform, by name and language. `GET /v3/templates/whatsapp`"""
        return self._call("GET", "/v3/templates/whatsapp", "apiKey", query={"limit": limit, "offset": offset})

    def count_unanswered(self, user_id: str) -> "CountUnansweredResponse":
        """Count an employee's unanswered messages of the last 7 days. `GET /v3/unanswered/{userId}`"""
        return self._call("GET", f"/v3/unanswered/{segment(user_id)}", "apiKey")

    def list_users(self) -> List["V3UserName"]:
        """List the employees, by name. `GET /v3/users`"""
        return self._call("GET", "/v3/users", "apiKey")

    def save_users(self, body: List["V3NewUser"], *, idempotency_key: Optional[str] = None) -> "V3Nothing":
        """Add or change employees: all, or none if one is invalid. `POST /v3/users`"""
        return self._call("POST", "/v3/users", "apiKey", body=body, idempotency_key=idempotency_key)

    def get_user(self, id: str) -> "V3User":
        """Get one of the users. `GET /v3/users/{id}`"""
        return self._call("GET", f"/v3/users/{segment(id)}", "apiKey")

    def remove_user(self, id: str) -> "V3Nothing":
        """Delete one of the users. `DELETE /v3/users/{id}`"""
        return self._call("DELETE", f"/v3/users/{segment(id)}", "apiKey")

    def bulk_delete_users(self, body: List[Union[str, int]]) -> List[str]:
        """Delete several of the users; the response lists those that did not exist. `PATCH /v3/users/bulk_delete`"""
        return self._call("PATCH", "/v3/users/bulk_delete", "apiKey", body=body)

    def get_webhooks(self) -> "GetWebhooksResponse":
        """Get the webhook address and its subscriptions. `GET /v3/webhooks`"""
        return self._call("GET", "/v3/webhooks", "apiKey")

    def change_webhooks(self, body: "ChangeWebhooksRequest") -> str:
        """Set the webhook address and its subscriptions. `PATCH /v3/webhooks`"""
        return self._call("PATCH", "/v3/webhooks", "apiKey", body=body)

    def list_deliveries(self, *, receiver_id: Optional[str] = None, channel_id: Optional[str] = None, kind: Optional[str] = None, result: Optional[Literal["delivered", "refused", "failed"]] = None, message_id: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None, event_id: Optional[int] = None, replay_id: Optional[str] = None) -> "ListDeliveriesResponse":
        """List the requests to receivers of the last 30 days, newest first. `GET /v3/webhooks/deliveries`"""
        return self._call("GET", "/v3/webhooks/deliveries", "apiKey", query={"receiverId": receiver_id, "channelId": channel_id, "kind": kind, "result": result, "messageId": message_id, "from": from_, "to": to, "limit": limit, "cursor": cursor, "eventId": event_id, "replayId": replay_id})

    def get_delivery(self, id: str) -> "V3DeliveryDetails":
        """Get a request with its body, headers and response. `GET /v3/webhooks/deliveries/{id}`"""
        return self._call("GET", f"/v3/webhooks/deliveries/{segment(id)}", "apiKey")

    def discard_parked(self, body: "DiscardParkedRequest", *, receiver_id: Optional[str] = None, idempotency_key: Optional[str] = None) -> "DiscardParkedResponse":
        """Discard parked events; a replay that was requested before may still send them. `POST /v3/webhooks/discard`"""
        return self._call("POST", "/v3/webhooks/discard", "apiKey", query={"receiverId": receiver_id}, body=body, idempotency_key=idempotency_key)

    def list_parked(self, *, receiver_id: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None) -> "ListParkedResponse":
        """List the events that a receiver rejected until the end of their retry schedule, newest first. `GET /v3/webhooks/parked`"""
        return self._call("GET", "/v3/webhooks/parked", "apiKey", query={"receiverId": receiver_id, "limit": limit, "cursor": cursor})

    def pause_receiver(self, *, receiver_id: Optional[str] = None, idempotency_key: Optional[str] = None) -> "V3Receiver":
        """Pause a receiver; its events are kept. `POST /v3/webhooks/pause`"""
        return self._call("POST", "/v3/webhooks/pause", "apiKey", query={"receiverId": receiver_id}, idempotency_key=idempotency_key)

    def list_receivers(self) -> List["V3Receiver"]:
        """List the receivers of webhooks and their health. `GET /v3/webhooks/receivers`"""
        return self._call("GET", "/v3/webhooks/receivers", "apiKey")

    def get_receiver(self, receiver_id: str) -> "V3ReceiverDetails":
        """Get a receiver with its latest notices. `GET /v3/webhooks/receivers/{receiverId}`"""
        return self._call("GET", f"/v3/webhooks/receivers/{segment(receiver_id)}", "apiKey")

    def change_receiver(self, receiver_id: str, body: "ChangeReceiverRequest") -> "V3Receiver":
        """Set the maximum events per request, and the number of concurrent requests. `PATCH /v3/webhooks/receivers/{receiverId}`"""
        return self._call("PATCH", f"/v3/webhooks/receivers/{segment(receiver_id)}", "apiKey", body=body)

    def replay_deliveries(self, body: "ReplayDeliveriesRequest", *, idempotency_key: Optional[str] = None) -> "V3Replay":
        """Replay deliveries: selected ones, those of a period, or parked events. `POST /v3/webhooks/replay`"""
        return self._call("POST", "/v3/webhooks/replay", "apiKey", body=body, idempotency_key=idempotency_key)

    def get_replay(self, id: str) -> "V3Replay":
        """Get the progress of a replay. `GET /v3/webhooks/replay/{id}`"""
        return self._call("GET", f"/v3/webhooks/replay/{segment(id)}", "apiKey")

    def resume_receiver(self, *, receiver_id: Optional[str] = None, idempotency_key: Optional[str] = None) -> "V3Receiver":
        """Resume a paused receiver; kept events are delivered first. `POST /v3/webhooks/resume`"""
        return self._call("POST", "/v3/webhooks/resume", "apiKey", query={"receiverId": receiver_id}, idempotency_key=idempotency_key)

    def get_webhook_secret(self, *, receiver_id: Optional[str] = None) -> "V3WebhookSecret":
        """Get the secret that signs webhooks. `GET /v3/webhooks/secret`"""
        return self._call("GET", "/v3/webhooks/secret", "apiKey", query={"receiverId": receiver_id})

    def rotate_webhook_secret(self, body: "RotateWebhookSecretRequest", *, receiver_id: Optional[str] = None, idempotency_key: Optional[str] = None) -> "V3WebhookSecret":
        """Create a new secret; for a time requests are signed with both. `POST /v3/webhooks/secret`"""
        return self._call("POST", "/v3/webhooks/secret", "apiKey", query={"receiverId": receiver_id}, body=body, idempotency_key=idempotency_key)

    def test_receiver(self, *, receiver_id: Optional[str] = None, idempotency_key: Optional[str] = None) -> List["TestReceiverResultItem"]:
        """Send a receiver an example of each event it is subscribed to, marked as a test. `POST /v3/webhooks/test`"""
        return self._call("POST", "/v3/webhooks/test", "apiKey", query={"receiverId": receiver_id}, idempotency_key=idempotency_key)
