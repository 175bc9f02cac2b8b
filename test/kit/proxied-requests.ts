// A program: asks TARGET three times through PROXY_URL, in the ways in which connectors do, and prints the answers.
import { once } from "node:events";
import { WebSocket } from "ws";
import { createHttpClient } from "../../src/platform/network/http-client.ts";
import { ProxyTunnelAgent } from "../../src/platform/network/proxy/proxy-agent.ts";
import { proxyDispatcher } from "../../src/platform/network/proxy/proxy-dispatcher.ts";
import { fetchOptions } from "../../src/transports/whatsapp/proxied-fetch.ts";

const { PROXY_URL: url = "", TARGET: target = "" } = process.env;
const route = { url, allowNetworks: null };
const dispatcher = proxyDispatcher(route, { hosts: [], allowNetworks: null, authorities: "" });
const request = createHttpClient({ redact: (text) => text, dispatcher });
const answer = await request({ method: "GET", url: `http://${target}/` });
const first = Buffer.from(await answer.bytes()).toString();
const second = await (await fetch(`http://${target}/`, fetchOptions(route))).text();
const agent = new ProxyTunnelAgent(route, { secure: false });
const socket = new WebSocket(`ws://${target}/`, { agent });
await once(socket, "open");
socket.send("echo");
const [third] = await once(socket, "message");
console.log(first, second, String(third));
process.exit();
