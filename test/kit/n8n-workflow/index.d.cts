/** Types of n8n-workflow 2, as far as the nodes use them. The package itself brings 200 MB of others. */

export type JsonValue = string | number | boolean | null | undefined | object;
export interface IDataObject {
  [key: string]: JsonValue | JsonValue[];
}
export type JsonObject = Record<string, unknown>;
export type Icon = `file:${string}` | { light: `file:${string}`; dark: `file:${string}` };
export type ICredentialDataDecryptedObject = Record<string, string | number | boolean | object>;
export type IHttpRequestMethods = "DELETE" | "GET" | "HEAD" | "PATCH" | "POST" | "PUT";
export interface IHttpRequestOptions {
  url: string;
  baseURL?: string;
  method?: IHttpRequestMethods;
  headers?: IDataObject;
  qs?: IDataObject;
  body?: IDataObject | string;
  json?: boolean;
  returnFullResponse?: boolean;
  ignoreHttpStatusErrors?: boolean;
  disableFollowRedirect?: boolean;
}
export interface ICredentialTestRequest {
  request: { baseURL: string; url: string };
}
export interface ICredentialType {
  name: string;
  displayName: string;
  icon?: Icon;
  documentationUrl?: string;
  properties: INodeProperties[];
  authenticate?: (
    credentials: ICredentialDataDecryptedObject,
    request: IHttpRequestOptions,
  ) => Promise<IHttpRequestOptions>;
  test?: ICredentialTestRequest;
}
export interface INodePropertyOptions {
  name: string;
  value: string;
  action?: string;
  description?: string;
}
export interface INodeProperties {
  displayName: string;
  name: string;
  type: "boolean" | "collection" | "json" | "multiOptions" | "number" | "options" | "string";
  default: string | boolean | number | string[] | object;
  description?: string;
  placeholder?: string;
  required?: boolean;
  noDataExpression?: boolean;
  options?: (INodePropertyOptions | INodeProperties)[];
  typeOptions?: {
    loadOptionsMethod?: string;
    minValue?: number;
    multipleValues?: boolean;
    password?: boolean;
    rows?: number;
  };
  displayOptions?: { show?: Record<string, (string | boolean)[]> };
}
export interface INodeTypeDescription {
  displayName: string;
  name: string;
  icon: Icon;
  group: ("output" | "trigger")[];
  version: number;
  subtitle: string;
  description: string;
  defaults: { name: string };
  inputs: "main"[];
  outputs: "main"[];
  credentials: { name: string; required: boolean }[];
  webhooks?: { name: "default"; httpMethod: "POST"; responseMode: "onReceived"; path: string }[];
  properties: INodeProperties[];
  usableAsTool?: true;
}
export interface INodeType {
  description: INodeTypeDescription;
  methods?: {
    loadOptions: Record<string, (this: ILoadOptionsFunctions) => Promise<INodePropertyOptions[]>>;
  };
  webhookMethods?: {
    default: Record<"checkExists" | "create" | "delete", (this: IHookFunctions) => Promise<boolean>>;
  };
  execute?(this: IExecuteFunctions): Promise<INodeExecutionData[][]>;
  webhook?(this: IWebhookFunctions): Promise<IWebhookResponseData>;
}
export interface INodeExecutionData {
  json: IDataObject;
  pairedItem?: { item: number };
}
export interface IWebhookResponseData {
  workflowData?: INodeExecutionData[][];
  webhookResponse?: object;
  noWebhookResponse?: boolean;
}
export interface INode {
  id: string;
  name: string;
}

interface Functions {
  getCredentials(type: string): Promise<ICredentialDataDecryptedObject>;
  getNode(): INode;
  helpers: {
    httpRequestWithAuthentication(
      this: Functions,
      credentials: string,
      request: IHttpRequestOptions,
    ): Promise<unknown>;
    returnJsonArray(items: IDataObject[]): INodeExecutionData[];
  };
}
export type ILoadOptionsFunctions = Functions;
export interface IExecuteFunctions extends Functions {
  continueOnFail(): boolean;
  getExecutionId(): string;
  getInputData(): INodeExecutionData[];
  getNodeParameter(name: string, itemIndex: number, fallback?: unknown): unknown;
  getWorkflowDataProxy(itemIndex: number): { $runIndex: number };
}
export interface IHookFunctions extends Functions {
  getNodeParameter(name: string, fallback?: unknown): unknown;
  getNodeWebhookUrl(name: "default"): string | undefined;
  getWorkflowStaticData(type: "node"): IDataObject;
}
export interface IWebhookFunctions extends IHookFunctions {
  getBodyData(): IDataObject;
  getHeaderData(): object;
  getMode(): "manual" | "trigger" | "webhook";
  getRequestObject(): object;
  getResponseObject(): { status(code: number): { json(body: object): void } };
}

interface ErrorOptions {
  message?: string;
  description?: string;
  httpCode?: string;
  itemIndex?: number;
}
export class NodeApiError extends Error {
  constructor(node: INode, response: JsonObject, options?: ErrorOptions);
  description: string | null;
  httpCode: string | null;
}
export class NodeOperationError extends Error {
  constructor(node: INode, error: string | Error | JsonObject, options?: ErrorOptions);
  description: string | null;
}
export const NodeConnectionTypes: { readonly Main: "main" };
