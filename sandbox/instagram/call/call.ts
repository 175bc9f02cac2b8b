import type { Param } from "../../meta/param.ts";
import type { Account, App } from "../account/account.ts";
import { type Login, type Need, scopeName, type Token } from "../login/token.ts";
import type { World } from "../world.ts";
import { permissionMissing } from "./graph-refusal.ts";

/** The caller: a token, or the app itself (`APP_ID|APP_SECRET`). */
export interface Caller {
  readonly app: App;
  readonly token: Token | undefined;
}

/** A call of the graph, with everything its handler needs. */
export interface GraphCall {
  readonly world: World;
  readonly caller: Caller;
  /** The login whose host was called. */
  readonly login: Login;
  readonly method: string;
  readonly param: Param;
}

/** Returns a JSON value. */
export type GraphHandler<T> = (call: GraphCall, node: T) => unknown;

/** The handlers of a kind of object, by `METHOD edge`; an empty edge is the object itself. */
export type EdgeTable<T> = Readonly<Record<string, GraphHandler<T>>>;

/** Whether the caller has access to the account; other accounts do not exist for it. */
export function mayUse({ token }: Caller, account: Account): boolean {
  return token?.accountIds.includes(account.id) ?? false;
}

/** Refuses a token without the permission. */
export function needScope({ caller, login }: Pick<GraphCall, "caller" | "login">, need: Need): void {
  const name = scopeName(login, need);
  if (!caller.token?.scopes.includes(name)) throw permissionMissing(name);
}

/** The only parameter of calls that read. */
export function fieldsOf({ param }: GraphCall): string | undefined {
  return param.text("fields");
}
