import { type Static, Type } from "typebox";
import type { Core } from "../../../core/core.ts";
import { type ChangeGroupRequest, changeGroup, createGroup, readGroup } from "../../../core/group/groups.ts";
import { answerOnce } from "../../answer-once.ts";
import { type App, scopeOf } from "../../app.ts";
import { faultyFields } from "../../schema/fields.ts";
import { errorAnswers, strictObject } from "../../schema/shapes.ts";
import { envelope, enveloped } from "../envelope.ts";
import {
  changedItems,
  changedShape,
  channelIdShape,
  createdShape,
  GROUP_ERRORS,
  groupItem,
  groupPath,
  groupShape,
  keyItem,
  nameShape,
  OF_EXISTING,
  outcomeItem,
  peopleOf,
  peopleShape,
  WITH_PEOPLE,
} from "./group-shape.ts";

const tags = ["groups"];

const createBody = strictObject({
  channel_id: channelIdShape,
  name: nameShape,
  participants: Type.Optional(peopleShape("The people to add; the channel's account is the owner")),
});

const changeBody = strictObject({
  channel_id: channelIdShape,
  name: Type.Optional(nameShape),
  picture_uri: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 4_096,
      description: "Direct http or https link to a picture, on a public address",
    }),
  ),
  remove_picture: Type.Optional(
    Type.Boolean({ description: "true: the group has no picture any more; not together with picture_uri" }),
  ),
  participants: Type.Optional(
    strictObject(
      {
        add: Type.Optional(peopleShape("People to add")),
        remove: Type.Optional(peopleShape("People to remove")),
      },
      { description: "Changes of the members" },
    ),
  ),
  roles: Type.Optional(
    strictObject(
      {
        promote: Type.Optional(peopleShape("Members who become admins")),
        demote: Type.Optional(peopleShape("Admins who become plain members")),
      },
      { description: "Changes of roles" },
    ),
  ),
});

/** `POST /v2/groups`, `GET` and `PATCH /v2/groups/{chat_id}` */
export function groupRoutes(app: App, core: Core): void {
  createRoute(app, core);
  readRoute(app, core);
  changeRoute(app, core);
}

function createRoute(app: App, core: Core): void {
  app.post(
    "/v2/groups",
    {
      schema: {
        operationId: "createGroup",
        tags,
        summary: "Create a group; messages can be sent to it at once",
        body: createBody,
        response: { 200: envelope(createdShape), ...errorAnswers },
      },
      config: { errors: [...GROUP_ERRORS, ...WITH_PEOPLE, "GROUP_NOBODY_ADDED", "GROUP_TOO_MANY_GROUPS"] },
    },
    (request, reply) =>
      answerOnce(core, request, reply, async (operationId) => {
        const { channel_id: channelId, name, participants } = request.body;
        const wanted = { channelId: channelId.toLowerCase(), name, people: peopleOf(participants) };
        const { key, group, people } = await createGroup(core, scopeOf(request), wanted, operationId);
        return enveloped(core, { ...groupItem(key, group), results: people.map(outcomeItem) });
      }),
  );
}

function readRoute(app: App, core: Core): void {
  app.get(
    "/v2/groups/:chat_id",
    {
      schema: {
        operationId: "getGroup",
        tags,
        summary: "Get a group with its members and their roles, as the messenger knows it now",
        params: groupPath,
        querystring: Type.Object({ channel_id: channelIdShape }),
        response: { 200: envelope(groupShape), ...errorAnswers },
      },
      config: { errors: [...GROUP_ERRORS, ...OF_EXISTING], asksMessenger: true },
    },
    async (request) => {
      const named = { channelId: request.query.channel_id.toLowerCase(), chatId: request.params.chat_id };
      const { key, group } = await readGroup(core, scopeOf(request), named);
      return enveloped(core, groupItem(key, group));
    },
  );
}

function changeRoute(app: App, core: Core): void {
  app.patch(
    "/v2/groups/:chat_id",
    {
      schema: {
        operationId: "changeGroup",
        tags,
        summary:
          "Change a group: its name, picture, members and roles, one after the other until the messenger refuses one; the error then names in `done` what was changed",
        params: groupPath,
        body: changeBody,
        response: { 200: envelope(changedShape), ...errorAnswers },
      },
      config: {
        errors: [
          ...GROUP_ERRORS,
          ...OF_EXISTING,
          ...WITH_PEOPLE,
          "GROUP_NOT_AN_ADMIN",
          "GROUP_PICTURE_REFUSED",
          "ATTACHMENT_URL_NOT_ALLOWED",
        ],
      },
    },
    async (request) => {
      const { channel_id: channelId, name, participants = {}, roles = {} } = request.body;
      const named = { channelId: channelId.toLowerCase(), chatId: request.params.chat_id };
      const { key, done } = await changeGroup(core, scopeOf(request), named, {
        ...(name === undefined ? {} : { name }),
        ...pictureOf(request.body),
        people: {
          add: peopleOf(participants.add),
          remove: peopleOf(participants.remove),
          promote: peopleOf(roles.promote),
          demote: peopleOf(roles.demote),
        },
      });
      return enveloped(core, { ...keyItem(key), results: changedItems(done) });
    },
  );
}

function pictureOf({
  picture_uri: url,
  remove_picture: isRemoved = false,
}: Static<typeof changeBody>): Pick<ChangeGroupRequest, "picture"> {
  if (url !== undefined && isRemoved)
    throw faultyFields([{ field: "remove_picture", message: "not together with picture_uri" }]);
  if (isRemoved) return { picture: null };
  return url === undefined ? {} : { picture: { url } };
}
