import {
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from "n8n-workflow";
import { getChannels } from "../../shared/options";
import { EVENTS } from "./events";
import { receive } from "./receive";
import { isSubscribed, subscribe, unsubscribe } from "./subscriptions";

/** Starts a workflow with the events of the account, by an address of its own beside those of other programs. */
export class TrunklineTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Trunkline Trigger",
    name: "trunklineTrigger",
    icon: { light: "file:../../icons/trunkline.svg", dark: "file:../../icons/trunkline.dark.svg" },
    group: ["trigger"],
    version: 1,
    subtitle: '={{$parameter["events"].join(", ")}}',
    description: "Starts the workflow when customers write, and on other events",
    defaults: { name: "Trunkline Trigger" },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "trunklineApi", required: true }],
    webhooks: [{ name: "default", httpMethod: "POST", responseMode: "onReceived", path: "webhook" }],
    properties: [
      {
        displayName: "Events",
        name: "events",
        type: "multiOptions",
        options: EVENTS,
        required: true,
        default: ["message.add"],
      },
      {
        displayName: "Only Written by Customers",
        name: "onlyFromCustomers",
        type: "boolean",
        default: true,
        description:
          "Whether messages that the company itself wrote are left out, such as those from the owner's phone. Workflows that answer need this.",
      },
      {
        displayName: "Channel Names or IDs",
        name: "channelIds",
        type: "multiOptions",
        typeOptions: { loadOptionsMethod: "getChannels" },
        default: [],
        description:
          'Only events of these channels; none: of all. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
      },
    ],
  };

  methods = { loadOptions: { getChannels } };

  webhookMethods = {
    default: {
      checkExists(this: IHookFunctions): Promise<boolean> {
        return isSubscribed(this);
      },
      async create(this: IHookFunctions): Promise<boolean> {
        await subscribe(this);
        return true;
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        await unsubscribe(this);
        return true;
      },
    },
  };

  webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return receive(this);
  }
}
