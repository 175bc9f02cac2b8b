import { randomBytes } from "node:crypto";

/** The parts of a Graph API error in addition to its message. */
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
  /** Further content of the response. */
  readonly beside?: Readonly<Record<string, unknown>>;
}

/** An error in the Graph API's format: https://developers.facebook.com/docs/graph-api/guides/error-handling */
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

/** A parameter that the Graph layer rejects before it reaches WhatsApp: `(#100) …`. */
export function badParam(message: string): GraphError {
  return new GraphError(`(#100) ${message}`, { status: 400, type: "OAuthException", code: 100 });
}

/** An id that the caller may not access, or an edge that the object does not have. */
export function noSuchObject(method: string, id: string): GraphError {
  const verb = method.toLowerCase();
  const message =
    `Unsupported ${verb} request. Object with ID '${id}' does not exist, cannot be loaded due to missing ` +
    "permissions, or does not support this operation. Please read the Graph API documentation at " +
    "https://developers.facebook.com/docs/graph-api";
  return new GraphError(message, { status: 400, type: "GraphMethodException", code: 100, subcode: 33 });
}

/** A path that does not exist. */
export function unknownPath(rest: string): GraphError {
  const message = `Unknown path components: /${rest}`;
  return new GraphError(message, { status: 400, type: "OAuthException", code: 2500 });
}

/** A token that is missing, unknown, expired or revoked: always 401. */
export function tokenError(message: string, code: number, subcode?: number): GraphError {
  const parts = { status: 401, type: "OAuthException", code } as const;
  return new GraphError(message, subcode === undefined ? parts : { ...parts, subcode });
}

/** `Invalid parameter` with the message that Meta's own pages show. */
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
