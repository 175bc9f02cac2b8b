import type { World } from "./world.ts";

/** The initial state with `--demo`. */
export const demo = {
  botId: 555_000_001,
  token: "f9LHodD0cOLdemoTrunklineSandboxMaxBotToken0000000000",
  username: "trunkline_demo_bot",
  userId: 123_456_789,
} as const;

/** One bot, and Ann, who has started it. */
export function seedDemo(world: World): void {
  const bot = world.addBot({
    id: demo.botId,
    token: demo.token,
    username: demo.username,
    name: "Trunkline demo",
    description: "A bot of the sandbox",
  });
  const ann =
    world.users.get(demo.userId) ??
    world.putUser({
      user_id: demo.userId,
      first_name: "Ann",
      last_name: "",
      username: null,
      locale: "ru",
      phone: "79990000111",
      lastActivityMs: world.clock.nowMs(),
    });
  world.openDialog(bot, ann);
}
