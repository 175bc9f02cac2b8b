import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeApiError,
  NodeConnectionTypes,
  NodeOperationError,
} from "n8n-workflow";
import { getChannels, getTemplates } from "../../shared/options";
import { listFields } from "./list-fields";
import { messageFields } from "./message-fields";
import { OPERATIONS } from "./operations";
import { operationFields } from "./resource-fields";

/** Actions: one request of the interface for each item of the input. */
export class Trunkline implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Trunkline",
    name: "trunkline",
    icon: { light: "file:../../icons/trunkline.svg", dark: "file:../../icons/trunkline.dark.svg" },
    group: ["output"],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: "Send and read messages of many messengers",
    defaults: { name: "Trunkline" },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "trunklineApi", required: true }],
    properties: [
      {
        displayName: "Resource",
        name: "resource",
        type: "options",
        noDataExpression: true,
        options: [
          { name: "Channel", value: "channel" },
          { name: "Chat", value: "chat" },
          { name: "Contact", value: "contact" },
          { name: "Message", value: "message" },
          { name: "Template", value: "template" },
        ],
        default: "message",
      },
      ...operationFields,
      ...messageFields,
      ...listFields,
    ],
  };

  methods = { loadOptions: { getChannels, getTemplates } };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const output: INodeExecutionData[] = [];
    for (const itemIndex of this.getInputData().keys()) {
      try {
        for (const json of await run(this, itemIndex)) output.push({ json, pairedItem: { item: itemIndex } });
      } catch (error) {
        if (!this.continueOnFail()) throw asNodeError(this, error, itemIndex);
        const { message } = error as Error;
        output.push({ json: { error: message }, pairedItem: { item: itemIndex } });
      }
    }
    return [output];
  }
}

async function run(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject[]> {
  const resource = context.getNodeParameter("resource", itemIndex) as string;
  const operation = context.getNodeParameter("operation", itemIndex) as string;
  const perform = OPERATIONS[`${resource}.${operation}`];
  if (perform === undefined)
    throw new NodeOperationError(context.getNode(), `There is no operation ${operation} of ${resource}`, {
      itemIndex,
    });
  return perform(context, itemIndex);
}

function asNodeError(context: IExecuteFunctions, error: unknown, itemIndex: number): Error {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
  return new NodeOperationError(context.getNode(), error as Error, { itemIndex });
}
