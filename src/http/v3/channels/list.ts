import { Type } from "typebox";
import type { Channel } from "../../../core/channel/channel.ts";
import { listChannels } from "../../../core/channel/channels.ts";
import { restrictionItem } from "../../../core/channel-restrictions.ts";
import type { Core } from "../../../core/core.ts";
import { restrictions } from "../../../core/payload/v3-shapes.ts";
import { type App, scopeOf } from "../../app.ts";
import { errorAnswers, uuidText } from "../../schema/shapes.ts";
import { channelState } from "../../v2/channels/channel-shape.ts";

const answer = Type.Array(
  Type.Object(
    {
      channelId: uuidText({ description: "Id of the channel" }),
      transport: Type.String({ description: "Its messenger" }),
      plainId: Type.String({
        description: "Phone of the channel, else its username, else its id in the messenger",
      }),
      state: Type.Unsafe<string>({ ...channelState, description: "State of the channel" }),
      name: Type.String({ description: "Name of the channel" }),
      restrictions: Type.Optional(restrictions),
    },
    { title: "Channel" },
  ),
);

/** `GET /v3/channels` */
export function listChannelsRoute(app: App, core: Core): void {
  app.get(
    "/v3/channels",
    {
      schema: {
        operationId: "listV3Channels",
        tags: ["channels"],
        summary: "List the channels of the account, in short form",
        response: { 200: answer, ...errorAnswers },
      },
    },
    async (request) => (await listChannels(core, scopeOf(request))).map(fieldsOf),
  );
}

function fieldsOf(channel: Channel) {
  const { id, transport, phone, username, messengerId, state, name } = channel;
  return {
    channelId: id,
    transport,
    plainId: phone || username || messengerId,
    state,
    name,
    ...(channel.restrictions.length === 0 ? {} : { restrictions: channel.restrictions.map(restrictionItem) }),
  };
}
