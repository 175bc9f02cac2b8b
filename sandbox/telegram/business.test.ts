import { expect, test } from "vitest";
import { withSandbox } from "../test-kit.ts";

test("a bot gets what is written to an account that it is connected to, if it asks for that", () =>
  withSandbox(async ({ admin, ok }) => {
    await admin("POST /users", { id: 222, first_name: "Bob" });
    const made = await admin("POST /bots/1000001/business_connections", { user_id: 111 });
    const id = String(made["connection"]?.["id"]);
    const at = `POST /bots/1000001/business_connections/${id}/messages`;
    await admin(at, { user_id: 222, text: "Do you sell lamps?" });
    const [connection, message] = (await ok("getUpdates")) as unknown as Record<string, unknown>[];
    expect(connection).toMatchObject({ business_connection: { id, user: { id: 111 }, is_enabled: true } });
    expect(message).toMatchObject({
      business_message: { business_connection_id: id, from: { id: 222 }, text: "Do you sell lamps?" },
    });
    await ok("getUpdates", { offset: 1, allowed_updates: ["message"] });
    expect(await admin(at, { user_id: 222, text: "Hello?" })).toMatchObject({ update_ids: {} });
  }));
