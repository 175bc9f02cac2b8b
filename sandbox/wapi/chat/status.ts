import type { PhoneNumber } from "../account/phone-number.ts";
import { errorText } from "../call/error-table.ts";
import { announce, contactOf, metadataOf, orderingKeyOf } from "../update/announce.ts";
import type { World } from "../world.ts";
import { type Person, userIdOf } from "./person.ts";
import type { StatusName, StoredMessage } from "./stored-message.ts";

const hrefOfErrors = "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/";
const conversationSeconds = 24 * 60 * 60;

/** Why a message failed. */
export interface Failure {
  readonly code: number;
  readonly details?: string;
}

/** A message of the business with its recipient. */
export interface OutMessage {
  readonly number: PhoneNumber;
  /** Undefined when nobody has the number. */
  readonly person: Person | undefined;
  /** Digits, if the message was addressed to a number. */
  readonly phone: string | undefined;
  readonly message: StoredMessage;
}

/** Reports a status of the business's message; any status at any time, for tests of unusual orders. */
export function tellStatus(world: World, out: OutMessage, status: StatusName, failure?: Failure): number {
  const { number, person, message } = out;
  message.statuses.push(status);
  const withContact = world.settings.userIds && person && (status === "delivered" || status === "read");
  const value = {
    messaging_product: "whatsapp",
    metadata: metadataOf(number),
    ...(withContact && { contacts: [contactOf(world, number, person)] }),
    statuses: [statusShape(world, out, status, failure)],
  };
  world.changed();
  const place = { waba: number.waba, number, orderingKey: orderingKeyOf(number, person) };
  return announce(world, place, { field: "messages", value });
}

function statusShape(world: World, out: OutMessage, status: StatusName, failure: Failure | undefined) {
  const { number, person, message, phone } = out;
  const visible = phone ?? (person?.hidesNumber ? undefined : person?.phone);
  return {
    id: message.id,
    status,
    timestamp: String(world.clock.now()),
    ...(visible !== undefined && { recipient_id: visible }),
    ...(person && world.settings.userIds && { recipient_user_id: userIdOf(person, number.waba.businessId) }),
    ...(message.opaque !== undefined && { biz_opaque_callback_data: message.opaque }),
    ...(status === "failed"
      ? { errors: [errorShape(failure ?? { code: 131000 })] }
      : costs(world, out, status)),
  };
}

/** https://developers.facebook.com/docs/whatsapp/pricing: per message, free within the service window. */
function costs(world: World, { message, number }: OutMessage, status: StatusName) {
  const category = message.pricingCategory ?? "service";
  const billable = category !== "service";
  const conversation = {
    id: `${number.id}${message.timestamp}`,
    ...(status === "sent" && { expiration_timestamp: String(world.clock.now() + conversationSeconds) }),
    origin: { type: category },
  };
  const type = billable ? "regular" : "free_customer_service";
  return {
    ...(status === "sent" && { conversation }),
    pricing: { billable, pricing_model: "PMP", category, type },
  };
}

/** An error in a callback: it contains the title twice, like Meta's. */
export function errorShape({ code, details }: Failure): Readonly<Record<string, unknown>> {
  const { title, details: usual } = errorText(code);
  return { code, title, message: title, error_data: { details: details ?? usual }, href: hrefOfErrors };
}
