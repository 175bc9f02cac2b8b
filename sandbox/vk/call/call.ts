import type { Community } from "../community.ts";
import type { Message } from "../shape.ts";
import type { World } from "../world.ts";
import type { Params, ParamTypes } from "./param.ts";
import type { Right, Token } from "./token.ts";

/** A call with a community key. */
export interface GroupCall {
  readonly world: World;
  readonly method: string;
  readonly params: Params;
  readonly community: Community;
  readonly token: Token;
}

/** A call with a key of either kind; `community` is undefined for a person's key. */
export interface AnyCall extends Omit<GroupCall, "community"> {
  readonly community: Community | undefined;
}

/** Performs the method and returns its `response`, or throws a `VkError`. */
export type Method = {
  /** As https://dev.vk.com/ru/method lists them. */
  readonly params: ParamTypes;
  /** The right that a community key needs. */
  readonly right?: Right;
  /** `group_id` is required, although the key implies it. */
  readonly needsGroup?: boolean;
} & (
  | { readonly caller: "group"; readonly run: (call: GroupCall) => unknown }
  | { readonly caller: "user" | "any"; readonly run: (call: AnyCall) => unknown }
);

/** Methods by their part after the dot. */
export type MethodTable = Readonly<Record<string, Method>>;

/** A method for communities that takes their own `group_id`; methods that manage the community need it. */
export function groupMethod(
  right: Right | undefined,
  params: ParamTypes,
  run: (call: GroupCall) => unknown,
): Method {
  const whole = { group_id: "integer", ...params } as const;
  return { caller: "group", params: whole, run, needsGroup: right === "manage", ...(right && { right }) };
}

/** A method for communities and people. */
export function anyMethod(params: ParamTypes, run: (call: AnyCall) => unknown): Method {
  return { caller: "any", params, run };
}

/** Records an action of the community. `message` undefined: not about a message. */
export function noteSent(
  { world, community, method, params }: GroupCall,
  what: { readonly peer_id: number; readonly message_id?: number; readonly conversation_message_id?: number },
  message?: Message,
): void {
  community.sent.append({
    method,
    at: new Date(world.clock.nowMs()).toISOString(),
    peer_id: what.peer_id,
    message_id: message?.id ?? what.message_id ?? 0,
    conversation_message_id: message?.conversation_message_id ?? what.conversation_message_id ?? 0,
    ...(message && { message }),
    request: params.values,
  });
}
