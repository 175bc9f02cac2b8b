import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";
import type { ChatName, LinkRequest } from "../../../clients/embed/src/events.ts";

const SOURCE = new URL("../../../clients/embed/src/trunkline-chat.ts", import.meta.url);

const PAGE = `<!doctype html><title>CRM</title>
<style>body { margin: 0 } trunkline-chat { height: 780px }</style>
<trunkline-chat id="chats" theme="light"></trunkline-chat>
<script type="module">
  import "/trunkline-chat.js";
  window.told = [];
  const chats = document.getElementById("chats");
  const events = ["ready", "unread", "height", "chatopened", "chatclosed", "messagesent", "messagereceived", "failed"];
  for (const type of events) chats.addEventListener(type, ({ detail }) => told.push({ type, detail }));
  chats.getLink = async (request) => {
    const answer = await fetch("/chat-link", { method: "POST", body: JSON.stringify(request) });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.text();
  };
</script>`;

/** A CRM whose page has the element `<trunkline-chat>`, at another site than the service. */
export interface Host {
  readonly origin: string;
  /** The requests of the element for links. */
  readonly asked: readonly LinkRequest[];
  close(): void;
}

/** `linkTo` returns a link of the service, as a CRM's server does. */
export async function startHost(linkTo: (chat: ChatName | null) => Promise<string>): Promise<Host> {
  const script = stripTypeScriptTypes(await readFile(SOURCE, "utf8"));
  const asked: LinkRequest[] = [];
  const server = createServer(async (request, response) => {
    if (request.url === "/trunkline-chat.js")
      response.setHeader("content-type", "text/javascript").end(script);
    else if (request.url === "/chat-link") {
      const parts = await request.toArray();
      const wanted = JSON.parse(Buffer.concat(parts).toString()) as LinkRequest;
      asked.push(wanted);
      response.end(await linkTo(wanted.chat));
    } else response.setHeader("content-type", "text/html").end(PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://localhost:${port}`, asked, close: () => void server.close() };
}
