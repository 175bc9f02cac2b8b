// Made from docs/openapi.json by `npm run docs`; what is changed here is lost.

/** Codes of errors. A newer service may have more. */
export type ErrorCode =
  | "VALIDATION_ERROR"
  | "INVALID_MESSAGE_DATA"
  | "INVALID_JSON"
  | "INVALID_APIKEY"
  | "APPROVAL_REQUIRED"
  | "FORBIDDEN"
  | "TOO_MANY_LOGINS"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "BODY_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "TOO_MANY_REQUESTS"
  | "INTERNAL_ERROR"
  | "UNAVAILABLE"
  | "IDEMPOTENCY_KEY_REUSED"
  | "IDEMPOTENCY_IN_PROGRESS"
  | "ACCOUNT_NOT_FOUND"
  | "INVALID_CLIENT"
  | "INVALID_GRANT"
  | "INVALID_SCOPE"
  | "QUOTA_EXCEEDED"
  | "CHANNEL_NOT_FOUND"
  | "CHANNEL_ALREADY_CONNECTED"
  | "WRONG_CREDENTIALS"
  | "TRANSPORT_NOT_AVAILABLE"
  | "MESSENGER_UNAVAILABLE"
  | "PASSWORD_NOT_EXPECTED"
  | "WRONG_PASSWORD"
  | "PASSKEY_NOT_EXPECTED"
  | "PASSKEY_REFUSED"
  | "QR_EXPIRED"
  | "PAIRING_NOT_EXPECTED"
  | "PAIRING_CODE_NOT_SUPPORTED"
  | "CHANNEL_BLOCKED"
  | "CHANNEL_NO_MONEY"
  | "MESSAGE_CHANNEL_UNAVAILABLE"
  | "WRONG_TRANSPORT"
  | "MESSAGE_ONLY_TEXT_OR_CONTENT"
  | "MESSAGE_NOTHING_TO_SEND"
  | "MESSAGE_RECIPIENT_REQUIRED"
  | "MESSAGE_TEMPLATE_NOT_SUPPORTED"
  | "MESSAGE_QUOTING_NOT_SUPPORTED"
  | "MESSAGE_KEYBOARD_INVALID"
  | "TEMPLATE_NOT_FOUND"
  | "TEMPLATE_REFUSED"
  | "TEMPLATE_OF_ANOTHER_CHANNEL"
  | "QUOTED_MESSAGE_NOT_FOUND"
  | "PROPOSAL_NOT_FOUND"
  | "REPEATED_CRM_MESSAGE_ID"
  | "MESSAGE_TEXT_TOO_LONG"
  | "MESSAGES_CONTENT_SIZE_EXCEEDED"
  | "MESSAGE_CONTENT_NOT_SUPPORTED"
  | "CHANNEL_WAPI_REJECTED"
  | "ATTACHMENT_URL_NOT_ALLOWED"
  | "CANNED_ANSWER_NOT_FOUND"
  | "CANNED_ANSWER_NAME_TAKEN"
  | "CANNED_ANSWER_CHANGED"
  | "GROUP_NOT_FOUND"
  | "GROUP_NOT_A_MEMBER"
  | "GROUP_NOT_AN_ADMIN"
  | "GROUP_PARTICIPANT_NOT_FOUND"
  | "GROUP_NOBODY_ADDED"
  | "GROUP_TOO_MANY_PARTICIPANTS"
  | "GROUP_TOO_MANY_GROUPS"
  | "GROUP_NAME_REFUSED"
  | "GROUP_PICTURE_REFUSED"
  | "GROUP_REFUSED"
  | "GROUP_LIMIT_REACHED"
  | "GROUP_OUTCOME_UNKNOWN"
  | "CHAT_NOT_FOUND"
  | "MESSAGES_NOT_FAILED"
  | "MESSAGES_NOT_FOUND"
  | "CHANNEL_INVALID_TRANSPORT"
  | "CHANNEL_INVALID_TRANSPORT_FOR_EDITING"
  | "CHANNEL_INVALID_TRANSPORT_FOR_CONTENT_EDITING"
  | "CHANNEL_INVALID_TRANSPORT_FOR_DELETION"
  | "MESSAGES_EDITING_TIME_EXPIRED"
  | "MESSAGES_DELETION_TIME_EXPIRED"
  | "MESSAGES_CONTAIN_BUTTONS"
  | "MESSAGES_NOT_SENT"
  | "MESSAGES_NOT_OUTGOING"
  | "MESSAGES_ALREADY_DELETED"
  | "MESSAGES_CHANGE_REFUSED"
  | "EXPORT_NOT_FOUND"
  | "EXPORT_QUEUE_FULL"
  | "PHONE_CHECK_QUEUE_FULL"
  | "CONTACT_NOT_FOUND"
  | "DEAL_NOT_FOUND"
  | "USER_NOT_FOUND"
  | "TOO_MANY_ENTITIES"
  | "INVALID_CONTACTS_DATA"
  | "INVALID_DEALS_DATA"
  | "INVALID_USERS_DATA"
  | "INVALID_PIPELINES_DATA"
  | "WEBHOOK_RECEIVER_NOT_FOUND"
  | "WEBHOOK_SUBSCRIPTION_NOT_FOUND"
  | "WEBHOOK_SUBSCRIPTION_EXISTS"
  | "WEBHOOK_TOO_MANY_ADDRESSES"
  | "WEBHOOK_DELIVERY_NOT_FOUND"
  | "WEBHOOK_REPLAY_NOT_FOUND"
  | "WEBHOOK_REPLAY_TOO_LARGE"
  | "WEBHOOK_REPLAY_QUEUE_FULL"
  | "uriNotValid"
  | "testPostNotPassed";

export type AddCannedAnswerRequest = {
  /** One word, typed after `/` on the chat page; unique within the account regardless of case */
  name: string;
  /** The text; the chat page fills in `{{contact}}` and `{{employee}}` */
  text: string;
  /** Its place in lists; answers with the same place are sorted by name */
  order?: number;
  /** Canned answers have no files */
  files?: unknown[];
};

export type AddSubscriptionsRequest = {
  /** The result */
  data: {
    /** The receiver's address, at most 200 characters; "" after it was removed */
    url: string;
    /** The event that is sent there */
    event: "message.add" | "message.status_update" | "message.edit" | "message.delete" | "message.reaction" | "channel.create" | "channel.delete" | "channel.status_update" | "channel.qr_update" | "channel.waba_tier_update" | "channel.history" | "phones.checked" | "waba_template.status_update" | "crm_entities.contact_add" | "crm_entities.deal_add" | "group_chat.update" | "group_chat.memberships_update" | "messages_dump.status_update";
  }[];
};

export type ChangeCannedAnswerRequest = {
  /** One word, typed after `/` on the chat page; unique within the account regardless of case */
  name?: string;
  /** The text; the chat page fills in `{{contact}}` and `{{employee}}` */
  text?: string;
  /** Its place in lists; answers with the same place are sorted by name */
  order?: number;
  /** Canned answers have no files */
  files?: unknown[];
};

export type ChangeGroupRequest = {
  /** The channel */
  channel_id: string;
  /** Name of the group */
  name?: string;
  /** Direct http or https link to a picture, on a public address */
  picture_uri?: string;
  /** true: the group has no picture any more; not together with picture_uri */
  remove_picture?: boolean;
  /** Changes of the members */
  participants?: {
    /** People to add */
    add?: {
      /** Id of the person in the messenger, as in `sender.id` of messages */
      chat_id?: string;
      /** Phone number with its country code */
      phone?: string;
      /** Username, where the messenger has them */
      username?: string;
    }[];
    /** People to remove */
    remove?: {
      /** Id of the person in the messenger, as in `sender.id` of messages */
      chat_id?: string;
      /** Phone number with its country code */
      phone?: string;
      /** Username, where the messenger has them */
      username?: string;
    }[];
  };
  /** Changes of roles */
  roles?: {
    /** Members who become admins */
    promote?: {
      /** Id of the person in the messenger, as in `sender.id` of messages */
      chat_id?: string;
      /** Phone number with its country code */
      phone?: string;
      /** Username, where the messenger has them */
      username?: string;
    }[];
    /** Admins who become plain members */
    demote?: {
      /** Id of the person in the messenger, as in `sender.id` of messages */
      chat_id?: string;
      /** Phone number with its country code */
      phone?: string;
      /** Username, where the messenger has them */
      username?: string;
    }[];
  };
};

export type ChangeGroupResponse = {
  /** The result */
  data: {
    /** The channel */
    channel_id: string;
    /** Kind of chat */
    chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
    /** The group's id in the messenger */
    chat_id: string;
    /** What became of each person of the request */
    results: {
      /** The change */
      change: "add" | "remove" | "promote" | "demote";
      /** The person as the request names them */
      participant: {
        /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
        chat_id?: string;
        /** International, digits only */
        phone?: string;
        /** Username without the @ */
        username?: string;
      };
      /** Id of the person in the messenger, if known */
      chat_id: string | null;
      /** done; invitation_needed: the person's settings let them join by an invitation only; unknown: there is no such account; already: they are a member or have the role; not_a_member; left_recently: they can only return by themselves; full: the group or the person's list of groups; protected: they cannot be changed by the channel's account; refused */
      result: "done" | "invitation_needed" | "unknown" | "already" | "not_a_member" | "left_recently" | "full" | "protected" | "refused";
      /** The messenger's own reason */
      details: string | null;
    }[];
  };
  meta: V2Meta;
};

export type ChangePacingRequest = {
  /** Messages of the channel per minute */
  per_minute?: number;
  /** Messages of one chat per minute */
  chat_per_minute?: number;
  /** Maximum random delay before a message, in milliseconds */
  jitter_ms?: number;
  /** First contacts in 24 hours once the warm-up is over; null: no limit */
  first_contacts_per_day?: number;
  /** Days in which the allowance of a new channel grows; 0: the full allowance immediately */
  warm_up_days?: number;
  /** Limits to reset to the messenger's defaults */
  reset?: ("per_minute" | "chat_per_minute" | "jitter_ms" | "first_contacts_per_day" | "warm_up_days")[];
  /** true: allow first contacts again, despite the messenger's warning */
  end_hold?: boolean;
};

export type ChangeReceiverRequest = {
  /** Maximum events per request; 0: the installation's setting */
  maxItems?: number;
  /** Concurrent requests */
  concurrency?: number;
};

export type ChangeSubscriptionsRequest = {
  /** The result */
  data: {
    /** Id of the subscription */
    id: string;
    /** The receiver's address, at most 200 characters; "" after it was removed */
    url?: string;
    /** The event that is sent there */
    event?: "message.add" | "message.status_update" | "message.edit" | "message.delete" | "message.reaction" | "channel.create" | "channel.delete" | "channel.status_update" | "channel.qr_update" | "channel.waba_tier_update" | "channel.history" | "phones.checked" | "waba_template.status_update" | "crm_entities.contact_add" | "crm_entities.deal_add" | "group_chat.update" | "group_chat.memberships_update" | "messages_dump.status_update";
  }[];
};

export type ChangeV2ContactsRequest = {
  /** The contacts */
  contacts: V2ContactChange[];
};

export type ChangeV2DealsRequest = {
  /** The deals */
  deals: V2DealChange[];
};

export type ChangeV2UsersRequest = {
  /** The employees */
  users: V2UserChange[];
};

export type ChangeWabaTemplateByIdRequest = {
  /** MARKETING, UTILITY or AUTHENTICATION */
  category?: "AUTHENTICATION" | "MARKETING" | "UTILITY";
  /** As the messenger defines them; text has variables such as {{1}} */
  components?: {
    /** HEADER, BODY, FOOTER or BUTTONS */
    type: string;
  }[];
};

export type ChangeWabaTemplateRequest = {
  /** Id of the template */
  template_id: string;
  /** MARKETING, UTILITY or AUTHENTICATION */
  category?: "AUTHENTICATION" | "MARKETING" | "UTILITY";
  /** As the messenger defines them; text has variables such as {{1}} */
  components?: {
    /** HEADER, BODY, FOOTER or BUTTONS */
    type: string;
  }[];
};

export type ChangeWebhooksRequest = {
  /** Address for webhooks, at most 200 characters; "" for none. A new address must respond to a test POST with 200 */
  webhooksUri?: string;
  /** Sent to the receiver as Authorization: Bearer; "" for none. It is bound to the origin of webhooksUri: if that changes, set the key again */
  crmKey?: string;
  /** The events that are sent there; omitted ones keep their value */
  subscriptions?: {
    /** New messages, and status changes of outgoing messages */
    messagesAndStatuses?: boolean;
    /** Requests to create contacts and deals */
    contactsAndDealsCreation?: boolean;
    /** Status changes of channels */
    channelsUpdates?: boolean;
    /** Moderation of templates of the WhatsApp Business Platform */
    templateStatus?: boolean;
    /** Alias of templateStatus */
    wabaTemplatesStatus?: boolean;
    /** Alias of templateStatus */
    templateStatuses?: boolean;
    /** Reactions to messages; off unless it is switched on */
    reactions?: boolean;
  };
};

export type ChannelCreateEvent = {
  /** Name of the event */
  event: "channel.create";
  /** The events, oldest first */
  data: V2ChannelUpdate[];
  meta: V2EventMeta;
};

export type ChannelDeleteEvent = {
  /** Name of the event */
  event: "channel.delete";
  /** The events, oldest first */
  data: V2ChannelUpdate[];
  meta: V2EventMeta;
};

export type ChannelHistoryEvent = {
  /** Name of the event */
  event: "channel.history";
  /** The events, oldest first */
  data: V2ChannelHistory[];
  meta: V2EventMeta;
};

export type ChannelQrUpdateEvent = {
  /** Name of the event */
  event: "channel.qr_update";
  /** The events, oldest first */
  data: V2ChannelQr[];
  meta: V2EventMeta;
};

export type ChannelStatusUpdateEvent = {
  /** Name of the event */
  event: "channel.status_update";
  /** The events, oldest first */
  data: V2ChannelUpdate[];
  meta: V2EventMeta;
};

export type ChannelWabaTierUpdateEvent = {
  /** Name of the event */
  event: "channel.waba_tier_update";
  /** The events, oldest first */
  data: V2ChannelTier[];
  meta: V2EventMeta;
};

export type ChannelsUpdatesEvent = {
  /** The events, oldest first */
  channelsUpdates: V3ChannelUpdate[];
};

export type CheckPhonesRequest = {
  /** International numbers with their country codes */
  phones: string[];
};

export type CheckPhonesResponse = {
  /** The result */
  data: {
    /** Id of the request, as in the event phones.checked */
    check_id: string;
    /** What is known already */
    phones: {
      /** The number: international, digits only */
      phone: string;
      /** Whether the messenger has an account with it; null if the messenger does not tell */
      exists: boolean | null;
      /** Kind of chat */
      chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
      /** The person's chat id; null if there is none or it is unknown */
      chat_id: string | null;
      /** Username without @, if known */
      username: string | null;
    }[];
    /** How many numbers are looked up; their results are events phones.checked */
    waiting: number;
  };
  meta: V2Meta;
};

export type ClearUnansweredResponse = {
  /** The result */
  data: {
    /** Eight digits */
    account_id: string;
    /** true */
    cleared: boolean;
  };
  meta: V2Meta;
};

export type CountUnansweredResponse = {
  /** Number of unanswered messages */
  counterV2: number;
  /** red: of the employee's own clients; grey: of others; null: none */
  type: string | null;
  /** Time of the newest of them */
  lastMsgDateTime: string | null;
};

export type CreateAccountRequest = {
  /** Name of the client */
  name: string;
  /** ISO 639-1, two letters */
  lang: string;
  /** ISO 4217, three letters */
  currency: string;
  /** ISO 3166-1, two letters */
  country: string;
  /** Offset from UTC in hours */
  timezone: number;
};

export type CreateAccountResponse = {
  /** The result */
  data: {
    /** The client account */
    account: {
      /** Eight digits */
      account_id: number;
      /** Name of the client */
      name: string;
    };
  };
  meta: V2Meta;
};

export type CreateChannelRequest = V2NewWhatsappChannel | V2NewWapiChannel | V2NewTelegramChannel | V2NewTgapiChannel | V2NewInstagramChannel | V2NewViberChannel | V2NewAvitoChannel | V2NewMaxChannel | V2NewMaxbotChannel;

export type CreateContactEvent = {
  createContact: V3ContactCreation;
};

export type CreateDealEvent = {
  createDeal: V3DealCreation;
};

export type CreateGroupRequest = {
  /** The channel */
  channel_id: string;
  /** Name of the group */
  name: string;
  /** The people to add; the channel's account is the owner */
  participants?: {
    /** Id of the person in the messenger, as in `sender.id` of messages */
    chat_id?: string;
    /** Phone number with its country code */
    phone?: string;
    /** Username, where the messenger has them */
    username?: string;
  }[];
};

export type CreateGroupResponse = {
  /** The result */
  data: {
    /** The channel */
    channel_id: string;
    /** Kind of chat */
    chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
    /** The group's id in the messenger */
    chat_id: string;
    /** Name of the group */
    name: string;
    /** Number of members */
    participants_count: number;
    /** The members, with the channel's account; of a large group not all */
    participants: {
      /** Id of the person in the messenger, as in `sender.id` of messages */
      chat_id: string;
      /** Name in the messenger; empty if unknown */
      name: string;
      /** Username without @ */
      username: string | null;
      /** International, digits only */
      phone: string | null;
      /** Role in the group */
      role: "member" | "admin" | "owner";
      /** Whether it is the channel's account */
      is_own: boolean;
    }[];
    /** What became of each person of the request */
    results: {
      /** The person as the request names them */
      participant: {
        /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
        chat_id?: string;
        /** International, digits only */
        phone?: string;
        /** Username without the @ */
        username?: string;
      };
      /** Id of the person in the messenger, if known */
      chat_id: string | null;
      /** done; invitation_needed: the person's settings let them join by an invitation only; unknown: there is no such account; already: they are a member or have the role; not_a_member; left_recently: they can only return by themselves; full: the group or the person's list of groups; protected: they cannot be changed by the channel's account; refused */
      result: "done" | "invitation_needed" | "unknown" | "already" | "not_a_member" | "left_recently" | "full" | "protected" | "refused";
      /** The messenger's own reason */
      details: string | null;
    }[];
  };
  meta: V2Meta;
};

export type CreateWabaTemplateRequest = {
  /** A channel of the business that the template is for */
  channel_id: string;
  /** Lower-case letters, digits and underscores */
  name: string;
  /** For example en_US */
  language: string;
  /** MARKETING, UTILITY or AUTHENTICATION */
  category: "AUTHENTICATION" | "MARKETING" | "UTILITY";
  /** As the messenger defines them; text has variables such as {{1}} */
  components: {
    /** HEADER, BODY, FOOTER or BUTTONS */
    type: string;
  }[];
  /** Drafts are not stored: a template is submitted at once */
  is_draft?: false;
};

export type CrmEntitiesContactAddEvent = {
  /** Name of the event */
  event: "crm_entities.contact_add";
  /** The events, oldest first */
  data: V2ContactCreation[];
  meta: V2EventMeta;
};

export type CrmEntitiesDealAddEvent = {
  /** Name of the event */
  event: "crm_entities.deal_add";
  /** The events, oldest first */
  data: V2DealCreation[];
  meta: V2EventMeta;
};

export type DiscardParkedRequest = {
  /** Numbers of the events */
  eventIds: number[];
};

export type DiscardParkedResponse = {
  /** Number of events that are no longer parked */
  discarded: number;
};

export type EditMessageRequest = {
  /** The new text; one of text and attachment is required */
  text?: string;
  attachment?: V2SendAttachment;
  /** The editing employee: the id in the CRM */
  crm_user_id?: string | number;
};

export type EditV3MessageRequest = {
  /** The new text; one of text and contentUri is required */
  text?: string;
  /** Direct http or https link to a file, at most 50 MB, on a public address */
  contentUri?: string;
  /** The author: the employee's id in the CRM; ignored with a sidecar API key */
  crmUserId?: string | number;
};

export type ExportMessagesRequest = {
  /** Start of the period, ISO 8601 */
  start_at: string;
  /** End of the period, ISO 8601 */
  end_at: string;
  /** Only messages of this channel */
  channel_id?: string;
};

export type ExportMessagesResponse = {
  /** The result */
  data: {
    /** pending, processing, done or webhook_failed */
    status: string;
    /** Id of the export */
    export_id: string;
  };
  meta: V2Meta;
};

export type GetAccountResponse = {
  /** The result */
  data: {
    account: V2Account;
  };
  meta: V2Meta;
};

export type GetCounterHostResponse = {
  /** A name, with a port if it is not the usual one */
  host: string;
};

export type GetGroupResponse = {
  /** The result */
  data: {
    /** The channel */
    channel_id: string;
    /** Kind of chat */
    chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
    /** The group's id in the messenger */
    chat_id: string;
    /** Name of the group */
    name: string;
    /** Number of members */
    participants_count: number;
    /** The members, with the channel's account; of a large group not all */
    participants: {
      /** Id of the person in the messenger, as in `sender.id` of messages */
      chat_id: string;
      /** Name in the messenger; empty if unknown */
      name: string;
      /** Username without @ */
      username: string | null;
      /** International, digits only */
      phone: string | null;
      /** Role in the group */
      role: "member" | "admin" | "owner";
      /** Whether it is the channel's account */
      is_own: boolean;
    }[];
  };
  meta: V2Meta;
};

export type GetHealthResponse = {
  /** ok */
  status: "ok";
};

export type GetMessageExportResponse = {
  /** The result */
  data: {
    /** pending, processing, done or webhook_failed */
    status: string;
    /** Link to the CSV file; null until it is ready */
    url: string | null;
  };
  meta: V2Meta;
};

export type GetUnansweredCounterResponse = {
  /** The result */
  data: {
    /** Number of unanswered messages */
    counter: number;
    /** red: of the employee's own clients; grey: of others; null: none */
    type: string | null;
  };
  meta: V2Meta;
};

export type GetWebhooksResponse = {
  /** Address for webhooks, at most 200 characters; "" for none. A new address must respond to a test POST with 200 */
  webhooksUri: string;
  /** The events that are sent there; omitted ones keep their value */
  subscriptions: {
    /** New messages, and status changes of outgoing messages */
    messagesAndStatuses: boolean;
    /** Requests to create contacts and deals */
    contactsAndDealsCreation: boolean;
    /** Status changes of channels */
    channelsUpdates: boolean;
    /** Moderation of templates of the WhatsApp Business Platform */
    templateStatus: boolean;
    /** Alias of templateStatus */
    wabaTemplatesStatus: boolean;
    /** Reactions to messages; off unless it is switched on */
    reactions: boolean;
  };
};

export type GroupChatMembershipsUpdateEvent = {
  /** Name of the event */
  event: "group_chat.memberships_update";
  /** The events, oldest first */
  data: V2GroupMembershipsUpdate[];
  meta: V2EventMeta;
};

export type GroupChatUpdateEvent = {
  /** Name of the event */
  event: "group_chat.update";
  /** The events, oldest first */
  data: V2GroupUpdate[];
  meta: V2EventMeta;
};

export type IssueTokenRequest = V2ClientCredentialsGrant | V2TokenExchangeGrant | V2RefreshTokenGrant | V2AuthorizationCodeGrant;

export type IssueTokenResponse = {
  /** The result */
  data: {
    /** For requests, as Authorization: Bearer */
    access_token: string;
    /** Valid once for new tokens; a second use revokes the whole grant */
    refresh_token: string;
    /** Bearer */
    token_type: "Bearer";
    /** Seconds */
    expires_in: number;
    /** Seconds */
    refresh_expires_in: number;
  };
  meta: V2Meta;
};

export type LinkToChannelsPageRequest = {
  /** The transport to connect, or the channel to reconnect; without either, the person chooses */
  options?: {
    /** Messenger of the channel */
    transport?: "whatsapp" | "wapi" | "telegram" | "tgapi" | "instagram" | "viber" | "avito" | "max" | "maxbot" | "vk";
    /** Id of the channel */
    channel_id?: string;
    /** Where the person gets a new link if this one has expired or was used: an address of yours that requests one and redirects to it */
    refresh_url?: string;
    /** Where the person goes on after the channel was connected; not offered in a frame */
    return_url?: string;
  };
};

export type LinkToChatsPageRequest = V2GlobalLink | V2CardLink;

export type LinkToChatsRequest = {
  /** The employee */
  user: {
    /** Id of the employee in the CRM */
    id: string | number;
    /** The sender's name as clients see it; default: the employee's name in the CRM */
    name?: string;
  };
  /** global: all chats that the employee may see; card: those of one contact or deal */
  scope: "global";
  /** The chats that the page shows; required with the scope card */
  filter?: ({
    /** Kind of chat */
    chatType: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
    /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
    chatId?: string;
    /** Username without the @ */
    username?: string;
    /** International, digits only */
    phone?: string;
    /** Name of the contact */
    name?: string;
  })[];
  /** The chat that is open at first */
  activeChat?: {
    /** Kind of chat */
    chatType: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
    /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
    chatId?: string;
    /** Username without the @ */
    username?: string;
    /** International, digits only */
    phone?: string;
    /** Id of the channel */
    channelId?: string;
  };
  /** The events that the page reports to the CRM's page that embeds it */
  options?: {
    /** Kind of CRM */
    clientType?: string;
    /** Whether the page reports deals to the CRM's page that embeds it */
    useDealsEvents?: boolean;
    /** Whether the page reports messages to the CRM's page that embeds it */
    useMessageEvents?: boolean;
  };
} | V3CardLink;

export type LinkToChatsResponse = {
  /** Valid once, within ten minutes */
  url: string;
};

export type ListAuditResponse = {
  /** The result */
  data: V3AuditEntry[];
  /** Cursor of the next page; null if there is none */
  next: string | null;
};

export type ListChatsResponse = {
  /** The result */
  data: V2Chat[];
  meta: V2PageMeta;
};

export type ListContactsResponse = {
  /** The total number */
  count: number;
  /** The result */
  data: V3Contact[];
};

export type ListDealsResponse = {
  /** The total number */
  count: number;
  /** The result */
  data: V3Deal[];
};

export type ListDeliveriesResponse = {
  /** The result */
  data: V3Delivery[];
  /** Cursor of the next page; null if there is none */
  next: string | null;
};

export type ListParkedResponse = {
  /** The result */
  data: V3ParkedEvent[];
  /** Cursor of the next page; null if there is none */
  next: string | null;
};

export type MessageAddEvent = {
  /** Name of the event */
  event: "message.add";
  /** The events, oldest first */
  data: V2Message[];
  meta: V2EventMeta;
};

export type MessageDeleteEvent = {
  /** Name of the event */
  event: "message.delete";
  /** The events, oldest first */
  data: V2Message[];
  meta: V2EventMeta;
};

export type MessageEditEvent = {
  /** Name of the event */
  event: "message.edit";
  /** The events, oldest first */
  data: V2Message[];
  meta: V2EventMeta;
};

export type MessageReactionEvent = {
  /** Name of the event */
  event: "message.reaction";
  /** The events, oldest first */
  data: V2Reaction[];
  meta: V2EventMeta;
};

export type MessageStatusUpdateEvent = {
  /** Name of the event */
  event: "message.status_update";
  /** The events, oldest first */
  data: V2MessageStatus[];
  meta: V2EventMeta;
};

export type MessagesDumpStatusUpdateEvent = {
  /** Name of the event */
  event: "messages_dump.status_update";
  /** The events, oldest first */
  data: V2ExportStatus[];
  meta: V2EventMeta;
};

export type MessagesEvent = {
  /** The events, oldest first */
  messages: V3Message[];
  /** The events, oldest first */
  statuses?: V3MessageStatus[];
};

export type PhonesCheckedEvent = {
  /** Name of the event */
  event: "phones.checked";
  /** The events, oldest first */
  data: {
    /** Id of the request */
    check_id: string;
    /** Channel */
    channel_id: string;
    /** Kind of channel */
    transport: string;
    /** The results */
    phones: {
      /** The number: international, digits only */
      phone: string;
      /** Whether the messenger has an account with it; null if the messenger does not tell */
      exists: boolean | null;
      /** Kind of chat */
      chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
      /** The person's chat id; null if there is none or it is unknown */
      chat_id: string | null;
      /** Username without @, if known */
      username: string | null;
    }[];
    /** How many numbers of the request are still to be looked up; 0: this is the end */
    waiting: number;
    /** When they were looked up, in milliseconds */
    timestamp: number;
  }[];
  meta: V2EventMeta;
};

export type ReactToMessageRequest = {
  /** One emoji that the messenger offers */
  emoji: string;
};

export type ReactionsEvent = {
  /** The events, oldest first */
  reactions: V3Reaction[];
};

export type Readiness = {
  /** Whether this node can serve */
  ready: boolean;
  /** The dependencies: true, or the problem */
  checks: Record<string, unknown>;
};

export type ReinitChannelRequest = {
  /** Those of the channel's transport; empty if a person connects the channel */
  credentials?: V2NoCredentials | V2AvitoCredentials | V2InstagramCredentials | V2MaxbotCredentials | V2TelegramCredentials | V2ViberCredentials | V2VkCredentials | V2WapiCredentials;
  history?: V2HistoryRequest;
  /** The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own */
  proxy?: string;
};

export type RemoveSubscriptionsRequest = {
  /** The result */
  data: (string | {
    /** Id of the subscription */
    id: string;
  })[];
};

export type RemoveV2ContactsRequest = {
  /** The contacts */
  contacts: (string | number | {
    /** Id in the CRM */
    id: string | number;
  })[];
};

export type RemoveV2DealsRequest = {
  /** The deals */
  deals: (string | number | {
    /** Id in the CRM */
    id: string | number;
  })[];
};

export type RemoveV2UsersRequest = {
  /** The employees */
  users: (string | number | {
    /** Id in the CRM */
    id: string | number;
  })[];
};

export type ReplaceV2PipelinesRequest = {
  /** The pipelines; they replace all existing ones */
  pipelines: V2NewPipeline[];
};

export type ReplaceV2PipelinesResponse = {
  /** The result */
  data: {
    /** Number of pipelines */
    pipelines_created: number;
    /** Number of their stages */
    stages_created: number;
  };
  meta: V2Meta;
};

export type ReplayDeliveriesRequest = {
  /** Numbers of requests in the log */
  deliveryIds?: number[];
  /** true: parked events instead of the log */
  parked?: boolean;
  /** Numbers of the events */
  eventIds?: number[];
  /** The receiver; default: the account's v3 address */
  receiverId?: string;
  /** Id of the channel */
  channelId?: string;
  /** Such as messages or channel.create */
  kind?: string;
  /** delivered, refused or failed */
  result?: "delivered" | "refused" | "failed";
  /** Id of the object that the events are about */
  messageId?: string;
  /** Start of the period */
  from?: string;
  /** End of the period */
  to?: string;
};

export type RequestPairingCodeRequest = {
  /** Number to link, with its country code; optional once the channel has one */
  pairing_phone?: string;
  /** Messenger of the channel */
  transport: "whatsapp" | "wapi" | "telegram" | "tgapi" | "instagram" | "viber" | "avito" | "max" | "maxbot";
};

export type RequestPairingCodeResponse = {
  /** The result */
  data: {
    /** Eight characters to enter on the phone; empty if the messenger sends a code there, which you submit with `auth/2fa` */
    pairing_code: string;
    /** Phone number to connect, international, digits only */
    pairing_phone: string;
  }[];
  meta: V2Meta;
};

export type RevokeTokenRequest = {
  /** An access or refresh token */
  token: string;
};

export type RotateWebhookSecretRequest = {
  /** How long requests are also signed with the old secret; default a day */
  overlapSeconds?: number;
};

export type SaveV2ContactsRequest = {
  /** The contacts */
  contacts: V2NewContact[];
};

export type SaveV2DealsRequest = {
  /** The deals */
  deals: V2NewDeal[];
};

export type SaveV2UsersRequest = {
  /** The employees */
  users: V2NewUser[];
};

export type SendMessageRequest = {
  /** Channel that sends */
  channel_id: string;
  /** Message of the same chat to quote */
  quoted_message_id?: string;
  recipient: V2SendRecipient;
  /** Text. Exactly one of text, attachment and template may be given */
  text?: string;
  attachment?: V2SendAttachment;
  template?: V2SendTemplate;
  /** Payloads of the template's buttons, as in template.buttons */
  buttons?: V2SendTemplateButton[];
  keyboard?: V2SendKeyboard;
  /** The author: the employee's id in the CRM */
  crm_user_id?: string | number;
  /** false: the chat's unanswered messages stay unanswered */
  reset_unanswered?: boolean;
};

export type SendMessageResponse = {
  /** The result */
  data: {
    /** Id of the message; webhooks about its status contain it */
    request_id: string;
    /** The chat; while its id is unknown, the given phone or username */
    chat_id: string;
  };
  meta: V2Meta;
};

export type SendV3MessageRequest = {
  /** Channel that sends */
  channelId: string;
  /** Kind of chat; must fit the channel's transport */
  chatType: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
  /** The chat's id in the messenger: a phone number for whatsapp and viber, the username for instagram */
  chatId?: string;
  /** telegram only: used if chatId is unknown */
  username?: string;
  /** telegram and max only, with its country code: used if chatId is unknown */
  phone?: string;
  /** Text. Exactly one of text, contentUri and templateId may be given */
  text?: string;
  /** Direct http or https link to a file, at most 50 MB, on a public address */
  contentUri?: string;
  /** true: an audio file is sent as a voice note where the messenger has them, converted if necessary; without it, only Ogg files and recordings that no messenger plays (WebM, WAV, FLAC) are */
  voice?: boolean;
  /** Template of the WhatsApp Business Platform (templateGuid) */
  templateId?: string;
  /** Values of the template's variables, in order */
  templateValues?: string[];
  /** Message of the same chat to quote */
  refMessageId?: string;
  /** The author: the employee's id in the CRM; ignored with a sidecar API key */
  crmUserId?: string | number;
  /** The CRM's id of the message; the same one within 60 seconds is refused */
  crmMessageId?: string;
  /** false: the chat's unanswered messages stay unanswered */
  clearUnanswered?: boolean;
  /** Buttons under the message; their shape depends on the transport. A list is short for an object with these buttons */
  buttonsObject?: {
    /** A list of buttons is one button per row; a list of lists is rows. telegram takes the first 12 buttons, wapi the first 10; maxbot requires rows */
    buttons?: ({
      /** Label: at most 64 characters on telegram, 20 on wapi; longer ones are not sent */
      text?: string;
      /** wapi: text. maxbot: callback, link or message. telegram: none */
      type?: string;
      /** wapi, and maxbot if type is callback: the data sent back when the button is pressed */
      payload?: string;
      /** telegram inline, and maxbot if type is link: the address that the button opens */
      url?: string;
      /** maxbot: default, positive or negative */
      intent?: string;
      /** telegram inline: the data sent back when the button is pressed, 1 to 64 bytes */
      callbackData?: string;
    } | V3Button[])[];
    /** telegram: inline (default) or reply */
    replyMarkup?: string;
    /** telegram reply: hidden after use */
    oneTimeKeyboard?: boolean;
    /** telegram reply: resized to fit its buttons */
    resizeKeyboard?: boolean;
    /** telegram reply: shown only to the addressed people */
    selective?: boolean;
    /** telegram: removes the reply keyboard */
    removeKeyboard?: boolean;
  } | ({
    /** Label: at most 64 characters on telegram, 20 on wapi; longer ones are not sent */
    text?: string;
    /** wapi: text. maxbot: callback, link or message. telegram: none */
    type?: string;
    /** wapi, and maxbot if type is callback: the data sent back when the button is pressed */
    payload?: string;
    /** telegram inline, and maxbot if type is link: the address that the button opens */
    url?: string;
    /** maxbot: default, positive or negative */
    intent?: string;
    /** telegram inline: the data sent back when the button is pressed, 1 to 64 bytes */
    callbackData?: string;
  } | V3Button[])[];
};

export type SendV3MessageResponse = {
  /** Id of the message; webhooks about its status contain it */
  messageId: string;
  /** The chat; while its id is unknown, the given phone or username */
  chatId: string;
};

export type StatusesEvent = {
  /** The events, oldest first */
  statuses: V3MessageStatus[];
  /** The events, oldest first */
  messages?: V3Message[];
};

export type SubmitPasskeyAnswerRequest = {
  passkey_response: V2PasskeyResponse;
  /** Messenger of the channel */
  transport: "whatsapp" | "wapi" | "telegram" | "tgapi" | "instagram" | "viber" | "avito" | "max" | "maxbot";
};

export type SubmitTwoFactorPasswordRequest = {
  /** The password or code that the messenger requires */
  two_factor_code: string;
  /** Messenger of the channel */
  transport: "whatsapp" | "wapi" | "telegram" | "tgapi" | "instagram" | "viber" | "avito" | "max" | "maxbot";
};

export type TemplateStatusEvent = {
  templateStatus: V3TemplateStatus;
};

/** The client account */
export type V2Account = {
  /** Eight digits */
  account_id: number;
  /** Name of the client */
  name: string;
  /** ISO 639-1, two letters */
  lang: string | null;
  /** ISO 4217, three letters */
  currency: string | null;
  /** ISO 3166-1, two letters */
  country: string | null;
  /** Hours from UTC */
  timezone: number | null;
  /** The last payer; the service bills no one */
  billing?: null;
  /** Its channels */
  channels?: V2Channel[];
  /** The plan of each channel */
  subscriptions?: {
    /** Id of the channel */
    channel_id: string;
    /** Plan of the channel */
    tariff: string | null;
    /** Whether the operator allows it to work */
    paid: boolean;
  }[];
};

/** avito only: the listing that the chat is about */
export type V2Advert = {
  /** Id of the listing */
  id: string;
  /** Its title */
  title?: string;
  /** Its address */
  url?: string;
  /** Its price, as the messenger shows it */
  price?: string;
};

export type V2Attachment = {
  /** Link to the file */
  url: string;
  /** File name */
  name: string | null;
  /** MIME type */
  mimetype: string | null;
  /** Bytes */
  size: number | null;
};

export type V2AuthorizationCodeGrant = {
  /** The grant; its data object is required */
  grant_type: "authorization_code";
  /** For authorization_code */
  authorize_code_data: {
    /** The code from the redirect */
    code: string;
    /** The address of the authorisation request */
    redirect_uri: string;
    /** Id of the application */
    client_id: string;
    /** PKCE: the verifier of code_challenge */
    code_verifier: string;
  };
};

export type V2AvitoCredentials = {
  /** From Avito's consent page; it can be used once and expires after a few minutes */
  code?: string;
  /** Client id of your own Avito application, from the integration settings of your account */
  client_id?: string;
  /** Secret of that application */
  client_secret?: string;
};

export type V2Button = {
  /** Label: at most 64 characters on telegram, 20 on wapi; longer ones are not sent */
  text?: string;
  /** wapi: text. maxbot: callback, link or message. telegram: none */
  type?: string;
  /** wapi, and maxbot if type is callback: the data sent back when the button is pressed */
  payload?: string;
  /** telegram inline, and maxbot if type is link: the address that the button opens */
  url?: string;
  /** telegram inline: the data sent back when the button is pressed, 1 to 64 bytes */
  callback_data?: string;
  /** maxbot: default, positive or negative */
  intent?: string;
};

export type V2CannedAnswer = {
  /** Id of the canned answer */
  template_id: string;
  /** Its name */
  name: string;
  /** Its text */
  text: string;
  /** Its place in lists; answers with the same place are sorted by name */
  order: number;
  /** Canned answers have no files */
  files: unknown[];
};

export type V2CannedAnswerListResponse = {
  /** The result */
  data: V2CannedAnswer[];
  meta: V2Meta;
};

export type V2CannedAnswerResponse = {
  /** The result */
  data: V2CannedAnswer;
  meta: V2Meta;
};

export type V2CardLink = {
  /** Id of the employee in the CRM */
  user_id: string | number;
  /** The sender's name as clients see it; default: the employee's name in the CRM */
  author_name?: string;
  /** global: all chats that the employee may see; card: those of one contact or deal */
  scope: "card";
  /** The chats that the page shows; required with the scope card */
  chats: ({
    /** Kind of chat */
    chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
    /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
    chat_id?: string;
    /** Username without the @ */
    username?: string;
    /** International, digits only */
    phone?: string;
    /** Name of the contact */
    contact_name?: string;
  })[];
  /** The chat that is open at first */
  active_chat?: {
    /** Kind of chat */
    chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
    /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
    chat_id?: string;
    /** Username without the @ */
    username?: string;
    /** International, digits only */
    phone?: string;
    /** Id of the channel */
    channel_id?: string;
  };
  /** The events that the page reports to the CRM's page that embeds it */
  use_events?: {
    /** Whether the page reports deals to the CRM's page that embeds it */
    deals?: boolean;
    /** Whether the page reports messages to the CRM's page that embeds it */
    messages?: boolean;
  };
  /** Kind of CRM */
  client_type?: string;
};

/** The result */
export type V2ChangedMessage = {
  /** The message */
  message_id: string;
  /** Its chat in the messenger */
  chat_id: string;
};

export type V2ChangedMessageResponse = {
  data: V2ChangedMessage;
  meta: V2Meta;
};

export type V2Channel = {
  /** Id of the channel */
  channel_id: string;
  /** Messenger of the channel */
  transport: string;
  /** Deprecated: use status and reason */
  state: "active" | "init" | "waitForPassword" | "waitForPasskey" | "qr" | "disabled" | "blocked" | "notEnoughMoney" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openElsewhere" | "phoneUnavailable";
  /** Whether the channel works */
  status: "active" | "init" | "disabled";
  /** The reason for the status; null if there is none */
  reason: null | "wait_for_password" | "wait_for_code" | "wait_for_passkey" | "qr" | "sync" | "proxy" | "blocked" | "not_enough_money" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openelsewhere";
  /** Phone number of the channel; "" if it has none */
  phone: string;
  /** Username of the channel; "" if it has none */
  username: string;
  /** Id of the channel in the messenger */
  messenger_id: string;
  /** Name of the channel */
  name: string;
  /** Address of the channel, or the link that a person opens to connect it */
  url?: string;
  /** Scheme, host and port of the channel's own proxy; missing if it has none */
  proxy?: string;
  /** WhatsApp Business Platform: how many conversations may be started in 24 hours */
  tier: "TIER_0" | "TIER_50" | "TIER_250" | "TIER_1K" | "TIER_2K" | "TIER_10K" | "TIER_100K" | "TIER_UNLIMITED";
  /** Plan of the channel */
  tariff: string | null;
  /** What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left */
  restrictions: V2Restriction[];
};

export type V2ChannelDetails = {
  /** Id of the channel */
  channel_id: string;
  /** Messenger of the channel */
  transport: string;
  /** Deprecated: use status and reason */
  state: "active" | "init" | "waitForPassword" | "waitForPasskey" | "qr" | "disabled" | "blocked" | "notEnoughMoney" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openElsewhere" | "phoneUnavailable";
  /** Whether the channel works */
  status: "active" | "init" | "disabled";
  /** The reason for the status; null if there is none */
  reason: null | "wait_for_password" | "wait_for_code" | "wait_for_passkey" | "qr" | "sync" | "proxy" | "blocked" | "not_enough_money" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openelsewhere";
  /** Phone number of the channel; "" if it has none */
  phone: string;
  /** Username of the channel; "" if it has none */
  username: string;
  /** Id of the channel in the messenger */
  messenger_id: string;
  /** Name of the channel */
  name: string;
  /** Address of the channel, or the link that a person opens to connect it */
  url?: string;
  /** Scheme, host and port of the channel's own proxy; missing if it has none */
  proxy?: string;
  /** WhatsApp Business Platform: how many conversations may be started in 24 hours */
  tier: "TIER_0" | "TIER_50" | "TIER_250" | "TIER_1K" | "TIER_2K" | "TIER_10K" | "TIER_100K" | "TIER_UNLIMITED";
  /** Plan of the channel */
  tariff: string | null;
  /** What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left */
  restrictions: V2Restriction[];
  history?: V2HistoryImport;
};

export type V2ChannelDetailsListResponse = {
  /** The result */
  data: V2ChannelDetails[];
  meta: V2Meta;
};

export type V2ChannelHistory = {
  /** Channel */
  channel_id: string;
  /** Kind of channel */
  transport: string;
  /** Whether the import goes on */
  status: "running" | "done";
  /** Percent; null if the messenger does not tell how much there is */
  progress: number | null;
  /** Messages imported so far */
  messages: number;
  /** Whether it ended early, because the account's quota is used up */
  is_cut: boolean;
  /** Time of the oldest messages to import, in milliseconds */
  since: number;
  /** When the channel was linked, in milliseconds */
  until: number;
  /** When this was counted, in milliseconds */
  timestamp: number;
};

export type V2ChannelListResponse = {
  /** The result */
  data: V2Channel[];
  meta: V2Meta;
};

export type V2ChannelQr = {
  /** Channel */
  channel_id: string;
  /** Kind of channel */
  platform: string;
  /** The QR code to scan: a PNG as a data: URI */
  qr_code: string;
};

export type V2ChannelTier = {
  /** Channel */
  channel_id: string;
  /** How many conversations it may start */
  tier: "TIER_0" | "TIER_50" | "TIER_250" | "TIER_1K" | "TIER_2K" | "TIER_10K" | "TIER_100K" | "TIER_UNLIMITED" | null;
};

export type V2ChannelUpdate = {
  /** Channel */
  channel_id: string;
  /** Kind of channel */
  transport: string;
  /** Status of the channel */
  status: "active" | "init" | "disabled";
  /** The reason for this status */
  reason: string | null;
  /** Name of the channel */
  name: string;
  /** Phone number of the channel; of a bot, its username */
  phone: string;
  /** Username of the channel */
  username: string;
  /** What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left */
  restrictions?: V2Restriction[];
  /** The password hint that the account's owner has set; with wait_for_password */
  password_hint?: string;
  /** The code to compare with the one on the phone; with wait_for_code */
  compare_code?: string;
  /** Why the linking with a passkey failed; with qr */
  passkey_problem?: "expired" | "refused" | "silent" | "interrupted";
};

export type V2Chat = {
  /** Channel */
  channel_id: string;
  /** Kind of channel */
  transport: string;
  /** Kind of chat */
  chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
  /** The chat's id in the messenger */
  chat_id: string;
  /** Name in the messenger; of a group, its title */
  name: string;
  /** Username without @ */
  username: string | null;
  /** International, digits only */
  phone: string | null;
  /** Link to the picture */
  avatar_uri: string | null;
  /** Unanswered messages of the last seven days, at most 1,000 */
  unanswered: number;
  /** The last message, as in `message.add` */
  last_message: V2Message | null;
};

export type V2ChatMark = {
  /** The channel; required if several channels have the chat */
  channel_id?: string;
};

export type V2ClientCredentialsGrant = {
  /** The grant; its data object is required */
  grant_type: "client_credentials";
  /** For client_credentials: a machine token of the partner */
  client_credentials_data: {
    /** transport, crm or both */
    scope: string;
  };
};

export type V2Contact = {
  /** Id in the CRM */
  id: string;
  /** Id of the responsible employee */
  responsible_user_id: string;
  /** Name of the contact */
  name: string;
  /** Chats of the contact */
  contact_data: V2ContactChat[];
  /** Address of the entity in the CRM */
  uri?: string;
};

export type V2ContactChange = {
  /** Id in the CRM */
  id: string | number;
  /** Id of the responsible employee */
  responsible_user_id?: string | number;
  /** Name of the contact */
  name?: string;
  /** Chats of the contact */
  contact_data?: V2ContactChat[];
  /** Address of the entity in the CRM */
  uri?: string;
};

export type V2ContactChat = {
  /** Kind of chat */
  chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
  /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
  chat_id?: string;
  /** Username without the @ */
  username?: string;
  /** International, digits only */
  phone?: string;
};

export type V2ContactCreation = {
  /** The responsible employee */
  responsible_user_id: string;
  /** Name of the client */
  name: string;
  /** Chats of the contact */
  contact_data: {
    /** Kind of chat */
    chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
    /** The chat's id in the messenger */
    chat_id: string;
  }[];
  recipient: V2Recipient;
  /** auto: caused by a message; byUser: by an employee's button */
  source: "auto" | "byUser";
};

export type V2ContactListResponse = {
  /** The result */
  data: V2Contact[];
  meta: V2Meta;
};

export type V2ContactResponse = {
  /** The result */
  data: V2Contact;
  meta: V2Meta;
};

export type V2CreatedChannel = {
  /** Id of the channel */
  channel_id: string;
  /** Messenger of the channel */
  transport: string;
  /** The address where a person connects the channel; only if it was created without credentials */
  url?: string;
};

export type V2CreatedChannelListResponse = {
  /** The result */
  data: V2CreatedChannel[];
  meta: V2Meta;
};

export type V2Deal = {
  /** Id in the CRM */
  id: string;
  /** Id of the responsible employee */
  responsible_user_id: string;
  /** Name of the deal */
  name: string;
  /** Address of the entity in the CRM */
  uri?: string;
  /** Ids of the deal's contacts */
  contacts: string[];
  /** true: the deal is closed; default false */
  closed: boolean;
};

export type V2DealChange = {
  /** Id in the CRM */
  id: string | number;
  /** Id of the responsible employee */
  responsible_user_id?: string | number;
  /** Name of the deal */
  name?: string;
  /** Address of the entity in the CRM */
  uri?: string;
  /** Ids of the deal's contacts */
  contacts?: (string | number)[];
  /** true: the deal is closed; default false */
  closed?: boolean;
};

export type V2DealCreation = {
  /** The responsible employee */
  responsible_user_id: string;
  /** Ids of the deal's contacts */
  contacts: string[];
  /** auto: caused by a message; byUser: by an employee's button */
  source: "auto" | "byUser";
};

export type V2DealListResponse = {
  /** The result */
  data: V2Deal[];
  meta: V2Meta;
};

export type V2DealResponse = {
  /** The result */
  data: V2Deal;
  meta: V2Meta;
};

export type V2DoneResponse = {
  /** The result */
  data: null;
  meta: V2Meta;
};

/** About the request */
export type V2EventMeta = {
  /** The same at every repetition of this request */
  idempotency_key: string;
  /** Time of the first event, Unix seconds */
  timestamp: number;
};

export type V2ExportStatus = {
  /** Id of the export */
  export_id: string;
  /** Status of the export */
  status: "pending" | "processing" | "done" | "webhook_failed";
  /** Link to the CSV file */
  url: string | null;
};

/** Messages to people who have never written to the channel */
export type V2FirstContacts = {
  /** Allowed in 24 hours, at the present state of the warm-up; null: no limit */
  allowance: number | null;
  /** How many remain */
  left: number | null;
  /** When the next one may be sent; null: immediately, or not at all */
  next_at: string | null;
  /** End of the pause of first contacts after the messenger's warning; null: there is none */
  held_until: string | null;
  /** The messenger's warning */
  hold_reason: string | null;
};

export type V2GlobalLink = {
  /** Id of the employee in the CRM */
  user_id: string | number;
  /** The sender's name as clients see it; default: the employee's name in the CRM */
  author_name?: string;
  /** global: all chats that the employee may see; card: those of one contact or deal */
  scope: "global";
  /** The chat that is open at first */
  active_chat?: {
    /** Kind of chat */
    chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
    /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
    chat_id?: string;
    /** Username without the @ */
    username?: string;
    /** International, digits only */
    phone?: string;
    /** Id of the channel */
    channel_id?: string;
  };
  /** The events that the page reports to the CRM's page that embeds it */
  use_events?: {
    /** Whether the page reports deals to the CRM's page that embeds it */
    deals?: boolean;
    /** Whether the page reports messages to the CRM's page that embeds it */
    messages?: boolean;
  };
  /** Kind of CRM */
  client_type?: string;
};

export type V2GroupMembershipsUpdate = {
  /** Channel */
  channel_id: string;
  /** Kind of chat */
  chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
  /** The chat's id in the messenger */
  chat_id: string;
  /** When it happened, in milliseconds */
  timestamp: number;
  /** Who did it; null if the messenger does not report it */
  changed_by: V2Person | null;
  /** Title */
  name: string;
  /** Link to the picture */
  avatar_uri: string | null;
  /** Members who joined, left or changed their role */
  members: V2MembershipChange[];
};

/** The sender; in groups only */
export type V2GroupSender = {
  /** Id in the messenger */
  id: string;
  /** Name in the messenger */
  name: string;
  /** Kind of chat */
  chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
  /** Id of the private chat with this person */
  chat_id: string;
  /** International, digits only */
  phone: string | null;
};

export type V2GroupUpdate = {
  /** Channel */
  channel_id: string;
  /** Kind of chat */
  chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
  /** The chat's id in the messenger */
  chat_id: string;
  /** When it happened, in milliseconds */
  timestamp: number;
  /** Who did it; null if the messenger does not report it */
  changed_by: V2Person | null;
  /** What changed */
  changes: ("name" | "avatar")[];
  /** Title */
  name: string;
  /** Title before */
  old_name: string | null;
  /** Link to the picture */
  avatar_uri: string | null;
};

/** The import of earlier messages; only if it was requested */
export type V2HistoryImport = {
  /** As requested */
  days: number;
  /** waiting: the channel is not linked yet, or the messenger has given nothing so far */
  status: "waiting" | "running" | "done";
  /** Percent; null if the messenger does not tell how much there is */
  progress: number | null;
  /** Messages imported so far */
  messages: number;
  /** Whether it ended early, because the account's quota is used up */
  is_cut: boolean;
};

/** Import earlier messages, as far as the messenger gives them */
export type V2HistoryRequest = {
  /** How many days before the channel is linked */
  days: number;
};

export type V2InstagramCredentials = {
  /** Token of the account, or of the Facebook user who manages its page */
  user_token: string;
  /** Only with a token of Facebook Login */
  page_id?: string;
  /** Checked if given */
  inst_id?: string;
  /** Checked if given */
  username?: string;
};

/** A button, or a structured answer */
export type V2Interactive = {
  /** pressed: the button that the customer pressed. In an outgoing message: text, callback, link or message. Others: the kind of a structured answer, such as a form */
  type: string;
  /** Label of the button */
  text?: string;
  /** The data sent back when the button is pressed; of an answer, its JSON */
  payload?: string;
  /** The address that the button opens */
  url?: string;
};

export type V2ListMessagesResponse = {
  /** The result */
  data: V2Message[];
  meta: V2PageMeta;
};

export type V2MaxbotCredentials = {
  /** Shown at business.max.ru under Chatbots, Integration */
  access_token: string;
};

export type V2MembershipChange = {
  /** What happened to this person */
  action: "added" | "removed" | "left" | "promoted" | "demoted";
  /** Id in the messenger */
  id: string;
  /** Name in the messenger */
  name: string;
  /** Username without @ */
  username: string | null;
  /** International, digits only */
  phone: string | null;
};

export type V2Message = {
  /** Id of the message */
  message_id: string;
  /** Channel */
  channel_id: string;
  /** inbound: written by the customer */
  direction: "inbound" | "outbound";
  /** When it was sent, in milliseconds */
  timestamp: number;
  /** Kind of content */
  type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
  /** Status of the message */
  status: "inbound" | "sent" | "delivered" | "read" | "error";
  /** Employee who wrote it, as the CRM names them */
  crm_user_id: string | null;
  /** Name of the author; of outgoing messages only */
  author_name?: string;
  recipient: V2Recipient;
  /** The text, or the caption of a file */
  text: string | null;
  /** The file */
  attachment: V2Attachment | null;
  error?: V2MessageError;
  /** Written on the service's own chat page */
  sent_from_app?: true;
  inst_post?: V2Post;
  advert?: V2Advert;
  referral?: V2Referral;
  /** A notice of the messenger itself, not the customer's words */
  is_system?: true;
  /** Written before the channel was linked */
  is_history?: true;
  /** Buttons, the pressed one, or structured answers */
  interactive?: V2Interactive[];
  /** The message was changed */
  is_edited?: true;
  /** The message was deleted */
  is_deleted?: true;
  quoted_message?: V2QuotedMessage;
  sender?: V2GroupSender;
  /** What an edit or deletion replaced */
  old_info?: {
    /** Text before */
    old_text: string | null;
    /** The previous author */
    old_author_id: string | null;
    /** The previous author's name */
    old_author_name: string | null;
    /** Link to the file before, if an edit replaced it */
    old_content_uri?: string;
  };
};

/** The person or group of the chat */
export type V2MessageContact = {
  /** Name in the messenger; of a group, its title */
  name: string;
  /** Link to the picture, once it is known */
  avatar_uri?: string;
  /** Username without @, if the messenger reports it */
  username?: string;
  /** International, digits only, if the messenger reports it */
  phone?: string;
  /** avito only: the buyer, who may have several chats */
  avito_profile_id?: string;
};

/** The error; only with the status error */
export type V2MessageError = {
  /** Code, such as BAD_CONTACT */
  error: string;
  /** Description of the error */
  description: string;
};

export type V2MessageStatus = {
  /** Id of the message */
  message_id: string;
  /** The id in the response to the send request; null if the message was not sent through the interface */
  request_id: string | null;
  /** Channel */
  channel_id: string;
  /** The new status */
  status: "sent" | "delivered" | "read" | "error" | "edited";
  /** Code of the error, with the status error */
  reason: string | null;
  /** Description of the error; only with the status error */
  description?: string;
};

/** Metadata of the response */
export type V2Meta = {
  /** Time of the response, Unix seconds */
  timestamp: number;
};

export type V2NewAvitoChannel = {
  /** Messenger of the channel */
  transport: "avito";
  /** The credentials that the messenger requires; empty if a person connects the channel by QR code or link */
  credentials: V2AvitoCredentials | V2NoCredentials;
  history?: V2HistoryRequest;
  /** The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own */
  proxy?: string;
};

export type V2NewContact = {
  /** Id in the CRM */
  id: string | number;
  /** Id of the responsible employee */
  responsible_user_id: string | number;
  /** Name of the contact */
  name: string;
  /** Chats of the contact */
  contact_data: V2ContactChat[];
  /** Address of the entity in the CRM */
  uri?: string;
};

export type V2NewDeal = {
  /** Id in the CRM */
  id: string | number;
  /** Id of the responsible employee */
  responsible_user_id: string | number;
  /** Name of the deal */
  name: string;
  /** Address of the entity in the CRM */
  uri?: string;
  /** Ids of the deal's contacts */
  contacts: (string | number)[];
  /** true: the deal is closed; default false */
  closed?: boolean;
};

export type V2NewInstagramChannel = {
  /** Messenger of the channel */
  transport: "instagram";
  /** The credentials that the messenger requires; empty if a person connects the channel by QR code or link */
  credentials: V2InstagramCredentials | V2NoCredentials;
  history?: V2HistoryRequest;
  /** The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own */
  proxy?: string;
};

export type V2NewMaxChannel = {
  /** Messenger of the channel */
  transport: "max";
  credentials: V2NoCredentials;
  history?: V2HistoryRequest;
  /** The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own */
  proxy?: string;
};

export type V2NewMaxbotChannel = {
  /** Messenger of the channel */
  transport: "maxbot";
  /** The credentials that the messenger requires; empty if a person connects the channel by QR code or link */
  credentials: V2MaxbotCredentials | V2NoCredentials;
  history?: V2HistoryRequest;
  /** The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own */
  proxy?: string;
};

export type V2NewPipeline = {
  /** Id in the CRM */
  id: string | number;
  /** Name of the pipeline */
  name: string;
  /** Stages of the pipeline, in order */
  stages?: V2NewPipelineStage[];
};

export type V2NewPipelineStage = {
  /** Id in the CRM */
  id: string | number;
  /** Name of the stage */
  name: string;
};

export type V2NewProposal = {
  /** Channel of the chat */
  channel_id: string;
  /** Kind of chat */
  chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
  /** The chat's id in the messenger */
  chat_id: string;
  /** Text. Exactly one of text and template may be given */
  text?: string;
  template?: V2SendTemplate;
  /** Message of the same chat to quote */
  quoted_message_id?: string;
  /** Seconds, after which nobody can approve it any more; default a day */
  expires_in?: number;
};

export type V2NewTelegramChannel = {
  /** Messenger of the channel */
  transport: "telegram";
  /** The credentials that the messenger requires; empty if a person connects the channel by QR code or link */
  credentials: V2TelegramCredentials | V2NoCredentials;
  history?: V2HistoryRequest;
  /** The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own */
  proxy?: string;
};

export type V2NewTgapiChannel = {
  /** Messenger of the channel */
  transport: "tgapi";
  credentials: V2NoCredentials;
  history?: V2HistoryRequest;
  /** The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own */
  proxy?: string;
};

export type V2NewUser = {
  /** Id in the CRM */
  id: string | number;
  /** Name of the employee */
  name: string;
  /** Phone number, international, digits only; invalid ones are omitted */
  phone?: string;
};

export type V2NewViberChannel = {
  /** Messenger of the channel */
  transport: "viber";
  /** The credentials that the messenger requires; empty if a person connects the channel by QR code or link */
  credentials: V2ViberCredentials | V2NoCredentials;
  history?: V2HistoryRequest;
  /** The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own */
  proxy?: string;
};

export type V2NewWapiChannel = {
  /** Messenger of the channel */
  transport: "wapi";
  /** The credentials that the messenger requires; empty if a person connects the channel by QR code or link */
  credentials: V2WapiCredentials | V2NoCredentials;
  history?: V2HistoryRequest;
  /** The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own */
  proxy?: string;
};

export type V2NewWhatsappChannel = {
  /** Messenger of the channel */
  transport: "whatsapp";
  credentials: V2NoCredentials;
  history?: V2HistoryRequest;
  /** The channel reaches its messenger only through this proxy: socks5://user:password@host:port, http:// or https:// (CONNECT), for tgapi also mtproxy://secret@host:port. An empty text: no proxy of its own */
  proxy?: string;
};

/** The credentials that the messenger requires; empty if a person connects the channel by QR code or link */
export type V2NoCredentials = Record<string, unknown>;

/** What an edit or deletion replaced */
export type V2OldInfo = {
  /** Text before */
  old_text?: string;
  /** The previous author: the employee's id in the CRM */
  old_author_id?: string;
  /** The previous author's name */
  old_author_name?: string;
  /** Link to the file before, if an edit replaced it */
  old_content_uri?: string;
};

export type V2Pacing = {
  /** Id of the channel */
  channel_id: string;
  limits: V2PacingLimits;
  /** Limits that differ from the messenger's defaults */
  changed: ("per_minute" | "chat_per_minute" | "jitter_ms" | "first_contacts_per_day" | "warm_up_days")[];
  first_contacts: V2FirstContacts;
  queue: V2SendQueue;
  /** Notices about it, newest first */
  notices: {
    /** Time */
    at: string;
    /** Kind of notice */
    kind: string;
    /** Text for people */
    text: string;
  }[];
};

/** The limits in effect */
export type V2PacingLimits = {
  /** Messages of the channel per minute */
  per_minute: number;
  /** How many may be sent in a row */
  burst: number;
  /** Messages of one chat per minute */
  chat_per_minute: number;
  /** How many may be sent in a row */
  chat_burst: number;
  /** Maximum random delay before a message, in milliseconds */
  jitter_ms: number;
  /** First contacts in 24 hours once the warm-up is over; null: no limit */
  first_contacts_per_day: number | null;
  /** Days in which the allowance of a new channel grows; 0: the full allowance immediately */
  warm_up_days: number;
};

export type V2PacingListResponse = {
  /** The result */
  data: V2Pacing[];
  meta: V2Meta;
};

/** The result */
export type V2PageLink = {
  /** Valid once, within ten minutes */
  link: string;
};

export type V2PageLinkResponse = {
  data: V2PageLink;
  meta: V2Meta;
};

/** Metadata of the response */
export type V2PageMeta = {
  /** Time of the response, Unix seconds */
  timestamp: number;
  /** Cursor of the next page: `after` of the next request if this one has `after` alone, otherwise `before`; null: this is the last page */
  next: string | null;
};

/** The result */
export type V2PasskeyRequest = {
  /** The address on which the ceremony has to run: browsers permit it nowhere else */
  site: string | null;
  /** What `PublicKeyCredential.parseRequestOptionsFromJSON` takes; null once the answer was accepted */
  request: Record<string, unknown> | null;
  /** Seconds until the messenger gives up */
  expires_in: number | null;
  /** Seconds in which an answer needs no comparison of codes */
  prompt_for: number | null;
  /** The code to compare with the one on the phone, with wait_for_code */
  compare_code: string | null;
};

export type V2PasskeyRequestResponse = {
  data: V2PasskeyRequest;
  meta: V2Meta;
};

/** The result of the ceremony: `PublicKeyCredential.toJSON()` */
export type V2PasskeyResponse = {
  /** Id of the passkey, base64url */
  id?: string;
  /** Id of the passkey, base64url */
  rawId: string;
  /** `public-key` */
  type?: string;
  /** The assertion */
  response: {
    /** What the browser has signed, base64url */
    clientDataJSON: string;
    /** What the authenticator has signed, base64url */
    authenticatorData: string;
    /** Signature, base64url */
    signature: string;
    /** Id of the account, base64url, or null */
    userHandle?: string | null;
  };
};

export type V2Person = {
  /** Id in the messenger */
  id: string;
  /** Name in the messenger */
  name: string;
  /** Username without @ */
  username: string | null;
  /** International, digits only */
  phone: string | null;
};

export type V2Pipeline = {
  /** Id in the CRM */
  id: string;
  /** Name of the pipeline */
  name: string;
  /** Stages of the pipeline, in order */
  stages: V2PipelineStage[];
};

export type V2PipelineListResponse = {
  /** The result */
  data: V2Pipeline[];
  meta: V2Meta;
};

export type V2PipelineStage = {
  /** Id in the CRM */
  id: string;
  /** Name of the stage */
  name: string;
};

/** The post that the message is a comment on */
export type V2Post = {
  /** Id of the post */
  id: string;
  /** Address of the post */
  src: string;
  /** The author of the post */
  author: string;
  /** Its text */
  description: string;
};

/** The result */
export type V2ProcessedEntities = {
  /** How many were stored, changed or deleted */
  processed: number;
  /** Ids that do not exist */
  not_found: string[];
};

export type V2ProcessedEntitiesResponse = {
  data: V2ProcessedEntities;
  meta: V2Meta;
};

/** The result */
export type V2Proposal = {
  /** Id of the proposal */
  proposal_id: string;
  /** waiting: for an employee; approved: being sent; sent: the message has a status of its own; failed: it was approved and could not be sent; declined; expired */
  status: "waiting" | "approved" | "sent" | "failed" | "declined" | "expired";
  /** Channel */
  channel_id: string;
  /** Kind of chat */
  chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
  /** The chat's id in the messenger */
  chat_id: string;
  /** The text, as the employee may have changed it */
  text: string;
  /** Until when it can be approved */
  expires_at: string;
  /** The employee who approved or declined it */
  decided_by: V2ProposalDecider | null;
  /** Id of the message, once it is approved */
  message_id: string | null;
  /** Code of the error, if it could not be sent */
  error: string | null;
};

export type V2ProposalDecider = {
  /** The employee's id in the CRM */
  id: string;
  /** Their name, if it is known */
  name: string | null;
};

export type V2ProposalResponse = {
  data: V2Proposal;
  meta: V2Meta;
};

/** The quoted message */
export type V2QuotedMessage = {
  /** Id of the quoted message; absent if the service never stored it */
  message_id?: string;
  /** Channel */
  channel_id: string;
  /** Kind of chat */
  chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
  /** The chat's id in the messenger */
  chat_id: string;
  /** Time of sending by the messenger's clock: UTC, yyyy-mm-ddThh:mm:ss.mmmZ */
  date_time?: string;
  /** Kind of content */
  type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
  /** inbound: written by the customer */
  status?: "inbound" | "sent" | "delivered" | "read" | "error";
  /** The text, or the caption of a file */
  text?: string;
  /** Link to the file */
  content_uri?: string;
  /** Name of the author; of outgoing messages only */
  author_name?: string;
  /** true for an outgoing message; absent if unknown */
  is_echo?: boolean;
  contact?: V2MessageContact;
  error?: V2MessageError;
  /** Employee who wrote it, as the CRM names them */
  author_id?: string;
  /** Written on the service's own chat page */
  sent_from_app?: true;
  sender?: V2Sender;
  inst_post?: V2Post;
  advert?: V2Advert;
  referral?: V2Referral;
  /** A notice of the messenger itself, not the customer's words */
  is_system?: true;
  /** Written before the channel was linked */
  is_history?: true;
  /** Buttons, the pressed one, or structured answers */
  interactive?: V2Interactive[];
  /** The message was changed */
  is_edited?: true;
  /** The message was deleted */
  is_deleted?: true;
  old_info?: V2OldInfo;
};

export type V2Reaction = {
  /** Id of the message */
  message_id: string;
  /** Channel */
  channel_id: string;
  recipient: V2Recipient;
  /** The emoji; null: the reaction was removed. A person has one reaction to a message */
  emoji: string | null;
  /** Who reacted */
  from: V2ReactionAuthor | "us";
  /** Time of the reaction, in milliseconds */
  timestamp: number;
};

export type V2ReactionAuthor = {
  /** Id in the messenger */
  id: string;
  /** Name in the messenger */
  name: string;
};

/** The person or group of the chat */
export type V2Recipient = {
  /** The chat's id in the messenger */
  chat_id: string;
  /** Kind of chat */
  chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
  /** Name in the messenger; of a group, its title */
  name: string;
  /** Username without @ */
  username: string | null;
  /** International, digits only */
  phone: string | null;
};

/** Where the message came from */
export type V2Referral = {
  /** What the customer opened the chat from */
  source: "ad" | "post" | "product" | "link" | "unknown";
  /** Its id in the messenger */
  source_id?: string;
  /** Its address */
  source_url?: string;
  /** Its title */
  headline?: string;
  /** Its text */
  body?: string;
  /** The parameter of the link or advertisement */
  ref?: string;
  /** Id of the click, for reports of conversions */
  click_id?: string;
};

export type V2RefreshTokenGrant = {
  /** The grant; its data object is required */
  grant_type: "refresh_token";
  /** For refresh_token */
  refresh_token_data: {
    /** Valid once for new tokens; a second use revokes the whole grant */
    refresh_token: string;
    /** Id of the application */
    client_id: string;
  };
};

export type V2ReinitialisedChannel = {
  /** Id of the channel */
  channel_id: string;
  /** Messenger of the channel */
  transport: string;
  /** Deprecated: use status and reason */
  state: "active" | "init" | "waitForPassword" | "waitForPasskey" | "qr" | "disabled" | "blocked" | "notEnoughMoney" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openElsewhere" | "phoneUnavailable";
  /** Phone number of the channel; "" if it has none */
  phone: string;
  /** Id of the channel in the messenger */
  messenger_id: string;
  /** Plan of the channel */
  tariff: string | null;
  /** Name of the channel */
  name: string;
};

export type V2ReinitialisedChannelListResponse = {
  /** The result */
  data: V2ReinitialisedChannel[];
  meta: V2Meta;
};

export type V2Restriction = {
  /** new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it */
  kind: "new_chats" | "replies" | "unanswered" | "spam" | "volume" | "quality" | "block_announced";
  /** A sentence for the owner of the channel, in English */
  reason: string;
  /** When the service learned of it */
  since: string;
  /** When it ends; null if the messenger does not say */
  until: string | null;
};

/** A file */
export type V2SendAttachment = {
  /** Direct http or https link to the file, at most 50 MB, on a public address */
  url: string;
  /** File name shown to the recipient */
  name?: string;
  /** MIME type; default: as stated by the file's host */
  mimetype?: string;
  /** Bytes; another size is reported as WRONG_CONTENT */
  size?: number;
  /** SHA-1 in hex; another file is reported as WRONG_CONTENT */
  sha1?: string;
  /** true: an audio file is sent as a voice note where the messenger has them, converted if necessary; without it, only Ogg files and recordings that no messenger plays (WebM, WAV, FLAC) are */
  voice?: boolean;
};

/** Buttons under the message; their shape depends on the transport */
export type V2SendKeyboard = {
  /** A list of buttons is one button per row; a list of lists is rows. telegram takes the first 12 buttons, wapi the first 10; maxbot requires rows */
  buttons?: ({
    /** Label: at most 64 characters on telegram, 20 on wapi; longer ones are not sent */
    text?: string;
    /** wapi: text. maxbot: callback, link or message. telegram: none */
    type?: string;
    /** wapi, and maxbot if type is callback: the data sent back when the button is pressed */
    payload?: string;
    /** telegram inline, and maxbot if type is link: the address that the button opens */
    url?: string;
    /** telegram inline: the data sent back when the button is pressed, 1 to 64 bytes */
    callback_data?: string;
    /** maxbot: default, positive or negative */
    intent?: string;
  } | V2Button[])[];
  /** telegram: inline (default) or reply */
  reply_markup?: string;
  /** telegram reply: hidden after use */
  one_time_keyboard?: boolean;
  /** telegram reply: resized to fit its buttons */
  resize_keyboard?: boolean;
  /** telegram reply: shown only to the addressed people */
  selective?: boolean;
  /** telegram: removes the reply keyboard */
  remove_keyboard?: boolean;
};

/** Messages waiting to be sent */
export type V2SendQueue = {
  /** Number of messages */
  messages: number;
  /** Number of chats */
  chats: number;
  /** Since when the oldest one has been waiting */
  oldest_at: string | null;
  /** When the next message is sent; null: none is waiting, or unknown */
  next_send_at: string | null;
  /** The waiting chats by reason */
  waiting: {
    /** turn: about to be sent; inactive: the channel is not active; pause: the messenger asked to wait; pace: the rate; allowance: that of first contacts; hold: the messenger's warning; retry: the next attempt */
    for: "turn" | "inactive" | "stopped" | "pause" | "pace" | "allowance" | "hold" | "retry";
    /** Number of chats */
    chats: number;
    /** When the first of them continues; null: unknown */
    until: string | null;
  }[];
};

/** The recipient: chat_id, or username or phone if the messenger supports them */
export type V2SendRecipient = {
  /** Kind of chat; must fit the channel's transport */
  chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
  /** The chat's id in the messenger: a phone number for whatsapp and viber, the username for instagram */
  chat_id?: string;
  /** telegram only: used if chat_id is unknown */
  username?: string;
  /** telegram and max only, with its country code: used if chat_id is unknown */
  phone?: string;
  /** Name of the contact in the CRM */
  crm_contact_name?: string;
};

/** A template of the WhatsApp Business Platform */
export type V2SendTemplate = {
  /** Id of the template (templateGuid) */
  id: string;
  /** Values of the template's variables, in order */
  values?: string[];
  /** Payloads of the template's buttons, in order */
  buttons?: V2SendTemplateButton[];
};

export type V2SendTemplateButton = {
  /** Label; the template has its own */
  text?: string;
  /** text */
  type?: string;
  /** The data sent back when the button is pressed */
  payload: string;
};

/** The sender; in groups only */
export type V2Sender = {
  /** Id in the messenger */
  id: string;
  /** Name in the messenger */
  name: string;
};

/** The result */
export type V2StoredEntities = {
  /** How many were stored, changed or deleted */
  processed: number;
};

export type V2StoredEntitiesResponse = {
  data: V2StoredEntities;
  meta: V2Meta;
};

export type V2Subscription = {
  /** Id of the subscription */
  id: string;
  /** The receiver's address, at most 200 characters; "" after it was removed */
  url: string;
  /** The event that is sent there */
  event: string;
};

export type V2SubscriptionListResponse = {
  /** The result */
  data: V2Subscription[];
  meta: V2Meta;
};

export type V2TelegramCredentials = {
  /** The token that BotFather shows after /newbot, for example 123456789:AAF… */
  telegram_token: string;
};

export type V2Template = {
  /** What template.id takes */
  template_id: string;
  /** Name at the platform */
  name: string;
  /** Name for people */
  title: string;
  /** MARKETING, UTILITY or AUTHENTICATION */
  category: string;
  /** Language, such as en or pt_BR */
  language: string;
  /** APPROVED, PENDING, REJECTED, PAUSED or DISABLED */
  status: string;
  /** Reason of the rejection */
  reason?: string;
  /** Components of the template as defined by the platform */
  components: Record<string, unknown>[];
  /** Ids of the channels that can send it */
  channels: string[];
};

export type V2TemplateListResponse = {
  /** The result */
  data: V2Template[];
  meta: V2Meta;
};

export type V2TemplateResponse = {
  /** The result */
  data: V2Template;
  meta: V2Meta;
};

export type V2TemplateStatus = {
  /** Id of the template */
  template_id: string;
  /** Channel */
  channel_id: string;
  /** Name of the template */
  name: string;
  /** Where its moderation stands */
  status: "APPROVED" | "PENDING" | "REJECTED" | "PAUSED" | "DISABLED";
};

export type V2TokenExchangeGrant = {
  /** The grant; its data object is required */
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange";
  /** For token exchange: the token of a client account */
  token_exchange_data: {
    /** The machine token */
    subject_token: string;
    /** Kind of the machine token */
    subject_token_type: string;
    /** account_id of the client */
    requested_subject: string | number;
    /** transport, crm or both */
    scope: string;
  };
};

export type V2User = {
  /** Id in the CRM */
  id: string;
  /** Name of the employee */
  name: string;
  /** Phone number, international, digits only; invalid ones are omitted */
  phone?: string;
};

export type V2UserChange = {
  /** Id in the CRM */
  id: string | number;
  /** Name of the employee */
  name?: string;
  /** Phone number, international, digits only; invalid ones are omitted */
  phone?: string;
};

export type V2UserListResponse = {
  /** The result */
  data: V2User[];
  meta: V2Meta;
};

export type V2UserResponse = {
  /** The result */
  data: V2User;
  meta: V2Meta;
};

export type V2ViberCredentials = {
  /** Shown in the Viber Admin Panel, under Edit Info of the bot */
  viber_token: string;
  /** Shown to people who open the bot for the first time */
  welcome?: string;
};

export type V2VkCredentials = {
  /** From the community's settings: Manage, API usage, Access tokens */
  access_token: string;
};

export type V2WapiCredentials = {
  /** From WhatsApp Manager or the app's dashboard; not the phone number itself */
  phone_number_id: string;
  /** The account that the number belongs to */
  waba_id: string;
  /** Token of a system user, with whatsapp_business_messaging and whatsapp_business_management */
  access_token: string;
  /** Only when the token belongs to a Meta app of your own */
  app_secret?: string;
};

/** avito only: the listing that the chat is about */
export type V3Advert = {
  /** Id of the listing */
  id: string;
  /** Its title */
  title?: string;
  /** Its address */
  url?: string;
  /** Its price, as the messenger shows it */
  price?: string;
};

export type V3AuditEntry = {
  /** Grows with time */
  id: number;
  /** When it was changed */
  at: string;
  /** What was changed, such as channel.create */
  action: string;
  /** Id of the channel, token, grant, subscription or receiver */
  subject: string;
  /** operator, console, token, application, partner, page or service */
  actor: string;
  /** Id of the token, the OAuth client or the partner, or the console login */
  actorId: string;
  /** Address of the client, or name of the operator's machine */
  from: string;
  /** Details of the change; never a secret */
  details: Record<string, unknown>;
};

export type V3Button = {
  /** Label: at most 64 characters on telegram, 20 on wapi; longer ones are not sent */
  text?: string;
  /** wapi: text. maxbot: callback, link or message. telegram: none */
  type?: string;
  /** wapi, and maxbot if type is callback: the data sent back when the button is pressed */
  payload?: string;
  /** telegram inline, and maxbot if type is link: the address that the button opens */
  url?: string;
  /** maxbot: default, positive or negative */
  intent?: string;
  /** telegram inline: the data sent back when the button is pressed, 1 to 64 bytes */
  callbackData?: string;
};

export type V3CardLink = {
  /** The employee */
  user: {
    /** Id of the employee in the CRM */
    id: string | number;
    /** The sender's name as clients see it; default: the employee's name in the CRM */
    name?: string;
  };
  /** global: all chats that the employee may see; card: those of one contact or deal */
  scope: "card";
  /** The chats that the page shows; required with the scope card */
  filter: ({
    /** Kind of chat */
    chatType: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
    /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
    chatId?: string;
    /** Username without the @ */
    username?: string;
    /** International, digits only */
    phone?: string;
    /** Name of the contact */
    name?: string;
  })[];
  /** The chat that is open at first */
  activeChat?: {
    /** Kind of chat */
    chatType: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
    /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
    chatId?: string;
    /** Username without the @ */
    username?: string;
    /** International, digits only */
    phone?: string;
    /** Id of the channel */
    channelId?: string;
  };
  /** The events that the page reports to the CRM's page that embeds it */
  options?: {
    /** Kind of CRM */
    clientType?: string;
    /** Whether the page reports deals to the CRM's page that embeds it */
    useDealsEvents?: boolean;
    /** Whether the page reports messages to the CRM's page that embeds it */
    useMessageEvents?: boolean;
  };
};

export type V3ChangedMessage = {
  /** The message */
  messageId: string;
  /** Its chat in the messenger */
  chatId: string;
};

export type V3Channel = {
  /** Id of the channel */
  channelId: string;
  /** Its messenger */
  transport: string;
  /** Phone of the channel, else its username, else its id in the messenger */
  plainId: string;
  /** State of the channel */
  state: "active" | "init" | "waitForPassword" | "waitForPasskey" | "qr" | "disabled" | "blocked" | "notEnoughMoney" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openElsewhere" | "phoneUnavailable";
  /** Name of the channel */
  name: string;
  /** What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left */
  restrictions?: V3Restriction[];
};

export type V3ChannelUpdate = {
  /** Channel */
  channelId: string;
  /** State of the channel, such as active, qr or phoneUnavailable */
  state: string;
  /** Business channels only */
  tier?: "TIER_0" | "TIER_50" | "TIER_250" | "TIER_1K" | "TIER_2K" | "TIER_10K" | "TIER_100K" | "TIER_UNLIMITED";
  /** The QR code to scan, as a data: URI; with the state qr */
  qr?: string;
  /** With the state qridle: nobody scanned the code */
  qridle?: "qridle";
  /** What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left */
  restrictions?: V3Restriction[];
  /** When the status was set, in milliseconds */
  timestamp: number;
};

export type V3Contact = {
  /** Id in the CRM */
  id: string;
  /** Id of the responsible employee */
  responsibleUserId: string;
  /** Name of the contact */
  name: string;
  /** Chats of the contact */
  contactData: V3ContactChat[];
  /** Address of the entity in the CRM */
  uri?: string;
};

export type V3ContactChat = {
  /** Kind of chat */
  chatType: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
  /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
  chatId?: string;
  /** Username without the @ */
  username?: string;
  /** International, digits only */
  phone?: string;
};

/** The contact to create */
export type V3ContactCreation = {
  /** The responsible employee */
  responsibleUserId: string;
  /** Name of the client */
  name: string;
  /** Chats of the contact */
  contactData: {
    /** Kind of chat */
    chatType: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
    /** The chat's id in the messenger */
    chatId: string;
  }[];
  /** auto: caused by a message; byUser: by an employee's button */
  source: "auto" | "byUser";
};

export type V3Deal = {
  /** Id in the CRM */
  id: string;
  /** Id of the responsible employee */
  responsibleUserId: string;
  /** Name of the deal */
  name: string;
  /** Address of the entity in the CRM */
  uri?: string;
  /** Ids of the deal's contacts */
  contacts: string[];
  /** true: the deal is closed; default false */
  closed: boolean;
};

/** The deal to create */
export type V3DealCreation = {
  /** The responsible employee */
  responsibleUserId: string;
  /** Ids of the deal's contacts */
  contacts: string[];
  /** auto: caused by a message; byUser: by an employee's button */
  source: "auto" | "byUser";
};

export type V3Delivery = {
  /** Number of the request in the log */
  id: number;
  /** The receiver; default: the account's v3 address */
  receiverId: string;
  /** The request's webhook-id */
  deliveryId: string;
  /** delivery, replay or test */
  purpose: string;
  /** Time */
  at: string;
  /** Duration in milliseconds */
  durationMs: number;
  /** Kinds of events */
  kinds: string[];
  /** Channels that the events are about */
  channelIds: string[];
  /** Number of events */
  items: number;
  /** delivered, refused or failed */
  result: string;
  /** HTTP status of the response; null if there was none */
  status: number | null;
  /** Why there was no response */
  failure: string | null;
};

export type V3DeliveryDetails = {
  /** Number of the request in the log */
  id: number;
  /** The receiver; default: the account's v3 address */
  receiverId: string;
  /** The request's webhook-id */
  deliveryId: string;
  /** delivery, replay or test */
  purpose: string;
  /** Time */
  at: string;
  /** Duration in milliseconds */
  durationMs: number;
  /** Kinds of events */
  kinds: string[];
  /** Channels that the events are about */
  channelIds: string[];
  /** Number of events */
  items: number;
  /** delivered, refused or failed */
  result: string;
  /** HTTP status of the response; null if there was none */
  status: number | null;
  /** Why there was no response */
  failure: string | null;
  /** Numbers of the events */
  eventIds: number[];
  /** The request body */
  body: string | null;
  /** Request headers, without secrets */
  sentHeaders: Record<string, string> | null;
  /** Response headers */
  receivedHeaders: Record<string, string> | null;
  /** The start of the response body */
  answer: string | null;
};

/** A button, or a structured answer */
export type V3Interactive = {
  /** pressed: the button that the customer pressed. In an outgoing message: text, callback, link or message. Others: the kind of a structured answer, such as a form */
  type: string;
  /** Label of the button */
  text?: string;
  /** The data sent back when the button is pressed; of an answer, its JSON */
  payload?: string;
  /** The address that the button opens */
  url?: string;
};

export type V3Message = {
  /** Id of the message */
  messageId: string;
  /** Channel */
  channelId: string;
  /** Kind of chat */
  chatType: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
  /** The chat's id in the messenger */
  chatId: string;
  /** Time of sending by the messenger's clock: UTC, yyyy-mm-ddThh:mm:ss.mmmZ */
  dateTime: string;
  /** Kind of content */
  type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
  /** inbound: written by the customer */
  status: "inbound" | "sent" | "delivered" | "read" | "error";
  /** The text, or the caption of a file */
  text?: string;
  /** Link to the file */
  contentUri?: string;
  /** Name of the author; of outgoing messages only */
  authorName?: string;
  /** true for every outgoing message, its edits and deletions; false for the customer's */
  isEcho: boolean;
  contact: V3MessageContact;
  error?: V3MessageError;
  /** Employee who wrote it, as the CRM names them */
  authorId?: string;
  /** Written on the service's own chat page */
  sentFromApp?: true;
  sender?: V3Sender;
  instPost?: V3Post;
  advert?: V3Advert;
  referral?: V3Referral;
  /** A notice of the messenger itself, not the customer's words */
  isSystem?: true;
  /** Written before the channel was linked */
  isHistory?: true;
  /** Buttons, the pressed one, or structured answers */
  interactive?: V3Interactive[];
  /** The message was changed */
  isEdited?: true;
  /** The message was deleted */
  isDeleted?: true;
  oldInfo?: V3OldInfo;
  quotedMessage?: V3QuotedMessage;
};

/** The person or group of the chat */
export type V3MessageContact = {
  /** Name in the messenger; of a group, its title */
  name: string;
  /** Link to the picture, once it is known */
  avatarUri?: string;
  /** Username without @, if the messenger reports it */
  username?: string;
  /** International, digits only, if the messenger reports it */
  phone?: string;
  /** avito only: the buyer, who may have several chats */
  avitoProfileId?: string;
};

/** The error; only with the status error */
export type V3MessageError = {
  /** Code, such as BAD_CONTACT */
  error: string;
  /** Description of the error */
  description: string;
};

export type V3MessageStatus = {
  /** Id of the message */
  messageId: string;
  /** When the service learned of it; never earlier than the previous status */
  timestamp: string;
  /** edited: changed in the messenger itself */
  status: "sent" | "delivered" | "read" | "error" | "edited";
  /** Only with the status error */
  error?: {
    /** Code, such as BAD_CONTACT */
    error: string;
    /** Description of the error */
    description: string;
    /** The messenger's error */
    data?: string;
  };
};

export type V3NewContact = {
  /** Id in the CRM */
  id: string | number;
  /** Id of the responsible employee */
  responsibleUserId: string | number;
  /** Name of the contact */
  name: string;
  /** Chats of the contact */
  contactData: V3ContactChat[];
  /** Address of the entity in the CRM */
  uri?: string;
};

export type V3NewDeal = {
  /** Id in the CRM */
  id: string | number;
  /** Id of the responsible employee */
  responsibleUserId: string | number;
  /** Name of the deal */
  name: string;
  /** Address of the entity in the CRM */
  uri?: string;
  /** Ids of the deal's contacts */
  contacts: (string | number)[];
  /** true: the deal is closed; default false */
  closed?: boolean;
};

export type V3NewPipeline = {
  /** Id in the CRM */
  id: string | number;
  /** Name of the pipeline */
  name: string;
  /** Stages of the pipeline, in order */
  stages?: V3NewPipelineStage[];
};

export type V3NewPipelineStage = {
  /** Id in the CRM */
  id: string | number;
  /** Name of the stage */
  name: string;
};

export type V3NewUser = {
  /** Id in the CRM */
  id: string | number;
  /** Name of the employee */
  name: string;
  /** Phone number, international, digits only; invalid ones are omitted */
  phone?: string;
};

export type V3Nothing = Record<string, unknown>;

/** What an edit or deletion replaced */
export type V3OldInfo = {
  /** Text before */
  oldText?: string;
  /** The previous author: the employee's id in the CRM */
  oldAuthorId?: string;
  /** The previous author's name */
  oldAuthorName?: string;
  /** Link to the file before, if an edit replaced it */
  oldContentUri?: string;
};

export type V3ParkedEvent = {
  /** Number of the event */
  eventId: number;
  /** The receiver; default: the account's v3 address */
  receiverId: string;
  /** Kind of event */
  kind: string;
  /** Id of the channel */
  channelId: string | null;
  /** Id of its object: a message, a channel ... */
  subject: string;
  /** Time of the event */
  happenedAt: string;
  /** When it was parked */
  parkedAt: string;
  /** Reason */
  reason: string;
  /** The event as it would be sent */
  item: unknown;
};

export type V3Pipeline = {
  /** Id in the CRM */
  id: string;
  /** Name of the pipeline */
  name: string;
  /** Stages of the pipeline, in order */
  stages: V3PipelineStage[];
};

export type V3PipelineStage = {
  /** Id in the CRM */
  id: string;
  /** Name of the stage */
  name: string;
};

/** The post that the message is a comment on */
export type V3Post = {
  /** Id of the post */
  id: string;
  /** Address of the post */
  src: string;
  /** The author of the post */
  author: string;
  /** Its text */
  description: string;
};

/** The quoted message */
export type V3QuotedMessage = {
  /** Id of the quoted message; absent if the service never stored it */
  messageId?: string;
  /** Channel */
  channelId: string;
  /** Kind of chat */
  chatType: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
  /** The chat's id in the messenger */
  chatId: string;
  /** Time of sending by the messenger's clock: UTC, yyyy-mm-ddThh:mm:ss.mmmZ */
  dateTime?: string;
  /** Kind of content */
  type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
  /** inbound: written by the customer */
  status?: "inbound" | "sent" | "delivered" | "read" | "error";
  /** The text, or the caption of a file */
  text?: string;
  /** Link to the file */
  contentUri?: string;
  /** Name of the author; of outgoing messages only */
  authorName?: string;
  /** true for an outgoing message; absent if unknown */
  isEcho?: boolean;
  contact?: V3MessageContact;
  error?: V3MessageError;
  /** Employee who wrote it, as the CRM names them */
  authorId?: string;
  /** Written on the service's own chat page */
  sentFromApp?: true;
  sender?: V3Sender;
  instPost?: V3Post;
  advert?: V3Advert;
  referral?: V3Referral;
  /** A notice of the messenger itself, not the customer's words */
  isSystem?: true;
  /** Written before the channel was linked */
  isHistory?: true;
  /** Buttons, the pressed one, or structured answers */
  interactive?: V3Interactive[];
  /** The message was changed */
  isEdited?: true;
  /** The message was deleted */
  isDeleted?: true;
  oldInfo?: V3OldInfo;
};

export type V3Reaction = {
  /** Id of the message */
  messageId: string;
  /** Channel */
  channelId: string;
  /** Kind of chat */
  chatType: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
  /** The chat's id in the messenger */
  chatId: string;
  /** The emoji; null: the reaction was removed. A person has one reaction to a message */
  emoji: string | null;
  /** Who reacted */
  from: V3ReactionAuthor | "us";
  /** Time of the reaction */
  timestamp: string;
};

export type V3ReactionAuthor = {
  /** Id in the messenger */
  id: string;
  /** Name in the messenger */
  name: string;
};

export type V3Receiver = {
  /** The receiver; default: the account's v3 address */
  receiverId: string;
  /** v3: the account's only address; v2: an address of subscriptions to single events */
  version: string;
  /** The receiver's address, at most 200 characters; "" after it was removed */
  url: string;
  /** Kinds of events */
  kinds: string[];
  /** active, failing or paused */
  state: string;
  /** Since when the receiver has been paused */
  pausedAt: string | null;
  /** failing: it has accepted nothing for long; asked: by request */
  pauseReason: string | null;
  /** Since when it has accepted nothing */
  failingSince: string | null;
  /** Failed requests since then */
  failures: number;
  /** Time of the last accepted request */
  lastSuccessAt: string | null;
  /** Events waiting for it, among the first thousand of the account after its position; there may be more behind these */
  queued: number;
  /** Events that it rejected until the end of their retry schedule */
  parked: number;
  /** 0: the installation's setting */
  maxItems: number;
  /** Concurrent requests */
  concurrency: number;
};

export type V3ReceiverDetails = {
  /** The receiver; default: the account's v3 address */
  receiverId: string;
  /** v3: the account's only address; v2: an address of subscriptions to single events */
  version: string;
  /** The receiver's address, at most 200 characters; "" after it was removed */
  url: string;
  /** Kinds of events */
  kinds: string[];
  /** active, failing or paused */
  state: string;
  /** Since when the receiver has been paused */
  pausedAt: string | null;
  /** failing: it has accepted nothing for long; asked: by request */
  pauseReason: string | null;
  /** Since when it has accepted nothing */
  failingSince: string | null;
  /** Failed requests since then */
  failures: number;
  /** Time of the last accepted request */
  lastSuccessAt: string | null;
  /** Events waiting for it, among the first thousand of the account after its position; there may be more behind these */
  queued: number;
  /** Events that it rejected until the end of their retry schedule */
  parked: number;
  /** 0: the installation's setting */
  maxItems: number;
  /** Concurrent requests */
  concurrency: number;
  /** Notices about it, newest first */
  notices: V3ReceiverNotice[];
};

export type V3ReceiverNotice = {
  /** Time */
  at: string;
  /** Kind of notice */
  kind: string;
  /** Text for people */
  text: string;
};

/** Where the message came from */
export type V3Referral = {
  /** What the customer opened the chat from */
  source: "ad" | "post" | "product" | "link" | "unknown";
  /** Its id in the messenger */
  sourceId?: string;
  /** Its address */
  sourceUrl?: string;
  /** Its title */
  headline?: string;
  /** Its text */
  body?: string;
  /** The parameter of the link or advertisement */
  ref?: string;
  /** Id of the click, for reports of conversions */
  clickId?: string;
};

export type V3Replay = {
  /** Id of the replay */
  replayId: string;
  /** Time of the request */
  requestedAt: string;
  /** Time of its end; null while it runs */
  finishedAt: string | null;
  /** Number of requests to replay */
  total: number;
  /** How many were accepted */
  delivered: number;
  /** How many were not */
  failed: number;
  /** The requests that were not accepted */
  failures: {
    /** The receiver; default: the account's v3 address */
    receiverId: string;
    /** The request's webhook-id */
    deliveryId: string;
    /** HTTP status of the response; null if there was none */
    status: number | null;
    /** Why there was no response */
    failure: string | null;
  }[];
};

export type V3Restriction = {
  /** new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it */
  kind: "new_chats" | "replies" | "unanswered" | "spam" | "volume" | "quality" | "block_announced";
  /** A sentence for the owner of the channel, in English */
  reason: string;
  /** When the service learned of it */
  since: string;
  /** When it ends; null if the messenger does not say */
  until: string | null;
};

/** The sender; in groups only */
export type V3Sender = {
  /** Id in the messenger */
  id: string;
  /** Name in the messenger */
  name: string;
};

export type V3Template = {
  /** The value for template.id and templateId */
  templateGuid: string;
  /** Name at the platform */
  name: string;
  /** Name for people */
  title: string;
  /** MARKETING, UTILITY or AUTHENTICATION */
  category: string;
  /** Language, such as en or pt_BR */
  language: string;
  /** approved, pending, rejected, paused or disabled */
  status: string;
  /** Reason of the rejection */
  reason?: string;
  /** Components of the template as defined by the platform */
  components: Record<string, unknown>[];
  /** Ids of the channels that can send it */
  channels: string[];
  /** The template as text, with its variables in place of values; a message may contain such text instead of the template */
  templateCode: string;
};

/** The template */
export type V3TemplateStatus = {
  /** Id of the template */
  templateGuid: string;
  /** Name of the template */
  name: string;
  /** Where its moderation stands */
  status: "APPROVED" | "PENDING" | "REJECTED" | "PAUSED" | "DISABLED";
};

export type V3User = {
  /** Id in the CRM */
  id: string;
  /** Name of the employee */
  name: string;
  /** Phone number, international, digits only; invalid ones are omitted */
  phone?: string;
};

export type V3UserName = {
  /** Id in the CRM */
  id: string;
  /** Name of the employee */
  name: string;
};

export type V3WebhookSecret = {
  /** Key for verifying signatures (Standard Webhooks) */
  secret: string;
  /** Until when the previous secret signs too */
  previousUntil: string | null;
};

export type WabaTemplateStatusUpdateEvent = {
  /** Name of the event */
  event: "waba_template.status_update";
  /** The events, oldest first */
  data: V2TemplateStatus[];
  meta: V2EventMeta;
};

/** What each operation takes and answers. */
export interface Operations {
  /** Get the host that reports unanswered messages as they change, by socket.io at `/ws-counters/`. `GET /counters/ws_host/api_v3/{apiKey}` */
  getCounterHost: {
    input: {
      path: {
        /** The API key */
        apiKey: string;
      };
    };
    output: GetCounterHostResponse;
  };
  /** Liveness of the process. `GET /healthz` */
  getHealth: {
    input: Record<never, never>;
    output: GetHealthResponse;
  };
  /** Readiness of the node. `GET /readyz` */
  getReadiness: {
    input: Record<never, never>;
    output: Readiness;
  };
  /** Create an account for a client; obtain its tokens by token exchange. `POST /v2/accounts` */
  createAccount: {
    input: {
      body: CreateAccountRequest;
    };
    output: CreateAccountResponse;
  };
  /** Get one of the partner's accounts. `GET /v2/accounts/{id}` */
  getAccount: {
    input: {
      path: {
        /** Eight digits */
        id: string;
      };
      query?: {
        /** Objects to include: `billing`, `channels`, `subscriptions`, separated by commas or repeated; others are ignored */
        expand?: string | string[];
      };
    };
    output: GetAccountResponse;
  };
  /** List the channels of the account. `GET /v2/channels` */
  listChannels: {
    input: Record<never, never>;
    output: V2ChannelListResponse;
  };
  /** Connect a messenger account as a new channel. `POST /v2/channels` */
  createChannel: {
    input: {
      body: CreateChannelRequest;
    };
    output: V2CreatedChannelListResponse;
  };
  /** Get a channel with its status. `GET /v2/channels/{id}` */
  getChannel: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
    };
    output: V2ChannelDetailsListResponse;
  };
  /** Disconnect and delete a channel. `DELETE /v2/channels/{id}` */
  removeChannel: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      query?: {
        /** `true`: the chats are deleted too; default: they are kept */
        delete_chats?: string;
      };
    };
    output: V2DoneResponse;
  };
  /** Submit the two-factor password, or the messenger's code, that a channel waits for. `POST /v2/channels/{id}/auth/2fa` */
  submitTwoFactorPassword: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: SubmitTwoFactorPasswordRequest;
    };
    output: V2DoneResponse;
  };
  /** Get the request for the passkey, or the code to compare, that a channel waits for. `GET /v2/channels/{id}/auth/passkey` */
  getPasskeyRequest: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
    };
    output: V2PasskeyRequestResponse;
  };
  /** Submit the answer of the account's passkey. `POST /v2/channels/{id}/auth/passkey` */
  submitPasskeyAnswer: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: SubmitPasskeyAnswerRequest;
    };
    output: V2DoneResponse;
  };
  /** Get a channel's rate limits, and what waits in its queue and why. `GET /v2/channels/{id}/pacing` */
  getPacing: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
    };
    output: V2PacingListResponse;
  };
  /** Change a channel's rate limits, or end a pause of first contacts. `PATCH /v2/channels/{id}/pacing` */
  changePacing: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: ChangePacingRequest;
    };
    output: V2PacingListResponse;
  };
  /** Connect with a number and a code instead of a QR code. `POST /v2/channels/{id}/pairing-code` */
  requestPairingCode: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: RequestPairingCodeRequest;
    };
    output: RequestPairingCodeResponse;
  };
  /** Find out which phone numbers the messenger has. Looked up slowly, because messengers restrict accounts that look up many; the results of 30 days are known at once. `POST /v2/channels/{id}/phones/check` */
  checkPhones: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: CheckPhonesRequest;
    };
    output: CheckPhonesResponse;
  };
  /** Reconnect a channel, with new credentials. `POST /v2/channels/{id}/reinit` */
  reinitChannel: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: ReinitChannelRequest;
    };
    output: V2ReinitialisedChannelListResponse;
  };
  /** List chats, most recent message first. While messages arrive, chats move to the top of the list. `GET /v2/chats` */
  listChats: {
    input: {
      query?: {
        /** Only of this channel */
        channel_id?: string;
        /** Only what is older: a cursor from `meta.next`, or a time */
        before?: string;
        /** Only what is newer: a cursor from `meta.next`, or a time. Alone: oldest first */
        after?: string;
        /** 1 to 100; default 50. A page of long texts is shorter */
        limit?: number;
      };
    };
    output: ListChatsResponse;
  };
  /** List the messages of a chat, newest first, as the event `message.add` contains them. The order, and times in `before` and `after`, are those at which the service stored the messages; of imported messages, those at which they were sent. `GET /v2/chats/{chat_type}/{chat_id}/messages` */
  listMessages: {
    input: {
      path: {
        /** Kind of chat */
        chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
        /** The chat's id in the messenger */
        chat_id: string;
      };
      query?: {
        /** Only of this channel */
        channel_id?: string;
        /** Only what is older: a cursor from `meta.next`, or a time */
        before?: string;
        /** Only what is newer: a cursor from `meta.next`, or a time. Alone: oldest first */
        after?: string;
        /** 1 to 100; default 50. A page of long texts is shorter */
        limit?: number;
      };
    };
    output: V2ListMessagesResponse;
  };
  /** Show the people of a chat that their messages were read. `POST /v2/chats/{chat_type}/{chat_id}/read` */
  markChatAsRead: {
    input: {
      path: {
        /** Kind of chat */
        chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
        /** The chat's id in the messenger */
        chat_id: string;
      };
      body: V2ChatMark;
    };
    output: V2DoneResponse;
  };
  /** Show the people of a chat that somebody is typing: for some seconds, or until a message is sent. `POST /v2/chats/{chat_type}/{chat_id}/typing` */
  showTyping: {
    input: {
      path: {
        /** Kind of chat */
        chat_type: "whatsapp" | "whatsgroup" | "viber" | "instagram" | "telegram" | "telegroup" | "vk" | "avito" | "max" | "maxgroup";
        /** The chat's id in the messenger */
        chat_id: string;
      };
      body: V2ChatMark;
    };
    output: V2DoneResponse;
  };
  /** Mark all messages of the account as answered. `DELETE /v2/chats/unanswered` */
  clearUnanswered: {
    input: Record<never, never>;
    output: ClearUnansweredResponse;
  };
  /** List contacts, in pages. `GET /v2/contacts` */
  listV2Contacts: {
    input: {
      query?: {
        /** How many to skip; default 0 */
        offset?: number;
      };
    };
    output: V2ContactListResponse;
  };
  /** Add or replace contacts: all, or none if one is invalid. `POST /v2/contacts` */
  saveV2Contacts: {
    input: {
      body: SaveV2ContactsRequest;
    };
    output: V2StoredEntitiesResponse;
  };
  /** Change contacts; omitted fields keep their value. `PATCH /v2/contacts` */
  changeV2Contacts: {
    input: {
      body: ChangeV2ContactsRequest;
    };
    output: V2ProcessedEntitiesResponse;
  };
  /** Delete contacts by id. `DELETE /v2/contacts` */
  removeV2Contacts: {
    input: {
      body: RemoveV2ContactsRequest;
    };
    output: V2ProcessedEntitiesResponse;
  };
  /** Get one of the contacts. `GET /v2/contacts/{id}` */
  getV2Contact: {
    input: {
      path: {
        /** Id in the CRM */
        id: string;
      };
    };
    output: V2ContactResponse;
  };
  /** Delete one of the contacts. `DELETE /v2/contacts/{id}` */
  removeV2Contact: {
    input: {
      path: {
        /** Id in the CRM */
        id: string;
      };
    };
    output: V2DoneResponse;
  };
  /** Count an employee's unanswered messages of the last 7 days. `GET /v2/counters/unanswered/{user_id}` */
  getUnansweredCounter: {
    input: {
      path: {
        /** Id of the employee in the CRM */
        user_id: string;
      };
    };
    output: GetUnansweredCounterResponse;
  };
  /** List deals, in pages. `GET /v2/deals` */
  listV2Deals: {
    input: {
      query?: {
        /** How many to skip; default 0 */
        offset?: number;
      };
    };
    output: V2DealListResponse;
  };
  /** Add or replace deals: all, or none if one is invalid. `POST /v2/deals` */
  saveV2Deals: {
    input: {
      body: SaveV2DealsRequest;
    };
    output: V2StoredEntitiesResponse;
  };
  /** Change deals; omitted fields keep their value. `PATCH /v2/deals` */
  changeV2Deals: {
    input: {
      body: ChangeV2DealsRequest;
    };
    output: V2ProcessedEntitiesResponse;
  };
  /** Delete deals by id. `DELETE /v2/deals` */
  removeV2Deals: {
    input: {
      body: RemoveV2DealsRequest;
    };
    output: V2ProcessedEntitiesResponse;
  };
  /** Get one of the deals. `GET /v2/deals/{id}` */
  getV2Deal: {
    input: {
      path: {
        /** Id in the CRM */
        id: string;
      };
    };
    output: V2DealResponse;
  };
  /** Delete one of the deals. `DELETE /v2/deals/{id}` */
  removeV2Deal: {
    input: {
      path: {
        /** Id in the CRM */
        id: string;
      };
    };
    output: V2DoneResponse;
  };
  /** Create a group; messages can be sent to it at once. `POST /v2/groups` */
  createGroup: {
    input: {
      body: CreateGroupRequest;
    };
    output: CreateGroupResponse;
  };
  /** Get a group with its members and their roles, as the messenger knows it now. `GET /v2/groups/{chat_id}` */
  getGroup: {
    input: {
      path: {
        /** The group's id in the messenger */
        chat_id: string;
      };
      query: {
        /** The channel */
        channel_id: string;
      };
    };
    output: GetGroupResponse;
  };
  /** Change a group: its name, picture, members and roles, one after the other until the messenger refuses one; the error then names in `done` what was changed. `PATCH /v2/groups/{chat_id}` */
  changeGroup: {
    input: {
      path: {
        /** The group's id in the messenger */
        chat_id: string;
      };
      body: ChangeGroupRequest;
    };
    output: ChangeGroupResponse;
  };
  /** Create a one-time link to the page where a person connects or reconnects a channel. `POST /v2/iframe-links/channels` */
  linkToChannelsPage: {
    input: {
      body: LinkToChannelsPageRequest;
    };
    output: V2PageLinkResponse;
  };
  /** Create a one-time link to the chat page. `POST /v2/iframe-links/chats` */
  linkToChatsPage: {
    input: {
      body: LinkToChatsPageRequest;
    };
    output: V2PageLinkResponse;
  };
  /** Send a message; webhooks report its status. `POST /v2/messages` */
  sendMessage: {
    input: {
      body: SendMessageRequest;
    };
    output: SendMessageResponse;
  };
  /** Edit a sent message in the messenger. `PATCH /v2/messages/{id}` */
  editMessage: {
    input: {
      path: {
        /** Id of the message */
        id: string;
      };
      body: EditMessageRequest;
    };
    output: V2ChangedMessageResponse;
  };
  /** Delete a sent message for both sides. `DELETE /v2/messages/{id}` */
  removeMessage: {
    input: {
      path: {
        /** Id of the message */
        id: string;
      };
    };
    output: V2ChangedMessageResponse;
  };
  /** React to a message of either side; replaces the channel's earlier reaction. `PUT /v2/messages/{id}/reaction` */
  reactToMessage: {
    input: {
      path: {
        /** Id of the message */
        id: string;
      };
      body: ReactToMessageRequest;
    };
    output: V2ChangedMessageResponse;
  };
  /** Remove the channel's reaction to a message. `DELETE /v2/messages/{id}/reaction` */
  removeReaction: {
    input: {
      path: {
        /** Id of the message */
        id: string;
      };
    };
    output: V2ChangedMessageResponse;
  };
  /** Request the messages of a period as CSV; the webhook messages_dump.status_update contains the link. `POST /v2/messages/messages_dump` */
  exportMessages: {
    input: {
      body: ExportMessagesRequest;
    };
    output: ExportMessagesResponse;
  };
  /** Get the progress of an export, and the link to its file. `GET /v2/messages/messages_dump/{export_id}` */
  getMessageExport: {
    input: {
      path: {
        /** Id of the export */
        export_id: string;
      };
    };
    output: GetMessageExportResponse;
  };
  /** Propose a message into an existing chat; it is sent when an employee approves it on the chat page. `POST /v2/messages/proposals` */
  proposeMessage: {
    input: {
      body: V2NewProposal;
    };
    output: V2ProposalResponse;
  };
  /** Get what became of a proposed message. `GET /v2/messages/proposals/{id}` */
  getProposal: {
    input: {
      path: {
        /** Id of the proposal */
        id: string;
      };
    };
    output: V2ProposalResponse;
  };
  /** Find messages by their words in all chats, newest first. Messages of the last seconds may be missing. `GET /v2/messages/search` */
  searchMessages: {
    input: {
      query: {
        /** Words that the message has, in any order; each also matches the beginning of a word */
        text: string;
        /** Only what is older: a cursor from `meta.next`, or a time */
        before?: string;
        /** 1 to 100; default 50. A page of long texts is shorter */
        limit?: number;
      };
    };
    output: V2ListMessagesResponse;
  };
  /** Revoke a token of the partner, and all tokens of the same grant. `POST /v2/oauth/revoke` */
  revokeToken: {
    input: {
      body: RevokeTokenRequest;
    };
    output: V2DoneResponse;
  };
  /** Issue tokens for a partner's password, a machine token, a refresh token or a code. `POST /v2/oauth/token` */
  issueToken: {
    input: {
      body: IssueTokenRequest;
    };
    output: IssueTokenResponse;
  };
  /** List the pipelines with their stages. `GET /v2/pipelines` */
  listV2Pipelines: {
    input: Record<never, never>;
    output: V2PipelineListResponse;
  };
  /** Replace all pipelines. `POST /v2/pipelines` */
  replaceV2Pipelines: {
    input: {
      body: ReplaceV2PipelinesRequest;
    };
    output: ReplaceV2PipelinesResponse;
  };
  /** List the templates of the WhatsApp Business Platform, by name and language. `GET /v2/templates/waba` */
  listWabaTemplates: {
    input: {
      query?: {
        /** 1 to 1,000; default 100 */
        limit?: number;
        /** How many to skip; default 0 */
        offset?: number;
      };
    };
    output: V2TemplateListResponse;
  };
  /** Submit a template for approval; a webhook reports the result. The fields may also be in `template`. `POST /v2/templates/waba` */
  createWabaTemplate: {
    input: {
      body: CreateWabaTemplateRequest;
    };
    output: V2TemplateResponse;
  };
  /** Change a template's content or category; it is moderated again. `PATCH /v2/templates/waba` */
  changeWabaTemplate: {
    input: {
      body: ChangeWabaTemplateRequest;
    };
    output: V2TemplateResponse;
  };
  /** Delete a template of the business. `DELETE /v2/templates/waba` */
  removeWabaTemplate: {
    input: {
      query: {
        /** Id of the template */
        template_id: string;
      };
    };
    output: V2DoneResponse;
  };
  /** Get a template of the WhatsApp Business Platform. `GET /v2/templates/waba/{template_id}` */
  getWabaTemplate: {
    input: {
      path: {
        /** Id of the template */
        template_id: string;
      };
    };
    output: V2TemplateResponse;
  };
  /** Change a template's content or category; it is moderated again. `PATCH /v2/templates/waba/{template_id}` */
  changeWabaTemplateById: {
    input: {
      path: {
        /** Id of the template */
        template_id: string;
      };
      body: ChangeWabaTemplateByIdRequest;
    };
    output: V2TemplateResponse;
  };
  /** Delete a template of the business. `DELETE /v2/templates/waba/{template_id}` */
  removeWabaTemplateById: {
    input: {
      path: {
        /** Id of the template */
        template_id: string;
      };
    };
    output: V2DoneResponse;
  };
  /** List the canned answers of the account, by order and name. `GET /v2/templates/wz` */
  listCannedAnswers: {
    input: Record<never, never>;
    output: V2CannedAnswerListResponse;
  };
  /** Add a canned answer. `POST /v2/templates/wz` */
  addCannedAnswer: {
    input: {
      body: AddCannedAnswerRequest;
    };
    output: V2CannedAnswerResponse;
  };
  /** Get a canned answer. `GET /v2/templates/wz/{template_id}` */
  getCannedAnswer: {
    input: {
      path: {
        /** Id of the canned answer */
        template_id: string;
      };
    };
    output: V2CannedAnswerResponse;
  };
  /** Change a canned answer; omitted fields keep their value. `PATCH /v2/templates/wz/{template_id}` */
  changeCannedAnswer: {
    input: {
      path: {
        /** Id of the canned answer */
        template_id: string;
      };
      body: ChangeCannedAnswerRequest;
    };
    output: V2CannedAnswerResponse;
  };
  /** Delete a canned answer. `DELETE /v2/templates/wz/{template_id}` */
  removeCannedAnswer: {
    input: {
      path: {
        /** Id of the canned answer */
        template_id: string;
      };
    };
    output: V2DoneResponse;
  };
  /** List users, in pages. `GET /v2/users` */
  listV2Users: {
    input: {
      query?: {
        /** How many to skip; default 0 */
        offset?: number;
      };
    };
    output: V2UserListResponse;
  };
  /** Add or replace users: all, or none if one is invalid. `POST /v2/users` */
  saveV2Users: {
    input: {
      body: SaveV2UsersRequest;
    };
    output: V2StoredEntitiesResponse;
  };
  /** Change users; omitted fields keep their value. `PATCH /v2/users` */
  changeV2Users: {
    input: {
      body: ChangeV2UsersRequest;
    };
    output: V2ProcessedEntitiesResponse;
  };
  /** Delete users by id. `DELETE /v2/users` */
  removeV2Users: {
    input: {
      body: RemoveV2UsersRequest;
    };
    output: V2ProcessedEntitiesResponse;
  };
  /** Get one of the users. `GET /v2/users/{id}` */
  getV2User: {
    input: {
      path: {
        /** Id in the CRM */
        id: string;
      };
    };
    output: V2UserResponse;
  };
  /** Delete one of the users. `DELETE /v2/users/{id}` */
  removeV2User: {
    input: {
      path: {
        /** Id in the CRM */
        id: string;
      };
    };
    output: V2DoneResponse;
  };
  /** List the subscriptions of addresses to events. `GET /v2/webhooks` */
  listSubscriptions: {
    input: Record<never, never>;
    output: V2SubscriptionListResponse;
  };
  /** Subscribe addresses to events: all, or none if one is invalid. `POST /v2/webhooks` */
  addSubscriptions: {
    input: {
      body: AddSubscriptionsRequest;
    };
    output: V2SubscriptionListResponse;
  };
  /** Change subscriptions; omitted fields keep their value. `PATCH /v2/webhooks` */
  changeSubscriptions: {
    input: {
      body: ChangeSubscriptionsRequest;
    };
    output: V2SubscriptionListResponse;
  };
  /** Delete subscriptions by id. `DELETE /v2/webhooks` */
  removeSubscriptions: {
    input: {
      body: RemoveSubscriptionsRequest;
    };
    output: V2DoneResponse;
  };
  /** List the changes in the account, newest first. `GET /v3/audit` */
  listAudit: {
    input: {
      query?: {
        /** Entries per page, 1 to 1000; default 100 */
        limit?: number;
        /** `next` of the previous page */
        cursor?: string;
        /** Changes of this kind only */
        action?: "account.create" | "account.frames" | "account.move" | "account.move_revoke" | "token.create" | "token.revoke" | "partner.create" | "partner.password" | "oauth_client.create" | "grant.consent" | "grant.create" | "grant.revoke" | "channel.create" | "channel.reinit" | "channel.delete" | "channel.paid" | "channel.unpaid" | "channel.pacing" | "channel.rename" | "webhook.settings" | "webhook.subscribe" | "webhook.change" | "webhook.unsubscribe" | "webhook.secret" | "webhook.receiver" | "webhook.pause" | "webhook.resume" | "webhook.replay" | "webhook.discard" | "operator.invite" | "operator.create" | "operator.reset" | "operator.remove" | "operator.password" | "operator.second_factor" | "operator.sign_in" | "operator.change" | "operator.refuse" | "alert.test" | "channel.stop" | "channel.go_on" | "channel.clear" | "channel.record" | "channel.record_end" | "inbound.replay" | "inbound.remove" | "crm.settings" | "crm.user" | "message.export" | "canned_answer.create" | "canned_answer.change" | "canned_answer.delete" | "proposal.create" | "proposal.approve" | "proposal.decline" | "installation.key" | "installation.export" | "installation.import" | "installation.sink";
      };
    };
    output: ListAuditResponse;
  };
  /** List the channels of the account, in short form. `GET /v3/channels` */
  listV3Channels: {
    input: Record<never, never>;
    output: V3Channel[];
  };
  /** List contacts in pages of 100, by id. `GET /v3/contacts` */
  listContacts: {
    input: {
      query?: {
        /** How many to skip; default 0 */
        offset?: number;
      };
    };
    output: ListContactsResponse;
  };
  /** Add or replace contacts: all, or none if one is invalid. `POST /v3/contacts` */
  saveContacts: {
    input: {
      body: V3NewContact[];
    };
    output: V3Nothing;
  };
  /** Get one of the contacts. `GET /v3/contacts/{id}` */
  getContact: {
    input: {
      path: {
        /** Id in the CRM */
        id: string;
      };
    };
    output: V3Contact;
  };
  /** Delete one of the contacts. `DELETE /v3/contacts/{id}` */
  removeContact: {
    input: {
      path: {
        /** Id in the CRM */
        id: string;
      };
    };
    output: V3Nothing;
  };
  /** Delete several of the contacts; the response lists those that did not exist. `PATCH /v3/contacts/bulk_delete` */
  bulkDeleteContacts: {
    input: {
      body: (string | number)[];
    };
    output: string[];
  };
  /** List deals in pages of 100, by id. `GET /v3/deals` */
  listDeals: {
    input: {
      query?: {
        /** How many to skip; default 0 */
        offset?: number;
      };
    };
    output: ListDealsResponse;
  };
  /** Add or replace deals: all, or none if one is invalid. `POST /v3/deals` */
  saveDeals: {
    input: {
      body: V3NewDeal[];
    };
    output: V3Nothing;
  };
  /** Get one of the deals. `GET /v3/deals/{id}` */
  getDeal: {
    input: {
      path: {
        /** Id in the CRM */
        id: string;
      };
    };
    output: V3Deal;
  };
  /** Delete one of the deals. `DELETE /v3/deals/{id}` */
  removeDeal: {
    input: {
      path: {
        /** Id in the CRM */
        id: string;
      };
    };
    output: V3Nothing;
  };
  /** Delete several of the deals; the response lists those that did not exist. `PATCH /v3/deals/bulk_delete` */
  bulkDeleteDeals: {
    input: {
      body: (string | number)[];
    };
    output: string[];
  };
  /** Create a one-time link to the chat page. `POST /v3/iframe` */
  linkToChats: {
    input: {
      body: LinkToChatsRequest;
    };
    output: LinkToChatsResponse;
  };
  /** Send a message; webhooks report its status. `POST /v3/message` */
  sendV3Message: {
    input: {
      body: SendV3MessageRequest;
    };
    output: SendV3MessageResponse;
  };
  /** Edit a sent message in the messenger, within 15 minutes of its delivery. `PATCH /v3/message/{id}` */
  editV3Message: {
    input: {
      path: {
        /** Id of the message */
        id: string;
      };
      body: EditV3MessageRequest;
    };
    output: V3ChangedMessage;
  };
  /** Delete a sent message for both sides. `DELETE /v3/message/{id}` */
  removeV3Message: {
    input: {
      path: {
        /** Id of the message */
        id: string;
      };
    };
    output: V3ChangedMessage;
  };
  /** List the pipelines with their stages. `GET /v3/pipelines` */
  listPipelines: {
    input: Record<never, never>;
    output: V3Pipeline[];
  };
  /** Replace all pipelines. `POST /v3/pipelines` */
  replacePipelines: {
    input: {
      body: V3NewPipeline[];
    };
    output: V3Nothing;
  };
  /** List the templates of the WhatsApp Business Platform, by name and language. `GET /v3/templates/whatsapp` */
  listTemplates: {
    input: {
      query?: {
        /** 1 to 1,000; default 100 */
        limit?: number;
        /** How many to skip; default 0 */
        offset?: number;
      };
    };
    output: V3Template[];
  };
  /** Count an employee's unanswered messages of the last 7 days. `GET /v3/unanswered/{userId}` */
  countUnanswered: {
    input: {
      path: {
        /** Id of the employee in the CRM */
        userId: string;
      };
    };
    output: CountUnansweredResponse;
  };
  /** List the employees, by name. `GET /v3/users` */
  listUsers: {
    input: Record<never, never>;
    output: V3UserName[];
  };
  /** Add or change employees: all, or none if one is invalid. `POST /v3/users` */
  saveUsers: {
    input: {
      body: V3NewUser[];
    };
    output: V3Nothing;
  };
  /** Get one of the users. `GET /v3/users/{id}` */
  getUser: {
    input: {
      path: {
        /** Id in the CRM */
        id: string;
      };
    };
    output: V3User;
  };
  /** Delete one of the users. `DELETE /v3/users/{id}` */
  removeUser: {
    input: {
      path: {
        /** Id in the CRM */
        id: string;
      };
    };
    output: V3Nothing;
  };
  /** Delete several of the users; the response lists those that did not exist. `PATCH /v3/users/bulk_delete` */
  bulkDeleteUsers: {
    input: {
      body: (string | number)[];
    };
    output: string[];
  };
  /** Get the webhook address and its subscriptions. `GET /v3/webhooks` */
  getWebhooks: {
    input: Record<never, never>;
    output: GetWebhooksResponse;
  };
  /** Set the webhook address and its subscriptions. `PATCH /v3/webhooks` */
  changeWebhooks: {
    input: {
      body: ChangeWebhooksRequest;
    };
    output: string;
  };
  /** List the requests to receivers of the last 30 days, newest first. `GET /v3/webhooks/deliveries` */
  listDeliveries: {
    input: {
      query?: {
        /** The receiver; default: the account's v3 address */
        receiverId?: string;
        /** Id of the channel */
        channelId?: string;
        /** Such as messages or channel.create */
        kind?: string;
        /** delivered, refused or failed */
        result?: "delivered" | "refused" | "failed";
        /** Id of the object that the events are about */
        messageId?: string;
        /** Start of the period */
        from?: string;
        /** End of the period */
        to?: string;
        /** Entries per page, 1 to 1000; default 100 */
        limit?: number;
        /** `next` of the previous page */
        cursor?: string;
        /** Number of the event */
        eventId?: number;
        /** Id of the replay */
        replayId?: string;
      };
    };
    output: ListDeliveriesResponse;
  };
  /** Get a request with its body, headers and response. `GET /v3/webhooks/deliveries/{id}` */
  getDelivery: {
    input: {
      path: {
        /** Number of the request in the log */
        id: string;
      };
    };
    output: V3DeliveryDetails;
  };
  /** Discard parked events; a replay that was requested before may still send them. `POST /v3/webhooks/discard` */
  discardParked: {
    input: {
      query?: {
        /** The receiver; default: the account's v3 address */
        receiverId?: string;
      };
      body: DiscardParkedRequest;
    };
    output: DiscardParkedResponse;
  };
  /** List the events that a receiver rejected until the end of their retry schedule, newest first. `GET /v3/webhooks/parked` */
  listParked: {
    input: {
      query?: {
        /** The receiver; default: the account's v3 address */
        receiverId?: string;
        /** Entries per page, 1 to 1000; default 100 */
        limit?: number;
        /** `next` of the previous page */
        cursor?: string;
      };
    };
    output: ListParkedResponse;
  };
  /** Pause a receiver; its events are kept. `POST /v3/webhooks/pause` */
  pauseReceiver: {
    input: {
      query?: {
        /** The receiver; default: the account's v3 address */
        receiverId?: string;
      };
    };
    output: V3Receiver;
  };
  /** List the receivers of webhooks and their health. `GET /v3/webhooks/receivers` */
  listReceivers: {
    input: Record<never, never>;
    output: V3Receiver[];
  };
  /** Get a receiver with its latest notices. `GET /v3/webhooks/receivers/{receiverId}` */
  getReceiver: {
    input: {
      path: {
        /** The receiver; default: the account's v3 address */
        receiverId: string;
      };
    };
    output: V3ReceiverDetails;
  };
  /** Set the maximum events per request, and the number of concurrent requests. `PATCH /v3/webhooks/receivers/{receiverId}` */
  changeReceiver: {
    input: {
      path: {
        /** The receiver; default: the account's v3 address */
        receiverId: string;
      };
      body: ChangeReceiverRequest;
    };
    output: V3Receiver;
  };
  /** Replay deliveries: selected ones, those of a period, or parked events. `POST /v3/webhooks/replay` */
  replayDeliveries: {
    input: {
      body: ReplayDeliveriesRequest;
    };
    output: V3Replay;
  };
  /** Get the progress of a replay. `GET /v3/webhooks/replay/{id}` */
  getReplay: {
    input: {
      path: {
        /** Id of the replay */
        id: string;
      };
    };
    output: V3Replay;
  };
  /** Resume a paused receiver; kept events are delivered first. `POST /v3/webhooks/resume` */
  resumeReceiver: {
    input: {
      query?: {
        /** The receiver; default: the account's v3 address */
        receiverId?: string;
      };
    };
    output: V3Receiver;
  };
  /** Get the secret that signs webhooks. `GET /v3/webhooks/secret` */
  getWebhookSecret: {
    input: {
      query?: {
        /** The receiver; default: the account's v3 address */
        receiverId?: string;
      };
    };
    output: V3WebhookSecret;
  };
  /** Create a new secret; for a time requests are signed with both. `POST /v3/webhooks/secret` */
  rotateWebhookSecret: {
    input: {
      query?: {
        /** The receiver; default: the account's v3 address */
        receiverId?: string;
      };
      body: RotateWebhookSecretRequest;
    };
    output: V3WebhookSecret;
  };
  /** Send a receiver an example of each event it is subscribed to, marked as a test. `POST /v3/webhooks/test` */
  testReceiver: {
    input: {
      query?: {
        /** The receiver; default: the account's v3 address */
        receiverId?: string;
      };
    };
    output: {
      /** Kind of event */
      kind: string;
      /** Whether the receiver accepted it */
      ok: boolean;
      /** HTTP status of the response; null if there was none */
      status: number | null;
      /** Why there was no response */
      failure: string | null;
      /** Duration in milliseconds */
      durationMs: number;
    }[];
  };
}

/** Method, path and credential of an operation. */
export type Route = readonly [method: string, path: string, credential: string];

export const OPERATIONS = {
  getCounterHost: ["GET", "/counters/ws_host/api_v3/{apiKey}", "none"],
  getHealth: ["GET", "/healthz", "none"],
  getReadiness: ["GET", "/readyz", "none"],
  createAccount: ["POST", "/v2/accounts", "partner"],
  getAccount: ["GET", "/v2/accounts/{id}", "partner"],
  listChannels: ["GET", "/v2/channels", "accessToken"],
  createChannel: ["POST", "/v2/channels", "accessToken"],
  getChannel: ["GET", "/v2/channels/{id}", "accessToken"],
  removeChannel: ["DELETE", "/v2/channels/{id}", "accessToken"],
  submitTwoFactorPassword: ["POST", "/v2/channels/{id}/auth/2fa", "accessToken"],
  getPasskeyRequest: ["GET", "/v2/channels/{id}/auth/passkey", "accessToken"],
  submitPasskeyAnswer: ["POST", "/v2/channels/{id}/auth/passkey", "accessToken"],
  getPacing: ["GET", "/v2/channels/{id}/pacing", "accessToken"],
  changePacing: ["PATCH", "/v2/channels/{id}/pacing", "accessToken"],
  requestPairingCode: ["POST", "/v2/channels/{id}/pairing-code", "accessToken"],
  checkPhones: ["POST", "/v2/channels/{id}/phones/check", "accessToken"],
  reinitChannel: ["POST", "/v2/channels/{id}/reinit", "accessToken"],
  listChats: ["GET", "/v2/chats", "accessToken"],
  listMessages: ["GET", "/v2/chats/{chat_type}/{chat_id}/messages", "accessToken"],
  markChatAsRead: ["POST", "/v2/chats/{chat_type}/{chat_id}/read", "accessToken"],
  showTyping: ["POST", "/v2/chats/{chat_type}/{chat_id}/typing", "accessToken"],
  clearUnanswered: ["DELETE", "/v2/chats/unanswered", "accessToken"],
  listV2Contacts: ["GET", "/v2/contacts", "accessToken"],
  saveV2Contacts: ["POST", "/v2/contacts", "accessToken"],
  changeV2Contacts: ["PATCH", "/v2/contacts", "accessToken"],
  removeV2Contacts: ["DELETE", "/v2/contacts", "accessToken"],
  getV2Contact: ["GET", "/v2/contacts/{id}", "accessToken"],
  removeV2Contact: ["DELETE", "/v2/contacts/{id}", "accessToken"],
  getUnansweredCounter: ["GET", "/v2/counters/unanswered/{user_id}", "accessToken"],
  listV2Deals: ["GET", "/v2/deals", "accessToken"],
  saveV2Deals: ["POST", "/v2/deals", "accessToken"],
  changeV2Deals: ["PATCH", "/v2/deals", "accessToken"],
  removeV2Deals: ["DELETE", "/v2/deals", "accessToken"],
  getV2Deal: ["GET", "/v2/deals/{id}", "accessToken"],
  removeV2Deal: ["DELETE", "/v2/deals/{id}", "accessToken"],
  createGroup: ["POST", "/v2/groups", "accessToken"],
  getGroup: ["GET", "/v2/groups/{chat_id}", "accessToken"],
  changeGroup: ["PATCH", "/v2/groups/{chat_id}", "accessToken"],
  linkToChannelsPage: ["POST", "/v2/iframe-links/channels", "accessToken"],
  linkToChatsPage: ["POST", "/v2/iframe-links/chats", "accessToken"],
  sendMessage: ["POST", "/v2/messages", "accessToken"],
  editMessage: ["PATCH", "/v2/messages/{id}", "accessToken"],
  removeMessage: ["DELETE", "/v2/messages/{id}", "accessToken"],
  reactToMessage: ["PUT", "/v2/messages/{id}/reaction", "accessToken"],
  removeReaction: ["DELETE", "/v2/messages/{id}/reaction", "accessToken"],
  exportMessages: ["POST", "/v2/messages/messages_dump", "accessToken"],
  getMessageExport: ["GET", "/v2/messages/messages_dump/{export_id}", "accessToken"],
  proposeMessage: ["POST", "/v2/messages/proposals", "accessToken"],
  getProposal: ["GET", "/v2/messages/proposals/{id}", "accessToken"],
  searchMessages: ["GET", "/v2/messages/search", "accessToken"],
  revokeToken: ["POST", "/v2/oauth/revoke", "partner"],
  issueToken: ["POST", "/v2/oauth/token", "partner"],
  listV2Pipelines: ["GET", "/v2/pipelines", "accessToken"],
  replaceV2Pipelines: ["POST", "/v2/pipelines", "accessToken"],
  listWabaTemplates: ["GET", "/v2/templates/waba", "accessToken"],
  createWabaTemplate: ["POST", "/v2/templates/waba", "accessToken"],
  changeWabaTemplate: ["PATCH", "/v2/templates/waba", "accessToken"],
  removeWabaTemplate: ["DELETE", "/v2/templates/waba", "accessToken"],
  getWabaTemplate: ["GET", "/v2/templates/waba/{template_id}", "accessToken"],
  changeWabaTemplateById: ["PATCH", "/v2/templates/waba/{template_id}", "accessToken"],
  removeWabaTemplateById: ["DELETE", "/v2/templates/waba/{template_id}", "accessToken"],
  listCannedAnswers: ["GET", "/v2/templates/wz", "accessToken"],
  addCannedAnswer: ["POST", "/v2/templates/wz", "accessToken"],
  getCannedAnswer: ["GET", "/v2/templates/wz/{template_id}", "accessToken"],
  changeCannedAnswer: ["PATCH", "/v2/templates/wz/{template_id}", "accessToken"],
  removeCannedAnswer: ["DELETE", "/v2/templates/wz/{template_id}", "accessToken"],
  listV2Users: ["GET", "/v2/users", "accessToken"],
  saveV2Users: ["POST", "/v2/users", "accessToken"],
  changeV2Users: ["PATCH", "/v2/users", "accessToken"],
  removeV2Users: ["DELETE", "/v2/users", "accessToken"],
  getV2User: ["GET", "/v2/users/{id}", "accessToken"],
  removeV2User: ["DELETE", "/v2/users/{id}", "accessToken"],
  listSubscriptions: ["GET", "/v2/webhooks", "accessToken"],
  addSubscriptions: ["POST", "/v2/webhooks", "accessToken"],
  changeSubscriptions: ["PATCH", "/v2/webhooks", "accessToken"],
  removeSubscriptions: ["DELETE", "/v2/webhooks", "accessToken"],
  listAudit: ["GET", "/v3/audit", "apiKey"],
  listV3Channels: ["GET", "/v3/channels", "apiKey"],
  listContacts: ["GET", "/v3/contacts", "apiKey"],
  saveContacts: ["POST", "/v3/contacts", "apiKey"],
  getContact: ["GET", "/v3/contacts/{id}", "apiKey"],
  removeContact: ["DELETE", "/v3/contacts/{id}", "apiKey"],
  bulkDeleteContacts: ["PATCH", "/v3/contacts/bulk_delete", "apiKey"],
  listDeals: ["GET", "/v3/deals", "apiKey"],
  saveDeals: ["POST", "/v3/deals", "apiKey"],
  getDeal: ["GET", "/v3/deals/{id}", "apiKey"],
  removeDeal: ["DELETE", "/v3/deals/{id}", "apiKey"],
  bulkDeleteDeals: ["PATCH", "/v3/deals/bulk_delete", "apiKey"],
  linkToChats: ["POST", "/v3/iframe", "apiKey"],
  sendV3Message: ["POST", "/v3/message", "apiKey"],
  editV3Message: ["PATCH", "/v3/message/{id}", "apiKey"],
  removeV3Message: ["DELETE", "/v3/message/{id}", "apiKey"],
  listPipelines: ["GET", "/v3/pipelines", "apiKey"],
  replacePipelines: ["POST", "/v3/pipelines", "apiKey"],
  listTemplates: ["GET", "/v3/templates/whatsapp", "apiKey"],
  countUnanswered: ["GET", "/v3/unanswered/{userId}", "apiKey"],
  listUsers: ["GET", "/v3/users", "apiKey"],
  saveUsers: ["POST", "/v3/users", "apiKey"],
  getUser: ["GET", "/v3/users/{id}", "apiKey"],
  removeUser: ["DELETE", "/v3/users/{id}", "apiKey"],
  bulkDeleteUsers: ["PATCH", "/v3/users/bulk_delete", "apiKey"],
  getWebhooks: ["GET", "/v3/webhooks", "apiKey"],
  changeWebhooks: ["PATCH", "/v3/webhooks", "apiKey"],
  listDeliveries: ["GET", "/v3/webhooks/deliveries", "apiKey"],
  getDelivery: ["GET", "/v3/webhooks/deliveries/{id}", "apiKey"],
  discardParked: ["POST", "/v3/webhooks/discard", "apiKey"],
  listParked: ["GET", "/v3/webhooks/parked", "apiKey"],
  pauseReceiver: ["POST", "/v3/webhooks/pause", "apiKey"],
  listReceivers: ["GET", "/v3/webhooks/receivers", "apiKey"],
  getReceiver: ["GET", "/v3/webhooks/receivers/{receiverId}", "apiKey"],
  changeReceiver: ["PATCH", "/v3/webhooks/receivers/{receiverId}", "apiKey"],
  replayDeliveries: ["POST", "/v3/webhooks/replay", "apiKey"],
  getReplay: ["GET", "/v3/webhooks/replay/{id}", "apiKey"],
  resumeReceiver: ["POST", "/v3/webhooks/resume", "apiKey"],
  getWebhookSecret: ["GET", "/v3/webhooks/secret", "apiKey"],
  rotateWebhookSecret: ["POST", "/v3/webhooks/secret", "apiKey"],
  testReceiver: ["POST", "/v3/webhooks/test", "apiKey"],
} as const satisfies Partial<Record<keyof Operations, Route>>;
