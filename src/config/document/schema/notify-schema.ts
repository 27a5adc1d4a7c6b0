import * as z from "zod";
import { noticeEvents } from "../../../job/contracts/notices.ts";
import { parseNotifyUrl } from "../../service-and-callback-urls.ts";
import { durationFrom, flag, key, name, oneOf, parsed, section, setOf } from "./building-blocks.ts";
import { cronPattern, timezone } from "./cron-schedule-schema.ts";
import { secretRef } from "./secret-ref-schema.ts";

const urlExpected =
  "an http(s) address without spaces, user and fragment, or its place as { file: … } or { env: … }";

const url = z.union([parsed(parseNotifyUrl, { type: "string", format: "uri" }), secretRef], urlExpected);

export const notifyTarget = section({
  url: url.meta({ description: "Where messages are posted to; a secret address as { file } or { env }." }),
  form: oneOf(["events", "slack"]).meta({
    description: "events: CloudEvents 1.0 as JSON; slack: { text, blocks }.",
  }),
  secret: key(secretRef, "Key of the signature (HMAC-SHA256), where it is read from."),
  events: key(setOf(oneOf(noticeEvents), "an event"), "What is told; left out: everything."),
  sources: key(setOf(name, "the name of a source"), "Of these sources; left out: of all."),
  drains: key(setOf(name, "the name of a drain"), "Of these drains; left out: of all."),
  allowPrivate: key(flag, "true: http and private addresses are taken."),
  every: key(
    durationFrom(1_000, "a duration of at least 1s, such as 5m"),
    "How soon the second message of an incident may follow the first; later ones wait longer.",
  ),
  digest: key(cronPattern, "When a summary is sent, as a cron pattern."),
  timezone: key(timezone, "Zone of the digest's pattern; left out: UTC."),
});

export type NotifyKeys = z.output<typeof notifyTarget>;
