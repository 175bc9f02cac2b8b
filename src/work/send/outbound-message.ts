import type { SendJob } from "../../core/message/send-jobs.ts";
import type { OutboundContent, OutboundMessage } from "../../core/transport/connector.ts";
import type { ChatType } from "../../core/transport/definition.ts";
import type { Template } from "../../core/transport/template.ts";
import type { PreparedFile } from "../attachments.ts";

/** What a message needs besides its job. */
export interface Parts {
  readonly file: PreparedFile | undefined;
  readonly template: Template | undefined;
}

/** The message that a session is asked to send for a job. */
export function messageOf(job: SendJob, parts: Parts): OutboundMessage {
  const { recipient, keyboard } = job.content;
  const chatType = job.chatType as ChatType;
  return {
    id: job.messageId,
    to: recipient === undefined ? { chatType, chatId: job.chatId } : { chatType, ...recipient },
    content: contentOf(job, parts),
    ...(keyboard === undefined ? {} : { keyboard }),
    ...(job.quotedExternalId === null
      ? {}
      : { quoted: { chatType, chatId: job.chatId, externalId: job.quotedExternalId, ...commentOf(job) } }),
    ...(job.quietMs === null ? {} : { quietMs: job.quietMs }),
  };
}

function commentOf({ quotedPost }: SendJob): { postId?: string } {
  return quotedPost === null ? {} : { postId: quotedPost };
}

function contentOf({ content, text }: SendJob, { file, template }: Parts): OutboundContent {
  if (file !== undefined)
    return { type: "file", file: file.file, ...(text === null || text === "" ? {} : { caption: text }) };
  if (content.template !== undefined && template !== undefined) {
    const { values, payloads } = content.template;
    return { type: "template", template, values, payloads };
  }
  return { type: "text", text: text ?? "" };
}
