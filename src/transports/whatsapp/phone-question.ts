import type { WASocket } from "baileys";
import { proto } from "./library.ts";

const { PLACEHOLDER_MESSAGE_RESEND } = proto.Message.PeerDataOperationRequestType;

/**
 * Makes the phone answer where it is online: a message between the account's own devices, which asks for nothing and which
 * the phone confirms with a receipt (`peer_msg`). Linked devices of WhatsApp ask their phone for messages in this form.
 */
export async function askPhone(socket: WASocket): Promise<void> {
  await socket.sendPeerDataOperationMessage({
    peerDataOperationRequestType: PLACEHOLDER_MESSAGE_RESEND,
    placeholderMessageResendRequest: [],
  });
}
