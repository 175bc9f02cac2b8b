import { randomBytes } from "node:crypto";

/** What an error of the Graph API consists of beside its message. */
export interface ErrorParts {
  readonly status: number;
  readonly type: "OAuthException" | "GraphMethodException" | "IGApiException";
  readonly code: number;
  readonly subcode?: number;
  /** Set on errors of WhatsApp itself; those of the Graph layer have no `error_data`. */
  readonly details?: string;
  readonly transient?: boolean;
  readonly userTitle?: string;
  readonly userMessage?: string;
  /** What the answer holds beside the error. */
  readonly beside?: Readonly<Record<string, unknown>>;
}

/** An error as the Graph API answers it: https://developers.facebook.com/docs/graph-api/guides/error-handling */
export class GraphError extends Error {
  readonly parts: ErrorParts;

  constructor(message: string, parts: ErrorParts) {
    super(message);
    this.parts = parts;
  }

  /** The body of the answer. */
  toBody(): { readonly error: Readonly<Record<string, unknown>> } {
    const { type, code, subcode, details, transient, userTitle, userMessage, beside } = this.parts;
    return {
      ...beside,
      error: {
        message: this.message,
        type,
        code,
        ...(details !== undefined && { error_data: { messaging_product: "whatsapp", details } }),
        ...(subcode !== undefined && { error_subcode: subcode }),
        ...(transient !== undefined && { is_transient: transient }),
        ...(userTitle !== undefined && { error_user_title: userTitle }),
        ...(userMessage !== undefined && { error_user_msg: userMessage }),
        fbtrace_id: `A${randomBytes(16).toString("base64url")}`,
      },
    };
  }
}

/** A parameter that the Graph layer refuses before WhatsApp sees it: `(#100) …`. */
export function badParam(message: string): GraphError {
  return new GraphError(`(#100) ${message}`, { status: 400, type: "OAuthException", code: 100 });
}

/** An id that the caller may not see, or an edge that the object does not have. */
export function noSuchObject(method: string, id: string): GraphError {
  const verb = method.toLowerCase();
  const message =
    `Unsupported ${verb} request. Object with ID '${id}' does not exist, cannot be loaded due to missing ` +
    "permissions, or does not support this operation. Please read the Graph API documentation at " +
    "https://developers.facebook.com/docs/graph-api";
  return new GraphError(message, { status: 400, type: "GraphMethodException", code: 100, subcode: 33 });
}

/** A path that leads nowhere. */
export function unknownPath(rest: string): GraphError {
  const message = `Unknown path components: /${rest}`;
  return new GraphError(message, { status: 400, type: "OAuthException", code: 2500 });
}

/** A token that is missing, unknown, expired or withdrawn: always 401. */
export function tokenError(message: string, code: number, subcode?: number): GraphError {
  const parts = { status: 401, type: "OAuthException", code } as const;
  return new GraphError(message, subcode === undefined ? parts : { ...parts, subcode });
}

/** `Invalid parameter` with the sentence that Meta's own pages show to a person. */
export function userError(subcode: number, userTitle: string, userMessage: string): GraphError {
  return new GraphError("Invalid parameter", {
    status: 400,
    type: "OAuthException",
    code: 100,
    subcode,
    transient: false,
    userTitle,
    userMessage,
  });
}
