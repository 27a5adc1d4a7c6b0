import { createHash } from "node:crypto";
import type { Choice } from "./random-choice.ts";
import type { Filler } from "./filler.ts";

/** Part of a record, and how to make it longer by so many characters where that can be done. */
export interface Part {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly fill: ((length: number) => Readonly<Record<string, unknown>>) | undefined;
}

const events = ["order.created", "order.paid", "refund.requested", "invoice.sent", "stock.changed"];

/** `header` and body of a message: mostly JSON, some text, bytes that are not UTF-8, redacted, or nothing. */
export function bodyPart(choice: Choice, filler: Filler): Part {
  const kind = choice.weighted([
    ["json", 84],
    ["text", 5],
    ["binary", 6],
    ["redacted", 3],
    ["empty", 2],
  ]);
  switch (kind) {
    case "json": {
      const event = `{"event":"${choice.skewed(events)}","id":"${choice.token(12)}","amount":${choice.below(100_000)}`;
      const body = (note: string): string => `${event},"note":"${note}"}`;
      return {
        fields: { ...headerOf(choice, "application/json"), body: body(""), bodyBase64: "" },
        fill: (length) => ({ body: body(filler.text(length)) }),
      };
    }
    case "text": {
      const greeting = "Grüße, 注文を確認 🙂 ";
      return {
        fields: { ...headerOf(choice, "text/plain; charset=utf-8"), body: greeting, bodyBase64: "" },
        fill: (length) => ({ body: greeting + filler.text(length) }),
      };
    }
    case "binary":
      return {
        fields: { ...headerOf(choice, "image/jpeg"), body: "", bodyBase64: filler.base64(8) },
        fill: (length) => ({ bodyBase64: filler.base64(length + 8) }),
      };
    case "redacted": {
      const { header } = headerOf(choice, "application/json");
      const secret = { ...header, "X-Api-Key": [redacted(choice.token(16))] };
      return {
        fields: { header: secret, body: redacted(choice.token(16)), bodyBase64: "" },
        fill: undefined,
      };
    }
    case "empty":
      return {
        fields: { ...headerOf(choice, "application/json"), body: "", bodyBase64: "" },
        fill: undefined,
      };
  }
}

function headerOf(
  choice: Choice,
  contentType: string,
): { readonly header: Readonly<Record<string, string[]>> } {
  return {
    header: {
      "Content-Type": [contentType],
      ...(choice.chance(0.6) ? { "X-Request-Id": [choice.token(20)] } : {}),
      ...(choice.chance(0.3)
        ? { "X-Tenant": [choice.skewed(["acme", "globex", "initech", "umbrella"])] }
        : {}),
      ...(choice.chance(0.1) ? { "Accept-Language": ["de-DE", "en;q=0.8"] } : {}),
    },
  };
}

const redacted = (content: string): string =>
  `REDACTED:${createHash("sha256").update(content).digest("hex")}`;
