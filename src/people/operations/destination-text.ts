/** Destinations as every command shows them, so that what one prints can be pasted into another. */
import { parseUrl } from "../../job/message/destination-url.ts";
import { toSpelledOut } from "../../job/message/show-masked-values.ts";

/**
 * `pay.example.com`, or with its port if that is not 443. Also of `http`: two schemes do not share a port.
 * Queues, and names that are no origin, stay as they are, but for what a terminal would act on: anybody who can
 * publish names a queue.
 */
export function toDestinationText(origin: string): string {
  if (!/^https?:\/\//.test(origin)) return toSpelledOut(origin);
  const url = parseUrl(origin);
  if (url === null) return toSpelledOut(origin);
  return url.protocol === "http:" && url.port === "" ? `${url.hostname}:80` : url.host;
}

/** Keeps the beginning and the end: names of one platform differ in the first, ports in the last. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = Math.ceil((max - 1) / 2);
  // A character of two units takes two columns. None is halved.
  const begin = text.slice(0, head).replace(/[\ud800-\udbff]$/, "");
  return `${begin}…${text.slice(text.length - (max - 1 - head)).replace(/^[\udc00-\udfff]/, "")}`;
}
