<?php

// Made from docs/openapi.json by `npm run docs`; what is changed here is lost.

declare(strict_types=1);

namespace Trunkline;

/**
 * A method for every operation of the interface. Objects are associative arrays.
 *
 * @phpstan-type AddCannedAnswerRequest array{name: string, text: string, order?: int, files?: list<mixed>}
 * @phpstan-type AddSubscriptionsRequest array{data: list<array{url: string, event: 'message.add'|'message.status_update'|'message.edit'|'message.delete'|'message.reaction'|'channel.create'|'channel.delete'|'channel.status_update'|'channel.qr_update'|'channel.waba_tier_update'|'channel.history'|'phones.checked'|'waba_template.status_update'|'crm_entities.contact_add'|'crm_entities.deal_add'|'group_chat.update'|'group_chat.memberships_update'|'messages_dump.status_update'}>}
 * @phpstan-type ChangeCannedAnswerRequest array{name?: string, text?: string, order?: int, files?: list<mixed>}
 * @phpstan-type ChangeGroupRequest array{channel_id: string, name?: string, picture_uri?: string, remove_picture?: bool, participants?: array{add?: list<array{chat_id?: string, phone?: string, username?: string}>, remove?: list<array{chat_id?: string, phone?: string, username?: string}>}, roles?: array{promote?: list<array{chat_id?: string, phone?: string, username?: string}>, demote?: list<array{chat_id?: string, phone?: string, username?: string}>}}
 * @phpstan-type ChangeGroupResponse array{data: array{channel_id: string, chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id: string, results: list<array{change: 'add'|'remove'|'promote'|'demote', participant: array{chat_id?: string, phone?: string, username?: string}, chat_id: string|null, result: 'done'|'invitation_needed'|'unknown'|'already'|'not_a_member'|'left_recently'|'full'|'protected'|'refused', details: string|null}>}, meta: V2Meta}
 * @phpstan-type ChangePacingRequest array{per_minute?: float, chat_per_minute?: float, jitter_ms?: int, first_contacts_per_day?: int, warm_up_days?: int, reset?: list<'per_minute'|'chat_per_minute'|'jitter_ms'|'first_contacts_per_day'|'warm_up_days'>, end_hold?: bool}
 * @phpstan-type ChangeReceiverRequest array{maxItems?: int, concurrency?: int}
 * @phpstan-type ChangeSubscriptionsRequest array{data: list<array{id: string, url?: string, event?: 'message.add'|'message.status_update'|'message.edit'|'message.delete'|'message.reaction'|'channel.create'|'channel.delete'|'channel.status_update'|'channel.qr_update'|'channel.waba_tier_update'|'channel.history'|'phones.checked'|'waba_template.status_update'|'crm_entities.contact_add'|'crm_entities.deal_add'|'group_chat.update'|'group_chat.memberships_update'|'messages_dump.status_update'}>}
 * @phpstan-type ChangeV2ContactsRequest array{contacts: list<V2ContactChange>}
 * @phpstan-type ChangeV2DealsRequest array{deals: list<V2DealChange>}
 * @phpstan-type ChangeV2UsersRequest array{users: list<V2UserChange>}
 * @phpstan-type ChangeWabaTemplateByIdRequest array{category?: 'AUTHENTICATION'|'MARKETING'|'UTILITY', components?: list<array{type: string}>}
 * @phpstan-type ChangeWabaTemplateRequest array{template_id: string, category?: 'AUTHENTICATION'|'MARKETING'|'UTILITY', components?: list<array{type: string}>}
 * @phpstan-type ChangeWebhooksRequest array{webhooksUri?: string, crmKey?: string, subscriptions?: array{messagesAndStatuses?: bool, contactsAndDealsCreation?: bool, channelsUpdates?: bool, templateStatus?: bool, wabaTemplatesStatus?: bool, templateStatuses?: bool, reactions?: bool}}
 * @phpstan-type ChannelCreateEvent array{event: 'channel.create', data: list<V2ChannelUpdate>, meta: V2EventMeta}
 * @phpstan-type ChannelDeleteEvent array{event: 'channel.delete', data: list<V2ChannelUpdate>, meta: V2EventMeta}
 * @phpstan-type ChannelHistoryEvent array{event: 'channel.history', data: list<V2ChannelHistory>, meta: V2EventMeta}
 * @phpstan-type ChannelQrUpdateEvent array{event: 'channel.qr_update', data: list<V2ChannelQr>, meta: V2EventMeta}
 * @phpstan-type ChannelStatusUpdateEvent array{event: 'channel.status_update', data: list<V2ChannelUpdate>, meta: V2EventMeta}
 * @phpstan-type ChannelWabaTierUpdateEvent array{event: 'channel.waba_tier_update', data: list<V2ChannelTier>, meta: V2EventMeta}
 * @phpstan-type ChannelsUpdatesEvent array{channelsUpdates: list<V3ChannelUpdate>}
 * @phpstan-type CheckPhonesRequest array{phones: list<string>}
 * @phpstan-type CheckPhonesResponse array{data: array{check_id: string, phones: list<array{phone: string, exists: bool|null, chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id: string|null, username: string|null}>, waiting: int}, meta: V2Meta}
 * @phpstan-type ClearUnansweredResponse array{data: array{account_id: string, cleared: bool}, meta: V2Meta}
 * @phpstan-type CountUnansweredResponse array{counterV2: int, type: string|null, lastMsgDateTime: string|null}
 * @phpstan-type CreateAccountRequest array{name: string, lang: string, currency: string, country: string, timezone: float}
 * @phpstan-type CreateAccountResponse array{data: array{account: array{account_id: int, name: string}}, meta: V2Meta}
 * @phpstan-type CreateChannelRequest V2NewWhatsappChannel|V2NewWapiChannel|V2NewTelegramChannel|V2NewTgapiChannel|V2NewInstagramChannel|V2NewViberChannel|V2NewAvitoChannel|V2NewMaxChannel|V2NewMaxbotChannel
 * @phpstan-type CreateContactEvent array{createContact: V3ContactCreation}
 * @phpstan-type CreateDealEvent array{createDeal: V3DealCreation}
 * @phpstan-type CreateGroupRequest array{channel_id: string, name: string, participants?: list<array{chat_id?: string, phone?: string, username?: string}>}
 * @phpstan-type CreateGroupResponse array{data: array{channel_id: string, chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id: string, name: string, participants_count: int, participants: list<array{chat_id: string, name: string, username: string|null, phone: string|null, role: 'member'|'admin'|'owner', is_own: bool}>, results: list<array{participant: array{chat_id?: string, phone?: string, username?: string}, chat_id: string|null, result: 'done'|'invitation_needed'|'unknown'|'already'|'not_a_member'|'left_recently'|'full'|'protected'|'refused', details: string|null}>}, meta: V2Meta}
 * @phpstan-type CreateWabaTemplateRequest array{channel_id: string, name: string, language: string, category: 'AUTHENTICATION'|'MARKETING'|'UTILITY', components: list<array{type: string}>, is_draft?: false}
 * @phpstan-type CrmEntitiesContactAddEvent array{event: 'crm_entities.contact_add', data: list<V2ContactCreation>, meta: V2EventMeta}
 * @phpstan-type CrmEntitiesDealAddEvent array{event: 'crm_entities.deal_add', data: list<V2DealCreation>, meta: V2EventMeta}
 * @phpstan-type DiscardParkedRequest array{eventIds: list<int>}
 * @phpstan-type DiscardParkedResponse array{discarded: int}
 * @phpstan-type EditMessageRequest array{text?: string, attachment?: V2SendAttachment, crm_user_id?: string|int}
 * @phpstan-type EditV3MessageRequest array{text?: string, contentUri?: string, crmUserId?: string|int}
 * @phpstan-type Error array{error: string, description: string, data?: mixed, status?: int, requestId?: string}
 * @phpstan-type ExportMessagesRequest array{start_at: string, end_at: string, channel_id?: string}
 * @phpstan-type ExportMessagesResponse array{data: array{status: string, export_id: string}, meta: V2Meta}
 * @phpstan-type GetAccountResponse array{data: array{account: V2Account}, meta: V2Meta}
 * @phpstan-type GetCounterHostResponse array{host: string}
 * @phpstan-type GetGroupResponse array{data: array{channel_id: string, chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id: string, name: string, participants_count: int, participants: list<array{chat_id: string, name: string, username: string|null, phone: string|null, role: 'member'|'admin'|'owner', is_own: bool}>}, meta: V2Meta}
 * @phpstan-type GetHealthResponse array{status: 'ok'}
 * @phpstan-type GetMessageExportResponse array{data: array{status: string, url: string|null}, meta: V2Meta}
 * @phpstan-type GetUnansweredCounterResponse array{data: array{counter: int, type: string|null}, meta: V2Meta}
 * @phpstan-type GetWebhooksResponse array{webhooksUri: string, subscriptions: array{messagesAndStatuses: bool, contactsAndDealsCreation: bool, channelsUpdates: bool, templateStatus: bool, wabaTemplatesStatus: bool, reactions: bool}}
 * @phpstan-type GroupChatMembershipsUpdateEvent array{event: 'group_chat.memberships_update', data: list<V2GroupMembershipsUpdate>, meta: V2EventMeta}
 * @phpstan-type GroupChatUpdateEvent array{event: 'group_chat.update', data: list<V2GroupUpdate>, meta: V2EventMeta}
 * @phpstan-type IssueTokenRequest V2ClientCredentialsGrant|V2TokenExchangeGrant|V2RefreshTokenGrant|V2AuthorizationCodeGrant
 * @phpstan-type IssueTokenResponse array{data: array{access_token: string, refresh_token: string, token_type: 'Bearer', expires_in: int, refresh_expires_in: int}, meta: V2Meta}
 * @phpstan-type LinkToChannelsPageRequest array{options?: array{transport?: 'whatsapp'|'wapi'|'telegram'|'tgapi'|'instagram'|'viber'|'avito'|'max'|'maxbot'|'vk', channel_id?: string, refresh_url?: string, return_url?: string}}
 * @phpstan-type LinkToChatsPageRequest V2GlobalLink|V2CardLink
 * @phpstan-type LinkToChatsRequest array{user: array{id: string|int, name?: string}, scope: 'global', filter?: list<array{chatType: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chatId?: string, username?: string, phone?: string, name?: string}>, activeChat?: array{chatType: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chatId?: string, username?: string, phone?: string, channelId?: string}, options?: array{clientType?: string, useDealsEvents?: bool, useMessageEvents?: bool}}|V3CardLink
 * @phpstan-type LinkToChatsResponse array{url: string}
 * @phpstan-type ListAuditResponse array{data: list<V3AuditEntry>, next: string|null}
 * @phpstan-type ListChatsResponse array{data: list<V2Chat>, meta: V2PageMeta}
 * @phpstan-type ListContactsResponse array{count: int, data: list<V3Contact>}
 * @phpstan-type ListDealsResponse array{count: int, data: list<V3Deal>}
 * @phpstan-type ListDeliveriesResponse array{data: list<V3Delivery>, next: string|null}
 * @phpstan-type ListParkedResponse array{data: list<V3ParkedEvent>, next: string|null}
 * @phpstan-type MessageAddEvent array{event: 'message.add', data: list<V2Message>, meta: V2EventMeta}
 * @phpstan-type MessageDeleteEvent array{event: 'message.delete', data: list<V2Message>, meta: V2EventMeta}
 * @phpstan-type MessageEditEvent array{event: 'message.edit', data: list<V2Message>, meta: V2EventMeta}
 * @phpstan-type MessageReactionEvent array{event: 'message.reaction', data: list<V2Reaction>, meta: V2EventMeta}
 * @phpstan-type MessageStatusUpdateEvent array{event: 'message.status_update', data: list<V2MessageStatus>, meta: V2EventMeta}
 * @phpstan-type MessagesDumpStatusUpdateEvent array{event: 'messages_dump.status_update', data: list<V2ExportStatus>, meta: V2EventMeta}
 * @phpstan-type MessagesEvent array{messages: list<V3Message>, statuses?: list<V3MessageStatus>}
 * @phpstan-type PhonesCheckedEvent array{event: 'phones.checked', data: list<array{check_id: string, channel_id: string, transport: string, phones: list<array{phone: string, exists: bool|null, chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id: string|null, username: string|null}>, waiting: int, timestamp: int}>, meta: V2EventMeta}
 * @phpstan-type ReactToMessageRequest array{emoji: string}
 * @phpstan-type ReactionsEvent array{reactions: list<V3Reaction>}
 * @phpstan-type Readiness array{ready: bool, checks: array<string, mixed>}
 * @phpstan-type ReinitChannelRequest array{credentials?: V2NoCredentials|V2AvitoCredentials|V2InstagramCredentials|V2MaxbotCredentials|V2TelegramCredentials|V2ViberCredentials|V2VkCredentials|V2WapiCredentials, history?: V2HistoryRequest, proxy?: string}
 * @phpstan-type RemoveSubscriptionsRequest array{data: list<string|array{id: string}>}
 * @phpstan-type RemoveV2ContactsRequest array{contacts: list<string|int|array{id: string|int}>}
 * @phpstan-type RemoveV2DealsRequest array{deals: list<string|int|array{id: string|int}>}
 * @phpstan-type RemoveV2UsersRequest array{users: list<string|int|array{id: string|int}>}
 * @phpstan-type ReplaceV2PipelinesRequest array{pipelines: list<V2NewPipeline>}
 * @phpstan-type ReplaceV2PipelinesResponse array{data: array{pipelines_created: int, stages_created: int}, meta: V2Meta}
 * @phpstan-type ReplayDeliveriesRequest array{deliveryIds?: list<int>, parked?: bool, eventIds?: list<int>, receiverId?: string, channelId?: string, kind?: string, result?: 'delivered'|'refused'|'failed', messageId?: string, from?: string, to?: string}
 * @phpstan-type RequestPairingCodeRequest array{pairing_phone?: string, transport: 'whatsapp'|'wapi'|'telegram'|'tgapi'|'instagram'|'viber'|'avito'|'max'|'maxbot'}
 * @phpstan-type RequestPairingCodeResponse array{data: list<array{pairing_code: string, pairing_phone: string}>, meta: V2Meta}
 * @phpstan-type RevokeTokenRequest array{token: string}
 * @phpstan-type RotateWebhookSecretRequest array{overlapSeconds?: int}
 * @phpstan-type SaveV2ContactsRequest array{contacts: list<V2NewContact>}
 * @phpstan-type SaveV2DealsRequest array{deals: list<V2NewDeal>}
 * @phpstan-type SaveV2UsersRequest array{users: list<V2NewUser>}
 * @phpstan-type SendMessageRequest array{channel_id: string, quoted_message_id?: string, recipient: V2SendRecipient, text?: string, attachment?: V2SendAttachment, template?: V2SendTemplate, buttons?: list<V2SendTemplateButton>, keyboard?: V2SendKeyboard, crm_user_id?: string|int, reset_unanswered?: bool}
 * @phpstan-type SendMessageResponse array{data: array{request_id: string, chat_id: string}, meta: V2Meta}
 * @phpstan-type SendV3MessageRequest array{channelId: string, chatType: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chatId?: string, username?: string, phone?: string, text?: string, contentUri?: string, voice?: bool, templateId?: string, templateValues?: list<string>, refMessageId?: string, crmUserId?: string|int, crmMessageId?: string, clearUnanswered?: bool, buttonsObject?: array{buttons?: list<array{text?: string, type?: string, payload?: string, url?: string, intent?: string, callbackData?: string}|list<V3Button>>, replyMarkup?: string, oneTimeKeyboard?: bool, resizeKeyboard?: bool, selective?: bool, removeKeyboard?: bool}|list<array{text?: string, type?: string, payload?: string, url?: string, intent?: string, callbackData?: string}|list<V3Button>>}
 * @phpstan-type SendV3MessageResponse array{messageId: string, chatId: string}
 * @phpstan-type StatusesEvent array{statuses: list<V3MessageStatus>, messages?: list<V3Message>}
 * @phpstan-type SubmitPasskeyAnswerRequest array{passkey_response: V2PasskeyResponse, transport: 'whatsapp'|'wapi'|'telegram'|'tgapi'|'instagram'|'viber'|'avito'|'max'|'maxbot'}
 * @phpstan-type SubmitTwoFactorPasswordRequest array{two_factor_code: string, transport: 'whatsapp'|'wapi'|'telegram'|'tgapi'|'instagram'|'viber'|'avito'|'max'|'maxbot'}
 * @phpstan-type TemplateStatusEvent array{templateStatus: V3TemplateStatus}
 * @phpstan-type V2Account array{account_id: int, name: string, lang: string|null, currency: string|null, country: string|null, timezone: float|null, billing?: mixed, channels?: list<V2Channel>, subscriptions?: list<array{channel_id: string, tariff: string|null, paid: bool}>}
 * @phpstan-type V2Advert array{id: string, title?: string, url?: string, price?: string}
 * @phpstan-type V2Attachment array{url: string, name: string|null, mimetype: string|null, size: int|null}
 * @phpstan-type V2AuthorizationCodeGrant array{grant_type: 'authorization_code', authorize_code_data: array{code: string, redirect_uri: string, client_id: string, code_verifier: string}}
 * @phpstan-type V2AvitoCredentials array{code?: string, client_id?: string, client_secret?: string}
 * @phpstan-type V2Button array{text?: string, type?: string, payload?: string, url?: string, callback_data?: string, intent?: string}
 * @phpstan-type V2CannedAnswer array{template_id: string, name: string, text: string, order: int, files: list<mixed>}
 * @phpstan-type V2CannedAnswerListResponse array{data: list<V2CannedAnswer>, meta: V2Meta}
 * @phpstan-type V2CannedAnswerResponse array{data: V2CannedAnswer, meta: V2Meta}
 * @phpstan-type V2CardLink array{user_id: string|int, author_name?: string, scope: 'card', chats: list<array{chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id?: string, username?: string, phone?: string, contact_name?: string}>, active_chat?: array{chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id?: string, username?: string, phone?: string, channel_id?: string}, use_events?: array{deals?: bool, messages?: bool}, client_type?: string}
 * @phpstan-type V2ChangedMessage array{message_id: string, chat_id: string}
 * @phpstan-type V2ChangedMessageResponse array{data: V2ChangedMessage, meta: V2Meta}
 * @phpstan-type V2Channel array{channel_id: string, transport: string, state: 'active'|'init'|'waitForPassword'|'waitForPasskey'|'qr'|'disabled'|'blocked'|'notEnoughMoney'|'rejected'|'unauthorized'|'foreignphone'|'qridle'|'openElsewhere'|'phoneUnavailable', status: 'active'|'init'|'disabled', reason: null|'wait_for_password'|'wait_for_code'|'wait_for_passkey'|'qr'|'sync'|'proxy'|'blocked'|'not_enough_money'|'rejected'|'unauthorized'|'foreignphone'|'qridle'|'openelsewhere', phone: string, username: string, messenger_id: string, name: string, url?: string, proxy?: string, tier: 'TIER_0'|'TIER_50'|'TIER_250'|'TIER_1K'|'TIER_2K'|'TIER_10K'|'TIER_100K'|'TIER_UNLIMITED', tariff: string|null, restrictions: list<V2Restriction>}
 * @phpstan-type V2ChannelDetails array{channel_id: string, transport: string, state: 'active'|'init'|'waitForPassword'|'waitForPasskey'|'qr'|'disabled'|'blocked'|'notEnoughMoney'|'rejected'|'unauthorized'|'foreignphone'|'qridle'|'openElsewhere'|'phoneUnavailable', status: 'active'|'init'|'disabled', reason: null|'wait_for_password'|'wait_for_code'|'wait_for_passkey'|'qr'|'sync'|'proxy'|'blocked'|'not_enough_money'|'rejected'|'unauthorized'|'foreignphone'|'qridle'|'openelsewhere', phone: string, username: string, messenger_id: string, name: string, url?: string, proxy?: string, tier: 'TIER_0'|'TIER_50'|'TIER_250'|'TIER_1K'|'TIER_2K'|'TIER_10K'|'TIER_100K'|'TIER_UNLIMITED', tariff: string|null, restrictions: list<V2Restriction>, history?: V2HistoryImport}
 * @phpstan-type V2ChannelDetailsListResponse array{data: list<V2ChannelDetails>, meta: V2Meta}
 * @phpstan-type V2ChannelHistory array{channel_id: string, transport: string, status: 'running'|'done', progress: int|null, messages: int, is_cut: bool, since: int, until: int, timestamp: int}
 * @phpstan-type V2ChannelListResponse array{data: list<V2Channel>, meta: V2Meta}
 * @phpstan-type V2ChannelQr array{channel_id: string, platform: string, qr_code: string}
 * @phpstan-type V2ChannelTier array{channel_id: string, tier: 'TIER_0'|'TIER_50'|'TIER_250'|'TIER_1K'|'TIER_2K'|'TIER_10K'|'TIER_100K'|'TIER_UNLIMITED'|null}
 * @phpstan-type V2ChannelUpdate array{channel_id: string, transport: string, status: 'active'|'init'|'disabled', reason: string|null, name: string, phone: string, username: string, restrictions?: list<V2Restriction>, password_hint?: string, compare_code?: string, passkey_problem?: 'expired'|'refused'|'silent'|'interrupted'}
 * @phpstan-type V2Chat array{channel_id: string, transport: string, chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id: string, name: string, username: string|null, phone: string|null, avatar_uri: string|null, unanswered: int, last_message: V2Message|mixed}
 * @phpstan-type V2ChatMark array{channel_id?: string}
 * @phpstan-type V2ClientCredentialsGrant array{grant_type: 'client_credentials', client_credentials_data: array{scope: string}}
 * @phpstan-type V2Contact array{id: string, responsible_user_id: string, name: string, contact_data: list<V2ContactChat>, uri?: string}
 * @phpstan-type V2ContactChange array{id: string|int, responsible_user_id?: string|int, name?: string, contact_data?: list<V2ContactChat>, uri?: string}
 * @phpstan-type V2ContactChat array{chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id?: string, username?: string, phone?: string}
 * @phpstan-type V2ContactCreation array{responsible_user_id: string, name: string, contact_data: list<array{chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id: string}>, recipient: V2Recipient, source: 'auto'|'byUser'}
 * @phpstan-type V2ContactListResponse array{data: list<V2Contact>, meta: V2Meta}
 * @phpstan-type V2ContactResponse array{data: V2Contact, meta: V2Meta}
 * @phpstan-type V2CreatedChannel array{channel_id: string, transport: string, url?: string}
 * @phpstan-type V2CreatedChannelListResponse array{data: list<V2CreatedChannel>, meta: V2Meta}
 * @phpstan-type V2Deal array{id: string, responsible_user_id: string, name: string, uri?: string, contacts: list<string>, closed: bool}
 * @phpstan-type V2DealChange array{id: string|int, responsible_user_id?: string|int, name?: string, uri?: string, contacts?: list<string|int>, closed?: bool}
 * @phpstan-type V2DealCreation array{responsible_user_id: string, contacts: list<string>, source: 'auto'|'byUser'}
 * @phpstan-type V2DealListResponse array{data: list<V2Deal>, meta: V2Meta}
 * @phpstan-type V2DealResponse array{data: V2Deal, meta: V2Meta}
 * @phpstan-type V2DoneResponse array{data: mixed, meta: V2Meta}
 * @phpstan-type V2EventMeta array{idempotency_key: string, timestamp: int}
 * @phpstan-type V2ExportStatus array{export_id: string, status: 'pending'|'processing'|'done'|'webhook_failed', url: string|null}
 * @phpstan-type V2FirstContacts array{allowance: int|null, left: int|null, next_at: string|null, held_until: string|null, hold_reason: string|null}
 * @phpstan-type V2GlobalLink array{user_id: string|int, author_name?: string, scope: 'global', active_chat?: array{chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id?: string, username?: string, phone?: string, channel_id?: string}, use_events?: array{deals?: bool, messages?: bool}, client_type?: string}
 * @phpstan-type V2GroupMembershipsUpdate array{channel_id: string, chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id: string, timestamp: int, changed_by: V2Person|mixed, name: string, avatar_uri: string|null, members: list<V2MembershipChange>}
 * @phpstan-type V2GroupSender array{id: string, name: string, chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id: string, phone: string|null}
 * @phpstan-type V2GroupUpdate array{channel_id: string, chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id: string, timestamp: int, changed_by: V2Person|mixed, changes: list<'name'|'avatar'>, name: string, old_name: string|null, avatar_uri: string|null}
 * @phpstan-type V2HistoryImport array{days: int, status: 'waiting'|'running'|'done', progress: int|null, messages: int, is_cut: bool}
 * @phpstan-type V2HistoryRequest array{days: int}
 * @phpstan-type V2InstagramCredentials array{user_token: string, page_id?: string, inst_id?: string, username?: string}
 * @phpstan-type V2Interactive array{type: string, text?: string, payload?: string, url?: string}
 * @phpstan-type V2ListMessagesResponse array{data: list<V2Message>, meta: V2PageMeta}
 * @phpstan-type V2MaxbotCredentials array{access_token: string}
 * @phpstan-type V2MembershipChange array{action: 'added'|'removed'|'left'|'promoted'|'demoted', id: string, name: string, username: string|null, phone: string|null}
 * @phpstan-type V2Message array{message_id: string, channel_id: string, direction: 'inbound'|'outbound', timestamp: int, type: 'text'|'image'|'audio'|'video'|'document'|'vcard'|'geo'|'wapi_template'|'unsupported'|'missing_call'|'unknown', status: 'inbound'|'sent'|'delivered'|'read'|'error', crm_user_id: string|null, author_name?: string, recipient: V2Recipient, text: string|null, attachment: V2Attachment|mixed, error?: V2MessageError, sent_from_app?: true, inst_post?: V2Post, advert?: V2Advert, referral?: V2Referral, is_system?: true, is_history?: true, interactive?: list<V2Interactive>, is_edited?: true, is_deleted?: true, quoted_message?: V2QuotedMessage, sender?: V2GroupSender, old_info?: array{old_text: string|null, old_author_id: string|null, old_author_name: string|null, old_content_uri?: string}}
 * @phpstan-type V2MessageContact array{name: string, avatar_uri?: string, username?: string, phone?: string, avito_profile_id?: string}
 * @phpstan-type V2MessageError array{error: string, description: string}
 * @phpstan-type V2MessageStatus array{message_id: string, request_id: string|null, channel_id: string, status: 'sent'|'delivered'|'read'|'error'|'edited', reason: string|null, description?: string}
 * @phpstan-type V2Meta array{timestamp: int}
 * @phpstan-type V2NewAvitoChannel array{transport: 'avito', credentials: V2AvitoCredentials|V2NoCredentials, history?: V2HistoryRequest, proxy?: string}
 * @phpstan-type V2NewContact array{id: string|int, responsible_user_id: string|int, name: string, contact_data: list<V2ContactChat>, uri?: string}
 * @phpstan-type V2NewDeal array{id: string|int, responsible_user_id: string|int, name: string, uri?: string, contacts: list<string|int>, closed?: bool}
 * @phpstan-type V2NewInstagramChannel array{transport: 'instagram', credentials: V2InstagramCredentials|V2NoCredentials, history?: V2HistoryRequest, proxy?: string}
 * @phpstan-type V2NewMaxChannel array{transport: 'max', credentials: V2NoCredentials, history?: V2HistoryRequest, proxy?: string}
 * @phpstan-type V2NewMaxbotChannel array{transport: 'maxbot', credentials: V2MaxbotCredentials|V2NoCredentials, history?: V2HistoryRequest, proxy?: string}
 * @phpstan-type V2NewPipeline array{id: string|int, name: string, stages?: list<V2NewPipelineStage>}
 * @phpstan-type V2NewPipelineStage array{id: string|int, name: string}
 * @phpstan-type V2NewProposal array{channel_id: string, chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id: string, text?: string, template?: V2SendTemplate, quoted_message_id?: string, expires_in?: int}
 * @phpstan-type V2NewTelegramChannel array{transport: 'telegram', credentials: V2TelegramCredentials|V2NoCredentials, history?: V2HistoryRequest, proxy?: string}
 * @phpstan-type V2NewTgapiChannel array{transport: 'tgapi', credentials: V2NoCredentials, history?: V2HistoryRequest, proxy?: string}
 * @phpstan-type V2NewUser array{id: string|int, name: string, phone?: string}
 * @phpstan-type V2NewViberChannel array{transport: 'viber', credentials: V2ViberCredentials|V2NoCredentials, history?: V2HistoryRequest, proxy?: string}
 * @phpstan-type V2NewWapiChannel array{transport: 'wapi', credentials: V2WapiCredentials|V2NoCredentials, history?: V2HistoryRequest, proxy?: string}
 * @phpstan-type V2NewWhatsappChannel array{transport: 'whatsapp', credentials: V2NoCredentials, history?: V2HistoryRequest, proxy?: string}
 * @phpstan-type V2NoCredentials array<string, mixed>
 * @phpstan-type V2OldInfo array{old_text?: string, old_author_id?: string, old_author_name?: string, old_content_uri?: string}
 * @phpstan-type V2Pacing array{channel_id: string, limits: V2PacingLimits, changed: list<'per_minute'|'chat_per_minute'|'jitter_ms'|'first_contacts_per_day'|'warm_up_days'>, first_contacts: V2FirstContacts, queue: V2SendQueue, notices: list<array{at: string, kind: string, text: string}>}
 * @phpstan-type V2PacingLimits array{per_minute: float, burst: float, chat_per_minute: float, chat_burst: float, jitter_ms: int, first_contacts_per_day: int|null, warm_up_days: int}
 * @phpstan-type V2PacingListResponse array{data: list<V2Pacing>, meta: V2Meta}
 * @phpstan-type V2PageLink array{link: string}
 * @phpstan-type V2PageLinkResponse array{data: V2PageLink, meta: V2Meta}
 * @phpstan-type V2PageMeta array{timestamp: int, next: string|null}
 * @phpstan-type V2PasskeyRequest array{site: string|null, request: array<string, mixed>|null, expires_in: int|null, prompt_for: int|null, compare_code: string|null}
 * @phpstan-type V2PasskeyRequestResponse array{data: V2PasskeyRequest, meta: V2Meta}
 * @phpstan-type V2PasskeyResponse array{id?: string, rawId: string, type?: string, response: array{clientDataJSON: string, authenticatorData: string, signature: string, userHandle?: string|null}}
 * @phpstan-type V2Person array{id: string, name: string, username: string|null, phone: string|null}
 * @phpstan-type V2Pipeline array{id: string, name: string, stages: list<V2PipelineStage>}
 * @phpstan-type V2PipelineListResponse array{data: list<V2Pipeline>, meta: V2Meta}
 * @phpstan-type V2PipelineStage array{id: string, name: string}
 * @phpstan-type V2Post array{id: string, src: string, author: string, description: string}
 * @phpstan-type V2ProcessedEntities array{processed: int, not_found: list<string>}
 * @phpstan-type V2ProcessedEntitiesResponse array{data: V2ProcessedEntities, meta: V2Meta}
 * @phpstan-type V2Proposal array{proposal_id: string, status: 'waiting'|'approved'|'sent'|'failed'|'declined'|'expired', channel_id: string, chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id: string, text: string, expires_at: string, decided_by: V2ProposalDecider|mixed, message_id: string|null, error: string|null}
 * @phpstan-type V2ProposalDecider array{id: string, name: string|null}
 * @phpstan-type V2ProposalResponse array{data: V2Proposal, meta: V2Meta}
 * @phpstan-type V2QuotedMessage array{message_id?: string, channel_id: string, chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id: string, date_time?: string, type: 'text'|'image'|'audio'|'video'|'document'|'vcard'|'geo'|'wapi_template'|'unsupported'|'missing_call'|'unknown', status?: 'inbound'|'sent'|'delivered'|'read'|'error', text?: string, content_uri?: string, author_name?: string, is_echo?: bool, contact?: V2MessageContact, error?: V2MessageError, author_id?: string, sent_from_app?: true, sender?: V2Sender, inst_post?: V2Post, advert?: V2Advert, referral?: V2Referral, is_system?: true, is_history?: true, interactive?: list<V2Interactive>, is_edited?: true, is_deleted?: true, old_info?: V2OldInfo}
 * @phpstan-type V2Reaction array{message_id: string, channel_id: string, recipient: V2Recipient, emoji: string|null, from: V2ReactionAuthor|'us', timestamp: int}
 * @phpstan-type V2ReactionAuthor array{id: string, name: string}
 * @phpstan-type V2Recipient array{chat_id: string, chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', name: string, username: string|null, phone: string|null}
 * @phpstan-type V2Referral array{source: 'ad'|'post'|'product'|'link'|'unknown', source_id?: string, source_url?: string, headline?: string, body?: string, ref?: string, click_id?: string}
 * @phpstan-type V2RefreshTokenGrant array{grant_type: 'refresh_token', refresh_token_data: array{refresh_token: string, client_id: string}}
 * @phpstan-type V2ReinitialisedChannel array{channel_id: string, transport: string, state: 'active'|'init'|'waitForPassword'|'waitForPasskey'|'qr'|'disabled'|'blocked'|'notEnoughMoney'|'rejected'|'unauthorized'|'foreignphone'|'qridle'|'openElsewhere'|'phoneUnavailable', phone: string, messenger_id: string, tariff: string|null, name: string}
 * @phpstan-type V2ReinitialisedChannelListResponse array{data: list<V2ReinitialisedChannel>, meta: V2Meta}
 * @phpstan-type V2Restriction array{kind: 'new_chats'|'replies'|'unanswered'|'spam'|'volume'|'quality'|'block_announced', reason: string, since: string, until: string|null}
 * @phpstan-type V2SendAttachment array{url: string, name?: string, mimetype?: string, size?: float, sha1?: string, voice?: bool}
 * @phpstan-type V2SendKeyboard array{buttons?: list<array{text?: string, type?: string, payload?: string, url?: string, callback_data?: string, intent?: string}|list<V2Button>>, reply_markup?: string, one_time_keyboard?: bool, resize_keyboard?: bool, selective?: bool, remove_keyboard?: bool}
 * @phpstan-type V2SendQueue array{messages: int, chats: int, oldest_at: string|null, next_send_at: string|null, waiting: list<array{for: 'turn'|'inactive'|'stopped'|'pause'|'pace'|'allowance'|'hold'|'retry', chats: int, until: string|null}>}
 * @phpstan-type V2SendRecipient array{chat_type: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chat_id?: string, username?: string, phone?: string, crm_contact_name?: string}
 * @phpstan-type V2SendTemplate array{id: string, values?: list<string>, buttons?: list<V2SendTemplateButton>}
 * @phpstan-type V2SendTemplateButton array{text?: string, type?: string, payload: string}
 * @phpstan-type V2Sender array{id: string, name: string}
 * @phpstan-type V2StoredEntities array{processed: int}
 * @phpstan-type V2StoredEntitiesResponse array{data: V2StoredEntities, meta: V2Meta}
 * @phpstan-type V2Subscription array{id: string, url: string, event: string}
 * @phpstan-type V2SubscriptionListResponse array{data: list<V2Subscription>, meta: V2Meta}
 * @phpstan-type V2TelegramCredentials array{telegram_token: string}
 * @phpstan-type V2Template array{template_id: string, name: string, title: string, category: string, language: string, status: string, reason?: string, components: list<array<string, mixed>>, channels: list<string>}
 * @phpstan-type V2TemplateListResponse array{data: list<V2Template>, meta: V2Meta}
 * @phpstan-type V2TemplateResponse array{data: V2Template, meta: V2Meta}
 * @phpstan-type V2TemplateStatus array{template_id: string, channel_id: string, name: string, status: 'APPROVED'|'PENDING'|'REJECTED'|'PAUSED'|'DISABLED'}
 * @phpstan-type V2TokenExchangeGrant array{grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', token_exchange_data: array{subject_token: string, subject_token_type: string, requested_subject: string|int, scope: string}}
 * @phpstan-type V2User array{id: string, name: string, phone?: string}
 * @phpstan-type V2UserChange array{id: string|int, name?: string, phone?: string}
 * @phpstan-type V2UserListResponse array{data: list<V2User>, meta: V2Meta}
 * @phpstan-type V2UserResponse array{data: V2User, meta: V2Meta}
 * @phpstan-type V2ViberCredentials array{viber_token: string, welcome?: string}
 * @phpstan-type V2VkCredentials array{access_token: string}
 * @phpstan-type V2WapiCredentials array{phone_number_id: string, waba_id: string, access_token: string, app_secret?: string}
 * @phpstan-type V3Advert array{id: string, title?: string, url?: string, price?: string}
 * @phpstan-type V3AuditEntry array{id: int, at: string, action: string, subject: string, actor: string, actorId: string, from: string, details: array<string, mixed>}
 * @phpstan-type V3Button array{text?: string, type?: string, payload?: string, url?: string, intent?: string, callbackData?: string}
 * @phpstan-type V3CardLink array{user: array{id: string|int, name?: string}, scope: 'card', filter: list<array{chatType: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chatId?: string, username?: string, phone?: string, name?: string}>, activeChat?: array{chatType: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chatId?: string, username?: string, phone?: string, channelId?: string}, options?: array{clientType?: string, useDealsEvents?: bool, useMessageEvents?: bool}}
 * @phpstan-type V3ChangedMessage array{messageId: string, chatId: string}
 * @phpstan-type V3Channel array{channelId: string, transport: string, plainId: string, state: 'active'|'init'|'waitForPassword'|'waitForPasskey'|'qr'|'disabled'|'blocked'|'notEnoughMoney'|'rejected'|'unauthorized'|'foreignphone'|'qridle'|'openElsewhere'|'phoneUnavailable', name: string, restrictions?: list<V3Restriction>}
 * @phpstan-type V3ChannelUpdate array{channelId: string, state: string, tier?: 'TIER_0'|'TIER_50'|'TIER_250'|'TIER_1K'|'TIER_2K'|'TIER_10K'|'TIER_100K'|'TIER_UNLIMITED', qr?: string, qridle?: 'qridle', restrictions?: list<V3Restriction>, timestamp: int}
 * @phpstan-type V3Contact array{id: string, responsibleUserId: string, name: string, contactData: list<V3ContactChat>, uri?: string}
 * @phpstan-type V3ContactChat array{chatType: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chatId?: string, username?: string, phone?: string}
 * @phpstan-type V3ContactCreation array{responsibleUserId: string, name: string, contactData: list<array{chatType: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chatId: string}>, source: 'auto'|'byUser'}
 * @phpstan-type V3Deal array{id: string, responsibleUserId: string, name: string, uri?: string, contacts: list<string>, closed: bool}
 * @phpstan-type V3DealCreation array{responsibleUserId: string, contacts: list<string>, source: 'auto'|'byUser'}
 * @phpstan-type V3Delivery array{id: int, receiverId: string, deliveryId: string, purpose: string, at: string, durationMs: int, kinds: list<string>, channelIds: list<string>, items: int, result: string, status: int|null, failure: string|null}
 * @phpstan-type V3DeliveryDetails array{id: int, receiverId: string, deliveryId: string, purpose: string, at: string, durationMs: int, kinds: list<string>, channelIds: list<string>, items: int, result: string, status: int|null, failure: string|null, eventIds: list<int>, body: string|null, sentHeaders: array<string, string>|null, receivedHeaders: array<string, string>|null, answer: string|null}
 * @phpstan-type V3Interactive array{type: string, text?: string, payload?: string, url?: string}
 * @phpstan-type V3Message array{messageId: string, channelId: string, chatType: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chatId: string, dateTime: string, type: 'text'|'image'|'audio'|'video'|'document'|'vcard'|'geo'|'wapi_template'|'unsupported'|'missing_call'|'unknown', status: 'inbound'|'sent'|'delivered'|'read'|'error', text?: string, contentUri?: string, authorName?: string, isEcho: bool, contact: V3MessageContact, error?: V3MessageError, authorId?: string, sentFromApp?: true, sender?: V3Sender, instPost?: V3Post, advert?: V3Advert, referral?: V3Referral, isSystem?: true, isHistory?: true, interactive?: list<V3Interactive>, isEdited?: true, isDeleted?: true, oldInfo?: V3OldInfo, quotedMessage?: V3QuotedMessage}
 * @phpstan-type V3MessageContact array{name: string, avatarUri?: string, username?: string, phone?: string, avitoProfileId?: string}
 * @phpstan-type V3MessageError array{error: string, description: string}
 * @phpstan-type V3MessageStatus array{messageId: string, timestamp: string, status: 'sent'|'delivered'|'read'|'error'|'edited', error?: array{error: string, description: string, data?: string}}
 * @phpstan-type V3NewContact array{id: string|int, responsibleUserId: string|int, name: string, contactData: list<V3ContactChat>, uri?: string}
 * @phpstan-type V3NewDeal array{id: string|int, responsibleUserId: string|int, name: string, uri?: string, contacts: list<string|int>, closed?: bool}
 * @phpstan-type V3NewPipeline array{id: string|int, name: string, stages?: list<V3NewPipelineStage>}
 * @phpstan-type V3NewPipelineStage array{id: string|int, name: string}
 * @phpstan-type V3NewUser array{id: string|int, name: string, phone?: string}
 * @phpstan-type V3Nothing array<string, mixed>
 * @phpstan-type V3OldInfo array{oldText?: string, oldAuthorId?: string, oldAuthorName?: string, oldContentUri?: string}
 * @phpstan-type V3ParkedEvent array{eventId: int, receiverId: string, kind: string, channelId: string|null, subject: string, happenedAt: string, parkedAt: string, reason: string, item: mixed}
 * @phpstan-type V3Pipeline array{id: string, name: string, stages: list<V3PipelineStage>}
 * @phpstan-type V3PipelineStage array{id: string, name: string}
 * @phpstan-type V3Post array{id: string, src: string, author: string, description: string}
 * @phpstan-type V3QuotedMessage array{messageId?: string, channelId: string, chatType: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chatId: string, dateTime?: string, type: 'text'|'image'|'audio'|'video'|'document'|'vcard'|'geo'|'wapi_template'|'unsupported'|'missing_call'|'unknown', status?: 'inbound'|'sent'|'delivered'|'read'|'error', text?: string, contentUri?: string, authorName?: string, isEcho?: bool, contact?: V3MessageContact, error?: V3MessageError, authorId?: string, sentFromApp?: true, sender?: V3Sender, instPost?: V3Post, advert?: V3Advert, referral?: V3Referral, isSystem?: true, isHistory?: true, interactive?: list<V3Interactive>, isEdited?: true, isDeleted?: true, oldInfo?: V3OldInfo}
 * @phpstan-type V3Reaction array{messageId: string, channelId: string, chatType: 'whatsapp'|'whatsgroup'|'viber'|'instagram'|'telegram'|'telegroup'|'vk'|'avito'|'max'|'maxgroup', chatId: string, emoji: string|null, from: V3ReactionAuthor|'us', timestamp: string}
 * @phpstan-type V3ReactionAuthor array{id: string, name: string}
 * @phpstan-type V3Receiver array{receiverId: string, version: string, url: string, kinds: list<string>, state: string, pausedAt: string|null, pauseReason: string|null, failingSince: string|null, failures: int, lastSuccessAt: string|null, queued: int, parked: int, maxItems: int, concurrency: int}
 * @phpstan-type V3ReceiverDetails array{receiverId: string, version: string, url: string, kinds: list<string>, state: string, pausedAt: string|null, pauseReason: string|null, failingSince: string|null, failures: int, lastSuccessAt: string|null, queued: int, parked: int, maxItems: int, concurrency: int, notices: list<V3ReceiverNotice>}
 * @phpstan-type V3ReceiverNotice array{at: string, kind: string, text: string}
 * @phpstan-type V3Referral array{source: 'ad'|'post'|'product'|'link'|'unknown', sourceId?: string, sourceUrl?: string, headline?: string, body?: string, ref?: string, clickId?: string}
 * @phpstan-type V3Replay array{replayId: string, requestedAt: string, finishedAt: string|null, total: int, delivered: int, failed: int, failures: list<array{receiverId: string, deliveryId: string, status: int|null, failure: string|null}>}
 * @phpstan-type V3Restriction array{kind: 'new_chats'|'replies'|'unanswered'|'spam'|'volume'|'quality'|'block_announced', reason: string, since: string, until: string|null}
 * @phpstan-type V3Sender array{id: string, name: string}
 * @phpstan-type V3Template array{templateGuid: string, name: string, title: string, category: string, language: string, status: string, reason?: string, components: list<array<string, mixed>>, channels: list<string>, templateCode: string}
 * @phpstan-type V3TemplateStatus array{templateGuid: string, name: string, status: 'APPROVED'|'PENDING'|'REJECTED'|'PAUSED'|'DISABLED'}
 * @phpstan-type V3User array{id: string, name: string, phone?: string}
 * @phpstan-type V3UserName array{id: string, name: string}
 * @phpstan-type V3WebhookSecret array{secret: string, previousUntil: string|null}
 * @phpstan-type WabaTemplateStatusUpdateEvent array{event: 'waba_template.status_update', data: list<V2TemplateStatus>, meta: V2EventMeta}
 */
abstract class Operations extends Http
{
    /**
     * Get the host that reports unanswered messages as they change, by socket.io at `/ws-counters/`. `GET /counters/ws_host/api_v3/{apiKey}`
     * @return GetCounterHostResponse
     */
    public function getCounterHost(string $apiKey): array
    {
        return $this->call('GET', '/counters/ws_host/api_v3/' . rawurlencode($apiKey), 'none');
    }

    /**
     * Liveness of the process. `GET /healthz`
     * @return GetHealthResponse
     */
    public function getHealth(): array
    {
        return $this->call('GET', '/healthz', 'none');
    }

    /**
     * Readiness of the node. `GET /readyz`
     * @return Readiness
     */
    public function getReadiness(): array
    {
        return $this->call('GET', '/readyz', 'none');
    }

    /**
     * Create an account for a client; obtain its tokens by token exchange. `POST /v2/accounts`
     * @param CreateAccountRequest $body
     * @return CreateAccountResponse
     */
    public function createAccount(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/accounts', 'partner', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Get one of the partner's accounts. `GET /v2/accounts/{id}`
     * @param array{expand?: string|list<string>} $query
     * @return GetAccountResponse
     */
    public function getAccount(string $id, array $query = []): array
    {
        return $this->call('GET', '/v2/accounts/' . rawurlencode($id), 'partner', query: $query);
    }

    /**
     * List the channels of the account. `GET /v2/channels`
     * @return V2ChannelListResponse
     */
    public function listChannels(): array
    {
        return $this->call('GET', '/v2/channels', 'accessToken');
    }

    /**
     * Connect a messenger account as a new channel. `POST /v2/channels`
     * @param CreateChannelRequest $body
     * @return V2CreatedChannelListResponse
     */
    public function createChannel(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/channels', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Get a channel with its status. `GET /v2/channels/{id}`
     * @return V2ChannelDetailsListResponse
     */
    public function getChannel(string $id): array
    {
        return $this->call('GET', '/v2/channels/' . rawurlencode($id), 'accessToken');
    }

    /**
     * Disconnect and delete a channel. `DELETE /v2/channels/{id}`
     * @param array{delete_chats?: string} $query
     * @return V2DoneResponse
     */
    public function removeChannel(string $id, array $query = []): array
    {
        return $this->call('DELETE', '/v2/channels/' . rawurlencode($id), 'accessToken', query: $query);
    }

    /**
     * Submit the two-factor password, or the messenger's code, that a channel waits for. `POST /v2/channels/{id}/auth/2fa`
     * @param SubmitTwoFactorPasswordRequest $body
     * @return V2DoneResponse
     */
    public function submitTwoFactorPassword(string $id, array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/channels/' . rawurlencode($id) . '/auth/2fa', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Get the request for the passkey, or the code to compare, that a channel waits for. `GET /v2/channels/{id}/auth/passkey`
     * @return V2PasskeyRequestResponse
     */
    public function getPasskeyRequest(string $id): array
    {
        return $this->call('GET', '/v2/channels/' . rawurlencode($id) . '/auth/passkey', 'accessToken');
    }

    /**
     * Submit the answer of the account's passkey. `POST /v2/channels/{id}/auth/passkey`
     * @param SubmitPasskeyAnswerRequest $body
     * @return V2DoneResponse
     */
    public function submitPasskeyAnswer(string $id, array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/channels/' . rawurlencode($id) . '/auth/passkey', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Get a channel's rate limits, and what waits in its queue and why. `GET /v2/channels/{id}/pacing`
     * @return V2PacingListResponse
     */
    public function getPacing(string $id): array
    {
        return $this->call('GET', '/v2/channels/' . rawurlencode($id) . '/pacing', 'accessToken');
    }

    /**
     * Change a channel's rate limits, or end a pause of first contacts. `PATCH /v2/channels/{id}/pacing`
     * @param ChangePacingRequest $body
     * @return V2PacingListResponse
     */
    public function changePacing(string $id, array $body): array
    {
        return $this->call('PATCH', '/v2/channels/' . rawurlencode($id) . '/pacing', 'accessToken', body: $body);
    }

    /**
     * Connect with a number and a code instead of a QR code. `POST /v2/channels/{id}/pairing-code`
     * @param RequestPairingCodeRequest $body
     * @return RequestPairingCodeResponse
     */
    public function requestPairingCode(string $id, array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/channels/' . rawurlencode($id) . '/pairing-code', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Find out which phone numbers the messenger has. Looked up slowly, because messengers restrict accounts that look up many; the results of 30 days are known at once. `POST /v2/channels/{id}/phones/check`
     * @param CheckPhonesRequest $body
     * @return CheckPhonesResponse
     */
    public function checkPhones(string $id, array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/channels/' . rawurlencode($id) . '/phones/check', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Reconnect a channel, with new credentials. `POST /v2/channels/{id}/reinit`
     * @param ReinitChannelRequest $body
     * @return V2ReinitialisedChannelListResponse
     */
    public function reinitChannel(string $id, array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/channels/' . rawurlencode($id) . '/reinit', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * List chats, most recent message first. While messages arrive, chats move to the top of the list. `GET /v2/chats`
     * @param array{channel_id?: string, before?: string, after?: string, limit?: int} $query
     * @return ListChatsResponse
     */
    public function listChats(array $query = []): array
    {
        return $this->call('GET', '/v2/chats', 'accessToken', query: $query);
    }

    /**
     * List the messages of a chat, newest first, as the event `message.add` contains them. The order, and times in `before` and `after`, are those at which the service stored the messages; of imported messages, those at which they were sent. `GET /v2/chats/{chat_type}/{chat_id}/messages`
     * @param array{channel_id?: string, before?: string, after?: string, limit?: int} $query
     * @return V2ListMessagesResponse
     */
    public function listMessages(string $chatType, string $chatId, array $query = []): array
    {
        return $this->call('GET', '/v2/chats/' . rawurlencode($chatType) . '/' . rawurlencode($chatId) . '/messages', 'accessToken', query: $query);
    }

    /**
     * Show the people of a chat that their messages were read. `POST /v2/chats/{chat_type}/{chat_id}/read`
     * @param V2ChatMark $body
     * @return V2DoneResponse
     */
    public function markChatAsRead(string $chatType, string $chatId, array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/chats/' . rawurlencode($chatType) . '/' . rawurlencode($chatId) . '/read', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Show the people of a chat that somebody is typing: for some seconds, or until a message is sent. `POST /v2/chats/{chat_type}/{chat_id}/typing`
     * @param V2ChatMark $body
     * @return V2DoneResponse
     */
    public function showTyping(string $chatType, string $chatId, array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/chats/' . rawurlencode($chatType) . '/' . rawurlencode($chatId) . '/typing', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Mark all messages of the account as answered. `DELETE /v2/chats/unanswered`
     * @return ClearUnansweredResponse
     */
    public function clearUnanswered(): array
    {
        return $this->call('DELETE', '/v2/chats/unanswered', 'accessToken');
    }

    /**
     * List contacts, in pages. `GET /v2/contacts`
     * @param array{offset?: int} $query
     * @return V2ContactListResponse
     */
    public function listV2Contacts(array $query = []): array
    {
        return $this->call('GET', '/v2/contacts', 'accessToken', query: $query);
    }

    /**
     * Add or replace contacts: all, or none if one is invalid. `POST /v2/contacts`
     * @param SaveV2ContactsRequest $body
     * @return V2StoredEntitiesResponse
     */
    public function saveV2Contacts(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/contacts', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Change contacts; omitted fields keep their value. `PATCH /v2/contacts`
     * @param ChangeV2ContactsRequest $body
     * @return V2ProcessedEntitiesResponse
     */
    public function changeV2Contacts(array $body): array
    {
        return $this->call('PATCH', '/v2/contacts', 'accessToken', body: $body);
    }

    /**
     * Delete contacts by id. `DELETE /v2/contacts`
     * @param RemoveV2ContactsRequest $body
     * @return V2ProcessedEntitiesResponse
     */
    public function removeV2Contacts(array $body): array
    {
        return $this->call('DELETE', '/v2/contacts', 'accessToken', body: $body);
    }

    /**
     * Get one of the contacts. `GET /v2/contacts/{id}`
     * @return V2ContactResponse
     */
    public function getV2Contact(string $id): array
    {
        return $this->call('GET', '/v2/contacts/' . rawurlencode($id), 'accessToken');
    }

    /**
     * Delete one of the contacts. `DELETE /v2/contacts/{id}`
     * @return V2DoneResponse
     */
    public function removeV2Contact(string $id): array
    {
        return $this->call('DELETE', '/v2/contacts/' . rawurlencode($id), 'accessToken');
    }

    /**
     * Count an employee's unanswered messages of the last 7 days. `GET /v2/counters/unanswered/{user_id}`
     * @return GetUnansweredCounterResponse
     */
    public function getUnansweredCounter(string $userId): array
    {
        return $this->call('GET', '/v2/counters/unanswered/' . rawurlencode($userId), 'accessToken');
    }

    /**
     * List deals, in pages. `GET /v2/deals`
     * @param array{offset?: int} $query
     * @return V2DealListResponse
     */
    public function listV2Deals(array $query = []): array
    {
        return $this->call('GET', '/v2/deals', 'accessToken', query: $query);
    }

    /**
     * Add or replace deals: all, or none if one is invalid. `POST /v2/deals`
     * @param SaveV2DealsRequest $body
     * @return V2StoredEntitiesResponse
     */
    public function saveV2Deals(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/deals', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Change deals; omitted fields keep their value. `PATCH /v2/deals`
     * @param ChangeV2DealsRequest $body
     * @return V2ProcessedEntitiesResponse
     */
    public function changeV2Deals(array $body): array
    {
        return $this->call('PATCH', '/v2/deals', 'accessToken', body: $body);
    }

    /**
     * Delete deals by id. `DELETE /v2/deals`
     * @param RemoveV2DealsRequest $body
     * @return V2ProcessedEntitiesResponse
     */
    public function removeV2Deals(array $body): array
    {
        return $this->call('DELETE', '/v2/deals', 'accessToken', body: $body);
    }

    /**
     * Get one of the deals. `GET /v2/deals/{id}`
     * @return V2DealResponse
     */
    public function getV2Deal(string $id): array
    {
        return $this->call('GET', '/v2/deals/' . rawurlencode($id), 'accessToken');
    }

    /**
     * Delete one of the deals. `DELETE /v2/deals/{id}`
     * @return V2DoneResponse
     */
    public function removeV2Deal(string $id): array
    {
        return $this->call('DELETE', '/v2/deals/' . rawurlencode($id), 'accessToken');
    }

    /**
     * Create a group; messages can be sent to it at once. `POST /v2/groups`
     * @param CreateGroupRequest $body
     * @return CreateGroupResponse
     */
    public function createGroup(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/groups', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Get a group with its members and their roles, as the messenger knows it now. `GET /v2/groups/{chat_id}`
     * @param array{channel_id: string} $query
     * @return GetGroupResponse
     */
    public function getGroup(string $chatId, array $query): array
    {
        return $this->call('GET', '/v2/groups/' . rawurlencode($chatId), 'accessToken', query: $query);
    }

    /**
     * Change a group: its name, picture, members and roles, one after the other until the messenger refuses one; the error then names in `done` what was changed. `PATCH /v2/groups/{chat_id}`
     * @param ChangeGroupRequest $body
     * @return ChangeGroupResponse
     */
    public function changeGroup(string $chatId, array $body): array
    {
        return $this->call('PATCH', '/v2/groups/' . rawurlencode($chatId), 'accessToken', body: $body);
    }

    /**
     * Create a one-time link to the page where a person connects or reconnects a channel. `POST /v2/iframe-links/channels`
     * @param LinkToChannelsPageRequest $body
     * @return V2PageLinkResponse
     */
    public function linkToChannelsPage(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/iframe-links/channels', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Create a one-time link to the chat page. `POST /v2/iframe-links/chats`
     * @param LinkToChatsPageRequest $body
     * @return V2PageLinkResponse
     */
    public function linkToChatsPage(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/iframe-links/chats', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Send a message; webhooks report its status. `POST /v2/messages`
     * @param SendMessageRequest $body
     * @return SendMessageResponse
     */
    public function sendMessage(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/messages', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Edit a sent message in the messenger. `PATCH /v2/messages/{id}`
     * @param EditMessageRequest $body
     * @return V2ChangedMessageResponse
     */
    public function editMessage(string $id, array $body): array
    {
        return $this->call('PATCH', '/v2/messages/' . rawurlencode($id), 'accessToken', body: $body);
    }

    /**
     * Delete a sent message for both sides. `DELETE /v2/messages/{id}`
     * @return V2ChangedMessageResponse
     */
    public function removeMessage(string $id): array
    {
        return $this->call('DELETE', '/v2/messages/' . rawurlencode($id), 'accessToken');
    }

    /**
     * React to a message of either side; replaces the channel's earlier reaction. `PUT /v2/messages/{id}/reaction`
     * @param ReactToMessageRequest $body
     * @return V2ChangedMessageResponse
     */
    public function reactToMessage(string $id, array $body): array
    {
        return $this->call('PUT', '/v2/messages/' . rawurlencode($id) . '/reaction', 'accessToken', body: $body);
    }

    /**
     * Remove the channel's reaction to a message. `DELETE /v2/messages/{id}/reaction`
     * @return V2ChangedMessageResponse
     */
    public function removeReaction(string $id): array
    {
        return $this->call('DELETE', '/v2/messages/' . rawurlencode($id) . '/reaction', 'accessToken');
    }

    /**
     * Request the messages of a period as CSV; the webhook messages_dump.status_update contains the link. `POST /v2/messages/messages_dump`
     * @param ExportMessagesRequest $body
     * @return ExportMessagesResponse
     */
    public function exportMessages(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/messages/messages_dump', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Get the progress of an export, and the link to its file. `GET /v2/messages/messages_dump/{export_id}`
     * @return GetMessageExportResponse
     */
    public function getMessageExport(string $exportId): array
    {
        return $this->call('GET', '/v2/messages/messages_dump/' . rawurlencode($exportId), 'accessToken');
    }

    /**
     * Propose a message into an existing chat; it is sent when an employee approves it on the chat page. `POST /v2/messages/proposals`
     * @param V2NewProposal $body
     * @return V2ProposalResponse
     */
    public function proposeMessage(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/messages/proposals', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Get what became of a proposed message. `GET /v2/messages/proposals/{id}`
     * @return V2ProposalResponse
     */
    public function getProposal(string $id): array
    {
        return $this->call('GET', '/v2/messages/proposals/' . rawurlencode($id), 'accessToken');
    }

    /**
     * Find messages by their words in all chats, newest first. Messages of the last seconds may be missing. `GET /v2/messages/search`
     * @param array{text: string, before?: string, limit?: int} $query
     * @return V2ListMessagesResponse
     */
    public function searchMessages(array $query): array
    {
        return $this->call('GET', '/v2/messages/search', 'accessToken', query: $query);
    }

    /**
     * Revoke a token of the partner, and all tokens of the same grant. `POST /v2/oauth/revoke`
     * @param RevokeTokenRequest $body
     * @return V2DoneResponse
     */
    public function revokeToken(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/oauth/revoke', 'partner', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Issue tokens for a partner's password, a machine token, a refresh token or a code. `POST /v2/oauth/token`
     * @param IssueTokenRequest $body
     * @return IssueTokenResponse
     */
    public function issueToken(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/oauth/token', 'partner', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * List the pipelines with their stages. `GET /v2/pipelines`
     * @return V2PipelineListResponse
     */
    public function listV2Pipelines(): array
    {
        return $this->call('GET', '/v2/pipelines', 'accessToken');
    }

    /**
     * Replace all pipelines. `POST /v2/pipelines`
     * @param ReplaceV2PipelinesRequest $body
     * @return ReplaceV2PipelinesResponse
     */
    public function replaceV2Pipelines(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/pipelines', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * List the templates of the WhatsApp Business Platform, by name and language. `GET /v2/templates/waba`
     * @param array{limit?: int, offset?: int} $query
     * @return V2TemplateListResponse
     */
    public function listWabaTemplates(array $query = []): array
    {
        return $this->call('GET', '/v2/templates/waba', 'accessToken', query: $query);
    }

    /**
     * Submit a template for approval; a webhook reports the result. The fields may also be in `template`. `POST /v2/templates/waba`
     * @param CreateWabaTemplateRequest $body
     * @return V2TemplateResponse
     */
    public function createWabaTemplate(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/templates/waba', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Change a template's content or category; it is moderated again. `PATCH /v2/templates/waba`
     * @param ChangeWabaTemplateRequest $body
     * @return V2TemplateResponse
     */
    public function changeWabaTemplate(array $body): array
    {
        return $this->call('PATCH', '/v2/templates/waba', 'accessToken', body: $body);
    }

    /**
     * Delete a template of the business. `DELETE /v2/templates/waba`
     * @param array{template_id: string} $query
     * @return V2DoneResponse
     */
    public function removeWabaTemplate(array $query): array
    {
        return $this->call('DELETE', '/v2/templates/waba', 'accessToken', query: $query);
    }

    /**
     * Get a template of the WhatsApp Business Platform. `GET /v2/templates/waba/{template_id}`
     * @return V2TemplateResponse
     */
    public function getWabaTemplate(string $templateId): array
    {
        return $this->call('GET', '/v2/templates/waba/' . rawurlencode($templateId), 'accessToken');
    }

    /**
     * Change a template's content or category; it is moderated again. `PATCH /v2/templates/waba/{template_id}`
     * @param ChangeWabaTemplateByIdRequest $body
     * @return V2TemplateResponse
     */
    public function changeWabaTemplateById(string $templateId, array $body): array
    {
        return $this->call('PATCH', '/v2/templates/waba/' . rawurlencode($templateId), 'accessToken', body: $body);
    }

    /**
     * Delete a template of the business. `DELETE /v2/templates/waba/{template_id}`
     * @return V2DoneResponse
     */
    public function removeWabaTemplateById(string $templateId): array
    {
        return $this->call('DELETE', '/v2/templates/waba/' . rawurlencode($templateId), 'accessToken');
    }

    /**
     * List the canned answers of the account, by order and name. `GET /v2/templates/wz`
     * @return V2CannedAnswerListResponse
     */
    public function listCannedAnswers(): array
    {
        return $this->call('GET', '/v2/templates/wz', 'accessToken');
    }

    /**
     * Add a canned answer. `POST /v2/templates/wz`
     * @param AddCannedAnswerRequest $body
     * @return V2CannedAnswerResponse
     */
    public function addCannedAnswer(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/templates/wz', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Get a canned answer. `GET /v2/templates/wz/{template_id}`
     * @return V2CannedAnswerResponse
     */
    public function getCannedAnswer(string $templateId): array
    {
        return $this->call('GET', '/v2/templates/wz/' . rawurlencode($templateId), 'accessToken');
    }

    /**
     * Change a canned answer; omitted fields keep their value. `PATCH /v2/templates/wz/{template_id}`
     * @param ChangeCannedAnswerRequest $body
     * @return V2CannedAnswerResponse
     */
    public function changeCannedAnswer(string $templateId, array $body): array
    {
        return $this->call('PATCH', '/v2/templates/wz/' . rawurlencode($templateId), 'accessToken', body: $body);
    }

    /**
     * Delete a canned answer. `DELETE /v2/templates/wz/{template_id}`
     * @return V2DoneResponse
     */
    public function removeCannedAnswer(string $templateId): array
    {
        return $this->call('DELETE', '/v2/templates/wz/' . rawurlencode($templateId), 'accessToken');
    }

    /**
     * List users, in pages. `GET /v2/users`
     * @param array{offset?: int} $query
     * @return V2UserListResponse
     */
    public function listV2Users(array $query = []): array
    {
        return $this->call('GET', '/v2/users', 'accessToken', query: $query);
    }

    /**
     * Add or replace users: all, or none if one is invalid. `POST /v2/users`
     * @param SaveV2UsersRequest $body
     * @return V2StoredEntitiesResponse
     */
    public function saveV2Users(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/users', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Change users; omitted fields keep their value. `PATCH /v2/users`
     * @param ChangeV2UsersRequest $body
     * @return V2ProcessedEntitiesResponse
     */
    public function changeV2Users(array $body): array
    {
        return $this->call('PATCH', '/v2/users', 'accessToken', body: $body);
    }

    /**
     * Delete users by id. `DELETE /v2/users`
     * @param RemoveV2UsersRequest $body
     * @return V2ProcessedEntitiesResponse
     */
    public function removeV2Users(array $body): array
    {
        return $this->call('DELETE', '/v2/users', 'accessToken', body: $body);
    }

    /**
     * Get one of the users. `GET /v2/users/{id}`
     * @return V2UserResponse
     */
    public function getV2User(string $id): array
    {
        return $this->call('GET', '/v2/users/' . rawurlencode($id), 'accessToken');
    }

    /**
     * Delete one of the users. `DELETE /v2/users/{id}`
     * @return V2DoneResponse
     */
    public function removeV2User(string $id): array
    {
        return $this->call('DELETE', '/v2/users/' . rawurlencode($id), 'accessToken');
    }

    /**
     * List the subscriptions of addresses to events. `GET /v2/webhooks`
     * @return V2SubscriptionListResponse
     */
    public function listSubscriptions(): array
    {
        return $this->call('GET', '/v2/webhooks', 'accessToken');
    }

    /**
     * Subscribe addresses to events: all, or none if one is invalid. `POST /v2/webhooks`
     * @param AddSubscriptionsRequest $body
     * @return V2SubscriptionListResponse
     */
    public function addSubscriptions(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v2/webhooks', 'accessToken', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Change subscriptions; omitted fields keep their value. `PATCH /v2/webhooks`
     * @param ChangeSubscriptionsRequest $body
     * @return V2SubscriptionListResponse
     */
    public function changeSubscriptions(array $body): array
    {
        return $this->call('PATCH', '/v2/webhooks', 'accessToken', body: $body);
    }

    /**
     * Delete subscriptions by id. `DELETE /v2/webhooks`
     * @param RemoveSubscriptionsRequest $body
     * @return V2DoneResponse
     */
    public function removeSubscriptions(array $body): array
    {
        return $this->call('DELETE', '/v2/webhooks', 'accessToken', body: $body);
    }

    /**
     * List the changes in the account, newest first. `GET /v3/audit`
     * @param array{limit?: int, cursor?: string, action?: 'account.create'|'account.frames'|'account.move'|'account.move_revoke'|'token.create'|'token.revoke'|'partner.create'|'partner.password'|'oauth_client.create'|'grant.consent'|'grant.create'|'grant.revoke'|'channel.create'|'channel.reinit'|'channel.delete'|'channel.paid'|'channel.unpaid'|'channel.pacing'|'channel.rename'|'webhook.settings'|'webhook.subscribe'|'webhook.change'|'webhook.unsubscribe'|'webhook.secret'|'webhook.receiver'|'webhook.pause'|'webhook.resume'|'webhook.replay'|'webhook.discard'|'operator.invite'|'operator.create'|'operator.reset'|'operator.remove'|'operator.password'|'operator.second_factor'|'operator.sign_in'|'operator.change'|'operator.refuse'|'alert.test'|'channel.stop'|'channel.go_on'|'channel.clear'|'channel.record'|'channel.record_end'|'inbound.replay'|'inbound.remove'|'crm.settings'|'crm.user'|'message.export'|'canned_answer.create'|'canned_answer.change'|'canned_answer.delete'|'proposal.create'|'proposal.approve'|'proposal.decline'|'installation.key'|'installation.export'|'installation.import'|'installation.sink'} $query
     * @return ListAuditResponse
     */
    public function listAudit(array $query = []): array
    {
        return $this->call('GET', '/v3/audit', 'apiKey', query: $query);
    }

    /**
     * List the channels of the account, in short form. `GET /v3/channels`
     * @return list<V3Channel>
     */
    public function listV3Channels(): array
    {
        return $this->call('GET', '/v3/channels', 'apiKey');
    }

    /**
     * List contacts in pages of 100, by id. `GET /v3/contacts`
     * @param array{offset?: int} $query
     * @return ListContactsResponse
     */
    public function listContacts(array $query = []): array
    {
        return $this->call('GET', '/v3/contacts', 'apiKey', query: $query);
    }

    /**
     * Add or replace contacts: all, or none if one is invalid. `POST /v3/contacts`
     * @param list<V3NewContact> $body
     * @return V3Nothing
     */
    public function saveContacts(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v3/contacts', 'apiKey', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Get one of the contacts. `GET /v3/contacts/{id}`
     * @return V3Contact
     */
    public function getContact(string $id): array
    {
        return $this->call('GET', '/v3/contacts/' . rawurlencode($id), 'apiKey');
    }

    /**
     * Delete one of the contacts. `DELETE /v3/contacts/{id}`
     * @return V3Nothing
     */
    public function removeContact(string $id): array
    {
        return $this->call('DELETE', '/v3/contacts/' . rawurlencode($id), 'apiKey');
    }

    /**
     * Delete several of the contacts; the response lists those that did not exist. `PATCH /v3/contacts/bulk_delete`
     * @param list<string|int> $body
     * @return list<string>
     */
    public function bulkDeleteContacts(array $body): array
    {
        return $this->call('PATCH', '/v3/contacts/bulk_delete', 'apiKey', body: $body);
    }

    /**
     * List deals in pages of 100, by id. `GET /v3/deals`
     * @param array{offset?: int} $query
     * @return ListDealsResponse
     */
    public function listDeals(array $query = []): array
    {
        return $this->call('GET', '/v3/deals', 'apiKey', query: $query);
    }

    /**
     * Add or replace deals: all, or none if one is invalid. `POST /v3/deals`
     * @param list<V3NewDeal> $body
     * @return V3Nothing
     */
    public function saveDeals(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v3/deals', 'apiKey', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Get one of the deals. `GET /v3/deals/{id}`
     * @return V3Deal
     */
    public function getDeal(string $id): array
    {
        return $this->call('GET', '/v3/deals/' . rawurlencode($id), 'apiKey');
    }

    /**
     * Delete one of the deals. `DELETE /v3/deals/{id}`
     * @return V3Nothing
     */
    public function removeDeal(string $id): array
    {
        return $this->call('DELETE', '/v3/deals/' . rawurlencode($id), 'apiKey');
    }

    /**
     * Delete several of the deals; the response lists those that did not exist. `PATCH /v3/deals/bulk_delete`
     * @param list<string|int> $body
     * @return list<string>
     */
    public function bulkDeleteDeals(array $body): array
    {
        return $this->call('PATCH', '/v3/deals/bulk_delete', 'apiKey', body: $body);
    }

    /**
     * Create a one-time link to the chat page. `POST /v3/iframe`
     * @param LinkToChatsRequest $body
     * @return LinkToChatsResponse
     */
    public function linkToChats(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v3/iframe', 'apiKey', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Send a message; webhooks report its status. `POST /v3/message`
     * @param SendV3MessageRequest $body
     * @return SendV3MessageResponse
     */
    public function sendV3Message(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v3/message', 'apiKey', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Edit a sent message in the messenger, within 15 minutes of its delivery. `PATCH /v3/message/{id}`
     * @param EditV3MessageRequest $body
     * @return V3ChangedMessage
     */
    public function editV3Message(string $id, array $body): array
    {
        return $this->call('PATCH', '/v3/message/' . rawurlencode($id), 'apiKey', body: $body);
    }

    /**
     * Delete a sent message for both sides. `DELETE /v3/message/{id}`
     * @return V3ChangedMessage
     */
    public function removeV3Message(string $id): array
    {
        return $this->call('DELETE', '/v3/message/' . rawurlencode($id), 'apiKey');
    }

    /**
     * List the pipelines with their stages. `GET /v3/pipelines`
     * @return list<V3Pipeline>
     */
    public function listPipelines(): array
    {
        return $this->call('GET', '/v3/pipelines', 'apiKey');
    }

    /**
     * Replace all pipelines. `POST /v3/pipelines`
     * @param list<V3NewPipeline> $body
     * @return V3Nothing
     */
    public function replacePipelines(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v3/pipelines', 'apiKey', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * List the templates of the WhatsApp Business Platform, by name and language. `GET /v3/templates/whatsapp`
     * @param array{limit?: int, offset?: int} $query
     * @return list<V3Template>
     */
    public function listTemplates(array $query = []): array
    {
        return $this->call('GET', '/v3/templates/whatsapp', 'apiKey', query: $query);
    }

    /**
     * Count an employee's unanswered messages of the last 7 days. `GET /v3/unanswered/{userId}`
     * @return CountUnansweredResponse
     */
    public function countUnanswered(string $userId): array
    {
        return $this->call('GET', '/v3/unanswered/' . rawurlencode($userId), 'apiKey');
    }

    /**
     * List the employees, by name. `GET /v3/users`
     * @return list<V3UserName>
     */
    public function listUsers(): array
    {
        return $this->call('GET', '/v3/users', 'apiKey');
    }

    /**
     * Add or change employees: all, or none if one is invalid. `POST /v3/users`
     * @param list<V3NewUser> $body
     * @return V3Nothing
     */
    public function saveUsers(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v3/users', 'apiKey', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Get one of the users. `GET /v3/users/{id}`
     * @return V3User
     */
    public function getUser(string $id): array
    {
        return $this->call('GET', '/v3/users/' . rawurlencode($id), 'apiKey');
    }

    /**
     * Delete one of the users. `DELETE /v3/users/{id}`
     * @return V3Nothing
     */
    public function removeUser(string $id): array
    {
        return $this->call('DELETE', '/v3/users/' . rawurlencode($id), 'apiKey');
    }

    /**
     * Delete several of the users; the response lists those that did not exist. `PATCH /v3/users/bulk_delete`
     * @param list<string|int> $body
     * @return list<string>
     */
    public function bulkDeleteUsers(array $body): array
    {
        return $this->call('PATCH', '/v3/users/bulk_delete', 'apiKey', body: $body);
    }

    /**
     * Get the webhook address and its subscriptions. `GET /v3/webhooks`
     * @return GetWebhooksResponse
     */
    public function getWebhooks(): array
    {
        return $this->call('GET', '/v3/webhooks', 'apiKey');
    }

    /**
     * Set the webhook address and its subscriptions. `PATCH /v3/webhooks`
     * @param ChangeWebhooksRequest $body
     */
    public function changeWebhooks(array $body): string
    {
        return $this->call('PATCH', '/v3/webhooks', 'apiKey', body: $body);
    }

    /**
     * List the requests to receivers of the last 30 days, newest first. `GET /v3/webhooks/deliveries`
     * @param array{receiverId?: string, channelId?: string, kind?: string, result?: 'delivered'|'refused'|'failed', messageId?: string, from?: string, to?: string, limit?: int, cursor?: string, eventId?: int, replayId?: string} $query
     * @return ListDeliveriesResponse
     */
    public function listDeliveries(array $query = []): array
    {
        return $this->call('GET', '/v3/webhooks/deliveries', 'apiKey', query: $query);
    }

    /**
     * Get a request with its body, headers and response. `GET /v3/webhooks/deliveries/{id}`
     * @return V3DeliveryDetails
     */
    public function getDelivery(string $id): array
    {
        return $this->call('GET', '/v3/webhooks/deliveries/' . rawurlencode($id), 'apiKey');
    }

    /**
     * Discard parked events; a replay that was requested before may still send them. `POST /v3/webhooks/discard`
     * @param DiscardParkedRequest $body
     * @param array{receiverId?: string} $query
     * @return DiscardParkedResponse
     */
    public function discardParked(array $body, array $query = [], ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v3/webhooks/discard', 'apiKey', query: $query, body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * List the events that a receiver rejected until the end of their retry schedule, newest first. `GET /v3/webhooks/parked`
     * @param array{receiverId?: string, limit?: int, cursor?: string} $query
     * @return ListParkedResponse
     */
    public function listParked(array $query = []): array
    {
        return $this->call('GET', '/v3/webhooks/parked', 'apiKey', query: $query);
    }

    /**
     * Pause a receiver; its events are kept. `POST /v3/webhooks/pause`
     * @param array{receiverId?: string} $query
     * @return V3Receiver
     */
    public function pauseReceiver(array $query = [], ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v3/webhooks/pause', 'apiKey', query: $query, idempotencyKey: $idempotencyKey);
    }

    /**
     * List the receivers of webhooks and their health. `GET /v3/webhooks/receivers`
     * @return list<V3Receiver>
     */
    public function listReceivers(): array
    {
        return $this->call('GET', '/v3/webhooks/receivers', 'apiKey');
    }

    /**
     * Get a receiver with its latest notices. `GET /v3/webhooks/receivers/{receiverId}`
     * @return V3ReceiverDetails
     */
    public function getReceiver(string $receiverId): array
    {
        return $this->call('GET', '/v3/webhooks/receivers/' . rawurlencode($receiverId), 'apiKey');
    }

    /**
     * Set the maximum events per request, and the number of concurrent requests. `PATCH /v3/webhooks/receivers/{receiverId}`
     * @param ChangeReceiverRequest $body
     * @return V3Receiver
     */
    public function changeReceiver(string $receiverId, array $body): array
    {
        return $this->call('PATCH', '/v3/webhooks/receivers/' . rawurlencode($receiverId), 'apiKey', body: $body);
    }

    /**
     * Replay deliveries: selected ones, those of a period, or parked events. `POST /v3/webhooks/replay`
     * @param ReplayDeliveriesRequest $body
     * @return V3Replay
     */
    public function replayDeliveries(array $body, ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v3/webhooks/replay', 'apiKey', body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Get the progress of a replay. `GET /v3/webhooks/replay/{id}`
     * @return V3Replay
     */
    public function getReplay(string $id): array
    {
        return $this->call('GET', '/v3/webhooks/replay/' . rawurlencode($id), 'apiKey');
    }

    /**
     * Resume a paused receiver; kept events are delivered first. `POST /v3/webhooks/resume`
     * @param array{receiverId?: string} $query
     * @return V3Receiver
     */
    public function resumeReceiver(array $query = [], ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v3/webhooks/resume', 'apiKey', query: $query, idempotencyKey: $idempotencyKey);
    }

    /**
     * Get the secret that signs webhooks. `GET /v3/webhooks/secret`
     * @param array{receiverId?: string} $query
     * @return V3WebhookSecret
     */
    public function getWebhookSecret(array $query = []): array
    {
        return $this->call('GET', '/v3/webhooks/secret', 'apiKey', query: $query);
    }

    /**
     * Create a new secret; for a time requests are signed with both. `POST /v3/webhooks/secret`
     * @param RotateWebhookSecretRequest $body
     * @param array{receiverId?: string} $query
     * @return V3WebhookSecret
     */
    public function rotateWebhookSecret(array $body, array $query = [], ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v3/webhooks/secret', 'apiKey', query: $query, body: $body, idempotencyKey: $idempotencyKey);
    }

    /**
     * Send a receiver an example of each event it is subscribed to, marked as a test. `POST /v3/webhooks/test`
     * @param array{receiverId?: string} $query
     * @return list<array{kind: string, ok: bool, status: int|null, failure: string|null, durationMs: int}>
     */
    public function testReceiver(array $query = [], ?string $idempotencyKey = null): array
    {
        return $this->call('POST', '/v3/webhooks/test', 'apiKey', query: $query, idempotencyKey: $idempotencyKey);
    }

}
