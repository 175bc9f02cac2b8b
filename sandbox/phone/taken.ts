import { type Admin, text } from "./admin.ts";

/** Messages whose callback the gateway has accepted; their ids must occur in nothing else. */
export async function takenByCallback(admin: Admin): Promise<(message: string) => boolean> {
  const bodies = (await admin.list("/callbacks"))
    .filter(({ delivered }) => delivered === true)
    .map((attempt) => text(attempt["text"]));
  return (message) => bodies.some((body) => body.includes(message));
}
