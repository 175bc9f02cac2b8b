import { GraphError } from "../../meta/graph-error.ts";

/** An error of Instagram itself, with its type: `{code, error_subcode}`. */
export function instagramError(message: string, code: number, subcode?: number, status = 400): GraphError {
  const parts = { status, type: "IGApiException", code } as const;
  return new GraphError(message, subcode === undefined ? parts : { ...parts, subcode });
}

/** https://developers.facebook.com/docs/messenger-platform/instagram/features/send-message#requirements */
export function windowClosed(): GraphError {
  return instagramError("This message is sent outside of allowed window.", 10, 2534022, 403);
}

export function personNotFound(): GraphError {
  return instagramError("The requested user cannot be found.", 100, 2534014);
}

export function personUnavailable(): GraphError {
  return instagramError("This person isn't available right now.", 551, 1545041);
}

export function threadDeleted(): GraphError {
  return instagramError("The thread has been deleted or archived by its owner.", 100, 2534001);
}

export function commentNotEligible(): GraphError {
  return instagramError("The comment is invalid for sending a private reply to.", 100, 2534013);
}

export function alreadyReplied(): GraphError {
  return instagramError("A private reply was already sent for this comment.", 100, 2534025);
}

export function attachmentFailed(subcode: 2018007 | 2018008 | 2018047): GraphError {
  const messages = {
    2018007: "Attachment size exceeds allowable limit",
    2018008: "Failed to fetch the file from the url",
    2018047:
      "Upload attachment failure. The provided media type does not match the type of the file in the URL",
  };
  return new GraphError(`(#100) ${messages[subcode]}`, {
    status: 400,
    type: "OAuthException",
    code: 100,
    subcode,
  });
}

/** The token lacks this permission. */
export function permissionMissing(scope: string): GraphError {
  const message = `(#10) Application does not have permission for this action: ${scope}`;
  return new GraphError(message, { status: 403, type: "OAuthException", code: 10 });
}

/** Meta serves messages on the page only for tokens of Facebook Login. */
export function capabilityMissing(): GraphError {
  return new GraphError("(#3) Application does not have the capability to make this API call.", {
    status: 400,
    type: "OAuthException",
    code: 3,
  });
}

export function rateLimited(code: 4 | 613): GraphError {
  const message =
    code === 4
      ? "(#4) Application request limit reached"
      : "(#613) Calls to this api have exceeded the rate limit.";
  const parts = { status: code === 4 ? 403 : 400, type: "OAuthException", code, transient: true } as const;
  return new GraphError(message, parts);
}
