import { scopes } from "./token-store.ts";
import type { World } from "./world.ts";

/** The initial state with `--demo`. */
export const demo = {
  clientId: "demo-trunkline-sandbox-avito",
  clientSecret: "demo-trunkline-sandbox-avito-secret-000000",
  redirectUri: "http://localhost:8080/connect/avito",
  accountId: 94_235_311,
  itemId: 1_768_287_444,
  userId: 141_906_442,
  chatId: "u2i-demoTrunklineSandbox00",
  accessToken: "demo-trunkline-sandbox-avito-token",
} as const;

/** An application, a seller with a listing and a token, and Ann, who has a chat about it. */
export function seedDemo(world: World): void {
  const account = world.addAccount({ id: demo.accountId, name: "Trunkline demo", phone: "71112223344" });
  world.addApp({
    clientId: demo.clientId,
    clientSecret: demo.clientSecret,
    name: "Trunkline",
    redirectUri: demo.redirectUri,
    ownerId: account.id,
  });
  const item = world.addItem({ id: demo.itemId, title: "Mazda 3 2008", userId: account.id });
  const user = world.putUser({ id: demo.userId, name: "Ann" });
  world.openChat({ id: demo.chatId, type: "u2i", account, user, item });
  world.tokens.access.set(demo.accessToken, {
    value: demo.accessToken,
    clientId: demo.clientId,
    accountId: account.id,
    scopes,
    untilMs: world.clock.nowMs() + 10 * 365 * 24 * 60 * 60 * 1000,
  });
}
