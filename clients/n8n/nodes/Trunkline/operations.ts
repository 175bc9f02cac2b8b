import { type IDataObject, type IExecuteFunctions, NodeOperationError } from "n8n-workflow";
import { byOffset, newestFirst } from "../../shared/pages";
import { request } from "../../shared/request";
import { chatPath, fileOf, limitOf, messagePath, ofChannel, textOf } from "./parameters";
import { sendMessage } from "./send";

/** What an operation does for one item of the input, and the items that come of it. */
type Operation = (context: IExecuteFunctions, itemIndex: number) => Promise<IDataObject[]>;

/** How many messages of a chat are looked through for one. */
const LOOKED_THROUGH = 1_000;

/** Operations by `resource.operation`. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "channel.getMany": async (context, itemIndex) =>
    dataOf(await request(context, { method: "GET", path: "/v2/channels", itemIndex })),
  "chat.getMany": (context, itemIndex) =>
    listed(context, itemIndex, "/v2/chats", ofChannel(context, itemIndex)),
  "chat.markAsRead": async (context, itemIndex) => {
    const body = ofChannel(context, itemIndex);
    await request(context, { method: "POST", path: `${chatPath(context, itemIndex)}/read`, body, itemIndex });
    return [{ success: true }];
  },
  "contact.getMany": (context, itemIndex) =>
    byOffset(context, { path: "/v2/contacts", limit: limitOf(context, itemIndex), itemIndex }),
  "template.getMany": (context, itemIndex) =>
    byOffset(context, { path: "/v2/templates/waba", limit: limitOf(context, itemIndex), itemIndex }),
  "message.send": sendMessage,
  "message.edit": async (context, itemIndex) => {
    const isText = textOf(context, "content", itemIndex) === "text";
    const body = isText
      ? { text: textOf(context, "text", itemIndex) }
      : { attachment: fileOf(context, itemIndex) };
    return changed(
      await request(context, { method: "PATCH", path: messagePath(context, itemIndex), body, itemIndex }),
    );
  },
  "message.delete": async (context, itemIndex) =>
    changed(await request(context, { method: "DELETE", path: messagePath(context, itemIndex), itemIndex })),
  "message.react": async (context, itemIndex) => {
    const emoji = textOf(context, "emoji", itemIndex);
    const path = `${messagePath(context, itemIndex)}/reaction`;
    const reaction =
      emoji === "" ? { method: "DELETE" as const } : { method: "PUT" as const, body: { emoji } };
    return changed(await request(context, { ...reaction, path, itemIndex }));
  },
  "message.search": (context, itemIndex) =>
    listed(context, itemIndex, "/v2/messages/search", { text: textOf(context, "words", itemIndex) }),
  "message.getMany": (context, itemIndex) =>
    listed(context, itemIndex, `${chatPath(context, itemIndex)}/messages`, ofChannel(context, itemIndex)),
  "message.getStatus": getStatus,
};

async function getStatus(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject[]> {
  const wanted = textOf(context, "messageId", itemIndex);
  const path = `${chatPath(context, itemIndex)}/messages`;
  for await (const message of newestFirst(context, { path, limit: LOOKED_THROUGH, itemIndex }))
    if (message["message_id"] === wanted) return [message];
  const text = `There is no message ${wanted} among the newest ${LOOKED_THROUGH} of the chat`;
  throw new NodeOperationError(context.getNode(), text, { itemIndex });
}

async function listed(
  context: IExecuteFunctions,
  itemIndex: number,
  path: string,
  query: IDataObject,
): Promise<IDataObject[]> {
  const found: IDataObject[] = [];
  const limit = limitOf(context, itemIndex);
  for await (const each of newestFirst(context, { path, query, limit, itemIndex })) found.push(each);
  return found;
}

function dataOf({ data }: { data: IDataObject[] }): IDataObject[] {
  return data;
}

function changed({ data }: { data: IDataObject }): IDataObject[] {
  return [data];
}
