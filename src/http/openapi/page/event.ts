import { type Html, html } from "../../../platform/foreign/html.ts";
import type { Webhook } from "../webhooks.ts";
import { fieldTable } from "./fields.ts";
import { prose } from "./prose.ts";

/** One kind of event: when it is sent, and its content. */
export function eventSection([kind, { post }]: readonly [string, Webhook]): Html {
  const { operationId, summary, requestBody, responses } = post;
  const [[status, { description }] = ["", { description: "" }]] = Object.entries(responses);
  return html`<section class="operation" id="${operationId}" data-search="${`${kind} ${summary}`.toLowerCase()}">
<h3><a class="anchor" href="#${operationId}"><code>${kind}</code></a></h3>
<p class="summary">${prose(summary)}</p>
<h4>Body</h4>${fieldTable(requestBody.content["application/json"].schema)}
<h4>Answer <span class="status">${status}</span></h4><p>${description}</p>
</section>`;
}

export function linkToEvent([kind, { post }]: readonly [string, Webhook]): Html {
  const search = `${kind} ${post.summary}`.toLowerCase();
  return html`<li data-search="${search}"><a href="#${post.operationId}" title="${post.summary}"><span>${kind}</span></a></li>`;
}
