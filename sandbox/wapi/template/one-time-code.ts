import { badParam } from "../../meta/graph-error.ts";
import type { Param } from "../../meta/param.ts";
import type { TemplateButton, TemplateComponent } from "./template.ts";

// https://developers.facebook.com/documentation/business-messaging/whatsapp/templates/authentication-templates/
// Meta words the text and the footer of a one-time code; its button is `OTP` when it is created, and listed as `URL`.

const otpTypes = ["COPY_CODE", "ONE_TAP", "ZERO_TAP"] as const;
const maxMinutes = 90;

/** The parts of a template of the category `AUTHENTICATION`, as Meta lists them. */
export function readOneTimeCode(components: readonly Param[]): readonly TemplateComponent[] {
  const byType = new Map(
    components.map((component) => [component.needText("type").toUpperCase(), component]),
  );
  const [body, footer, buttons] = ["BODY", "FOOTER", "BUTTONS"].map((type) => byType.get(type));
  if (byType.size < components.length || byType.size !== [body, footer, buttons].filter(Boolean).length)
    throw badParam("Param components must be BODY, FOOTER and BUTTONS, each at most once.");
  if (!body || !buttons) throw badParam("Param components must have BODY and BUTTONS.");
  const isSafe =
    body.only("type", "add_security_recommendation").flag("add_security_recommendation") === true;
  const minutes = footer?.only("type", "code_expiration_minutes").needNumber("code_expiration_minutes");
  if (minutes !== undefined && !(Number.isInteger(minutes) && minutes >= 1 && minutes <= maxMinutes))
    throw badParam(`Param code_expiration_minutes must be from 1 to ${maxMinutes}.`);
  const text = `*{{1}}* is your verification code.${isSafe ? " For your security, do not share this code." : ""}`;
  return [
    { type: "BODY", text, add_security_recommendation: isSafe, example: { body_text: [["123456"]] } },
    ...(minutes === undefined
      ? []
      : [
          {
            type: "FOOTER",
            text: `This code expires in ${minutes} minutes.`,
            code_expiration_minutes: minutes,
          } as const,
        ]),
    { type: "BUTTONS", buttons: [readOtpButton(buttons, minutes)] },
  ];
}

function readOtpButton(component: Param, minutes: number | undefined): TemplateButton {
  const [button, ...others] = component.only("type", "buttons").needList("buttons");
  if (!button || others.length > 0 || button.needText("type").toUpperCase() !== "OTP")
    throw badParam("Param buttons must have one button of type OTP.");
  button.only("type", "otp_type", "text", "autofill_text", "supported_apps", "zero_tap_terms_accepted");
  const given = button.needText("otp_type").toUpperCase();
  const otpType = otpTypes.find((known) => known === given);
  if (!otpType) throw badParam(`Param otp_type must be one of {${otpTypes.join(", ")}}.`);
  if (otpType !== "COPY_CODE" && !button.has("supported_apps"))
    throw badParam("Param supported_apps is required.");
  const query = new URLSearchParams({
    otp_type: otpType,
    ...(minutes !== undefined && { code_expiration_minutes: String(minutes) }),
  });
  const url = `https://www.whatsapp.com/otp/code/?${query}&code=otp{{1}}`;
  const text = button.text("text", { max: 25 }) ?? "Copy code";
  return { type: "URL", text, url, example: ["https://www.whatsapp.com/otp/code/?code=otp123456"] };
}
