import { createHash } from "node:crypto";
import { type IDataObject, type IExecuteFunctions, NodeOperationError } from "n8n-workflow";
import { request } from "../../shared/request";
import { fileOf, textOf } from "./parameters";

interface AdditionalFields {
  readonly crm_contact_name?: string;
  readonly crm_user_id?: string;
  readonly keepUnanswered?: boolean;
  readonly keyboard?: string | IDataObject;
  readonly mimetype?: string;
  readonly quoted_message_id?: string;
  readonly voice?: boolean;
}

/** `POST /v2/messages`. The message is accepted; its status follows by webhook. */
export async function sendMessage(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject[]> {
  const more = context.getNodeParameter("additionalFields", itemIndex, {}) as AdditionalFields;
  const body: IDataObject = {
    channel_id: textOf(context, "channelId", itemIndex),
    recipient: recipientOf(context, itemIndex, more),
    ...contentOf(context, itemIndex, more),
    ...keyboardOf(context, itemIndex, more),
    ...filled("quoted_message_id", more.quoted_message_id),
    ...filled("crm_user_id", more.crm_user_id),
    ...(more.keepUnanswered === true ? { reset_unanswered: false } : {}),
  };
  const idempotencyKey = keyOf(context, itemIndex, body);
  const { data } = await request<{ data: IDataObject }>(context, {
    method: "POST",
    path: "/v2/messages",
    body,
    idempotencyKey,
    itemIndex,
  });
  return [{ message_id: data["request_id"], ...data }];
}

function recipientOf(context: IExecuteFunctions, itemIndex: number, more: AdditionalFields): IDataObject {
  const by = textOf(context, "recipientBy", itemIndex) || "chat_id";
  return {
    chat_type: textOf(context, "chatType", itemIndex),
    [by]: textOf(context, "recipient", itemIndex),
    ...filled("crm_contact_name", more.crm_contact_name),
  };
}

function contentOf(context: IExecuteFunctions, itemIndex: number, more: AdditionalFields): IDataObject {
  switch (textOf(context, "content", itemIndex)) {
    case "file":
      return {
        attachment: {
          ...fileOf(context, itemIndex),
          ...filled("mimetype", more.mimetype),
          ...(more.voice === true ? { voice: true } : {}),
        },
      };
    case "template": {
      const values = context.getNodeParameter("templateValues", itemIndex, []) as unknown[];
      return { template: { id: textOf(context, "templateId", itemIndex), values: values.map(String) } };
    }
    default:
      return { text: textOf(context, "text", itemIndex) };
  }
}

/** Expressions give an object, the field itself gives text. */
function keyboardOf(
  context: IExecuteFunctions,
  itemIndex: number,
  { keyboard }: AdditionalFields,
): IDataObject {
  if (keyboard === undefined || keyboard === "") return {};
  if (typeof keyboard === "object") return { keyboard };
  try {
    return { keyboard: JSON.parse(keyboard) as IDataObject };
  } catch (error) {
    const { message } = error as Error;
    throw new NodeOperationError(context.getNode(), `The keyboard is not valid JSON: ${message}`, {
      itemIndex,
    });
  }
}

function filled(name: string, value: string | undefined): IDataObject {
  return value === undefined || value === "" ? {} : { [name]: value };
}

/**
 * The same for every try of this item in this run of the node, so that "Retry On Fail" sends nothing twice when a
 * response was lost.
 */
function keyOf(context: IExecuteFunctions, itemIndex: number, body: IDataObject): string {
  const { $runIndex: run } = context.getWorkflowDataProxy(itemIndex);
  const parts = [context.getExecutionId(), context.getNode().id, run, itemIndex, JSON.stringify(body)];
  return `n8n-${createHash("sha256").update(JSON.stringify(parts)).digest("hex")}`;
}
