import type { IDataObject, IExecuteFunctions } from "n8n-workflow";

/** A parameter as text; "" if the node does not show it. */
export function textOf(context: IExecuteFunctions, name: string, itemIndex: number): string {
  return String(context.getNodeParameter(name, itemIndex, ""));
}

export function chatPath(context: IExecuteFunctions, itemIndex: number): string {
  const [type, id] = ["chatType", "chatId"].map((name) =>
    encodeURIComponent(textOf(context, name, itemIndex)),
  );
  return `/v2/chats/${type}/${id}`;
}

export function messagePath(context: IExecuteFunctions, itemIndex: number): string {
  return `/v2/messages/${encodeURIComponent(textOf(context, "messageId", itemIndex))}`;
}

export function fileOf(context: IExecuteFunctions, itemIndex: number): IDataObject {
  const name = textOf(context, "fileName", itemIndex);
  return { url: textOf(context, "fileUrl", itemIndex), ...(name === "" ? {} : { name }) };
}

/** The query that limits a list to a channel, if one is chosen. */
export function ofChannel(context: IExecuteFunctions, itemIndex: number): IDataObject {
  const id = textOf(context, "onlyChannelId", itemIndex);
  return id === "" ? {} : { channel_id: id };
}

export function limitOf(context: IExecuteFunctions, itemIndex: number): number {
  const isAll = context.getNodeParameter("returnAll", itemIndex, false) as boolean;
  return isAll ? Number.POSITIVE_INFINITY : (context.getNodeParameter("limit", itemIndex, 50) as number);
}
