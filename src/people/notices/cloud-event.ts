/** Notices as one CloudEvent 1.0 in structured mode: `application/cloudevents+json`. */
import type { Notice, NoticeItem, NoticeKind } from "../../job/contracts/notices.ts";
import { toFirstStep, toLink, toNoticeLines } from "./notice-text.ts";

const grouped = "grouped";

export function toCloudEvent(
  notices: readonly Notice[],
  consoleUrl?: string,
  now?: number,
): Readonly<Record<string, unknown>> {
  const [first, ...others] = notices;
  if (first === undefined) throw new RangeError("a message has at least one notice");
  if (others.length === 0)
    return envelope(first, first.event, toSubject(first), toData(first, consoleUrl, now));
  const all = notices.map((notice) => ({
    id: notice.id,
    type: toType(notice.event),
    time: new Date(notice.at).toISOString(),
    ...toData(notice, consoleUrl, now),
  }));
  const text = notices.flatMap((notice) => toNoticeLines(notice, consoleUrl, now)).join("\n");
  return envelope({ ...first, id: `${first.id}-${notices.length}` }, grouped, null, { text, notices: all });
}

function envelope(
  { id, at, source }: Pick<Notice, "id" | "at" | "source">,
  event: string,
  subject: string | null,
  data: object,
): Readonly<Record<string, unknown>> {
  return {
    specversion: "1.0",
    id,
    source: `/redriver/${source}`,
    type: toType(event),
    time: new Date(at).toISOString(),
    ...(subject === null ? {} : { subject }),
    datacontenttype: "application/json",
    data,
  };
}

function toType(event: string): string {
  return `redriver.${event}`;
}

function toSubject({ items, more }: Notice): string | null {
  const [item, ...others] = items;
  return item === undefined || others.length + more > 0 ? null : (item.destination ?? item.drain);
}

function toData(notice: Notice, consoleUrl: string | undefined, now: number | undefined): object {
  const { event, items, more, source } = notice;
  return {
    text: toNoticeLines(notice, consoleUrl, now).join("\n"),
    items: items.map((item) => {
      const link = toLink(item, source, consoleUrl);
      const firstStep = toFirstStep(event, item);
      return { ...toItemData(event, item), firstStep, ...(link === null ? {} : { link }) };
    }),
    more,
  };
}

/** A lane may move before what waits for it is counted. */
function toItemData(event: NoticeKind, { count, ...item }: NoticeItem): object {
  const isUncounted = count === 0 && (event === "destination.halted" || event === "destination.resumed");
  return isUncounted ? item : { ...item, count };
}
