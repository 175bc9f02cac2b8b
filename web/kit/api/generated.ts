// Made from the description of /app/api by `npm run docs`; what is changed here is lost.

/** Codes of errors. A newer service may have more. */
export type ErrorCode =
  | "VALIDATION_ERROR"
  | "INVALID_MESSAGE_DATA"
  | "INVALID_JSON"
  | "INVALID_APIKEY"
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
  | "REPEATED_CRM_MESSAGE_ID"
  | "MESSAGE_TEXT_TOO_LONG"
  | "MESSAGES_CONTENT_SIZE_EXCEEDED"
  | "MESSAGE_CONTENT_NOT_SUPPORTED"
  | "CHANNEL_WAPI_REJECTED"
  | "ATTACHMENT_URL_NOT_ALLOWED"
  | "MESSAGES_NOT_FOUND"
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
  /** Begin to connect a messenger account as a new channel. `POST /app/api/channels` */
  connectChannel: {
    input: {
      body: {
        /** Messenger of the channel */
        transport: string;
        /** What the messenger asks for; empty where a person connects the channel by QR code or link */
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
      /** Why it has this status; null when there is nothing to tell */
      reason: null | "wait_for_password" | "wait_for_code" | "qr" | "sync" | "blocked" | "not_enough_money" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openelsewhere";
      /** Name of the channel */
      name: string;
      /** Phone number of the channel; "" when it has none */
      phone: string;
      /** Username of the channel; "" when it has none */
      username: string;
      /** What the person follows into the messenger */
      url: string | null;
      /** A data URI of the code to scan */
      qr: string | null;
      /** Until the code is replaced */
      qr_seconds: number | null;
      /** What the account's owner wrote down for the password */
      password_hint: string | null;
      /** Changes with anything else; see `known` */
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
        /** Version that the page has */
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
      /** Why it has this status; null when there is nothing to tell */
      reason: null | "wait_for_password" | "wait_for_code" | "qr" | "sync" | "blocked" | "not_enough_money" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openelsewhere";
      /** Name of the channel */
      name: string;
      /** Phone number of the channel; "" when it has none */
      phone: string;
      /** Username of the channel; "" when it has none */
      username: string;
      /** What the person follows into the messenger */
      url: string | null;
      /** A data URI of the code to scan */
      qr: string | null;
      /** Until the code is replaced */
      qr_seconds: number | null;
      /** What the account's owner wrote down for the password */
      password_hint: string | null;
      /** Changes with anything else; see `known` */
      version: string;
    };
  };
  /** Connect by a code typed on the phone instead of a QR code. `POST /app/api/channels/{id}/pairing-code` */
  pairChannel: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: {
        /** Phone number of the channel; "" when it has none */
        phone: string;
      };
    };
    output: {
      /** The code that came to redirect_uri */
      code: string;
      /** Phone number of the channel; "" when it has none */
      phone: string;
    };
  };
  /** Have the messenger send a code to a phone number instead of showing a QR code. `POST /app/api/channels/{id}/phone` */
  sendCodeToPhone: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: {
        /** Phone number of the channel; "" when it has none */
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
      /** Why it has this status; null when there is nothing to tell */
      reason: null | "wait_for_password" | "wait_for_code" | "qr" | "sync" | "blocked" | "not_enough_money" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openelsewhere";
      /** Name of the channel */
      name: string;
      /** Phone number of the channel; "" when it has none */
      phone: string;
      /** Username of the channel; "" when it has none */
      username: string;
      /** What the person follows into the messenger */
      url: string | null;
      /** A data URI of the code to scan */
      qr: string | null;
      /** Until the code is replaced */
      qr_seconds: number | null;
      /** What the account's owner wrote down for the password */
      password_hint: string | null;
      /** Changes with anything else; see `known` */
      version: string;
    };
  };
  /** Begin to connect a channel again. `POST /app/api/channels/{id}/restart` */
  reconnectChannel: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: {
        /** What the messenger asks for; empty where a person connects the channel by QR code or link */
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
      /** Why it has this status; null when there is nothing to tell */
      reason: null | "wait_for_password" | "wait_for_code" | "qr" | "sync" | "blocked" | "not_enough_money" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openelsewhere";
      /** Name of the channel */
      name: string;
      /** Phone number of the channel; "" when it has none */
      phone: string;
      /** Username of the channel; "" when it has none */
      username: string;
      /** What the person follows into the messenger */
      url: string | null;
      /** A data URI of the code to scan */
      qr: string | null;
      /** Until the code is replaced */
      qr_seconds: number | null;
      /** What the account's owner wrote down for the password */
      password_hint: string | null;
      /** Changes with anything else; see `known` */
      version: string;
    };
  };
  /** Give the code or the password that a channel waits for. `POST /app/api/channels/{id}/secret` */
  submitSecret: {
    input: {
      path: {
        /** Id of the channel */
        id: string;
      };
      body: {
        /** What the signatures are verified with (Standard Webhooks) */
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
      /** Why it has this status; null when there is nothing to tell */
      reason: null | "wait_for_password" | "wait_for_code" | "qr" | "sync" | "blocked" | "not_enough_money" | "rejected" | "unauthorized" | "foreignphone" | "qridle" | "openelsewhere";
      /** Name of the channel */
      name: string;
      /** Phone number of the channel; "" when it has none */
      phone: string;
      /** Username of the channel; "" when it has none */
      username: string;
      /** What the person follows into the messenger */
      url: string | null;
      /** A data URI of the code to scan */
      qr: string | null;
      /** Until the code is replaced */
      qr_seconds: number | null;
      /** What the account's owner wrote down for the password */
      password_hint: string | null;
      /** Changes with anything else; see `known` */
      version: string;
    };
  };
  /** A link for whoever holds the phone; it serves once, within ten minutes. `POST /app/api/channels/{id}/share` */
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
  /** Use a one-time link: set a password, and be signed in. `POST /app/api/console/links` */
  redeemLink: {
    input: {
      body: {
        /** From the link's address */
        link: string;
        /** What the person signs in with */
        login?: string;
        /** At least twelve characters */
        password: string;
      };
    };
    output: {
      needsCode: boolean;
    };
  };
  /** What a one-time link is for; it is not used up. `POST /app/api/console/links/questions` */
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
      /** Whose password is set; null: the person chooses */
      login: string | null;
    };
  };
  /** Who may sign in to the console. `GET /app/api/console/operators` */
  listOperators: {
    input: Record<never, never>;
    output: {
      /** Id of the person */
      id: string;
      /** What the person signs in with */
      login: string;
      role: "operator" | "admin" | "viewer";
      /** Id of the account; null: the whole installation */
      accountId: number | null;
      /** Whether a code is asked for beside the password */
      hasSecondFactor: boolean;
      createdAt: string;
      signedInAt: string | null;
    }[];
  };
  /** A one-time link for one more person. `POST /app/api/console/operators` */
  inviteOperator: {
    input: {
      body: {
        role: "operator" | "admin" | "viewer";
        /** Id of the account; null: the whole installation */
        accountId?: number | null;
      };
    };
    output: {
      /** Serves once, within a day */
      link: string;
    };
  };
  /** Take somebody's access away; their sessions end. `DELETE /app/api/console/operators/{id}` */
  removeOperator: {
    input: {
      path: {
        id: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** A one-time link for somebody who forgot the password or lost the authenticator app. `POST /app/api/console/operators/{id}/links` */
  resetOperator: {
    input: {
      path: {
        id: string;
      };
    };
    output: {
      /** Serves once, within a day */
      link: string;
    };
  };
  /** Set a new password; other sessions end. `POST /app/api/console/password` */
  changePassword: {
    input: {
      body: {
        current: string;
        /** cursor of the next page; null when there is none */
        next: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** A new key for an authenticator app; it counts once its first code was given. `POST /app/api/console/second-factor` */
  beginSecondFactor: {
    input: Record<never, never>;
    output: {
      /** To be typed where the code cannot be scanned */
      key: string;
      /** A data URI of the code to scan */
      qr: string;
    };
  };
  /** Give the first code of the new key: from now on codes are asked for. `POST /app/api/console/second-factor/codes` */
  confirmSecondFactor: {
    input: {
      body: {
        /** The code that came to redirect_uri */
        code: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** Ask for codes no longer. `POST /app/api/console/second-factor/end` */
  endSecondFactor: {
    input: {
      body: {
        password: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** Who is signed in. `GET /app/api/console/session` */
  getSession: {
    input: Record<never, never>;
    output: {
      operator: {
        /** Id of the person */
        id: string;
        /** What the person signs in with */
        login: string;
        role: "operator" | "admin" | "viewer";
        /** Id of the account; null: the whole installation */
        accountId: number | null;
        /** Whether a code is asked for beside the password */
        hasSecondFactor: boolean;
      };
      /** To be sent as `X-CSRF-Token` with whatever changes something */
      csrf: string;
    };
  };
  /** Sign out. `DELETE /app/api/console/session` */
  signOut: {
    input: Record<never, never>;
    output: Record<string, unknown>;
  };
  /** Where one is signed in. `GET /app/api/console/sessions` */
  listSessions: {
    input: Record<never, never>;
    output: {
      id: string;
      /** The session that asks */
      isThis: boolean;
      createdAt: string;
      seenAt: string;
      expiresAt: string;
      /** Where the person signed in from */
      address: string;
      /** What the browser calls itself */
      agent: string;
    }[];
  };
  /** Sign in to the console; the session is in a cookie. `POST /app/api/console/sessions` */
  signIn: {
    input: {
      body: {
        /** What the person signs in with */
        login: string;
        /** At least twelve characters */
        password: string;
        /** Of the authenticator app */
        code?: string;
      };
    };
    output: {
      /** true: the password is right, and a code is needed as well */
      needsCode: boolean;
    };
  };
  /** End one of one's own sessions. `DELETE /app/api/console/sessions/{id}` */
  endSession: {
    input: {
      path: {
        id: string;
      };
    };
    output: Record<string, unknown>;
  };
  /** Open the session of a page. `POST /app/api/sessions` */
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
      /** To be sent as a bearer token, and kept in memory alone */
      token: string;
      /** Seconds */
      expires_in: number;
      /** What is to be connected; null: the person chooses */
      transport: string | null;
      /** The channel to be connected again */
      channel_id: string | null;
    };
  };
  /** Begin to sign in at a messenger. `POST /app/api/sign-ins` */
  startSignIn: {
    input: {
      body: {
        /** Messenger of the channel */
        transport: string;
      };
    };
    output: {
      /** Of the channel, which may only begin to exist */
      channel_id: string;
      /** At the messenger, for a window of its own */
      url: string;
    };
  };
  /** Go on with a sign-in after coming back from the messenger, or after a choice. `POST /app/api/sign-ins/{transport}/continuations` */
  continueSignIn: {
    input: {
      path: {
        /** Messenger of the channel */
        transport: string;
      };
      body: {
        /** Deprecated: use status and reason */
        state: string;
        /** As the messenger sent it back */
        query?: string;
        /** Id of what the person chose */
        choice?: string;
      };
    };
    output: {
      kind: "connected" | "choice" | "elsewhere" | "refused";
      /** Of the channel that is connected */
      name?: string;
      /** International, digits only */
      phone?: string;
      /** Username without the @ */
      username?: string;
      /** The number's new PIN for two-step verification */
      pin?: string;
      of?: "community" | "number";
      /** How many events it carried */
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
      login: ("pairingCode" | "phone" | "code" | "password")[];
      fields: {
        name: string;
        /** Name for people */
        title: string;
        description: string;
        /** A regular expression; empty: any text */
        pattern: string;
        required: boolean;
        /** What the signatures are verified with (Standard Webhooks) */
        secret: boolean;
      }[];
    }[];
  };
}

/** Method, path and credential of each operation. */
export const OPERATIONS = {
  connectChannel: ["POST", "/app/api/channels", "pageSession"],
  watchChannel: ["GET", "/app/api/channels/{id}", "pageSession"],
  pairChannel: ["POST", "/app/api/channels/{id}/pairing-code", "pageSession"],
  sendCodeToPhone: ["POST", "/app/api/channels/{id}/phone", "pageSession"],
  reconnectChannel: ["POST", "/app/api/channels/{id}/restart", "pageSession"],
  submitSecret: ["POST", "/app/api/channels/{id}/secret", "pageSession"],
  shareChannelLink: ["POST", "/app/api/channels/{id}/share", "pageSession"],
  redeemLink: ["POST", "/app/api/console/links", "pageSession"],
  readLink: ["POST", "/app/api/console/links/questions", "pageSession"],
  listOperators: ["GET", "/app/api/console/operators", "pageSession"],
  inviteOperator: ["POST", "/app/api/console/operators", "pageSession"],
  removeOperator: ["DELETE", "/app/api/console/operators/{id}", "pageSession"],
  resetOperator: ["POST", "/app/api/console/operators/{id}/links", "pageSession"],
  changePassword: ["POST", "/app/api/console/password", "pageSession"],
  beginSecondFactor: ["POST", "/app/api/console/second-factor", "pageSession"],
  confirmSecondFactor: ["POST", "/app/api/console/second-factor/codes", "pageSession"],
  endSecondFactor: ["POST", "/app/api/console/second-factor/end", "pageSession"],
  getSession: ["GET", "/app/api/console/session", "pageSession"],
  signOut: ["DELETE", "/app/api/console/session", "pageSession"],
  listSessions: ["GET", "/app/api/console/sessions", "pageSession"],
  signIn: ["POST", "/app/api/console/sessions", "pageSession"],
  endSession: ["DELETE", "/app/api/console/sessions/{id}", "pageSession"],
  openPageSession: ["POST", "/app/api/sessions", "none"],
  startSignIn: ["POST", "/app/api/sign-ins", "pageSession"],
  continueSignIn: ["POST", "/app/api/sign-ins/{transport}/continuations", "none"],
  listTransports: ["GET", "/app/api/transports", "pageSession"],
} as const satisfies Record<keyof Operations, readonly [method: string, path: string, credential: string]>;
