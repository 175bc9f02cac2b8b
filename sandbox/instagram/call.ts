import type { Param } from "../meta/param.ts";
import type { Account, App } from "./account.ts";
import { permissionMissing } from "./graph-refusal.ts";
import { type Login, type Need, scopeName, type Token } from "./token.ts";
import type { World } from "./world.ts";

/** Who calls: a token, or the app itself (`APP_ID|APP_SECRET`). */
export interface Caller {
  readonly app: App;
  readonly token: Token | undefined;
}

/** A call of the graph, with everything its handler needs. */
export interface GraphCall {
  readonly world: World;
  readonly caller: Caller;
  /** Whose host was called. */
  readonly login: Login;
  readonly method: string;
  readonly param: Param;
}

/** Answers with a JSON value. */
export type GraphHandler<T> = (call: GraphCall, node: T) => unknown;

/** The handlers of a kind of object, by `METHOD edge`; the edge is empty for the object itself. */
export type EdgeTable<T> = Readonly<Record<string, GraphHandler<T>>>;

/** Whether the caller was given the account; the others do not exist for it. */
export function mayUse({ token }: Caller, account: Account): boolean {
  return token?.accountIds.includes(account.id) ?? false;
}

/** Refuses a token without the permission. */
export function needScope({ caller, login }: Pick<GraphCall, "caller" | "login">, need: Need): void {
  const name = scopeName(login, need);
  if (!caller.token?.scopes.includes(name)) throw permissionMissing(name);
}

/** The one parameter that reading calls have. */
export function fieldsOf({ param }: GraphCall): string | undefined {
  return param.text("fields");
}
