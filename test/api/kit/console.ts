import { inviteOperator } from "../../../src/core/operator/links.ts";
import type { Standing } from "../../../src/core/operator/operators.ts";
import { type Answer, call } from "./call.ts";
import type { TestNode } from "./service.ts";

export const CONSOLE = "/app/api/console";
export const PASSWORD = "correct horse battery";

/** Somebody who is signed in to the console. */
export interface Person {
  readonly me: Readonly<Record<string, unknown>>;
  readonly cookie: string;
  readonly csrf: string;
  /** A request below `/app/api/console`. */
  ask(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: object): Promise<Answer>;
}

/** What a link of the console carries in its fragment. */
export function tokenOf(link: string | null): string {
  return link?.split("#/link/")[1] ?? "";
}

export function redeem(node: TestNode, link: string | null, body: object): Promise<Answer> {
  return call(node, "POST", `${CONSOLE}/links`, {
    body: { link: tokenOf(link), password: PASSWORD, ...body },
  });
}

let people = 0;

/** Somebody new, by a one-time link. */
export async function newOperator(node: TestNode, standing: Standing, login?: string): Promise<Person> {
  const name = login ?? `person${process.pid}-${++people}`;
  const answer = await redeem(node, await inviteOperator(node.core, standing), { login: name });
  if (answer.status !== 200) throw new Error(answer.text);
  return personOf(node, answer);
}

export async function signedIn(node: TestNode, login: string): Promise<Person> {
  return personOf(
    node,
    await call(node, "POST", `${CONSOLE}/sign-in`, { body: { login, password: PASSWORD } }),
  );
}

export async function personOf(node: TestNode, answer: Answer): Promise<Person> {
  const cookie = String(answer.headers["set-cookie"]).split(";")[0] ?? "";
  const { json } = await call(node, "GET", `${CONSOLE}/session`, { headers: { cookie } });
  const { operator: me, csrf } = json as { operator: Record<string, unknown>; csrf: string };
  return {
    me,
    cookie,
    csrf,
    ask: (method, path, body) =>
      call(node, method, CONSOLE + path, {
        headers: { cookie, "x-csrf-token": csrf },
        ...(body === undefined ? {} : { body }),
      }),
  };
}
