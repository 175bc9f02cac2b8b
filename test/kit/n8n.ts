import { execFile } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import type {
  ICredentialType,
  IDataObject,
  IHttpRequestOptions,
  INodeExecutionData,
  INodeProperties,
  INodeType,
  IWebhookResponseData,
} from "./n8n-workflow/index.d.cts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "clients/n8n");
const run = promisify(execFile);

/** The package as n8n loads it. */
export interface NodePackage {
  readonly directory: string;
  readonly name: string;
  /** Paths of the files that `npm pack` puts into it. */
  readonly files: readonly string[];
  readonly credentials: ICredentialType;
  /** Nodes by their name. */
  readonly nodes: Readonly<Record<string, INodeType>>;
  remove(): void;
}

interface Manifest {
  readonly name: string;
  readonly n8n: { readonly credentials: readonly string[]; readonly nodes: readonly string[] };
}

/** Builds the package in a directory of its own, with a stand-in for n8n-workflow, and loads it as n8n does. */
export async function buildNodePackage(): Promise<NodePackage> {
  const directory = mkdtempSync(join(tmpdir(), "trunkline-n8n-"));
  cpSync(FOLDER, directory, { recursive: true, filter: (path) => !/\/(node_modules|dist)$/.test(path) });
  mkdirSync(join(directory, "node_modules/@types"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules/@types/node"), join(directory, "node_modules/@types/node"));
  cpSync(join(ROOT, "test/kit/n8n-workflow"), join(directory, "node_modules/n8n-workflow"), {
    recursive: true,
  });
  await run(join(ROOT, "node_modules/.bin/tsc"), ["--checkers", "1"], { cwd: directory });
  // As `n8n-node build` does.
  for (const path of globSync("icons/*.svg", { cwd: directory })) {
    mkdirSync(dirname(join(directory, "dist", path)), { recursive: true });
    cpSync(join(directory, path), join(directory, "dist", path));
  }
  const { stdout } = await run("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: directory,
  });
  const packed = Object.values(JSON.parse(stdout) as Record<string, { files: { path: string }[] }>);
  const require = createRequire(join(directory, "package.json"));
  const { name, n8n } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Manifest;
  const load = <T>(path: string): T => {
    const [[, Class]] = Object.entries(require(join(directory, path))) as [[string, new () => T]];
    return new Class();
  };
  const nodes = n8n.nodes.map((path) => load<INodeType>(path));
  return {
    directory,
    name,
    files: packed.flatMap(({ files }) => files.map(({ path }) => path)),
    credentials: load<ICredentialType>(n8n.credentials[0] ?? ""),
    nodes: Object.fromEntries(nodes.map((node) => [node.description.name, node])),
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }),
  };
}

type Values = Readonly<Record<string, unknown>>;

/** What n8n knows of a node in a workflow. */
export interface NodeInWorkflow {
  readonly parameters: Values;
  /** `url`, `accessToken`, `apiKey` */
  readonly credentials: Readonly<Record<string, string>>;
}

/** Runs the action once for each item. The same execution is tried again under the same id. */
export async function execute(
  { nodes, credentials: type }: NodePackage,
  { parameters, credentials }: NodeInWorkflow,
  {
    items = [{}],
    execution = "1",
    continues = false,
  }: { items?: object[]; execution?: string; continues?: boolean } = {},
): Promise<INodeExecutionData[]> {
  const node = nodes["trunkline"];
  if (node?.execute === undefined) throw new Error("the package has no action");
  const values = valuesOf(node.description.properties, parameters);
  const context = {
    ...functionsOf(type, credentials),
    continueOnFail: () => continues,
    getExecutionId: () => execution,
    getInputData: () => items.map((json) => ({ json: json as IDataObject })),
    getNodeParameter: (name: string, _itemIndex: number, fallback?: unknown) =>
      parameterOf(values, name, fallback),
    getWorkflowDataProxy: () => ({ $runIndex: 0 }),
  };
  const [output = []] = await node.execute.call(context);
  return output;
}

/** An active workflow that begins with the trigger. */
export interface ActiveTrigger {
  readonly url: string;
  /** What webhooks started the workflow with. */
  readonly items: IDataObject[];
  /** Status of the response to each webhook. */
  readonly statuses: number[];
  /** What n8n stores of the node. */
  readonly kept: IDataObject;
  hook(name: "checkExists" | "create" | "delete"): Promise<boolean>;
  close(): Promise<void>;
}

/** Serves the trigger's webhook as n8n does. */
export async function serveTrigger(
  { nodes, credentials: type }: NodePackage,
  { parameters, credentials }: NodeInWorkflow,
): Promise<ActiveTrigger> {
  const node = nodes["trunklineTrigger"];
  const { webhookMethods, description } = node ?? {};
  if (node?.webhook === undefined || webhookMethods === undefined || description === undefined)
    throw new Error("the package has no trigger");
  const items: IDataObject[] = [];
  const statuses: number[] = [];
  const kept: IDataObject = {};
  const server = createServer(async (request, response) => {
    response.on("finish", () => statuses.push(response.statusCode));
    const rawBody = await buffer(request);
    const answer = await node.webhook
      ?.call({
        ...hooks,
        getBodyData: () => JSON.parse(rawBody.toString()) as IDataObject,
        getHeaderData: () => request.headers,
        getMode: () => "webhook",
        getRequestObject: () => ({ rawBody }),
        getResponseObject: () => ({
          status: (code) => ({ json: (body) => response.writeHead(code).end(JSON.stringify(body)) }),
        }),
      })
      .catch((error: unknown): IWebhookResponseData => {
        response.writeHead(500).end(String(error));
        return { noWebhookResponse: true };
      });
    items.push(...(answer?.workflowData ?? []).flat().map(({ json }) => json));
    if (answer?.noWebhookResponse !== true) response.end(JSON.stringify(answer?.webhookResponse ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook/7d0c/${description.webhooks?.[0]?.path}`;
  const values = valuesOf(description.properties, parameters);
  const hooks = {
    ...functionsOf(type, credentials),
    getNodeParameter: (name: string, fallback?: unknown) => parameterOf(values, name, fallback),
    getNodeWebhookUrl: () => url,
    getWorkflowStaticData: () => kept,
  };
  return {
    url,
    items,
    statuses,
    kept,
    hook: (name) => webhookMethods.default[name].call(hooks),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** What the editor stores: the parameters that it shows for these, each with its default. */
function valuesOf(properties: readonly INodeProperties[], given: Values): Values {
  const values: Record<string, unknown> = {};
  for (const { name, displayOptions, default: byDefault } of properties) {
    const show = Object.entries(displayOptions?.show ?? {});
    if (show.every(([other, wanted]) => wanted.includes(values[other] as string)))
      values[name] = given[name] ?? byDefault;
  }
  const hidden = Object.keys(given).filter((name) => !(name in values));
  if (hidden.length > 0) throw new Error(`the editor does not show ${hidden.join(", ")}`);
  return values;
}

function parameterOf(values: Values, name: string, fallback: unknown): unknown {
  if (name in values) return values[name];
  if (fallback === undefined) throw new Error(`Could not get parameter ${name}`);
  return fallback;
}

function functionsOf(type: ICredentialType, credentials: Readonly<Record<string, string>>) {
  return {
    getCredentials: async () => credentials,
    getNode: () => ({ id: "0c4f", name: "Trunkline" }),
    helpers: {
      returnJsonArray: (items: IDataObject[]) => items.map((json) => ({ json })),
      async httpRequestWithAuthentication(_type: string, options: IHttpRequestOptions): Promise<unknown> {
        const signed = (await type.authenticate?.(credentials, options)) ?? options;
        return answerOf(signed);
      },
    },
  };
}

async function answerOf({ url, qs = {}, method, headers, body }: IHttpRequestOptions): Promise<unknown> {
  const address = new URL(url);
  for (const [name, value] of Object.entries(qs)) address.searchParams.set(name, String(value));
  const answer = await fetch(address, {
    ...(method === undefined ? {} : { method }),
    headers: {
      ...(headers as Record<string, string>),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    statusCode: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: text === "" ? null : JSON.parse(text),
  };
}
