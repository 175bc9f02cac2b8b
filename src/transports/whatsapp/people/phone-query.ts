import type { WASocket } from "baileys";
import { proto } from "../library.ts";

const { PLACEHOLDER_MESSAGE_RESEND } = proto.Message.PeerDataOperationRequestType;

/**
 * Makes the phone respond if it is online: sends a message between the account's own devices that requests nothing, and
 * that the phone confirms with a receipt (`peer_msg`). WhatsApp's linked devices request messages from their phone in
 * this form.
 */
export async function askPhone(socket: WASocket): Promise<void> {
  await socket.sendPeerDataOperationMessage({
    peerDataOperationRequestType: PLACEHOLDER_MESSAGE_RESEND,
    placeholderMessageResendRequest: [],
  });
}
