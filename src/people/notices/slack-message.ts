/** Notices as an incoming webhook of Slack takes them, and of everything that copies it. */
import type { Notice } from "../../job/contracts/notices.ts";
import { toNoticeLines } from "./notice-text.ts";

/** A section takes 3,000 characters. */
const maxCharacters = 2_900;
const maxNotices = 10;

export function toSlackMessage(
  notices: readonly Notice[],
  consoleUrl?: string,
  now?: number,
): Readonly<Record<string, unknown>> {
  const shown = notices.slice(0, maxNotices);
  const left = notices.length - shown.length;
  const lines = shown.flatMap((notice) => toNoticeLines(notice, consoleUrl, now));
  const whole = left === 0 ? lines : [...lines, `and ${left} more: ${toKinds(notices.slice(maxNotices))}`];
  const text = escaped(whole.join("\n"));
  return { text, blocks: [{ type: "section", text: { type: "mrkdwn", text: cut(text) } }] };
}

/** `2 failure.new, 1 parked.new`. */
function toKinds(notices: readonly Notice[]): string {
  const counts = new Map<string, number>();
  for (const { event } of notices) counts.set(event, (counts.get(event) ?? 0) + 1);
  return [...counts].map(([event, count]) => `${count} ${event}`).join(", ");
}

/** An answer of a receiver may look like a mention of a channel. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function cut(text: string): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`;
}
