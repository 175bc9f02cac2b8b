// Made from the description of /app/api by `npm run docs`; what is changed here is lost.

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

/** What each operation takes and answers. */
export interface Operations {
  /** All canned answers of the account, by `order` and name. `GET /app/api/canned-answers` */
  listCannedAnswers: {
    input: Record<never, never>;
    output: {
      id: string;
      /** Typed after `/`; unique within the account regardless of case */
      name: string;
      /** `{{contact}}` and `{{employee}}` are filled in by the page */
      text: string;
      /** Its place in lists */
      order: number;
      /** Grows with each change */
      version: number;
    }[];
  };
  /** Add a canned answer. `POST /app/api/canned-answers` */
  addCannedAnswer: {
    input: {
      body: {
        /** Made by the page: the same request again adds nothing */
        id: string;
        /** Typed after `/`; unique within the account regardless of case */
        name: string;
        /** `{{contact}}` and `{{employee}}` are filled in by the page */
        text: string;
      };
    };
    output: {
      id: string;
      /** Typed after `/`; unique within the account regardless of case */
      name: string;
      /** `{{contact}}` and `{{employee}}` are filled in by the page */
      text: string;
      /** Its place in lists */
      order: number;
      /** Grows with each change */
      version: number;
    };
  };
  /** Change a canned answer, unless somebody else has changed it since it was read. `PATCH /app/api/canned-answers/{id}` */
  changeCannedAnswer: {
    input: {
      path: {
        id: string;
      };
      body: {
        /** Grows with each change */
        version: number;
        /** Typed after `/`; unique within the account regardless of case */
        name: string;
        /** `{{contact}}` and `{{employee}}` are filled in by the page */
        text: string;
      };
    };
    output: {
      id: string;
      /** Typed after `/`; unique within the account regardless of case */
      name: string;
      /** `{{contact}}` and `{{employee}}` are filled in by the page */
      text: string;
      /** Its place in lists */
      order: number;
      /** Grows with each change */
      version: number;
    };
  };
  /** Delete a canned answer, unless somebody else has changed it since it was read. `DELETE /app/api/canned-answers/{id}` */
  removeCannedAnswer: {
    input: {
      path: {
        id: string;
      };
      query: {
        /** The version that was read */
        version: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** Start to connect a messenger account as a new channel. `POST /app/api/channels` */
  connectChannel: {
    input: {
      body: {
        /** Messenger of the channel */
        transport: string;
        /** The credentials that the messenger requires; empty if a person connects the channel by QR code or link */
        credentials: Record<string, unknown> | unknown[];
      };
    };
    output: {
      /** Id of the channel */
      channel_id: string;
      /** Messenger of the channel */
      transport: string;
      /** Whether the channel works */
      status: "active" | "init" | "disabled";
      /** The reason for the status; null if there is none */
      reason: null | "wait_for_password" | "wait_for_code" | "wait_for_passkey" | "qr" | "sync" | "proxy" | "blocked" | "not_enough_money" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openelsewhere";
      /** Name of the channel */
      name: string;
      /** Phone number of the channel; "" if it has none */
      phone: string;
      /** Username of the channel; "" if it has none */
      username: string;
      /** The invitation that the person follows in the messenger; null if the transport has none */
      url: string | null;
      /** Whether the phone has been offline for so long that the messenger will soon unlink the channel */
      phone_unavailable: boolean;
      /** What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left */
      restrictions: {
        /** new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it */
        kind: "new_chats" | "replies" | "unanswered" | "spam" | "volume" | "quality" | "block_announced";
        /** A sentence for the owner of the channel, in English */
        reason: string;
        /** When the service learned of it */
        since: string;
        /** When it ends; null if the messenger does not say */
        until: string | null;
      }[];
      /** The code to scan, as a data URI */
      qr: string | null;
      /** Seconds until the code is replaced */
      qr_seconds: number | null;
      /** The password hint that the account's owner has set */
      password_hint: string | null;
      /** The import of earlier messages; null if none was requested, or the channel is not active */
      history: {
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
      } | null;
      /** What the person needs for the step with the passkey */
      passkey: {
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
      } | null;
      /** Why the linking with a passkey before failed */
      passkey_problem: "expired" | "refused" | "silent" | "interrupted" | null;
      /** When the first message of a client arrived since the page was opened; null: none has */
      received_at: string | null;
      /** When the first answer in that chat was sent; null: none was */
      answered_at: string | null;
      /** The service cannot check at the moment whether the messenger account is connected elsewhere; the channel goes on by itself */
      waits: boolean;
      /** Differs whenever another field differs; see `known` */
      version: string;
    };
  };
  /** A channel that is being connected. `GET /app/api/channels/{id}` */
  watchChannel: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      query?: {
        /** Version of the view that the page shows */
        known?: string;
      };
    };
    output: {
      /** Id of the channel */
      channel_id: string;
      /** Messenger of the channel */
      transport: string;
      /** Whether the channel works */
      status: "active" | "init" | "disabled";
      /** The reason for the status; null if there is none */
      reason: null | "wait_for_password" | "wait_for_code" | "wait_for_passkey" | "qr" | "sync" | "proxy" | "blocked" | "not_enough_money" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openelsewhere";
      /** Name of the channel */
      name: string;
      /** Phone number of the channel; "" if it has none */
      phone: string;
      /** Username of the channel; "" if it has none */
      username: string;
      /** The invitation that the person follows in the messenger; null if the transport has none */
      url: string | null;
      /** Whether the phone has been offline for so long that the messenger will soon unlink the channel */
      phone_unavailable: boolean;
      /** What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left */
      restrictions: {
        /** new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it */
        kind: "new_chats" | "replies" | "unanswered" | "spam" | "volume" | "quality" | "block_announced";
        /** A sentence for the owner of the channel, in English */
        reason: string;
        /** When the service learned of it */
        since: string;
        /** When it ends; null if the messenger does not say */
        until: string | null;
      }[];
      /** The code to scan, as a data URI */
      qr: string | null;
      /** Seconds until the code is replaced */
      qr_seconds: number | null;
      /** The password hint that the account's owner has set */
      password_hint: string | null;
      /** The import of earlier messages; null if none was requested, or the channel is not active */
      history: {
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
      } | null;
      /** What the person needs for the step with the passkey */
      passkey: {
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
      } | null;
      /** Why the linking with a passkey before failed */
      passkey_problem: "expired" | "refused" | "silent" | "interrupted" | null;
      /** When the first message of a client arrived since the page was opened; null: none has */
      received_at: string | null;
      /** When the first answer in that chat was sent; null: none was */
      answered_at: string | null;
      /** The service cannot check at the moment whether the messenger account is connected elsewhere; the channel goes on by itself */
      waits: boolean;
      /** Differs whenever another field differs; see `known` */
      version: string;
    };
  };
  /** Give a channel a name. `POST /app/api/channels/{id}/name` */
  renameChannel: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: {
        /** Stays, whatever the messenger account is called */
        name: string;
      };
    };
    output: {
      /** Id of the channel */
      channel_id: string;
      /** Messenger of the channel */
      transport: string;
      /** Whether the channel works */
      status: "active" | "init" | "disabled";
      /** The reason for the status; null if there is none */
      reason: null | "wait_for_password" | "wait_for_code" | "wait_for_passkey" | "qr" | "sync" | "proxy" | "blocked" | "not_enough_money" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openelsewhere";
      /** Name of the channel */
      name: string;
      /** Phone number of the channel; "" if it has none */
      phone: string;
      /** Username of the channel; "" if it has none */
      username: string;
      /** The invitation that the person follows in the messenger; null if the transport has none */
      url: string | null;
      /** Whether the phone has been offline for so long that the messenger will soon unlink the channel */
      phone_unavailable: boolean;
      /** What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left */
      restrictions: {
        /** new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it */
        kind: "new_chats" | "replies" | "unanswered" | "spam" | "volume" | "quality" | "block_announced";
        /** A sentence for the owner of the channel, in English */
        reason: string;
        /** When the service learned of it */
        since: string;
        /** When it ends; null if the messenger does not say */
        until: string | null;
      }[];
      /** The code to scan, as a data URI */
      qr: string | null;
      /** Seconds until the code is replaced */
      qr_seconds: number | null;
      /** The password hint that the account's owner has set */
      password_hint: string | null;
      /** The import of earlier messages; null if none was requested, or the channel is not active */
      history: {
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
      } | null;
      /** What the person needs for the step with the passkey */
      passkey: {
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
      } | null;
      /** Why the linking with a passkey before failed */
      passkey_problem: "expired" | "refused" | "silent" | "interrupted" | null;
      /** When the first message of a client arrived since the page was opened; null: none has */
      received_at: string | null;
      /** When the first answer in that chat was sent; null: none was */
      answered_at: string | null;
      /** The service cannot check at the moment whether the messenger account is connected elsewhere; the channel goes on by itself */
      waits: boolean;
      /** Differs whenever another field differs; see `known` */
      version: string;
    };
  };
  /** Connect with a code entered on the phone instead of a QR code. `POST /app/api/channels/{id}/pairing-code` */
  pairChannel: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: {
        /** Phone number of the channel; "" if it has none */
        phone: string;
      };
    };
    output: {
      /** The code from the redirect */
      code: string;
      /** Phone number of the channel; "" if it has none */
      phone: string;
    };
  };
  /** Submit the answer of the account's passkey. `POST /app/api/channels/{id}/passkey` */
  submitPasskey: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: {
        /** The result of the ceremony: `PublicKeyCredential.toJSON()` */
        answer: {
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
      };
    };
    output: {
      /** Id of the channel */
      channel_id: string;
      /** Messenger of the channel */
      transport: string;
      /** Whether the channel works */
      status: "active" | "init" | "disabled";
      /** The reason for the status; null if there is none */
      reason: null | "wait_for_password" | "wait_for_code" | "wait_for_passkey" | "qr" | "sync" | "proxy" | "blocked" | "not_enough_money" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openelsewhere";
      /** Name of the channel */
      name: string;
      /** Phone number of the channel; "" if it has none */
      phone: string;
      /** Username of the channel; "" if it has none */
      username: string;
      /** The invitation that the person follows in the messenger; null if the transport has none */
      url: string | null;
      /** Whether the phone has been offline for so long that the messenger will soon unlink the channel */
      phone_unavailable: boolean;
      /** What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left */
      restrictions: {
        /** new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it */
        kind: "new_chats" | "replies" | "unanswered" | "spam" | "volume" | "quality" | "block_announced";
        /** A sentence for the owner of the channel, in English */
        reason: string;
        /** When the service learned of it */
        since: string;
        /** When it ends; null if the messenger does not say */
        until: string | null;
      }[];
      /** The code to scan, as a data URI */
      qr: string | null;
      /** Seconds until the code is replaced */
      qr_seconds: number | null;
      /** The password hint that the account's owner has set */
      password_hint: string | null;
      /** The import of earlier messages; null if none was requested, or the channel is not active */
      history: {
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
      } | null;
      /** What the person needs for the step with the passkey */
      passkey: {
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
      } | null;
      /** Why the linking with a passkey before failed */
      passkey_problem: "expired" | "refused" | "silent" | "interrupted" | null;
      /** When the first message of a client arrived since the page was opened; null: none has */
      received_at: string | null;
      /** When the first answer in that chat was sent; null: none was */
      answered_at: string | null;
      /** The service cannot check at the moment whether the messenger account is connected elsewhere; the channel goes on by itself */
      waits: boolean;
      /** Differs whenever another field differs; see `known` */
      version: string;
    };
  };
  /** Request a code from the messenger by phone number instead of a QR code. `POST /app/api/channels/{id}/phone` */
  sendCodeToPhone: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: {
        /** Phone number of the channel; "" if it has none */
        phone: string;
      };
    };
    output: {
      /** Id of the channel */
      channel_id: string;
      /** Messenger of the channel */
      transport: string;
      /** Whether the channel works */
      status: "active" | "init" | "disabled";
      /** The reason for the status; null if there is none */
      reason: null | "wait_for_password" | "wait_for_code" | "wait_for_passkey" | "qr" | "sync" | "proxy" | "blocked" | "not_enough_money" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openelsewhere";
      /** Name of the channel */
      name: string;
      /** Phone number of the channel; "" if it has none */
      phone: string;
      /** Username of the channel; "" if it has none */
      username: string;
      /** The invitation that the person follows in the messenger; null if the transport has none */
      url: string | null;
      /** Whether the phone has been offline for so long that the messenger will soon unlink the channel */
      phone_unavailable: boolean;
      /** What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left */
      restrictions: {
        /** new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it */
        kind: "new_chats" | "replies" | "unanswered" | "spam" | "volume" | "quality" | "block_announced";
        /** A sentence for the owner of the channel, in English */
        reason: string;
        /** When the service learned of it */
        since: string;
        /** When it ends; null if the messenger does not say */
        until: string | null;
      }[];
      /** The code to scan, as a data URI */
      qr: string | null;
      /** Seconds until the code is replaced */
      qr_seconds: number | null;
      /** The password hint that the account's owner has set */
      password_hint: string | null;
      /** The import of earlier messages; null if none was requested, or the channel is not active */
      history: {
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
      } | null;
      /** What the person needs for the step with the passkey */
      passkey: {
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
      } | null;
      /** Why the linking with a passkey before failed */
      passkey_problem: "expired" | "refused" | "silent" | "interrupted" | null;
      /** When the first message of a client arrived since the page was opened; null: none has */
      received_at: string | null;
      /** When the first answer in that chat was sent; null: none was */
      answered_at: string | null;
      /** The service cannot check at the moment whether the messenger account is connected elsewhere; the channel goes on by itself */
      waits: boolean;
      /** Differs whenever another field differs; see `known` */
      version: string;
    };
  };
  /** Start to reconnect a channel. `POST /app/api/channels/{id}/restart` */
  reconnectChannel: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: {
        /** The credentials that the messenger requires; empty if a person connects the channel by QR code or link */
        credentials: Record<string, unknown> | unknown[];
        history?: {
          /** Import the messages of this many days before the channel is linked; 0: none */
          days: number;
        };
      };
    };
    output: {
      /** Id of the channel */
      channel_id: string;
      /** Messenger of the channel */
      transport: string;
      /** Whether the channel works */
      status: "active" | "init" | "disabled";
      /** The reason for the status; null if there is none */
      reason: null | "wait_for_password" | "wait_for_code" | "wait_for_passkey" | "qr" | "sync" | "proxy" | "blocked" | "not_enough_money" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openelsewhere";
      /** Name of the channel */
      name: string;
      /** Phone number of the channel; "" if it has none */
      phone: string;
      /** Username of the channel; "" if it has none */
      username: string;
      /** The invitation that the person follows in the messenger; null if the transport has none */
      url: string | null;
      /** Whether the phone has been offline for so long that the messenger will soon unlink the channel */
      phone_unavailable: boolean;
      /** What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left */
      restrictions: {
        /** new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it */
        kind: "new_chats" | "replies" | "unanswered" | "spam" | "volume" | "quality" | "block_announced";
        /** A sentence for the owner of the channel, in English */
        reason: string;
        /** When the service learned of it */
        since: string;
        /** When it ends; null if the messenger does not say */
        until: string | null;
      }[];
      /** The code to scan, as a data URI */
      qr: string | null;
      /** Seconds until the code is replaced */
      qr_seconds: number | null;
      /** The password hint that the account's owner has set */
      password_hint: string | null;
      /** The import of earlier messages; null if none was requested, or the channel is not active */
      history: {
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
      } | null;
      /** What the person needs for the step with the passkey */
      passkey: {
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
      } | null;
      /** Why the linking with a passkey before failed */
      passkey_problem: "expired" | "refused" | "silent" | "interrupted" | null;
      /** When the first message of a client arrived since the page was opened; null: none has */
      received_at: string | null;
      /** When the first answer in that chat was sent; null: none was */
      answered_at: string | null;
      /** The service cannot check at the moment whether the messenger account is connected elsewhere; the channel goes on by itself */
      waits: boolean;
      /** Differs whenever another field differs; see `known` */
      version: string;
    };
  };
  /** Submit the code or password that a channel waits for. `POST /app/api/channels/{id}/secret` */
  submitSecret: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: {
        /** Key for verifying signatures (Standard Webhooks) */
        secret: string;
      };
    };
    output: {
      /** Id of the channel */
      channel_id: string;
      /** Messenger of the channel */
      transport: string;
      /** Whether the channel works */
      status: "active" | "init" | "disabled";
      /** The reason for the status; null if there is none */
      reason: null | "wait_for_password" | "wait_for_code" | "wait_for_passkey" | "qr" | "sync" | "proxy" | "blocked" | "not_enough_money" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openelsewhere";
      /** Name of the channel */
      name: string;
      /** Phone number of the channel; "" if it has none */
      phone: string;
      /** Username of the channel; "" if it has none */
      username: string;
      /** The invitation that the person follows in the messenger; null if the transport has none */
      url: string | null;
      /** Whether the phone has been offline for so long that the messenger will soon unlink the channel */
      phone_unavailable: boolean;
      /** What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left */
      restrictions: {
        /** new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it */
        kind: "new_chats" | "replies" | "unanswered" | "spam" | "volume" | "quality" | "block_announced";
        /** A sentence for the owner of the channel, in English */
        reason: string;
        /** When the service learned of it */
        since: string;
        /** When it ends; null if the messenger does not say */
        until: string | null;
      }[];
      /** The code to scan, as a data URI */
      qr: string | null;
      /** Seconds until the code is replaced */
      qr_seconds: number | null;
      /** The password hint that the account's owner has set */
      password_hint: string | null;
      /** The import of earlier messages; null if none was requested, or the channel is not active */
      history: {
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
      } | null;
      /** What the person needs for the step with the passkey */
      passkey: {
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
      } | null;
      /** Why the linking with a passkey before failed */
      passkey_problem: "expired" | "refused" | "silent" | "interrupted" | null;
      /** When the first message of a client arrived since the page was opened; null: none has */
      received_at: string | null;
      /** When the first answer in that chat was sent; null: none was */
      answered_at: string | null;
      /** The service cannot check at the moment whether the messenger account is connected elsewhere; the channel goes on by itself */
      waits: boolean;
      /** Differs whenever another field differs; see `known` */
      version: string;
    };
  };
  /** Create a link for the person with the phone; valid once, within ten minutes. `POST /app/api/channels/{id}/share` */
  shareChannelLink: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
    };
    output: {
      link: string;
    };
  };
  /** Channels in which a chat can be started. `GET /app/api/chat-channels` */
  listChatChannels: {
    input: Record<never, never>;
    output: {
      /** Id of the channel */
      channel_id: string;
      /** Messenger of the channel */
      transport: string;
      name: string;
      /** International, digits only */
      phone: string;
      /** Username without the @ */
      username: string;
      status: "active" | "init" | "disabled";
      reason: null | "wait_for_password" | "wait_for_code" | "wait_for_passkey" | "qr" | "sync" | "proxy" | "blocked" | "not_enough_money" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openelsewhere";
      /** What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left */
      restrictions: {
        /** new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it */
        kind: "new_chats" | "replies" | "unanswered" | "spam" | "volume" | "quality" | "block_announced";
        /** A sentence for the owner of the channel, in English */
        reason: string;
        /** When the service learned of it */
        since: string;
        /** When it ends; null if the messenger does not say */
        until: string | null;
      }[];
      can_send: boolean;
      new_chat: {
        /** Kind of chat */
        chat_type: string;
        address_by: ("phone" | "username")[];
      } | null;
    }[];
  };
  /** Open a session of the chat page. `POST /app/api/chat-sessions` */
  openChatSession: {
    input: {
      body: {
        /** From the page's address */
        ticket: string;
      };
    };
    output: {
      /** Send it as a bearer token, and keep it in memory only */
      token: string;
      /** Seconds */
      expires_in: number;
      user: {
        id: string;
        name: string | null;
      };
      /** transport, crm or both */
      scope: "global" | "card";
      active_chat: {
        /** Our id of the chat; null: it does not exist yet */
        chat_id: string | null;
        /** Id of the channel */
        channel_id: string | null;
        /** Kind of chat */
        chat_type: string;
        messenger_chat_id: string | null;
        /** Username without the @ */
        username: string | null;
        /** International, digits only */
        phone: string | null;
        name: string | null;
      } | null;
      /** The page may show contacts and deals */
      crm: boolean;
      events: {
        /** The deals */
        deals: boolean;
        messages: boolean;
      };
      client_type: string | null;
      /** `Last-Event-ID` of a stream that reports every change since the session was opened */
      position: string;
    };
  };
  /** List chats, most recent message first. `GET /app/api/chats` */
  listChats: {
    input: {
      query?: {
        /** 1 to 100 */
        limit?: number;
        before?: string;
        /** Part of a name, phone number or username */
        search?: string;
        /** Only chats with unanswered messages */
        unanswered?: "true";
        /** Only chats of this messenger */
        transport?: string;
        /** Only chats of this channel */
        channel_id?: string;
        /** Only chats assigned to the employee, or to nobody */
        assigned?: "mine" | "nobody";
        /** Only chats of the last seven days whose last message could not be sent */
        failed?: "true";
        /** Only snoozed chats */
        snoozed?: "true";
      };
    };
    output: {
      chats: {
        /** Our id of the chat */
        id: string;
        /** Id of the channel */
        channel_id: string;
        /** Messenger of the channel */
        transport: string;
        /** Kind of chat */
        chat_type: string;
        messenger_chat_id: string;
        is_group: boolean;
        /** The best name known; never empty */
        name: string;
        /** Username without the @ */
        username: string | null;
        /** International, digits only */
        phone: string | null;
        avatar_url: string | null;
        /** Orders the list, the latest first */
        last_at: string;
        last_message: {
          id: string;
          /** UTC, as in ISO 8601 */
          at: string;
          direction: "in" | "out" | "echo";
          type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
          status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
          /** Its first 200 characters */
          text: string | null;
          author_name: string | null;
          is_deleted: boolean;
        } | null;
        /** The client's unanswered messages of the last seven days */
        unanswered: number;
        /** Those of them that this employee has not seen, and proposed messages likewise */
        unread: number;
        /** The last message is outgoing and could not be sent */
        failed: boolean;
        /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since */
        marked_unread: boolean;
        /** Since when the employee has it at the top; null: not pinned */
        pinned_at: string | null;
        /** Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody */
        assignee: {
          id: string;
          name: string | null;
        } | null;
        /** Until when it is snoozed for everybody */
        snoozed_until: string | null;
        /** Until when a message that a program proposes waits for approval; null: none waits */
        proposed_until: string | null;
      }[];
      /** On the first page without search and filter: the chats that the employee has pinned, also if `chats` has them */
      pinned: {
        /** Our id of the chat */
        id: string;
        /** Id of the channel */
        channel_id: string;
        /** Messenger of the channel */
        transport: string;
        /** Kind of chat */
        chat_type: string;
        messenger_chat_id: string;
        is_group: boolean;
        /** The best name known; never empty */
        name: string;
        /** Username without the @ */
        username: string | null;
        /** International, digits only */
        phone: string | null;
        avatar_url: string | null;
        /** Orders the list, the latest first */
        last_at: string;
        last_message: {
          id: string;
          /** UTC, as in ISO 8601 */
          at: string;
          direction: "in" | "out" | "echo";
          type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
          status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
          /** Its first 200 characters */
          text: string | null;
          author_name: string | null;
          is_deleted: boolean;
        } | null;
        /** The client's unanswered messages of the last seven days */
        unanswered: number;
        /** Those of them that this employee has not seen, and proposed messages likewise */
        unread: number;
        /** The last message is outgoing and could not be sent */
        failed: boolean;
        /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since */
        marked_unread: boolean;
        /** Since when the employee has it at the top; null: not pinned */
        pinned_at: string | null;
        /** Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody */
        assignee: {
          id: string;
          name: string | null;
        } | null;
        /** Until when it is snoozed for everybody */
        snoozed_until: string | null;
        /** Until when a message that a program proposes waits for approval; null: none waits */
        proposed_until: string | null;
      }[];
      /** Of the next page; with a filter, a page may be short, or empty, although there are more */
      next: string | null;
    };
  };
  /** A chat. `GET /app/api/chats/{id}` */
  getChat: {
    input: {
      path: {
        id: string;
      };
    };
    output: {
      /** Our id of the chat */
      id: string;
      /** Id of the channel */
      channel_id: string;
      /** Messenger of the channel */
      transport: string;
      /** Kind of chat */
      chat_type: string;
      messenger_chat_id: string;
      is_group: boolean;
      /** The best name known; never empty */
      name: string;
      /** Username without the @ */
      username: string | null;
      /** International, digits only */
      phone: string | null;
      avatar_url: string | null;
      /** Orders the list, the latest first */
      last_at: string;
      last_message: {
        id: string;
        /** UTC, as in ISO 8601 */
        at: string;
        direction: "in" | "out" | "echo";
        type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
        status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
        /** Its first 200 characters */
        text: string | null;
        author_name: string | null;
        is_deleted: boolean;
      } | null;
      /** The client's unanswered messages of the last seven days */
      unanswered: number;
      /** Those of them that this employee has not seen, and proposed messages likewise */
      unread: number;
      /** The last message is outgoing and could not be sent */
      failed: boolean;
      /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since */
      marked_unread: boolean;
      /** Since when the employee has it at the top; null: not pinned */
      pinned_at: string | null;
      /** Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody */
      assignee: {
        id: string;
        name: string | null;
      } | null;
      /** Until when it is snoozed for everybody */
      snoozed_until: string | null;
      /** Until when a message that a program proposes waits for approval; null: none waits */
      proposed_until: string | null;
    };
  };
  /** What can be done in a chat, by its messenger and the state of its channel. `GET /app/api/chats/{id}/abilities` */
  getAbilities: {
    input: {
      path: {
        id: string;
      };
    };
    output: {
      can_send: boolean;
      why_not: "channel_deleted" | "channel_inactive" | "not_enough_money" | "blocked" | "rejected" | null;
      channel: {
        status: string;
        reason: string | null;
      } | null;
      text: {
        max_length: number;
        max_length_with_buttons: number;
      };
      media: {
        image?: {
          max_bytes: number;
          max_caption_length: number | null;
        };
        audio?: {
          max_bytes: number;
          max_caption_length: number | null;
        };
        video?: {
          max_bytes: number;
          max_caption_length: number | null;
        };
        document?: {
          max_bytes: number;
          max_caption_length: number | null;
        };
      };
      recordings: "voice_notes" | "wav_files" | null;
      quote: boolean;
      edit: {
        parts: ("text" | "attachment")[];
      } | null;
      delete: boolean;
      /** What can be shown to the people of the chat */
      marks: ("read" | "typing")[];
      keyboard: "interactive" | "markup" | "rows" | null;
      max_payload_length: number | null;
      templates: boolean;
      window: {
        ends_at: string | null;
        is_open: boolean;
        /** The code from the redirect */
        code: "24_HOURS_EXCEEDED" | "7_DAYS_EXCEEDED";
      } | null;
    };
  };
  /** Assign the chat to an employee or to nobody, if it is still assigned as the page shows it. `PUT /app/api/chats/{id}/assignee` */
  assignChat: {
    input: {
      path: {
        id: string;
      };
      body: {
        /** The assignee that the page shows; null: nobody */
        before: string | null;
        /** Id of an employee; null: nobody */
        assignee: string | null;
      };
    };
    output: {
      /** false: somebody else was first, and nothing changed */
      assigned: boolean;
      chat: {
        /** Our id of the chat */
        id: string;
        /** Id of the channel */
        channel_id: string;
        /** Messenger of the channel */
        transport: string;
        /** Kind of chat */
        chat_type: string;
        messenger_chat_id: string;
        is_group: boolean;
        /** The best name known; never empty */
        name: string;
        /** Username without the @ */
        username: string | null;
        /** International, digits only */
        phone: string | null;
        avatar_url: string | null;
        /** Orders the list, the latest first */
        last_at: string;
        last_message: {
          id: string;
          /** UTC, as in ISO 8601 */
          at: string;
          direction: "in" | "out" | "echo";
          type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
          status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
          /** Its first 200 characters */
          text: string | null;
          author_name: string | null;
          is_deleted: boolean;
        } | null;
        /** The client's unanswered messages of the last seven days */
        unanswered: number;
        /** Those of them that this employee has not seen, and proposed messages likewise */
        unread: number;
        /** The last message is outgoing and could not be sent */
        failed: boolean;
        /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since */
        marked_unread: boolean;
        /** Since when the employee has it at the top; null: not pinned */
        pinned_at: string | null;
        /** Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody */
        assignee: {
          id: string;
          name: string | null;
        } | null;
        /** Until when it is snoozed for everybody */
        snoozed_until: string | null;
        /** Until when a message that a program proposes waits for approval; null: none waits */
        proposed_until: string | null;
      };
    };
  };
  /** What employees noted on the person of the chat. `GET /app/api/chats/{id}/card` */
  getCard: {
    input: {
      path: {
        id: string;
      };
    };
    output: {
      /** What the person is called on the pages and in webhooks; empty: as in the messenger */
      name: string;
      /** Digits, with the country code; empty: not known */
      phone: string;
      email: string;
      comment: string;
      changed_at: string | null;
      /** The employee who changed it last */
      changed_by: {
        id: string;
        name: string | null;
      } | null;
    };
  };
  /** Note a name, a phone number, an e-mail address or a comment on the person of the chat. `PATCH /app/api/chats/{id}/card` */
  changeCard: {
    input: {
      path: {
        id: string;
      };
      body: {
        name?: string;
        /** International, digits only */
        phone?: string;
        email?: string;
        comment?: string;
      };
    };
    output: {
      /** What the person is called on the pages and in webhooks; empty: as in the messenger */
      name: string;
      /** Digits, with the country code; empty: not known */
      phone: string;
      email: string;
      comment: string;
      changed_at: string | null;
      /** The employee who changed it last */
      changed_by: {
        id: string;
        name: string | null;
      } | null;
    };
  };
  /** The contact and deals that the CRM has uploaded for the chat. `GET /app/api/chats/{id}/client` */
  getClient: {
    input: {
      path: {
        id: string;
      };
    };
    output: {
      contact: {
        id: string;
        name: string;
        /** Address of the entity in the CRM */
        uri: string | null;
        responsible: {
          id: string;
          name: string | null;
        } | null;
      } | null;
      /** The deals */
      deals: {
        /** Id in the CRM */
        id: string;
        /** Name of the deal */
        name: string;
        /** Address of the entity in the CRM */
        uri: string | null;
        responsible: {
          /** Id in the CRM */
          id: string;
          /** Name of the deal */
          name: string | null;
        } | null;
        /** true: the deal is closed; default false */
        closed: boolean;
      }[];
      can_create_deal: boolean;
      is_asked: boolean;
    };
  };
  /** Request a deal with the chat's client from the CRM; if there is no contact, that is requested first. `POST /app/api/chats/{id}/deals` */
  createDeal: {
    input: {
      path: {
        /** Id in the CRM */
        id: string;
      };
      body: Record<string, unknown>;
    };
    output: {
      /** A request is pending, new or not */
      asked: boolean;
    };
  };
  /** Messages of a chat with pictures, videos, other files or links, newest first. `GET /app/api/chats/{id}/gallery` */
  listGallery: {
    input: {
      path: {
        id: string;
      };
      query: {
        kind: "pictures" | "videos" | "files" | "links";
        /** 1 to 100 */
        limit?: number;
        before?: string;
      };
    };
    output: {
      messages: {
        id: string;
        /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
        chat_id: string;
        /** Id of the channel */
        channel_id: string;
        /** The id that the writing page gave it */
        client_id: string | null;
        /** Sort key of a thread, compared as text; messages with equal keys are sorted by id */
        order: string;
        /** UTC, as in ISO 8601 */
        at: string;
        direction: "in" | "out" | "echo";
        type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
        status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
        error: {
          /** The code from the redirect */
          code: string;
          description: string;
        } | null;
        text: string | null;
        /** The kind of an unsupported message, such as poll */
        unsupported: string | null;
        file: {
          url: string;
          name: string | null;
          mime_type: string | null;
          size: number | null;
          kind: "image" | "audio" | "video" | "document";
          /** It is on another host */
          is_external: boolean;
          /** Deprecated: use status and reason */
          state: "waiting" | "stored" | "failed";
        } | null;
        author: {
          id: string | null;
          name: string | null;
        } | null;
        from_app: boolean;
        sender: {
          id: string;
          name: string;
        } | null;
        buttons: {
          type: string;
          text?: string;
          payload?: string;
          url?: string;
        }[];
        quoted: {
          id: string | null;
          type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
          text: string | null;
          author_name: string | null;
          direction: "in" | "out" | "echo" | null;
          file_url: string | null;
          /** The kind of an unsupported message, such as `story`, if known */
          unsupported: string | null;
          /** Where a browser shows it, maybe for a time only */
          link: string | null;
        } | null;
        /** The post that the message is a comment on */
        post?: {
          /** Id of the post */
          id: string;
          /** Address of the post */
          src: string;
          /** The author of the post */
          author: string;
          /** Its text */
          description: string;
        };
        /** avito only: the listing that the chat is about */
        advert?: {
          /** Id of the listing */
          id: string;
          /** Its title */
          title?: string;
          /** Its address */
          url?: string;
          /** Its price, as the messenger shows it */
          price?: string;
        };
        /** Where the message came from */
        referral?: {
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
        /** A notice of the messenger itself, not the customer's words */
        is_system?: true;
        /** Written before the channel was linked */
        is_history?: true;
        template: {
          id: string;
          values: string[];
          header: string | null;
          /** The request body */
          body: string | null;
          footer: string | null;
          buttons: string[];
        } | null;
        /** One for each person, at most 50 */
        reactions: {
          emoji: string;
          /** Of the person; empty for the channel's own */
          name: string;
          is_ours: boolean;
        }[];
        edited_at: string | null;
        deleted_at: string | null;
        old: {
          text: string | null;
          author_id: string | null;
          author_name: string | null;
          /** The file that an edit replaced */
          file_url: string | null;
        } | null;
        /** null: it cannot be edited, or no longer */
        can_edit_until: string | null;
        can_edit_file: boolean;
        can_delete: boolean;
        can_resend: boolean;
        can_react: boolean;
      }[];
      /** Cursor of the next page, also after one without messages; null: there is none */
      next: string | null;
    };
  };
  /** Show the people of the chat that their messages were read, or that the employee is typing. `POST /app/api/chats/{id}/mark` */
  showMark: {
    input: {
      path: {
        id: string;
      };
      body: {
        mark: "read" | "typing";
      };
    };
    output: {
      /** false: the channel cannot show it now, or there were too many */
      shown: boolean;
    };
  };
  /** Messages of a chat, oldest first: the end of the chat, or those before, after or around a position. `GET /app/api/chats/{id}/messages` */
  listMessages: {
    input: {
      path: {
        id: string;
      };
      query?: {
        /** 1 to 100 */
        limit?: number;
        before?: string;
        after?: string;
        /** Id of a message or an internal note */
        around?: string;
      };
    };
    output: {
      messages: {
        id: string;
        /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
        chat_id: string;
        /** Id of the channel */
        channel_id: string;
        /** The id that the writing page gave it */
        client_id: string | null;
        /** Sort key of a thread, compared as text; messages with equal keys are sorted by id */
        order: string;
        /** UTC, as in ISO 8601 */
        at: string;
        direction: "in" | "out" | "echo";
        type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
        status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
        error: {
          /** The code from the redirect */
          code: string;
          description: string;
        } | null;
        text: string | null;
        /** The kind of an unsupported message, such as poll */
        unsupported: string | null;
        file: {
          url: string;
          name: string | null;
          mime_type: string | null;
          size: number | null;
          kind: "image" | "audio" | "video" | "document";
          /** It is on another host */
          is_external: boolean;
          /** Deprecated: use status and reason */
          state: "waiting" | "stored" | "failed";
        } | null;
        author: {
          id: string | null;
          name: string | null;
        } | null;
        from_app: boolean;
        sender: {
          id: string;
          name: string;
        } | null;
        buttons: {
          type: string;
          text?: string;
          payload?: string;
          url?: string;
        }[];
        quoted: {
          id: string | null;
          type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
          text: string | null;
          author_name: string | null;
          direction: "in" | "out" | "echo" | null;
          file_url: string | null;
          /** The kind of an unsupported message, such as `story`, if known */
          unsupported: string | null;
          /** Where a browser shows it, maybe for a time only */
          link: string | null;
        } | null;
        /** The post that the message is a comment on */
        post?: {
          /** Id of the post */
          id: string;
          /** Address of the post */
          src: string;
          /** The author of the post */
          author: string;
          /** Its text */
          description: string;
        };
        /** avito only: the listing that the chat is about */
        advert?: {
          /** Id of the listing */
          id: string;
          /** Its title */
          title?: string;
          /** Its address */
          url?: string;
          /** Its price, as the messenger shows it */
          price?: string;
        };
        /** Where the message came from */
        referral?: {
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
        /** A notice of the messenger itself, not the customer's words */
        is_system?: true;
        /** Written before the channel was linked */
        is_history?: true;
        template: {
          id: string;
          values: string[];
          header: string | null;
          /** The request body */
          body: string | null;
          footer: string | null;
          buttons: string[];
        } | null;
        /** One for each person, at most 50 */
        reactions: {
          emoji: string;
          /** Of the person; empty for the channel's own */
          name: string;
          is_ours: boolean;
        }[];
        edited_at: string | null;
        deleted_at: string | null;
        old: {
          text: string | null;
          author_id: string | null;
          author_name: string | null;
          /** The file that an edit replaced */
          file_url: string | null;
        } | null;
        /** null: it cannot be edited, or no longer */
        can_edit_until: string | null;
        can_edit_file: boolean;
        can_delete: boolean;
        can_resend: boolean;
        can_react: boolean;
      }[];
      /** Internal notes and changes of this part; `order` places them between the messages */
      entries: {
        id: string;
        /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
        chat_id: string;
        kind: "note" | "assigned" | "snoozed" | "proposed";
        /** Sort key of a thread, as that of messages */
        order: string;
        /** UTC, as in ISO 8601 */
        at: string;
        author: {
          id: string;
          name: string | null;
        };
        /** Of a note, empty once it is deleted; or of a proposed message */
        text: string;
        /** Of an assignment: who it was before; null: nobody */
        from: {
          id: string;
          name: string | null;
        } | null;
        /** Of an assignment: who it is now; null: nobody */
        to: {
          id: string;
          name: string | null;
        } | null;
        /** Of a snooze: until when; null: it was ended */
        until: string | null;
        /** Of a message that a program proposes */
        proposal: {
          /** sent: the message has a status of its own */
          state: "waiting" | "approved" | "sent" | "failed" | "declined" | "expired";
          /** An access or refresh token */
          token: {
            id: string;
            /** Last characters of the token */
            hint: string;
          };
          /** UTC, as in ISO 8601 */
          expires_at: string;
          /** A template, which cannot be changed */
          is_template: boolean;
          quoted_id: string | null;
          decided_by: {
            id: string;
            name: string | null;
          } | null;
          decided_at: string | null;
          /** What was proposed, if the employee has changed it */
          proposed_text: string | null;
          /** The message that became of it */
          message_id: string | null;
          /** Why it could not be sent */
          error: string | null;
        } | null;
        edited_at: string | null;
        deleted_at: string | null;
      }[];
      /** Cursor of the previous page; null: there is none */
      before: string | null;
      after: string | null;
    };
  };
  /** Write an internal note, which only employees see. `POST /app/api/chats/{id}/notes` */
  addNote: {
    input: {
      path: {
        id: string;
      };
      body: {
        /** Chosen by the page; a request repeated with the same id is stored once */
        id: string;
        text: string;
      };
    };
    output: {
      id: string;
      /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
      chat_id: string;
      kind: "note" | "assigned" | "snoozed" | "proposed";
      /** Sort key of a thread, as that of messages */
      order: string;
      /** UTC, as in ISO 8601 */
      at: string;
      author: {
        id: string;
        name: string | null;
      };
      /** Of a note, empty once it is deleted; or of a proposed message */
      text: string;
      /** Of an assignment: who it was before; null: nobody */
      from: {
        id: string;
        name: string | null;
      } | null;
      /** Of an assignment: who it is now; null: nobody */
      to: {
        id: string;
        name: string | null;
      } | null;
      /** Of a snooze: until when; null: it was ended */
      until: string | null;
      /** Of a message that a program proposes */
      proposal: {
        /** sent: the message has a status of its own */
        state: "waiting" | "approved" | "sent" | "failed" | "declined" | "expired";
        /** An access or refresh token */
        token: {
          id: string;
          /** Last characters of the token */
          hint: string;
        };
        /** UTC, as in ISO 8601 */
        expires_at: string;
        /** A template, which cannot be changed */
        is_template: boolean;
        quoted_id: string | null;
        decided_by: {
          id: string;
          name: string | null;
        } | null;
        decided_at: string | null;
        /** What was proposed, if the employee has changed it */
        proposed_text: string | null;
        /** The message that became of it */
        message_id: string | null;
        /** Why it could not be sent */
        error: string | null;
      } | null;
      edited_at: string | null;
      deleted_at: string | null;
    };
  };
  /** Keep the chat at the top of the employee's list, or no longer; at most 50 chats. `PUT /app/api/chats/{id}/pin` */
  pinChat: {
    input: {
      path: {
        id: string;
      };
      body: {
        pinned: boolean;
      };
    };
    output: {
      /** Our id of the chat */
      id: string;
      /** Id of the channel */
      channel_id: string;
      /** Messenger of the channel */
      transport: string;
      /** Kind of chat */
      chat_type: string;
      messenger_chat_id: string;
      is_group: boolean;
      /** The best name known; never empty */
      name: string;
      /** Username without the @ */
      username: string | null;
      /** International, digits only */
      phone: string | null;
      avatar_url: string | null;
      /** Orders the list, the latest first */
      last_at: string;
      last_message: {
        id: string;
        /** UTC, as in ISO 8601 */
        at: string;
        direction: "in" | "out" | "echo";
        type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
        status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
        /** Its first 200 characters */
        text: string | null;
        author_name: string | null;
        is_deleted: boolean;
      } | null;
      /** The client's unanswered messages of the last seven days */
      unanswered: number;
      /** Those of them that this employee has not seen, and proposed messages likewise */
      unread: number;
      /** The last message is outgoing and could not be sent */
      failed: boolean;
      /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since */
      marked_unread: boolean;
      /** Since when the employee has it at the top; null: not pinned */
      pinned_at: string | null;
      /** Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody */
      assignee: {
        id: string;
        name: string | null;
      } | null;
      /** Until when it is snoozed for everybody */
      snoozed_until: string | null;
      /** Until when a message that a program proposes waits for approval; null: none waits */
      proposed_until: string | null;
    };
  };
  /** Tell colleagues that the employee looks at the chat, for 25 seconds, types in it, for 8, or has left it. `POST /app/api/chats/{id}/presence` */
  tellPresence: {
    input: {
      path: {
        id: string;
      };
      body: {
        /** Deprecated: use status and reason */
        state: "viewing" | "typing" | "left";
        /** The others who are in the chat shall tell it */
        asks: boolean;
      };
    };
    output: Record<string, unknown>;
  };
  /** Mark the chat as seen by the employee. `POST /app/api/chats/{id}/read` */
  markRead: {
    input: {
      path: {
        id: string;
      };
      body: Record<string, unknown>;
    };
    output: {
      /** Our id of the chat */
      id: string;
      /** Id of the channel */
      channel_id: string;
      /** Messenger of the channel */
      transport: string;
      /** Kind of chat */
      chat_type: string;
      messenger_chat_id: string;
      is_group: boolean;
      /** The best name known; never empty */
      name: string;
      /** Username without the @ */
      username: string | null;
      /** International, digits only */
      phone: string | null;
      avatar_url: string | null;
      /** Orders the list, the latest first */
      last_at: string;
      last_message: {
        id: string;
        /** UTC, as in ISO 8601 */
        at: string;
        direction: "in" | "out" | "echo";
        type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
        status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
        /** Its first 200 characters */
        text: string | null;
        author_name: string | null;
        is_deleted: boolean;
      } | null;
      /** The client's unanswered messages of the last seven days */
      unanswered: number;
      /** Those of them that this employee has not seen, and proposed messages likewise */
      unread: number;
      /** The last message is outgoing and could not be sent */
      failed: boolean;
      /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since */
      marked_unread: boolean;
      /** Since when the employee has it at the top; null: not pinned */
      pinned_at: string | null;
      /** Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody */
      assignee: {
        id: string;
        name: string | null;
      } | null;
      /** Until when it is snoozed for everybody */
      snoozed_until: string | null;
      /** Until when a message that a program proposes waits for approval; null: none waits */
      proposed_until: string | null;
    };
  };
  /** Messages of one chat with all of these words, newest first. `GET /app/api/chats/{id}/search` */
  searchChat: {
    input: {
      path: {
        id: string;
      };
      query: {
        /** Words; each matches as a prefix */
        q: string;
        /** 1 to 100 */
        limit?: number;
        before?: string;
      };
    };
    output: {
      found: {
        message: {
          id: string;
          /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
          chat_id: string;
          /** Id of the channel */
          channel_id: string;
          /** The id that the writing page gave it */
          client_id: string | null;
          /** Sort key of a thread, compared as text; messages with equal keys are sorted by id */
          order: string;
          /** UTC, as in ISO 8601 */
          at: string;
          direction: "in" | "out" | "echo";
          type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
          status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
          error: {
            /** The code from the redirect */
            code: string;
            description: string;
          } | null;
          text: string | null;
          /** The kind of an unsupported message, such as poll */
          unsupported: string | null;
          file: {
            url: string;
            name: string | null;
            mime_type: string | null;
            size: number | null;
            kind: "image" | "audio" | "video" | "document";
            /** It is on another host */
            is_external: boolean;
            /** Deprecated: use status and reason */
            state: "waiting" | "stored" | "failed";
          } | null;
          author: {
            id: string | null;
            name: string | null;
          } | null;
          from_app: boolean;
          sender: {
            id: string;
            name: string;
          } | null;
          buttons: {
            type: string;
            text?: string;
            payload?: string;
            url?: string;
          }[];
          quoted: {
            id: string | null;
            type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
            text: string | null;
            author_name: string | null;
            direction: "in" | "out" | "echo" | null;
            file_url: string | null;
            /** The kind of an unsupported message, such as `story`, if known */
            unsupported: string | null;
            /** Where a browser shows it, maybe for a time only */
            link: string | null;
          } | null;
          /** The post that the message is a comment on */
          post?: {
            /** Id of the post */
            id: string;
            /** Address of the post */
            src: string;
            /** The author of the post */
            author: string;
            /** Its text */
            description: string;
          };
          /** avito only: the listing that the chat is about */
          advert?: {
            /** Id of the listing */
            id: string;
            /** Its title */
            title?: string;
            /** Its address */
            url?: string;
            /** Its price, as the messenger shows it */
            price?: string;
          };
          /** Where the message came from */
          referral?: {
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
          /** A notice of the messenger itself, not the customer's words */
          is_system?: true;
          /** Written before the channel was linked */
          is_history?: true;
          template: {
            id: string;
            values: string[];
            header: string | null;
            /** The request body */
            body: string | null;
            footer: string | null;
            buttons: string[];
          } | null;
          /** One for each person, at most 50 */
          reactions: {
            emoji: string;
            /** Of the person; empty for the channel's own */
            name: string;
            is_ours: boolean;
          }[];
          edited_at: string | null;
          deleted_at: string | null;
          old: {
            text: string | null;
            author_id: string | null;
            author_name: string | null;
            /** The file that an edit replaced */
            file_url: string | null;
          } | null;
          /** null: it cannot be edited, or no longer */
          can_edit_until: string | null;
          can_edit_file: boolean;
          can_delete: boolean;
          can_resend: boolean;
          can_react: boolean;
        };
        chat: {
          /** Our id of the chat */
          id: string;
          /** Id of the channel */
          channel_id: string;
          /** Messenger of the channel */
          transport: string;
          /** Kind of chat */
          chat_type: string;
          messenger_chat_id: string;
          is_group: boolean;
          /** The best name known; never empty */
          name: string;
          /** Username without the @ */
          username: string | null;
          /** International, digits only */
          phone: string | null;
          avatar_url: string | null;
          /** Orders the list, the latest first */
          last_at: string;
          last_message: {
            id: string;
            /** UTC, as in ISO 8601 */
            at: string;
            direction: "in" | "out" | "echo";
            type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
            status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
            /** Its first 200 characters */
            text: string | null;
            author_name: string | null;
            is_deleted: boolean;
          } | null;
          /** The client's unanswered messages of the last seven days */
          unanswered: number;
          /** Those of them that this employee has not seen, and proposed messages likewise */
          unread: number;
          /** The last message is outgoing and could not be sent */
          failed: boolean;
          /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since */
          marked_unread: boolean;
          /** Since when the employee has it at the top; null: not pinned */
          pinned_at: string | null;
          /** Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody */
          assignee: {
            id: string;
            name: string | null;
          } | null;
          /** Until when it is snoozed for everybody */
          snoozed_until: string | null;
          /** Until when a message that a program proposes waits for approval; null: none waits */
          proposed_until: string | null;
        };
      }[];
      /** On the first page: internal notes with all of these words, newest first, at most 20 */
      notes: {
        note: {
          id: string;
          /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
          chat_id: string;
          kind: "note" | "assigned" | "snoozed" | "proposed";
          /** Sort key of a thread, as that of messages */
          order: string;
          /** UTC, as in ISO 8601 */
          at: string;
          author: {
            id: string;
            name: string | null;
          };
          /** Of a note, empty once it is deleted; or of a proposed message */
          text: string;
          /** Of an assignment: who it was before; null: nobody */
          from: {
            id: string;
            name: string | null;
          } | null;
          /** Of an assignment: who it is now; null: nobody */
          to: {
            id: string;
            name: string | null;
          } | null;
          /** Of a snooze: until when; null: it was ended */
          until: string | null;
          /** Of a message that a program proposes */
          proposal: {
            /** sent: the message has a status of its own */
            state: "waiting" | "approved" | "sent" | "failed" | "declined" | "expired";
            /** An access or refresh token */
            token: {
              id: string;
              /** Last characters of the token */
              hint: string;
            };
            /** UTC, as in ISO 8601 */
            expires_at: string;
            /** A template, which cannot be changed */
            is_template: boolean;
            quoted_id: string | null;
            decided_by: {
              id: string;
              name: string | null;
            } | null;
            decided_at: string | null;
            /** What was proposed, if the employee has changed it */
            proposed_text: string | null;
            /** The message that became of it */
            message_id: string | null;
            /** Why it could not be sent */
            error: string | null;
          } | null;
          edited_at: string | null;
          deleted_at: string | null;
        };
        chat: {
          /** Our id of the chat */
          id: string;
          /** Id of the channel */
          channel_id: string;
          /** Messenger of the channel */
          transport: string;
          /** Kind of chat */
          chat_type: string;
          messenger_chat_id: string;
          is_group: boolean;
          /** The best name known; never empty */
          name: string;
          /** Username without the @ */
          username: string | null;
          /** International, digits only */
          phone: string | null;
          avatar_url: string | null;
          /** Orders the list, the latest first */
          last_at: string;
          last_message: {
            id: string;
            /** UTC, as in ISO 8601 */
            at: string;
            direction: "in" | "out" | "echo";
            type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
            status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
            /** Its first 200 characters */
            text: string | null;
            author_name: string | null;
            is_deleted: boolean;
          } | null;
          /** The client's unanswered messages of the last seven days */
          unanswered: number;
          /** Those of them that this employee has not seen, and proposed messages likewise */
          unread: number;
          /** The last message is outgoing and could not be sent */
          failed: boolean;
          /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since */
          marked_unread: boolean;
          /** Since when the employee has it at the top; null: not pinned */
          pinned_at: string | null;
          /** Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody */
          assignee: {
            id: string;
            name: string | null;
          } | null;
          /** Until when it is snoozed for everybody */
          snoozed_until: string | null;
          /** Until when a message that a program proposes waits for approval; null: none waits */
          proposed_until: string | null;
        };
      }[];
      /** Cursor of the next page; null if there is none */
      next: string | null;
    };
  };
  /** Take the chat out of everybody's lists until a time, or until its customer writes; then it is unread. `PUT /app/api/chats/{id}/snooze` */
  snoozeChat: {
    input: {
      path: {
        id: string;
      };
      body: {
        /** At most a year ahead; null ends a snooze */
        until: string | null;
      };
    };
    output: {
      /** Our id of the chat */
      id: string;
      /** Id of the channel */
      channel_id: string;
      /** Messenger of the channel */
      transport: string;
      /** Kind of chat */
      chat_type: string;
      messenger_chat_id: string;
      is_group: boolean;
      /** The best name known; never empty */
      name: string;
      /** Username without the @ */
      username: string | null;
      /** International, digits only */
      phone: string | null;
      avatar_url: string | null;
      /** Orders the list, the latest first */
      last_at: string;
      last_message: {
        id: string;
        /** UTC, as in ISO 8601 */
        at: string;
        direction: "in" | "out" | "echo";
        type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
        status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
        /** Its first 200 characters */
        text: string | null;
        author_name: string | null;
        is_deleted: boolean;
      } | null;
      /** The client's unanswered messages of the last seven days */
      unanswered: number;
      /** Those of them that this employee has not seen, and proposed messages likewise */
      unread: number;
      /** The last message is outgoing and could not be sent */
      failed: boolean;
      /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since */
      marked_unread: boolean;
      /** Since when the employee has it at the top; null: not pinned */
      pinned_at: string | null;
      /** Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody */
      assignee: {
        id: string;
        name: string | null;
      } | null;
      /** Until when it is snoozed for everybody */
      snoozed_until: string | null;
      /** Until when a message that a program proposes waits for approval; null: none waits */
      proposed_until: string | null;
    };
  };
  /** Approved templates that can be sent in a chat. `GET /app/api/chats/{id}/templates` */
  listChatTemplates: {
    input: {
      path: {
        id: string;
      };
    };
    output: {
      id: string;
      /** Name at the platform */
      name: string;
      /** Language, such as en or pt_BR */
      language: string;
      /** MARKETING, UTILITY or AUTHENTICATION */
      category: string;
      header: {
        format: string;
        text: string | null;
      } | null;
      /** The request body */
      body: string;
      footer: string | null;
      buttons: {
        type: string;
        text: string;
        url?: string;
      }[];
      /** Number of values */
      variables: number;
    }[];
  };
  /** Mark the chat as answered or unanswered. `POST /app/api/chats/{id}/unanswered` */
  markUnanswered: {
    input: {
      path: {
        id: string;
      };
      body: {
        unanswered: boolean;
      };
    };
    output: {
      /** Our id of the chat */
      id: string;
      /** Id of the channel */
      channel_id: string;
      /** Messenger of the channel */
      transport: string;
      /** Kind of chat */
      chat_type: string;
      messenger_chat_id: string;
      is_group: boolean;
      /** The best name known; never empty */
      name: string;
      /** Username without the @ */
      username: string | null;
      /** International, digits only */
      phone: string | null;
      avatar_url: string | null;
      /** Orders the list, the latest first */
      last_at: string;
      last_message: {
        id: string;
        /** UTC, as in ISO 8601 */
        at: string;
        direction: "in" | "out" | "echo";
        /** red: of the employee's own clients; grey: of others; null: none */
        type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
        status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
        /** Its first 200 characters */
        text: string | null;
        author_name: string | null;
        is_deleted: boolean;
      } | null;
      /** The client's unanswered messages of the last seven days */
      unanswered: number;
      /** Those of them that this employee has not seen, and proposed messages likewise */
      unread: number;
      /** The last message is outgoing and could not be sent */
      failed: boolean;
      /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since */
      marked_unread: boolean;
      /** Since when the employee has it at the top; null: not pinned */
      pinned_at: string | null;
      /** Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody */
      assignee: {
        id: string;
        name: string | null;
      } | null;
      /** Until when it is snoozed for everybody */
      snoozed_until: string | null;
      /** Until when a message that a program proposes waits for approval; null: none waits */
      proposed_until: string | null;
    };
  };
  /** Mark the chat as unread for the employee, until they open it again. `POST /app/api/chats/{id}/unread` */
  markUnread: {
    input: {
      path: {
        id: string;
      };
      body: Record<string, unknown>;
    };
    output: {
      /** Our id of the chat */
      id: string;
      /** Id of the channel */
      channel_id: string;
      /** Messenger of the channel */
      transport: string;
      /** Kind of chat */
      chat_type: string;
      messenger_chat_id: string;
      is_group: boolean;
      /** The best name known; never empty */
      name: string;
      /** Username without the @ */
      username: string | null;
      /** International, digits only */
      phone: string | null;
      avatar_url: string | null;
      /** Orders the list, the latest first */
      last_at: string;
      last_message: {
        id: string;
        /** UTC, as in ISO 8601 */
        at: string;
        direction: "in" | "out" | "echo";
        type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
        status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
        /** Its first 200 characters */
        text: string | null;
        author_name: string | null;
        is_deleted: boolean;
      } | null;
      /** The client's unanswered messages of the last seven days */
      unanswered: number;
      /** Those of them that this employee has not seen, and proposed messages likewise */
      unread: number;
      /** The last message is outgoing and could not be sent */
      failed: boolean;
      /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since */
      marked_unread: boolean;
      /** Since when the employee has it at the top; null: not pinned */
      pinned_at: string | null;
      /** Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody */
      assignee: {
        id: string;
        name: string | null;
      } | null;
      /** Until when it is snoozed for everybody */
      snoozed_until: string | null;
      /** Until when a message that a program proposes waits for approval; null: none waits */
      proposed_until: string | null;
    };
  };
  /** Employees to whom a chat can be handed over. `GET /app/api/colleagues` */
  listColleagues: {
    input: Record<never, never>;
    output: {
      id: string;
      name: string | null;
    }[];
  };
  /** List the accounts that the user may see. `GET /app/api/console/accounts` */
  listConsoleAccounts: {
    input: Record<never, never>;
    output: {
      id: number;
      /** Name of the client */
      name: string;
      createdAt: string;
      /** Sites that may embed its pages; null: any */
      frameOrigins: string[] | null;
    }[];
  };
  /** Create an account with a token for each interface, returned only once. `POST /app/api/console/accounts` */
  createConsoleAccount: {
    input: {
      body: {
        /** Name of the client */
        name: string;
      };
    };
    output: {
      /** Eight digits */
      accountId: number;
      /** For /v2 */
      accessToken: string;
      /** For /v3 */
      apiKey: string;
    };
  };
  /** One channel. `GET /app/api/console/accounts/{account}/channels/{channel}` */
  getConsoleChannel: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        channel: string;
      };
    };
    output: {
      id: string;
      /** Eight digits */
      accountId: number;
      accountName: string;
      /** Messenger of the channel */
      transport: string;
      /** Name of the messenger */
      label: string;
      /** How it is linked to the messenger */
      connect: "credentials" | "qr" | "redirect" | "page" | "invitation";
      /** Name of the channel */
      name: string;
      /** Phone number of the channel; "" if it has none */
      phone: string;
      /** Username of the channel; "" if it has none */
      username: string;
      /** Whether the channel works */
      status: "active" | "init" | "disabled";
      /** The reason for the status; null if there is none */
      reason: string | null;
      /** Time of the last change of status */
      statusAt: string;
      unpaid: boolean;
      /** What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left */
      restrictions: {
        /** new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it */
        kind: "new_chats" | "replies" | "unanswered" | "spam" | "volume" | "quality" | "block_announced";
        /** A sentence for the owner of the channel, in English */
        reason: string;
        /** When the service learned of it */
        since: string;
        /** When it ends; null if the messenger does not say */
        until: string | null;
      }[];
      /** When its sending was stopped; null: it is not stopped */
      stoppedAt: string | null;
      /** The node that runs it */
      node: string | null;
      createdAt: string;
      /** Messages waiting to be sent */
      queued: number;
      /** Since when the oldest of them has been waiting */
      oldestAt: string | null;
      /** The import of earlier messages; null if none was requested. Of single channels only */
      history?: {
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
      } | null;
      /** What the messenger said when it ended or lost the connection; null: nothing. Of single channels only */
      detail?: string | null;
      /** Null: none among the account's newest messages */
      lastMessageAt: string | null;
    };
  };
  /** Resume sending through a stopped channel. `POST /app/api/console/accounts/{account}/channels/{channel}/go-on` */
  goOnSending: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        channel: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** Create a link to the page that reconnects the channel; valid once, within ten minutes. `POST /app/api/console/accounts/{account}/channels/{channel}/link` */
  linkToChannel: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        channel: string;
      };
    };
    output: {
      link: string;
    };
  };
  /** A channel's log of the last week, latest first: failed and recorded exchanges, and notes, without secrets. `GET /app/api/console/accounts/{account}/channels/{channel}/log` */
  readChannelLog: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        channel: string;
      };
      query?: {
        /** Only lines of this level */
        level?: string;
        /** Part of the line or of its details */
        text?: string;
        /** Id of a line */
        after?: string;
        /** Id of a line */
        before?: string;
      };
    };
    output: {
      /** Grows with time */
      id: number;
      /** Time */
      at: string;
      level: string;
      message: string;
      /** Further details */
      details: unknown;
      /** The message that it is about */
      messageId: string | null;
    }[];
  };
  /** The first hundred jobs waiting to be sent through a channel, oldest first. `GET /app/api/console/accounts/{account}/channels/{channel}/queue` */
  listQueue: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        channel: string;
      };
    };
    output: {
      messageId: string;
      kind: "send" | "edit" | "remove" | "react" | "mark";
      /** Kind of chat */
      chatType: string;
      /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
      chatId: string;
      /** Name of the channel */
      name: string;
      type: string;
      /** The start of the text */
      text: string | null;
      createdAt: string;
      /** Number of attempts */
      attempts: number;
      /** It may have been sent already and cannot be cancelled */
      underWay: boolean;
    }[];
  };
  /** Cancel all waiting messages of a channel; each ends as MESSAGE_CANCELLED. `POST /app/api/console/accounts/{account}/channels/{channel}/queue/clear` */
  clearQueue: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        channel: string;
      };
    };
    output: {
      /** Number of cancelled messages */
      messages: number;
    };
  };
  /** Restart a channel with its stored credentials. `POST /app/api/console/accounts/{account}/channels/{channel}/reconnect` */
  restartChannel: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        channel: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** Get the end of a channel's recording. `GET /app/api/console/accounts/{account}/channels/{channel}/recording` */
  getRecording: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        channel: string;
      };
    };
    output: {
      /** End of the recording; null: only failed exchanges are logged */
      until: string | null;
    };
  };
  /** Record all exchanges of a channel for 15 minutes, without texts and secrets. `POST /app/api/console/accounts/{account}/channels/{channel}/recording` */
  startRecording: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        channel: string;
      };
    };
    output: {
      /** End of the recording; null: only failed exchanges are logged */
      until: string | null;
    };
  };
  /** End the recording of a channel. `DELETE /app/api/console/accounts/{account}/channels/{channel}/recording` */
  endRecording: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        channel: string;
      };
    };
    output: {
      /** End of the recording; null: only failed exchanges are logged */
      until: string | null;
    };
  };
  /** The last hundred reports of the messenger that could not be parsed or stored, without their content. `GET /app/api/console/accounts/{account}/channels/{channel}/refused` */
  listRefusedReports: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        channel: string;
      };
    };
    output: {
      id: number;
      /** payload: it could not be parsed; event: it could not be stored; unknown: a sample of something that this service does not know */
      stage: "payload" | "event" | "unknown";
      /** unknown: its kind */
      reason: string;
      bytes: number;
      /** How often it failed, or was reported */
      times: number;
      firstAt: string;
      lastAt: string;
      /** It will be processed again */
      waits: boolean;
    }[];
  };
  /** Delete all of them. `POST /app/api/console/accounts/{account}/channels/{channel}/refused/remove` */
  removeRefusedReports: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        channel: string;
      };
    };
    output: {
      reports: number;
    };
  };
  /** Process all of them again; those that succeed are removed. `POST /app/api/console/accounts/{account}/channels/{channel}/refused/replay` */
  replayRefusedReports: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        channel: string;
      };
    };
    output: {
      reports: number;
    };
  };
  /** A channel's status in the last 30 days, latest first. `GET /app/api/console/accounts/{account}/channels/{channel}/states` */
  listChannelStates: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        channel: string;
      };
    };
    output: {
      /** Since when */
      at: string;
      /** Whether the channel works */
      status: string;
      /** The reason for the status; null if there is none */
      reason: string | null;
      /** What the messenger said when it ended or lost the connection */
      detail: string | null;
    }[];
  };
  /** Stop sending through a channel; accepted messages wait. `POST /app/api/console/accounts/{account}/channels/{channel}/stop` */
  stopSending: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        channel: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** Set the sites that may embed the pages of an account. `POST /app/api/console/accounts/{account}/frames` */
  setFrameOrigins: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
      body: {
        /** true: any site may */
        any: boolean;
        origins?: string[];
      };
    };
    output: Record<string, unknown>;
  };
  /** Messages of an account, newest first. `GET /app/api/console/accounts/{account}/messages` */
  findMessages: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
      query?: {
        /** An id, a chat's name, phone or username, or words */
        search?: string;
        /** Only of this channel */
        channel?: string;
        direction?: string;
        status?: string;
        /** Entries per page, 1 to 1000; default 100 */
        limit?: string;
        /** `next` of the previous page */
        cursor?: string;
      };
    };
    output: {
      /** The result */
      data: {
        id: string;
        /** Id of the channel */
        channelId: string;
        /** Messenger of the channel */
        transport: string;
        channelName: string;
        /** Kind of chat */
        chatType: string;
        /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
        chatId: string;
        chatName: string;
        /** International, digits only */
        phone: string | null;
        direction: "in" | "out" | "echo";
        type: string;
        status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
        text: string | null;
        errorCode: string | null;
        createdAt: string;
      }[];
      /** Cursor of the next page; null if there is none */
      next: string | null;
    };
  };
  /** Get a message with its history and its events. `GET /app/api/console/accounts/{account}/messages/{message}` */
  getMessageStory: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the message */
        message: string;
      };
    };
    output: {
      id: string;
      /** Id of the channel */
      channelId: string;
      /** Messenger of the channel */
      transport: string;
      channelName: string;
      /** Kind of chat */
      chatType: string;
      /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
      chatId: string;
      chatName: string;
      /** International, digits only */
      phone: string | null;
      direction: "in" | "out" | "echo";
      type: string;
      status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
      text: string | null;
      errorCode: string | null;
      createdAt: string;
      /** Eight digits */
      accountId: number;
      crmMessageId: string | null;
      /** The messenger's id of the message */
      externalId: string | null;
      authorName: string | null;
      /** Its content other than the text */
      content: unknown;
      /** The error, if it was not sent */
      error: unknown;
      sentAt: string;
      deliveredAt: string | null;
      /** When the latest status was learned */
      statusAt: string | null;
      editedAt: string | null;
      deletedAt: string | null;
      /** Number of attempts; null: it is not waiting to be sent */
      attempts: number | null;
      unsureSince: string | null;
      events: {
        /** Id of the event */
        id: number;
        kind: string;
        /** When the event was published */
        at: string;
        status: string | null;
      }[];
      /** What the log of its channel says about it, oldest first: refused and repeated sends of the last week, and recorded exchanges */
      exchanges: {
        /** Grows with time */
        id: number;
        /** Time */
        at: string;
        level: string;
        message: string;
        /** Further details */
        details: unknown;
        /** The message that it is about */
        messageId: string | null;
      }[];
    };
  };
  /** Count the deliveries that a replay with the same fields would send. `GET /app/api/console/accounts/{account}/replay-count` */
  countReplay: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
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
      };
    };
    output: {
      /** One more than the limit of a replay: it would be too large */
      deliveries: number;
    };
  };
  /** List the tokens of an account. `GET /app/api/console/accounts/{account}/tokens` */
  listTokens: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
    };
    output: {
      id: string;
      kind: "access" | "agent" | "api" | "sidecar";
      /** Its last four characters */
      hint: string;
      createdAt: string;
      lastUsedAt: string | null;
      expiresAt: string | null;
      revokedAt: string | null;
      /** The application that OAuth issued it to */
      application: string | null;
    }[];
  };
  /** Create a token, returned only once. `POST /app/api/console/accounts/{account}/tokens` */
  createToken: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
      body: {
        kind: "access" | "agent" | "api" | "sidecar";
      };
    };
    output: {
      id: string;
      /** An access or refresh token */
      token: string;
    };
  };
  /** Revoke a token; an OAuth token with its whole grant. `DELETE /app/api/console/accounts/{account}/tokens/{token}` */
  revokeToken: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Its id */
        token: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** Get a channel's rate limits, and what waits in its queue and why. `GET /app/api/console/accounts/{account}/v2/channels/{id}/pacing` */
  accountGetPacing: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        id: string;
      };
    };
    output: {
      /** The result */
      data: {
        /** Id of the channel */
        channel_id: string;
        /** The limits in effect */
        limits: {
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
        /** Limits that differ from the messenger's defaults */
        changed: ("per_minute" | "chat_per_minute" | "jitter_ms" | "first_contacts_per_day" | "warm_up_days")[];
        /** Messages to people who have never written to the channel */
        first_contacts: {
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
        /** Messages waiting to be sent */
        queue: {
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
        /** Notices about it, newest first */
        notices: {
          /** Time */
          at: string;
          /** Kind of notice */
          kind: string;
          /** Text for people */
          text: string;
        }[];
      }[];
      /** Metadata of the response */
      meta: {
        /** Time of the response, Unix seconds */
        timestamp: number;
      };
    };
  };
  /** Change a channel's rate limits, or end a pause of first contacts. `PATCH /app/api/console/accounts/{account}/v2/channels/{id}/pacing` */
  accountChangePacing: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the channel */
        id: string;
      };
      body: {
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
    };
    output: {
      /** The result */
      data: {
        /** Id of the channel */
        channel_id: string;
        /** The limits in effect */
        limits: {
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
        /** Limits that differ from the messenger's defaults */
        changed: ("per_minute" | "chat_per_minute" | "jitter_ms" | "first_contacts_per_day" | "warm_up_days")[];
        /** Messages to people who have never written to the channel */
        first_contacts: {
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
        /** Messages waiting to be sent */
        queue: {
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
        /** Notices about it, newest first */
        notices: {
          /** Time */
          at: string;
          /** Kind of notice */
          kind: string;
          /** Text for people */
          text: string;
        }[];
      }[];
      /** Metadata of the response */
      meta: {
        /** Time of the response, Unix seconds */
        timestamp: number;
      };
    };
  };
  /** Request the messages of a period as CSV; the webhook messages_dump.status_update contains the link. `POST /app/api/console/accounts/{account}/v2/messages/messages_dump` */
  accountExportMessages: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
      body: {
        /** Start of the period, ISO 8601 */
        start_at: string;
        /** End of the period, ISO 8601 */
        end_at: string;
        /** Only messages of this channel */
        channel_id?: string;
      };
    };
    output: {
      /** The result */
      data: {
        /** pending, processing, done or webhook_failed */
        status: string;
        /** Id of the export */
        export_id: string;
      };
      /** Metadata of the response */
      meta: {
        /** Time of the response, Unix seconds */
        timestamp: number;
      };
    };
  };
  /** Get the progress of an export, and the link to its file. `GET /app/api/console/accounts/{account}/v2/messages/messages_dump/{export_id}` */
  accountGetMessageExport: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the export */
        export_id: string;
      };
    };
    output: {
      /** The result */
      data: {
        /** pending, processing, done or webhook_failed */
        status: string;
        /** Link to the CSV file; null until it is ready */
        url: string | null;
      };
      /** Metadata of the response */
      meta: {
        /** Time of the response, Unix seconds */
        timestamp: number;
      };
    };
  };
  /** List the templates of the WhatsApp Business Platform, by name and language. `GET /app/api/console/accounts/{account}/v3/templates/whatsapp` */
  accountListTemplates: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
      query?: {
        /** 1 to 1,000; default 100 */
        limit?: number;
        /** How many to skip; default 0 */
        offset?: number;
      };
    };
    output: {
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
    }[];
  };
  /** List the employees, by name. `GET /app/api/console/accounts/{account}/v3/users` */
  accountListUsers: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
    };
    output: {
      /** Id in the CRM */
      id: string;
      /** Name of the employee */
      name: string;
    }[];
  };
  /** List the requests to receivers of the last 30 days, newest first. `GET /app/api/console/accounts/{account}/v3/webhooks/deliveries` */
  accountListDeliveries: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
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
    output: {
      /** The result */
      data: {
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
      }[];
      /** Cursor of the next page; null if there is none */
      next: string | null;
    };
  };
  /** Get a request with its body, headers and response. `GET /app/api/console/accounts/{account}/v3/webhooks/deliveries/{id}` */
  accountGetDelivery: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Number of the request in the log */
        id: string;
      };
    };
    output: {
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
  };
  /** Discard parked events; a replay that was requested before may still send them. `POST /app/api/console/accounts/{account}/v3/webhooks/discard` */
  accountDiscardParked: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
      query?: {
        /** The receiver; default: the account's v3 address */
        receiverId?: string;
      };
      body: {
        /** Numbers of the events */
        eventIds: number[];
      };
    };
    output: {
      /** Number of events that are no longer parked */
      discarded: number;
    };
  };
  /** List the events that a receiver rejected until the end of their retry schedule, newest first. `GET /app/api/console/accounts/{account}/v3/webhooks/parked` */
  accountListParked: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
      query?: {
        /** The receiver; default: the account's v3 address */
        receiverId?: string;
        /** Entries per page, 1 to 1000; default 100 */
        limit?: number;
        /** `next` of the previous page */
        cursor?: string;
      };
    };
    output: {
      /** The result */
      data: {
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
      }[];
      /** Cursor of the next page; null if there is none */
      next: string | null;
    };
  };
  /** Pause a receiver; its events are kept. `POST /app/api/console/accounts/{account}/v3/webhooks/pause` */
  accountPauseReceiver: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
      query?: {
        /** The receiver; default: the account's v3 address */
        receiverId?: string;
      };
    };
    output: {
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
  };
  /** List the receivers of webhooks and their health. `GET /app/api/console/accounts/{account}/v3/webhooks/receivers` */
  accountListReceivers: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
    };
    output: {
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
    }[];
  };
  /** Get a receiver with its latest notices. `GET /app/api/console/accounts/{account}/v3/webhooks/receivers/{receiverId}` */
  accountGetReceiver: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** The receiver; default: the account's v3 address */
        receiverId: string;
      };
    };
    output: {
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
      notices: {
        /** Time */
        at: string;
        /** Kind of notice */
        kind: string;
        /** Text for people */
        text: string;
      }[];
    };
  };
  /** Set the maximum events per request, and the number of concurrent requests. `PATCH /app/api/console/accounts/{account}/v3/webhooks/receivers/{receiverId}` */
  accountChangeReceiver: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** The receiver; default: the account's v3 address */
        receiverId: string;
      };
      body: {
        /** Maximum events per request; 0: the installation's setting */
        maxItems?: number;
        /** Concurrent requests */
        concurrency?: number;
      };
    };
    output: {
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
  };
  /** Replay deliveries: selected ones, those of a period, or parked events. `POST /app/api/console/accounts/{account}/v3/webhooks/replay` */
  accountReplayDeliveries: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
      body: {
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
    };
    output: {
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
  };
  /** Get the progress of a replay. `GET /app/api/console/accounts/{account}/v3/webhooks/replay/{id}` */
  accountGetReplay: {
    input: {
      path: {
        /** Id of the account */
        account: string;
        /** Id of the replay */
        id: string;
      };
    };
    output: {
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
  };
  /** Resume a paused receiver; kept events are delivered first. `POST /app/api/console/accounts/{account}/v3/webhooks/resume` */
  accountResumeReceiver: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
      query?: {
        /** The receiver; default: the account's v3 address */
        receiverId?: string;
      };
    };
    output: {
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
  };
  /** Send a receiver an example of each event it is subscribed to, marked as a test. `POST /app/api/console/accounts/{account}/v3/webhooks/test` */
  accountTestReceiver: {
    input: {
      path: {
        /** Id of the account */
        account: string;
      };
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
  /** Where problems are reported, and the last notification. `GET /app/api/console/alerts` */
  listAlertTargets: {
    input: Record<never, never>;
    output: {
      target: "webhook" | "email";
      /** Origin of the webhook, or the e-mail addresses */
      address: string;
      /** The last notification that was accepted */
      sentAt: string | null;
      /** The last attempt */
      triedAt: string | null;
      /** Why the last attempt failed */
      failure: string | null;
    }[];
  };
  /** Send a test to each target, now. `POST /app/api/console/alerts/tests` */
  testAlerts: {
    input: Record<never, never>;
    output: {
      target: "webhook" | "email";
      /** Why there was no response */
      failure: string | null;
    }[];
  };
  /** The audit log, newest first. `GET /app/api/console/audit` */
  listConsoleAudit: {
    input: {
      query?: {
        /** Only of this account; default: all accounts that the user may see */
        account?: string;
        action?: "account.create" | "account.frames" | "account.move" | "account.move_revoke" | "token.create" | "token.revoke" | "partner.create" | "partner.password" | "oauth_client.create" | "grant.consent" | "grant.create" | "grant.revoke" | "channel.create" | "channel.reinit" | "channel.delete" | "channel.paid" | "channel.unpaid" | "channel.pacing" | "channel.rename" | "webhook.settings" | "webhook.subscribe" | "webhook.change" | "webhook.unsubscribe" | "webhook.secret" | "webhook.receiver" | "webhook.pause" | "webhook.resume" | "webhook.replay" | "webhook.discard" | "operator.invite" | "operator.create" | "operator.reset" | "operator.remove" | "operator.password" | "operator.second_factor" | "operator.sign_in" | "operator.change" | "operator.refuse" | "alert.test" | "channel.stop" | "channel.go_on" | "channel.clear" | "channel.record" | "channel.record_end" | "inbound.replay" | "inbound.remove" | "crm.settings" | "crm.user" | "message.export" | "canned_answer.create" | "canned_answer.change" | "canned_answer.delete" | "proposal.create" | "proposal.approve" | "proposal.decline" | "installation.key" | "installation.export" | "installation.import" | "installation.sink";
        /** Entries per page, 1 to 1000; default 100 */
        limit?: string;
        /** `next` of the previous page */
        cursor?: string;
      };
    };
    output: {
      /** The result */
      data: {
        id: number;
        /** Time */
        at: string;
        /** Eight digits */
        accountId: number | null;
        action: string;
        subject: string;
        actor: string;
        actorId: string;
        /** Start of the period */
        from: string;
        details: unknown;
      }[];
      /** Cursor of the next page; null if there is none */
      next: string | null;
    };
  };
  /** List channels; those that do not work come first. `GET /app/api/console/channels` */
  listConsoleChannels: {
    input: {
      query?: {
        /** Only of this account; default: all accounts that the user may see */
        account?: string;
        /** An id, or part of a name, phone, username or account */
        search?: string;
        /** Entries per page, 1 to 1000; default 100 */
        limit?: string;
      };
    };
    output: {
      id: string;
      /** Eight digits */
      accountId: number;
      accountName: string;
      /** Messenger of the channel */
      transport: string;
      /** Name of the messenger */
      label: string;
      /** How it is linked to the messenger */
      connect: "credentials" | "qr" | "redirect" | "page" | "invitation";
      /** Name of the channel */
      name: string;
      /** Phone number of the channel; "" if it has none */
      phone: string;
      /** Username of the channel; "" if it has none */
      username: string;
      /** Whether the channel works */
      status: "active" | "init" | "disabled";
      /** The reason for the status; null if there is none */
      reason: string | null;
      /** Time of the last change of status */
      statusAt: string;
      unpaid: boolean;
      /** What the messenger does not allow the account of the channel, which otherwise works. Empty if a restriction has ended and none is left */
      restrictions: {
        /** new_chats: may not write to people first; replies: may not answer people; unanswered: no more messages to people who do not answer; spam: messages are refused as spam; volume: the limit of messages is reached; quality: a warning, people dislike its messages; block_announced: the messenger will block it */
        kind: "new_chats" | "replies" | "unanswered" | "spam" | "volume" | "quality" | "block_announced";
        /** A sentence for the owner of the channel, in English */
        reason: string;
        /** When the service learned of it */
        since: string;
        /** When it ends; null if the messenger does not say */
        until: string | null;
      }[];
      /** When its sending was stopped; null: it is not stopped */
      stoppedAt: string | null;
      /** The node that runs it */
      node: string | null;
      createdAt: string;
      /** Messages waiting to be sent */
      queued: number;
      /** Since when the oldest of them has been waiting */
      oldestAt: string | null;
      /** The import of earlier messages; null if none was requested. Of single channels only */
      history?: {
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
      } | null;
      /** What the messenger said when it ended or lost the connection; null: nothing. Of single channels only */
      detail?: string | null;
      /** Null: none among the account's newest messages */
      lastMessageAt: string | null;
    }[];
  };
  /** Counts, times and depths of queues over an hour, a day or a month. `GET /app/api/console/charts` */
  getChart: {
    input: {
      query: {
        /** Only of this account; default: all accounts that the user may see */
        account?: string;
        /** `messages` whose sending ended; `inbound` messages; `requests` to messengers; `deliveries` of webhooks; messages `waiting` in channels' queues; the installation's queues (`queue`) and its nodes' disks in percent (`disk`), for operators of the installation only */
        kind: "messages" | "inbound" | "requests" | "deliveries" | "waiting" | "queue" | "disk";
        /** A line by result, by channel or receiver, or by transport */
        by: "label" | "subject" | "transport";
        /** Points of five minutes, of an hour, or of a day */
        range: "hour" | "day" | "month";
        /** Only of this channel or receiver */
        subject?: string;
      };
    };
    output: {
      /** Start of the first point; days begin at midnight UTC */
      from: string;
      /** Length of a point */
      stepSeconds: number;
      /** Number of points; the last one is not complete yet */
      points: number;
      /** The largest first */
      lines: {
        /** The result, error code, transport, queue, or id */
        key: string;
        /** Of a channel or receiver */
        name: string;
        /** Of that channel or receiver */
        accountId: number | null;
        /** All further ones together */
        isRest: boolean;
        /** By point */
        counts: number[];
        /** By point, in milliseconds or messages; null: nothing was counted */
        means: (number | null)[];
        /** By point, in milliseconds or messages; null: nothing was counted */
        peaks: (number | null)[];
      }[];
    };
  };
  /** List the message exports, newest first. `GET /app/api/console/exports` */
  listConsoleExports: {
    input: {
      query?: {
        /** Only of this account; default: all accounts that the user may see */
        account?: string;
      };
    };
    output: {
      id: string;
      /** Eight digits */
      accountId: number;
      status: string;
      /** Id of the channel */
      channelId: string | null;
      /** Start of the period, ISO 8601 */
      startAt: string;
      /** End of the period, ISO 8601 */
      endAt: string;
      /** Time of the request */
      requestedAt: string;
      /** Time of its end; null while it runs */
      finishedAt: string | null;
      expiresAt: string | null;
      messages: number;
      /** Failed requests since then */
      failures: number;
      node: string | null;
    }[];
  };
  /** Use a one-time link: set a password and sign in. `POST /app/api/console/links` */
  redeemLink: {
    input: {
      body: {
        /** From the link's address */
        link: string;
        /** The login */
        login?: string;
        /** At least twelve characters */
        password: string;
      };
    };
    output: {
      needsCode: boolean;
    };
  };
  /** Get the purpose of a one-time link, without using it. `POST /app/api/console/links/questions` */
  readLink: {
    input: {
      body: {
        /** From the link's address */
        link: string;
      };
    };
    output: {
      purpose: "first" | "invite" | "reset";
      role: "operator" | "admin" | "viewer";
      /** Id of the account; null: the whole installation */
      accountId: number | null;
      /** The login whose password is set; null: the person chooses one */
      login: string | null;
    };
  };
  /** List the logins of the console. `GET /app/api/console/operators` */
  listOperators: {
    input: Record<never, never>;
    output: {
      /** Id of the user */
      id: string;
      /** The login */
      login: string;
      role: "operator" | "admin" | "viewer";
      /** Id of the account; null: the whole installation */
      accountId: number | null;
      /** Whether login requires a code in addition to the password */
      hasSecondFactor: boolean;
      /** Whether the user signs in at the OpenID Connect provider, which decides about the role */
      isFromProvider: boolean;
      createdAt: string;
      signedInAt: string | null;
    }[];
  };
  /** Create a one-time link for another person. `POST /app/api/console/operators` */
  inviteOperator: {
    input: {
      body: {
        role: "operator" | "admin" | "viewer";
        /** Id of the account; null: the whole installation */
        accountId?: number | null;
      };
    };
    output: {
      /** Valid once, within a day */
      link: string;
    };
  };
  /** Remove a login; its sessions end. `DELETE /app/api/console/operators/{id}` */
  removeOperator: {
    input: {
      path: {
        id: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** Create a one-time link for a user who lost the password or the authenticator app. `POST /app/api/console/operators/{id}/links` */
  resetOperator: {
    input: {
      path: {
        id: string;
      };
    };
    output: {
      /** Valid once, within a day */
      link: string;
    };
  };
  /** The last 24 hours, and what needs attention, most urgent first. `GET /app/api/console/overview` */
  getOverview: {
    input: {
      query?: {
        /** Only of this account; default: all accounts that the user may see */
        account?: string;
      };
    };
    output: {
      hours: {
        /** Start of the hour */
        at: string;
        /** Outgoing messages accepted */
        accepted: number;
        /** How many of them have been sent */
        sent: number;
        /** How many of them failed */
        failed: number;
        /** Inbound messages */
        inbound: number;
        /** Maximum seconds between an event and its delivery */
        lag: number;
      }[];
      attention: {
        kind: "no_node" | "disk_full" | "upkeep_fails" | "older_node" | "channel_down" | "sink_failing" | "receiver_paused" | "sends_wait" | "queue_grows" | "receiver_failing" | "events_parked" | "sink_parked" | "reports_refused" | "exports_fail" | "channel_restricted" | "channel_stopped" | "channel_waits";
        level: "bad" | "wait";
        /** Eight digits */
        accountId: number | null;
        /** Id of the channel, receiver or export */
        subject: string;
        name: string;
        /** Messenger of the channel */
        transport: string | null;
        reason: string | null;
        /** Number of messages, failures, events or reports */
        count: number;
        since: string | null;
      }[];
    };
  };
  /** List the partners with their OAuth clients. `GET /app/api/console/partners` */
  listPartners: {
    input: Record<never, never>;
    output: {
      id: number;
      email: string;
      name: string;
      createdAt: string;
      /** Number of accounts that the partner has created */
      accounts: number;
      clients: {
        /** client_id */
        id: string;
        name: string;
        /** Empty: the client only refreshes tokens of a token exchange */
        redirectUris: string[];
      }[];
    }[];
  };
  /** Create a partner with a password and a client for refreshing tokens. `POST /app/api/console/partners` */
  createPartner: {
    input: {
      body: {
        email: string;
        name?: string;
      };
    };
    output: {
      partnerId: number;
      /** Id of the application */
      clientId: string;
      /** Returned only once */
      password: string;
    };
  };
  /** Register an OAuth client of a partner, for the authorization code with consent. `POST /app/api/console/partners/{partner}/clients` */
  registerPartnerClient: {
    input: {
      path: {
        /** Id of the partner */
        partner: string;
      };
      body: {
        name: string;
        redirectUris: string[];
      };
    };
    output: {
      /** client_id */
      id: string;
      name: string;
      /** Empty: the client only refreshes tokens of a token exchange */
      redirectUris: string[];
    };
  };
  /** Set a new password; the old one is refused immediately, tokens stay valid. `POST /app/api/console/partners/{partner}/password` */
  resetPartnerPassword: {
    input: {
      path: {
        /** Id of the partner */
        partner: string;
      };
    };
    output: {
      /** Returned only once */
      password: string;
    };
  };
  /** Set a new password; other sessions end. `POST /app/api/console/password` */
  changePassword: {
    input: {
      body: {
        current: string;
        /** Cursor of the next page; null if there is none */
        next: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** Begin a sign-in at the provider. `POST /app/api/console/provider/departures` */
  departForProvider: {
    input: Record<never, never>;
    output: {
      /** Where the browser goes. It comes back to the console with a query, for this browser alone, within half an hour */
      url: string;
    };
  };
  /** Finish a sign-in at the provider; the session is in a cookie. `POST /app/api/console/provider/returns` */
  returnFromProvider: {
    input: {
      body: {
        /** The query with which the provider sent the browser back */
        query: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** List the receivers of webhooks; failing ones come first. `GET /app/api/console/receivers` */
  listConsoleReceivers: {
    input: {
      query?: {
        /** Only of this account; default: all accounts that the user may see */
        account?: string;
      };
    };
    output: {
      id: string;
      /** Eight digits */
      accountId: number;
      /** v3: the account's only address; v2: an address of subscriptions to single events */
      version: string;
      /** Without its query, which may contain a secret */
      url: string;
      /** Kinds of events */
      kinds: string[];
      /** Deprecated: use status and reason */
      state: "active" | "failing" | "paused";
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
    }[];
  };
  /** Create a key for an authenticator app; it takes effect with its first correct code. `POST /app/api/console/second-factor` */
  beginSecondFactor: {
    input: Record<never, never>;
    output: {
      /** For typing, if the code cannot be scanned */
      key: string;
      /** The code to scan, as a data URI */
      qr: string;
    };
  };
  /** Confirm the new key with its first code; from then on, signing in requires a code. `POST /app/api/console/second-factor/codes` */
  confirmSecondFactor: {
    input: {
      body: {
        /** The code from the redirect */
        code: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** Remove the second factor. `POST /app/api/console/second-factor/end` */
  endSecondFactor: {
    input: {
      body: {
        password: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** Get the signed-in user. `GET /app/api/console/session` */
  getSession: {
    input: Record<never, never>;
    output: {
      operator: {
        /** Id of the user */
        id: string;
        /** The login */
        login: string;
        role: "operator" | "admin" | "viewer";
        /** Id of the account; null: the whole installation */
        accountId: number | null;
        /** Whether login requires a code in addition to the password */
        hasSecondFactor: boolean;
        /** Whether the user signs in at the OpenID Connect provider, which decides about the role */
        isFromProvider: boolean;
      };
      /** Send it as `X-CSRF-Token` with every request that changes something */
      csrf: string;
    };
  };
  /** Sign out. `DELETE /app/api/console/session` */
  signOut: {
    input: Record<never, never>;
    output: {
      /** Where the browser ends its session at the provider; null: nowhere */
      url: string | null;
    };
  };
  /** Where one is signed in. `GET /app/api/console/sessions` */
  listSessions: {
    input: Record<never, never>;
    output: {
      id: string;
      /** The session of this request */
      isThis: boolean;
      createdAt: string;
      seenAt: string;
      expiresAt: string;
      /** Where the person signed in from */
      address: string;
      /** The browser's User-Agent */
      agent: string;
    }[];
  };
  /** End one of the user's own sessions. `DELETE /app/api/console/sessions/{id}` */
  endSession: {
    input: {
      path: {
        id: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** How people sign in to this console. `GET /app/api/console/sign-in` */
  getSignInWays: {
    input: Record<never, never>;
    output: {
      /** Whether passwords are accepted */
      passwords: boolean;
      /** Name of the OpenID Connect provider; null: there is none */
      provider: string | null;
    };
  };
  /** Sign in to the console; the session is in a cookie. `POST /app/api/console/sign-in` */
  signIn: {
    input: {
      body: {
        /** The login */
        login: string;
        /** At least twelve characters */
        password: string;
        /** Of the authenticator app */
        code?: string;
      };
    };
    output: {
      /** true: the password is correct, and a code is also required */
      needsCode: boolean;
    };
  };
  /** The sink of events and what waits for it. `GET /app/api/console/sink` */
  getSink: {
    input: Record<never, never>;
    output: {
      sink: {
        /** Without credentials */
        url: string;
        /** Kinds of events */
        kinds: string[];
        accounts: number;
        /** Accounts whose events the broker does not accept */
        failing: number;
        /** Since when it has accepted nothing */
        failingSince: string | null;
        /** Why it last accepted nothing, at `failedAt`; also if it works again */
        failure: string | null;
        failedAt: string | null;
        /** Events that wait, at most 1,000,000 */
        queued: number;
        /** The time of the oldest of them */
        queuedSince: string | null;
        /** Events that it refused */
        parked: number;
      } | null;
    };
  };
  /** Nodes, queues, database and settings. `GET /app/api/console/system` */
  getSystem: {
    input: Record<never, never>;
    output: {
      /** v3: the account's only address; v2: an address of subscriptions to single events */
      version: string;
      /** Version of Node.js */
      node: string;
      nodes: {
        name: string;
        roles: string[];
        /** The last migration that its release contains */
        schemaVersion: number;
        startedAt: string;
        leaseUntil: string;
        isAlive: boolean;
        /** Channels that it runs */
        channels: number;
      }[];
      queues: {
        /** Messages waiting to be sent */
        queue: "send" | "webhook" | "parked" | "dead_letters" | "files" | "exports";
        jobs: number;
        /** Age of the oldest, in seconds */
        delay: number;
      }[];
      /** The proxies of the settings; failures as this node sees them */
      exits: {
        /** As in the metrics */
        exit: string;
        /** Scheme, host and port */
        address: string;
        transports: string[];
        /** Channels that use it */
        channels: number;
        /** Channels that wait because it does not work for their node */
        waiting: number;
        /** Why there was no response */
        failure: string | null;
        /** Since when it has accepted nothing */
        failingSince: string | null;
      }[];
      database: {
        /** v3: the account's only address; v2: an address of subscriptions to single events */
        version: string;
        bytes: number;
        connections: number;
        maxConnections: number;
        tables: {
          name: string;
          /** With its indexes */
          bytes: number;
          /** PostgreSQL's estimate */
          rows: number;
          /** Dead rows that are not vacuumed yet */
          deadRows: number;
          vacuumedAt: string | null;
        }[];
      };
      settings: {
        name: string;
        /** A secret is masked */
        value: string;
        origin: "environment" | "default";
        /** Purpose of the setting */
        help: string;
      }[];
    };
  };
  /** Who has requested a link of the connect page, and gives a new one. `POST /app/api/link-origins` */
  readLinkOrigin: {
    input: {
      body: {
        /** From the page's address */
        ticket: string;
      };
    };
    output: {
      /** Name of the account whose channel it will be; empty if it has none */
      account: string;
      /** Where the person gets a new link */
      refresh_url: string | null;
    };
  };
  /** Send a message to a chat, or to a person without one. `POST /app/api/messages` */
  sendChatMessage: {
    input: {
      body: {
        /** Chosen by the page; a request repeated with the same id is sent once */
        id: string;
        /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
        chat_id?: string;
        /** A person without a chat */
        to?: {
          /** Id of the channel */
          channel_id: string;
          /** Kind of chat */
          chat_type?: string;
          /** International, digits only */
          phone?: string;
          /** Username without the @ */
          username?: string;
          messenger_chat_id?: string;
          name?: string;
        };
        /** With `file_id`: its caption, if `max_caption_length` of the file's kind allows it */
        text?: string;
        /** Id of an upload */
        file_id?: string;
        /** In place of `file_id`: the file of this message is sent */
        file_of_message_id?: string;
        /** The file is a recording, sent as a voice note */
        voice?: boolean;
        template?: {
          id: string;
          values?: string[];
          payloads?: string[];
        };
        quoted_message_id?: string;
        /** As `keyboard` of POST /v2/messages for the chat's transport */
        keyboard?: unknown;
        reset_unanswered?: boolean;
      };
    };
    output: {
      message: {
        id: string;
        /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
        chat_id: string;
        /** Id of the channel */
        channel_id: string;
        /** The id that the writing page gave it */
        client_id: string | null;
        /** Sort key of a thread, compared as text; messages with equal keys are sorted by id */
        order: string;
        /** UTC, as in ISO 8601 */
        at: string;
        direction: "in" | "out" | "echo";
        type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
        status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
        error: {
          /** The code from the redirect */
          code: string;
          description: string;
        } | null;
        text: string | null;
        /** The kind of an unsupported message, such as poll */
        unsupported: string | null;
        file: {
          url: string;
          name: string | null;
          mime_type: string | null;
          size: number | null;
          kind: "image" | "audio" | "video" | "document";
          /** It is on another host */
          is_external: boolean;
          /** Deprecated: use status and reason */
          state: "waiting" | "stored" | "failed";
        } | null;
        author: {
          id: string | null;
          name: string | null;
        } | null;
        from_app: boolean;
        sender: {
          id: string;
          name: string;
        } | null;
        buttons: {
          type: string;
          text?: string;
          payload?: string;
          url?: string;
        }[];
        quoted: {
          id: string | null;
          type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
          text: string | null;
          author_name: string | null;
          direction: "in" | "out" | "echo" | null;
          file_url: string | null;
          /** The kind of an unsupported message, such as `story`, if known */
          unsupported: string | null;
          /** Where a browser shows it, maybe for a time only */
          link: string | null;
        } | null;
        /** The post that the message is a comment on */
        post?: {
          /** Id of the post */
          id: string;
          /** Address of the post */
          src: string;
          /** The author of the post */
          author: string;
          /** Its text */
          description: string;
        };
        /** avito only: the listing that the chat is about */
        advert?: {
          /** Id of the listing */
          id: string;
          /** Its title */
          title?: string;
          /** Its address */
          url?: string;
          /** Its price, as the messenger shows it */
          price?: string;
        };
        /** Where the message came from */
        referral?: {
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
        /** A notice of the messenger itself, not the customer's words */
        is_system?: true;
        /** Written before the channel was linked */
        is_history?: true;
        template: {
          id: string;
          values: string[];
          header: string | null;
          /** The request body */
          body: string | null;
          footer: string | null;
          buttons: string[];
        } | null;
        /** One for each person, at most 50 */
        reactions: {
          emoji: string;
          /** Of the person; empty for the channel's own */
          name: string;
          is_ours: boolean;
        }[];
        edited_at: string | null;
        deleted_at: string | null;
        old: {
          text: string | null;
          author_id: string | null;
          author_name: string | null;
          /** The file that an edit replaced */
          file_url: string | null;
        } | null;
        /** null: it cannot be edited, or no longer */
        can_edit_until: string | null;
        can_edit_file: boolean;
        can_delete: boolean;
        can_resend: boolean;
        can_react: boolean;
      };
      chat: {
        /** Our id of the chat */
        id: string;
        /** Id of the channel */
        channel_id: string;
        /** Messenger of the channel */
        transport: string;
        /** Kind of chat */
        chat_type: string;
        messenger_chat_id: string;
        is_group: boolean;
        /** The best name known; never empty */
        name: string;
        /** Username without the @ */
        username: string | null;
        /** International, digits only */
        phone: string | null;
        avatar_url: string | null;
        /** Orders the list, the latest first */
        last_at: string;
        last_message: {
          id: string;
          /** UTC, as in ISO 8601 */
          at: string;
          direction: "in" | "out" | "echo";
          type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
          status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
          /** Its first 200 characters */
          text: string | null;
          author_name: string | null;
          is_deleted: boolean;
        } | null;
        /** The client's unanswered messages of the last seven days */
        unanswered: number;
        /** Those of them that this employee has not seen, and proposed messages likewise */
        unread: number;
        /** The last message is outgoing and could not be sent */
        failed: boolean;
        /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since */
        marked_unread: boolean;
        /** Since when the employee has it at the top; null: not pinned */
        pinned_at: string | null;
        /** Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody */
        assignee: {
          id: string;
          name: string | null;
        } | null;
        /** Until when it is snoozed for everybody */
        snoozed_until: string | null;
        /** Until when a message that a program proposes waits for approval; null: none waits */
        proposed_until: string | null;
      };
    };
  };
  /** Edit a sent message in the messenger. `PATCH /app/api/messages/{id}` */
  editChatMessage: {
    input: {
      path: {
        id: string;
      };
      body: {
        text?: string;
        file_id?: string;
      };
    };
    output: {
      id: string;
      /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
      chat_id: string;
      /** Id of the channel */
      channel_id: string;
      /** The id that the writing page gave it */
      client_id: string | null;
      /** Sort key of a thread, compared as text; messages with equal keys are sorted by id */
      order: string;
      /** UTC, as in ISO 8601 */
      at: string;
      direction: "in" | "out" | "echo";
      type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
      status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
      error: {
        /** The code from the redirect */
        code: string;
        description: string;
      } | null;
      text: string | null;
      /** The kind of an unsupported message, such as poll */
      unsupported: string | null;
      file: {
        url: string;
        name: string | null;
        mime_type: string | null;
        size: number | null;
        kind: "image" | "audio" | "video" | "document";
        /** It is on another host */
        is_external: boolean;
        /** Deprecated: use status and reason */
        state: "waiting" | "stored" | "failed";
      } | null;
      author: {
        id: string | null;
        name: string | null;
      } | null;
      from_app: boolean;
      sender: {
        id: string;
        name: string;
      } | null;
      buttons: {
        type: string;
        text?: string;
        payload?: string;
        url?: string;
      }[];
      quoted: {
        id: string | null;
        type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
        text: string | null;
        author_name: string | null;
        direction: "in" | "out" | "echo" | null;
        file_url: string | null;
        /** The kind of an unsupported message, such as `story`, if known */
        unsupported: string | null;
        /** Where a browser shows it, maybe for a time only */
        link: string | null;
      } | null;
      /** The post that the message is a comment on */
      post?: {
        /** Id of the post */
        id: string;
        /** Address of the post */
        src: string;
        /** The author of the post */
        author: string;
        /** Its text */
        description: string;
      };
      /** avito only: the listing that the chat is about */
      advert?: {
        /** Id of the listing */
        id: string;
        /** Its title */
        title?: string;
        /** Its address */
        url?: string;
        /** Its price, as the messenger shows it */
        price?: string;
      };
      /** Where the message came from */
      referral?: {
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
      /** A notice of the messenger itself, not the customer's words */
      is_system?: true;
      /** Written before the channel was linked */
      is_history?: true;
      template: {
        id: string;
        values: string[];
        header: string | null;
        /** The request body */
        body: string | null;
        footer: string | null;
        buttons: string[];
      } | null;
      /** One for each person, at most 50 */
      reactions: {
        emoji: string;
        /** Of the person; empty for the channel's own */
        name: string;
        is_ours: boolean;
      }[];
      edited_at: string | null;
      deleted_at: string | null;
      old: {
        text: string | null;
        author_id: string | null;
        author_name: string | null;
        /** The file that an edit replaced */
        file_url: string | null;
      } | null;
      /** null: it cannot be edited, or no longer */
      can_edit_until: string | null;
      can_edit_file: boolean;
      can_delete: boolean;
      can_resend: boolean;
      can_react: boolean;
    };
  };
  /** Remove a sent message for both sides, or cancel one that still waits. `DELETE /app/api/messages/{id}` */
  deleteChatMessage: {
    input: {
      path: {
        id: string;
      };
    };
    output: {
      id: string;
      /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
      chat_id: string;
      /** Id of the channel */
      channel_id: string;
      /** The id that the writing page gave it */
      client_id: string | null;
      /** Sort key of a thread, compared as text; messages with equal keys are sorted by id */
      order: string;
      /** UTC, as in ISO 8601 */
      at: string;
      direction: "in" | "out" | "echo";
      type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
      status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
      error: {
        /** The code from the redirect */
        code: string;
        description: string;
      } | null;
      text: string | null;
      /** The kind of an unsupported message, such as poll */
      unsupported: string | null;
      file: {
        url: string;
        name: string | null;
        mime_type: string | null;
        size: number | null;
        kind: "image" | "audio" | "video" | "document";
        /** It is on another host */
        is_external: boolean;
        /** Deprecated: use status and reason */
        state: "waiting" | "stored" | "failed";
      } | null;
      author: {
        id: string | null;
        name: string | null;
      } | null;
      from_app: boolean;
      sender: {
        id: string;
        name: string;
      } | null;
      buttons: {
        type: string;
        text?: string;
        payload?: string;
        url?: string;
      }[];
      quoted: {
        id: string | null;
        type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
        text: string | null;
        author_name: string | null;
        direction: "in" | "out" | "echo" | null;
        file_url: string | null;
        /** The kind of an unsupported message, such as `story`, if known */
        unsupported: string | null;
        /** Where a browser shows it, maybe for a time only */
        link: string | null;
      } | null;
      /** The post that the message is a comment on */
      post?: {
        /** Id of the post */
        id: string;
        /** Address of the post */
        src: string;
        /** The author of the post */
        author: string;
        /** Its text */
        description: string;
      };
      /** avito only: the listing that the chat is about */
      advert?: {
        /** Id of the listing */
        id: string;
        /** Its title */
        title?: string;
        /** Its address */
        url?: string;
        /** Its price, as the messenger shows it */
        price?: string;
      };
      /** Where the message came from */
      referral?: {
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
      /** A notice of the messenger itself, not the customer's words */
      is_system?: true;
      /** Written before the channel was linked */
      is_history?: true;
      template: {
        id: string;
        values: string[];
        header: string | null;
        /** The request body */
        body: string | null;
        footer: string | null;
        buttons: string[];
      } | null;
      /** One for each person, at most 50 */
      reactions: {
        emoji: string;
        /** Of the person; empty for the channel's own */
        name: string;
        is_ours: boolean;
      }[];
      edited_at: string | null;
      deleted_at: string | null;
      old: {
        text: string | null;
        author_id: string | null;
        author_name: string | null;
        /** The file that an edit replaced */
        file_url: string | null;
      } | null;
      /** null: it cannot be edited, or no longer */
      can_edit_until: string | null;
      can_edit_file: boolean;
      can_delete: boolean;
      can_resend: boolean;
      can_react: boolean;
    };
  };
  /** React to a message; replaces the channel's earlier reaction. `PUT /app/api/messages/{id}/reaction` */
  reactToChatMessage: {
    input: {
      path: {
        id: string;
      };
      body: {
        emoji: string;
      };
    };
    output: {
      id: string;
      /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
      chat_id: string;
      /** Id of the channel */
      channel_id: string;
      /** The id that the writing page gave it */
      client_id: string | null;
      /** Sort key of a thread, compared as text; messages with equal keys are sorted by id */
      order: string;
      /** UTC, as in ISO 8601 */
      at: string;
      direction: "in" | "out" | "echo";
      type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
      status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
      error: {
        /** The code from the redirect */
        code: string;
        description: string;
      } | null;
      text: string | null;
      /** The kind of an unsupported message, such as poll */
      unsupported: string | null;
      file: {
        url: string;
        name: string | null;
        mime_type: string | null;
        size: number | null;
        kind: "image" | "audio" | "video" | "document";
        /** It is on another host */
        is_external: boolean;
        /** Deprecated: use status and reason */
        state: "waiting" | "stored" | "failed";
      } | null;
      author: {
        id: string | null;
        name: string | null;
      } | null;
      from_app: boolean;
      sender: {
        id: string;
        name: string;
      } | null;
      buttons: {
        type: string;
        text?: string;
        payload?: string;
        url?: string;
      }[];
      quoted: {
        id: string | null;
        type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
        text: string | null;
        author_name: string | null;
        direction: "in" | "out" | "echo" | null;
        file_url: string | null;
        /** The kind of an unsupported message, such as `story`, if known */
        unsupported: string | null;
        /** Where a browser shows it, maybe for a time only */
        link: string | null;
      } | null;
      /** The post that the message is a comment on */
      post?: {
        /** Id of the post */
        id: string;
        /** Address of the post */
        src: string;
        /** The author of the post */
        author: string;
        /** Its text */
        description: string;
      };
      /** avito only: the listing that the chat is about */
      advert?: {
        /** Id of the listing */
        id: string;
        /** Its title */
        title?: string;
        /** Its address */
        url?: string;
        /** Its price, as the messenger shows it */
        price?: string;
      };
      /** Where the message came from */
      referral?: {
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
      /** A notice of the messenger itself, not the customer's words */
      is_system?: true;
      /** Written before the channel was linked */
      is_history?: true;
      template: {
        id: string;
        values: string[];
        header: string | null;
        /** The request body */
        body: string | null;
        footer: string | null;
        buttons: string[];
      } | null;
      /** One for each person, at most 50 */
      reactions: {
        emoji: string;
        /** Of the person; empty for the channel's own */
        name: string;
        is_ours: boolean;
      }[];
      edited_at: string | null;
      deleted_at: string | null;
      old: {
        text: string | null;
        author_id: string | null;
        author_name: string | null;
        /** The file that an edit replaced */
        file_url: string | null;
      } | null;
      /** null: it cannot be edited, or no longer */
      can_edit_until: string | null;
      can_edit_file: boolean;
      can_delete: boolean;
      can_resend: boolean;
      can_react: boolean;
    };
  };
  /** Remove the channel's reaction to a message. `DELETE /app/api/messages/{id}/reaction` */
  removeChatReaction: {
    input: {
      path: {
        id: string;
      };
    };
    output: {
      id: string;
      /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
      chat_id: string;
      /** Id of the channel */
      channel_id: string;
      /** The id that the writing page gave it */
      client_id: string | null;
      /** Sort key of a thread, compared as text; messages with equal keys are sorted by id */
      order: string;
      /** UTC, as in ISO 8601 */
      at: string;
      direction: "in" | "out" | "echo";
      type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
      status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
      error: {
        /** The code from the redirect */
        code: string;
        description: string;
      } | null;
      text: string | null;
      /** The kind of an unsupported message, such as poll */
      unsupported: string | null;
      file: {
        url: string;
        name: string | null;
        mime_type: string | null;
        size: number | null;
        kind: "image" | "audio" | "video" | "document";
        /** It is on another host */
        is_external: boolean;
        /** Deprecated: use status and reason */
        state: "waiting" | "stored" | "failed";
      } | null;
      author: {
        id: string | null;
        name: string | null;
      } | null;
      from_app: boolean;
      sender: {
        id: string;
        name: string;
      } | null;
      buttons: {
        type: string;
        text?: string;
        payload?: string;
        url?: string;
      }[];
      quoted: {
        id: string | null;
        type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
        text: string | null;
        author_name: string | null;
        direction: "in" | "out" | "echo" | null;
        file_url: string | null;
        /** The kind of an unsupported message, such as `story`, if known */
        unsupported: string | null;
        /** Where a browser shows it, maybe for a time only */
        link: string | null;
      } | null;
      /** The post that the message is a comment on */
      post?: {
        /** Id of the post */
        id: string;
        /** Address of the post */
        src: string;
        /** The author of the post */
        author: string;
        /** Its text */
        description: string;
      };
      /** avito only: the listing that the chat is about */
      advert?: {
        /** Id of the listing */
        id: string;
        /** Its title */
        title?: string;
        /** Its address */
        url?: string;
        /** Its price, as the messenger shows it */
        price?: string;
      };
      /** Where the message came from */
      referral?: {
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
      /** A notice of the messenger itself, not the customer's words */
      is_system?: true;
      /** Written before the channel was linked */
      is_history?: true;
      template: {
        id: string;
        values: string[];
        header: string | null;
        /** The request body */
        body: string | null;
        footer: string | null;
        buttons: string[];
      } | null;
      /** One for each person, at most 50 */
      reactions: {
        emoji: string;
        /** Of the person; empty for the channel's own */
        name: string;
        is_ours: boolean;
      }[];
      edited_at: string | null;
      deleted_at: string | null;
      old: {
        text: string | null;
        author_id: string | null;
        author_name: string | null;
        /** The file that an edit replaced */
        file_url: string | null;
      } | null;
      /** null: it cannot be edited, or no longer */
      can_edit_until: string | null;
      can_edit_file: boolean;
      can_delete: boolean;
      can_resend: boolean;
      can_react: boolean;
    };
  };
  /** Send the content of a failed message again, as a new message. `POST /app/api/messages/{id}/resend` */
  resendMessage: {
    input: {
      path: {
        id: string;
      };
      body: {
        id: string;
      };
    };
    output: {
      message: {
        id: string;
        /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
        chat_id: string;
        /** Id of the channel */
        channel_id: string;
        /** The id that the writing page gave it */
        client_id: string | null;
        /** Sort key of a thread, compared as text; messages with equal keys are sorted by id */
        order: string;
        /** UTC, as in ISO 8601 */
        at: string;
        direction: "in" | "out" | "echo";
        type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
        status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
        error: {
          /** The code from the redirect */
          code: string;
          description: string;
        } | null;
        text: string | null;
        /** The kind of an unsupported message, such as poll */
        unsupported: string | null;
        file: {
          url: string;
          name: string | null;
          mime_type: string | null;
          size: number | null;
          kind: "image" | "audio" | "video" | "document";
          /** It is on another host */
          is_external: boolean;
          /** Deprecated: use status and reason */
          state: "waiting" | "stored" | "failed";
        } | null;
        author: {
          id: string | null;
          name: string | null;
        } | null;
        from_app: boolean;
        sender: {
          id: string;
          name: string;
        } | null;
        buttons: {
          type: string;
          text?: string;
          payload?: string;
          url?: string;
        }[];
        quoted: {
          id: string | null;
          type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
          text: string | null;
          author_name: string | null;
          direction: "in" | "out" | "echo" | null;
          file_url: string | null;
          /** The kind of an unsupported message, such as `story`, if known */
          unsupported: string | null;
          /** Where a browser shows it, maybe for a time only */
          link: string | null;
        } | null;
        /** The post that the message is a comment on */
        post?: {
          /** Id of the post */
          id: string;
          /** Address of the post */
          src: string;
          /** The author of the post */
          author: string;
          /** Its text */
          description: string;
        };
        /** avito only: the listing that the chat is about */
        advert?: {
          /** Id of the listing */
          id: string;
          /** Its title */
          title?: string;
          /** Its address */
          url?: string;
          /** Its price, as the messenger shows it */
          price?: string;
        };
        /** Where the message came from */
        referral?: {
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
        /** A notice of the messenger itself, not the customer's words */
        is_system?: true;
        /** Written before the channel was linked */
        is_history?: true;
        template: {
          id: string;
          values: string[];
          header: string | null;
          /** The request body */
          body: string | null;
          footer: string | null;
          buttons: string[];
        } | null;
        /** One for each person, at most 50 */
        reactions: {
          emoji: string;
          /** Of the person; empty for the channel's own */
          name: string;
          is_ours: boolean;
        }[];
        edited_at: string | null;
        deleted_at: string | null;
        old: {
          text: string | null;
          author_id: string | null;
          author_name: string | null;
          /** The file that an edit replaced */
          file_url: string | null;
        } | null;
        /** null: it cannot be edited, or no longer */
        can_edit_until: string | null;
        can_edit_file: boolean;
        can_delete: boolean;
        can_resend: boolean;
        can_react: boolean;
      };
      chat: {
        /** Our id of the chat */
        id: string;
        /** Id of the channel */
        channel_id: string;
        /** Messenger of the channel */
        transport: string;
        /** Kind of chat */
        chat_type: string;
        messenger_chat_id: string;
        is_group: boolean;
        /** The best name known; never empty */
        name: string;
        /** Username without the @ */
        username: string | null;
        /** International, digits only */
        phone: string | null;
        avatar_url: string | null;
        /** Orders the list, the latest first */
        last_at: string;
        last_message: {
          id: string;
          /** UTC, as in ISO 8601 */
          at: string;
          direction: "in" | "out" | "echo";
          type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
          status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
          /** Its first 200 characters */
          text: string | null;
          author_name: string | null;
          is_deleted: boolean;
        } | null;
        /** The client's unanswered messages of the last seven days */
        unanswered: number;
        /** Those of them that this employee has not seen, and proposed messages likewise */
        unread: number;
        /** The last message is outgoing and could not be sent */
        failed: boolean;
        /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since */
        marked_unread: boolean;
        /** Since when the employee has it at the top; null: not pinned */
        pinned_at: string | null;
        /** Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody */
        assignee: {
          id: string;
          name: string | null;
        } | null;
        /** Until when it is snoozed for everybody */
        snoozed_until: string | null;
        /** Until when a message that a program proposes waits for approval; null: none waits */
        proposed_until: string | null;
      };
    };
  };
  /** Change the employee's own note. `PATCH /app/api/notes/{id}` */
  editNote: {
    input: {
      path: {
        id: string;
      };
      body: {
        text: string;
      };
    };
    output: {
      id: string;
      /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
      chat_id: string;
      kind: "note" | "assigned" | "snoozed" | "proposed";
      /** Sort key of a thread, as that of messages */
      order: string;
      /** UTC, as in ISO 8601 */
      at: string;
      author: {
        id: string;
        name: string | null;
      };
      /** Of a note, empty once it is deleted; or of a proposed message */
      text: string;
      /** Of an assignment: who it was before; null: nobody */
      from: {
        id: string;
        name: string | null;
      } | null;
      /** Of an assignment: who it is now; null: nobody */
      to: {
        id: string;
        name: string | null;
      } | null;
      /** Of a snooze: until when; null: it was ended */
      until: string | null;
      /** Of a message that a program proposes */
      proposal: {
        /** sent: the message has a status of its own */
        state: "waiting" | "approved" | "sent" | "failed" | "declined" | "expired";
        /** An access or refresh token */
        token: {
          id: string;
          /** Last characters of the token */
          hint: string;
        };
        /** UTC, as in ISO 8601 */
        expires_at: string;
        /** A template, which cannot be changed */
        is_template: boolean;
        quoted_id: string | null;
        decided_by: {
          id: string;
          name: string | null;
        } | null;
        decided_at: string | null;
        /** What was proposed, if the employee has changed it */
        proposed_text: string | null;
        /** The message that became of it */
        message_id: string | null;
        /** Why it could not be sent */
        error: string | null;
      } | null;
      edited_at: string | null;
      deleted_at: string | null;
    };
  };
  /** Delete the employee's own note. `DELETE /app/api/notes/{id}` */
  removeNote: {
    input: {
      path: {
        id: string;
      };
    };
    output: {
      id: string;
      /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
      chat_id: string;
      kind: "note" | "assigned" | "snoozed" | "proposed";
      /** Sort key of a thread, as that of messages */
      order: string;
      /** UTC, as in ISO 8601 */
      at: string;
      author: {
        id: string;
        name: string | null;
      };
      /** Of a note, empty once it is deleted; or of a proposed message */
      text: string;
      /** Of an assignment: who it was before; null: nobody */
      from: {
        id: string;
        name: string | null;
      } | null;
      /** Of an assignment: who it is now; null: nobody */
      to: {
        id: string;
        name: string | null;
      } | null;
      /** Of a snooze: until when; null: it was ended */
      until: string | null;
      /** Of a message that a program proposes */
      proposal: {
        /** sent: the message has a status of its own */
        state: "waiting" | "approved" | "sent" | "failed" | "declined" | "expired";
        /** An access or refresh token */
        token: {
          id: string;
          /** Last characters of the token */
          hint: string;
        };
        /** UTC, as in ISO 8601 */
        expires_at: string;
        /** A template, which cannot be changed */
        is_template: boolean;
        quoted_id: string | null;
        decided_by: {
          id: string;
          name: string | null;
        } | null;
        decided_at: string | null;
        /** What was proposed, if the employee has changed it */
        proposed_text: string | null;
        /** The message that became of it */
        message_id: string | null;
        /** Why it could not be sent */
        error: string | null;
      } | null;
      edited_at: string | null;
      deleted_at: string | null;
    };
  };
  /** Send a proposed message as the employee's own. `POST /app/api/proposals/{id}/approve` */
  approveProposal: {
    input: {
      path: {
        id: string;
      };
      body: {
        /** Instead of the proposed text */
        text?: string;
      };
    };
    output: {
      /** false: somebody else was first, or it has expired; the entry says which */
      decided: boolean;
      entry: {
        id: string;
        /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
        chat_id: string;
        kind: "note" | "assigned" | "snoozed" | "proposed";
        /** Sort key of a thread, as that of messages */
        order: string;
        /** UTC, as in ISO 8601 */
        at: string;
        author: {
          id: string;
          name: string | null;
        };
        /** Of a note, empty once it is deleted; or of a proposed message */
        text: string;
        /** Of an assignment: who it was before; null: nobody */
        from: {
          id: string;
          name: string | null;
        } | null;
        /** Of an assignment: who it is now; null: nobody */
        to: {
          id: string;
          name: string | null;
        } | null;
        /** Of a snooze: until when; null: it was ended */
        until: string | null;
        /** Of a message that a program proposes */
        proposal: {
          /** sent: the message has a status of its own */
          state: "waiting" | "approved" | "sent" | "failed" | "declined" | "expired";
          /** An access or refresh token */
          token: {
            id: string;
            /** Last characters of the token */
            hint: string;
          };
          /** UTC, as in ISO 8601 */
          expires_at: string;
          /** A template, which cannot be changed */
          is_template: boolean;
          quoted_id: string | null;
          decided_by: {
            id: string;
            name: string | null;
          } | null;
          decided_at: string | null;
          /** What was proposed, if the employee has changed it */
          proposed_text: string | null;
          /** The message that became of it */
          message_id: string | null;
          /** Why it could not be sent */
          error: string | null;
        } | null;
        edited_at: string | null;
        deleted_at: string | null;
      };
    };
  };
  /** Decline a proposed message; nothing is sent. `POST /app/api/proposals/{id}/decline` */
  declineProposal: {
    input: {
      path: {
        id: string;
      };
      body: Record<string, unknown>;
    };
    output: {
      /** false: somebody else was first, or it has expired; the entry says which */
      decided: boolean;
      entry: {
        id: string;
        /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
        chat_id: string;
        kind: "note" | "assigned" | "snoozed" | "proposed";
        /** Sort key of a thread, as that of messages */
        order: string;
        /** UTC, as in ISO 8601 */
        at: string;
        author: {
          id: string;
          name: string | null;
        };
        /** Of a note, empty once it is deleted; or of a proposed message */
        text: string;
        /** Of an assignment: who it was before; null: nobody */
        from: {
          id: string;
          name: string | null;
        } | null;
        /** Of an assignment: who it is now; null: nobody */
        to: {
          id: string;
          name: string | null;
        } | null;
        /** Of a snooze: until when; null: it was ended */
        until: string | null;
        /** Of a message that a program proposes */
        proposal: {
          /** sent: the message has a status of its own */
          state: "waiting" | "approved" | "sent" | "failed" | "declined" | "expired";
          /** An access or refresh token */
          token: {
            id: string;
            /** Last characters of the token */
            hint: string;
          };
          /** UTC, as in ISO 8601 */
          expires_at: string;
          /** A template, which cannot be changed */
          is_template: boolean;
          quoted_id: string | null;
          decided_by: {
            id: string;
            name: string | null;
          } | null;
          decided_at: string | null;
          /** What was proposed, if the employee has changed it */
          proposed_text: string | null;
          /** The message that became of it */
          message_id: string | null;
          /** Why it could not be sent */
          error: string | null;
        } | null;
        edited_at: string | null;
        deleted_at: string | null;
      };
    };
  };
  /** Messages with all of these words, newest first. `GET /app/api/search` */
  searchMessages: {
    input: {
      query: {
        /** Words; each matches as a prefix */
        q: string;
        /** 1 to 100 */
        limit?: number;
        before?: string;
      };
    };
    output: {
      found: {
        message: {
          id: string;
          /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
          chat_id: string;
          /** Id of the channel */
          channel_id: string;
          /** The id that the writing page gave it */
          client_id: string | null;
          /** Sort key of a thread, compared as text; messages with equal keys are sorted by id */
          order: string;
          /** UTC, as in ISO 8601 */
          at: string;
          direction: "in" | "out" | "echo";
          type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
          status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
          error: {
            /** The code from the redirect */
            code: string;
            description: string;
          } | null;
          text: string | null;
          /** The kind of an unsupported message, such as poll */
          unsupported: string | null;
          file: {
            url: string;
            name: string | null;
            mime_type: string | null;
            size: number | null;
            kind: "image" | "audio" | "video" | "document";
            /** It is on another host */
            is_external: boolean;
            /** Deprecated: use status and reason */
            state: "waiting" | "stored" | "failed";
          } | null;
          author: {
            id: string | null;
            name: string | null;
          } | null;
          from_app: boolean;
          sender: {
            id: string;
            name: string;
          } | null;
          buttons: {
            type: string;
            text?: string;
            payload?: string;
            url?: string;
          }[];
          quoted: {
            id: string | null;
            type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
            text: string | null;
            author_name: string | null;
            direction: "in" | "out" | "echo" | null;
            file_url: string | null;
            /** The kind of an unsupported message, such as `story`, if known */
            unsupported: string | null;
            /** Where a browser shows it, maybe for a time only */
            link: string | null;
          } | null;
          /** The post that the message is a comment on */
          post?: {
            /** Id of the post */
            id: string;
            /** Address of the post */
            src: string;
            /** The author of the post */
            author: string;
            /** Its text */
            description: string;
          };
          /** avito only: the listing that the chat is about */
          advert?: {
            /** Id of the listing */
            id: string;
            /** Its title */
            title?: string;
            /** Its address */
            url?: string;
            /** Its price, as the messenger shows it */
            price?: string;
          };
          /** Where the message came from */
          referral?: {
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
          /** A notice of the messenger itself, not the customer's words */
          is_system?: true;
          /** Written before the channel was linked */
          is_history?: true;
          template: {
            id: string;
            values: string[];
            header: string | null;
            /** The request body */
            body: string | null;
            footer: string | null;
            buttons: string[];
          } | null;
          /** One for each person, at most 50 */
          reactions: {
            emoji: string;
            /** Of the person; empty for the channel's own */
            name: string;
            is_ours: boolean;
          }[];
          edited_at: string | null;
          deleted_at: string | null;
          old: {
            text: string | null;
            author_id: string | null;
            author_name: string | null;
            /** The file that an edit replaced */
            file_url: string | null;
          } | null;
          /** null: it cannot be edited, or no longer */
          can_edit_until: string | null;
          can_edit_file: boolean;
          can_delete: boolean;
          can_resend: boolean;
          can_react: boolean;
        };
        chat: {
          /** Our id of the chat */
          id: string;
          /** Id of the channel */
          channel_id: string;
          /** Messenger of the channel */
          transport: string;
          /** Kind of chat */
          chat_type: string;
          messenger_chat_id: string;
          is_group: boolean;
          /** The best name known; never empty */
          name: string;
          /** Username without the @ */
          username: string | null;
          /** International, digits only */
          phone: string | null;
          avatar_url: string | null;
          /** Orders the list, the latest first */
          last_at: string;
          last_message: {
            id: string;
            /** UTC, as in ISO 8601 */
            at: string;
            direction: "in" | "out" | "echo";
            type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
            status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
            /** Its first 200 characters */
            text: string | null;
            author_name: string | null;
            is_deleted: boolean;
          } | null;
          /** The client's unanswered messages of the last seven days */
          unanswered: number;
          /** Those of them that this employee has not seen, and proposed messages likewise */
          unread: number;
          /** The last message is outgoing and could not be sent */
          failed: boolean;
          /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since */
          marked_unread: boolean;
          /** Since when the employee has it at the top; null: not pinned */
          pinned_at: string | null;
          /** Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody */
          assignee: {
            id: string;
            name: string | null;
          } | null;
          /** Until when it is snoozed for everybody */
          snoozed_until: string | null;
          /** Until when a message that a program proposes waits for approval; null: none waits */
          proposed_until: string | null;
        };
      }[];
      /** On the first page: internal notes with all of these words, newest first, at most 20 */
      notes: {
        note: {
          id: string;
          /** The chat's id in the messenger: digits for whatsapp and viber, the username without @ for instagram */
          chat_id: string;
          kind: "note" | "assigned" | "snoozed" | "proposed";
          /** Sort key of a thread, as that of messages */
          order: string;
          /** UTC, as in ISO 8601 */
          at: string;
          author: {
            id: string;
            name: string | null;
          };
          /** Of a note, empty once it is deleted; or of a proposed message */
          text: string;
          /** Of an assignment: who it was before; null: nobody */
          from: {
            id: string;
            name: string | null;
          } | null;
          /** Of an assignment: who it is now; null: nobody */
          to: {
            id: string;
            name: string | null;
          } | null;
          /** Of a snooze: until when; null: it was ended */
          until: string | null;
          /** Of a message that a program proposes */
          proposal: {
            /** sent: the message has a status of its own */
            state: "waiting" | "approved" | "sent" | "failed" | "declined" | "expired";
            /** An access or refresh token */
            token: {
              id: string;
              /** Last characters of the token */
              hint: string;
            };
            /** UTC, as in ISO 8601 */
            expires_at: string;
            /** A template, which cannot be changed */
            is_template: boolean;
            quoted_id: string | null;
            decided_by: {
              id: string;
              name: string | null;
            } | null;
            decided_at: string | null;
            /** What was proposed, if the employee has changed it */
            proposed_text: string | null;
            /** The message that became of it */
            message_id: string | null;
            /** Why it could not be sent */
            error: string | null;
          } | null;
          edited_at: string | null;
          deleted_at: string | null;
        };
        chat: {
          /** Our id of the chat */
          id: string;
          /** Id of the channel */
          channel_id: string;
          /** Messenger of the channel */
          transport: string;
          /** Kind of chat */
          chat_type: string;
          messenger_chat_id: string;
          is_group: boolean;
          /** The best name known; never empty */
          name: string;
          /** Username without the @ */
          username: string | null;
          /** International, digits only */
          phone: string | null;
          avatar_url: string | null;
          /** Orders the list, the latest first */
          last_at: string;
          last_message: {
            id: string;
            /** UTC, as in ISO 8601 */
            at: string;
            direction: "in" | "out" | "echo";
            type: "text" | "image" | "audio" | "video" | "document" | "vcard" | "geo" | "wapi_template" | "unsupported" | "missing_call" | "unknown";
            status: "queued" | "inbound" | "sent" | "delivered" | "read" | "error";
            /** Its first 200 characters */
            text: string | null;
            author_name: string | null;
            is_deleted: boolean;
          } | null;
          /** The client's unanswered messages of the last seven days */
          unanswered: number;
          /** Those of them that this employee has not seen, and proposed messages likewise */
          unread: number;
          /** The last message is outgoing and could not be sent */
          failed: boolean;
          /** The employee marked it as unread, or it came back from a snooze, and the employee has not opened it since */
          marked_unread: boolean;
          /** Since when the employee has it at the top; null: not pinned */
          pinned_at: string | null;
          /** Who works on it; until somebody is assigned, the CRM's responsible user. null: nobody */
          assignee: {
            id: string;
            name: string | null;
          } | null;
          /** Until when it is snoozed for everybody */
          snoozed_until: string | null;
          /** Until when a message that a program proposes waits for approval; null: none waits */
          proposed_until: string | null;
        };
      }[];
      /** Cursor of the next page; null if there is none */
      next: string | null;
    };
  };
  /** Open a session of the connect page. `POST /app/api/sessions` */
  openPageSession: {
    input: {
      body: {
        /** From the page's address */
        ticket: string;
        /** With the ticket of a channel's own link: its transport */
        transport?: string;
      };
    };
    output: {
      /** Send it as a bearer token, and keep it in memory only */
      token: string;
      /** Seconds */
      expires_in: number;
      /** The transport to connect; null: the person chooses */
      transport: string | null;
      /** The channel to reconnect */
      channel_id: string | null;
      /** Name of the account whose channel it will be; empty if it has none */
      account: string;
      /** Where the person goes on afterwards */
      return_url: string | null;
    };
  };
  /** Start to sign in at a messenger. `POST /app/api/sign-ins` */
  startSignIn: {
    input: {
      body: {
        /** Messenger of the channel */
        transport: string;
      };
    };
    output: {
      /** Id of the channel, which may not exist yet */
      channel_id: string;
      /** Address that leads to the messenger; open it in a separate window */
      url: string;
    };
  };
  /** Continue a sign-in after the messenger's redirect, after a choice, or end it. `POST /app/api/sign-ins/{transport}/continuations` */
  continueSignIn: {
    input: {
      path: {
        /** Messenger of the channel */
        transport: string;
      };
      body: {
        /** Deprecated: use status and reason */
        state: string;
        /** The query of the messenger's redirect */
        query?: string;
        /** Id of the chosen item */
        choice?: string;
        /** The person does not agree */
        refused?: boolean;
        /** Of the last answer */
        agreement?: string;
      };
    };
    output: {
      /** `question`: nothing is connected before the person agrees to `asked`. `closed`: they have refused, and nothing was connected */
      kind: "question" | "closed" | "connected" | "choice" | "elsewhere" | "refused";
      asked?: {
        /** The account that the messenger account is connected to */
        account: {
          /** Number of the account */
          id: number;
          /** Name of the client */
          name: string;
        };
        /** Name of the channel to reconnect; null: a new one */
        channel: string | null;
        /** Send it back with the next step once the person has agreed */
        agreement: string;
      };
      /** Id of the connected channel */
      name?: string;
      /** International, digits only */
      phone?: string;
      /** Username without the @ */
      username?: string;
      /** The number's new PIN for two-step verification */
      pin?: string;
      of?: "community" | "number";
      /** Number of events */
      items?: {
        id: string;
        name: string;
      }[];
      /** Where the person goes on */
      url?: string;
      reason?: "denied" | "unavailable" | "nothing" | "outdated" | "messenger" | "credentials";
      description?: string;
    };
  };
  /** Go to the messenger; only this browser, known by a cookie, can continue the sign-in. `POST /app/api/sign-ins/{transport}/departures` */
  departForMessenger: {
    input: {
      path: {
        /** Messenger of the channel */
        transport: string;
      };
      body: {
        /** From the address of `startSignIn` */
        start: string;
      };
    };
    output: {
      /** Address at the messenger */
      url: string;
    };
  };
  /** What a sign-in would connect to, before the person goes to the messenger. `POST /app/api/sign-ins/{transport}/questions` */
  readSignIn: {
    input: {
      path: {
        /** Messenger of the channel */
        transport: string;
      };
      body: {
        /** From the address of `startSignIn` */
        start: string;
      };
    };
    output: {
      /** The account that the messenger account is connected to */
      account: {
        /** Number of the account */
        id: number;
        /** Name of the client */
        name: string;
      };
      /** Name of the channel to reconnect; null: a new one */
      channel: string | null;
    };
  };
  /** The messengers that can be connected. `GET /app/api/transports` */
  listTransports: {
    input: Record<never, never>;
    output: {
      /** Messenger of the channel */
      transport: string;
      label: string;
      connect: "credentials" | "qr" | "redirect" | "page" | "invitation";
      /** Whether a person can sign in at the messenger */
      sign_in: boolean;
      login: ("pairingCode" | "phone" | "code" | "password" | "passkey")[];
      /** Whether earlier messages can be imported */
      history: boolean;
      fields: {
        name: string;
        /** Name for people */
        title: string;
        description: string;
        /** A regular expression; empty: any text */
        pattern: string;
        required: boolean;
        /** Key for verifying signatures (Standard Webhooks) */
        secret: boolean;
      }[];
    }[];
  };
  /** Count the employee's unanswered messages of the last seven days, in the chats that the page shows. `GET /app/api/unanswered` */
  getUnanswered: {
    input: Record<never, never>;
    output: {
      /** Number of unanswered messages */
      counter: number;
      /** red: of the employee's own clients; grey: of others; null: none */
      type: "red" | "grey" | null;
      last_message_at: string | null;
    };
  };
}

/** Method, path and credential of an operation. */
export type Route = readonly [method: string, path: string, credential: string];

