import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from "n8n-workflow";
import { byOffset } from "./pages";
import { request } from "./request";

/** Channels of the account, for a list to choose from. */
export async function getChannels(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const { data } = await request<{ data: IDataObject[] }>(this, { method: "GET", path: "/v2/channels" });
  return data.map(({ channel_id, transport, name, phone, username }) => ({
    name: [name, phone, username].find((each) => typeof each === "string" && each !== "")
      ? `${String(name || phone || username)} (${String(transport)})`
      : String(transport),
    value: String(channel_id),
  }));
}

/** Templates of the WhatsApp Business Platform, for a list to choose from. */
export async function getTemplates(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  const templates = await byOffset(this, { path: "/v2/templates/waba", limit: Number.POSITIVE_INFINITY });
  return templates.map(({ template_id, name, language }) => ({
    name: `${String(name)} (${String(language)})`,
    value: String(template_id),
  }));
}
