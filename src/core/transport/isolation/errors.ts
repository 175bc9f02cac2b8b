import type { ErrorCodec } from "../../../platform/workers/peer.ts";
import {
  type Cooldown,
  CredentialsError,
  type GroupRefusal,
  GroupRefused,
  type LoginRefusal,
  LoginRefused,
  type MessageErrorCode,
  type RetryPolicy,
  type SendRestriction,
  TransportError,
} from "../errors.ts";
import type { PasskeyFault } from "../login.ts";

/** An error as plain data. Of `cause` only the text is kept, for the log. */
type Encoded = {
  readonly message: string;
  readonly stack: string | undefined;
  readonly cause: string | undefined;
} & (
  | {
      readonly kind: "transport";
      readonly code: MessageErrorCode;
      readonly retry: RetryPolicy;
      readonly data: string | undefined;
      readonly cooldown: Cooldown | undefined;
      readonly restriction: SendRestriction | undefined;
    }
  | { readonly kind: "login"; readonly reason: LoginRefusal; readonly fault: PasskeyFault | undefined }
  | { readonly kind: "group"; readonly reason: GroupRefusal; readonly data: string | undefined }
  | { readonly kind: "credentials" }
  | { readonly kind: "other" }
);

/** Transfers the contract's errors between processes with their classes. */
export const errorCodec: ErrorCodec = { encode, decode: (data) => decode(data as Encoded) };

function encode(error: unknown): Encoded {
  const { message, stack, cause } = error instanceof Error ? error : new Error(String(error));
  const words = { message, stack, cause: cause === undefined ? undefined : String(cause) };
  if (error instanceof TransportError) {
    const { code, retry, data, cooldown, restriction } = error;
    return { ...words, kind: "transport", code, retry, data, cooldown, restriction };
  }
  if (error instanceof LoginRefused)
    return { ...words, kind: "login", reason: error.reason, fault: error.fault };
  if (error instanceof GroupRefused)
    return { ...words, kind: "group", reason: error.reason, data: error.data };
  return { ...words, kind: error instanceof CredentialsError ? "credentials" : "other" };
}

function decode(data: Encoded): Error {
  const error = revive(data);
  if (data.stack !== undefined) error.stack = data.stack;
  return error;
}

function revive(data: Encoded): Error {
  const options = data.cause === undefined ? {} : { cause: new Error(data.cause) };
  switch (data.kind) {
    case "transport":
      return new TransportError(data.code, data.message, {
        ...options,
        retry: data.retry,
        data: data.data,
        cooldown: data.cooldown,
        restriction: data.restriction,
      });
    case "login":
      return new LoginRefused(data.reason, data.message, { ...options, fault: data.fault });
    case "group":
      return new GroupRefused(data.reason, data.message, { ...options, data: data.data });
    case "credentials":
      return new CredentialsError(data.message, options);
    case "other":
      return new Error(data.message, options);
  }
}
