import { type Node, node } from "../wire/node.ts";
import { type IqCall, needCompanion, notDone } from "./call.ts";

/** The address and token for uploads. */
export function answerMedia(call: IqCall): Node[] {
  const { person } = needCompanion(call);
  if (call.first?.tag !== "media_conn") throw notDone();
  const { world } = call;
  const attributes = {
    auth: world.media.issueToken(person.phone),
    ttl: "3600",
    auth_ttl: "21600",
    max_buckets: "12",
  };
  const maxContentLengthBytes = String(world.settings.mediaMaxBytes);
  return [
    node("media_conn", attributes, [node("host", { hostname: world.media.host(), maxContentLengthBytes })]),
  ];
}
