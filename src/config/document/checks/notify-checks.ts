import { isPrivateHost } from "../../../job/message/private-host.ts";
import { unknownName, type ValuePath } from "../../problem.ts";
import { parseNotifyUrl } from "../../service-and-callback-urls.ts";
import { asMap, type Raw } from "./raw-document.ts";
import type { Report, Warn } from "./report-problem.ts";

export function checkNotify(document: Raw, report: Report, warn: Warn): void {
  const sources = Object.keys(asMap(document["sources"]));
  const drains = Object.keys(asMap(document["drains"]));
  for (const [name, value] of Object.entries(asMap(document["notify"]))) {
    const target = asMap(value);
    const path = ["notify", name];
    checkNames("source", target["sources"], sources, [...path, "sources"], report);
    checkNames("drain", target["drains"], drains, [...path, "drains"], report);
    checkAddress(target, [...path, "url"], report);
    const { form, secret, digest, timezone } = target;
    if (timezone !== undefined && digest === undefined) {
      report([...path, "timezone"], "key", "expected a cron pattern in digest beside timezone");
    }
    if (form === "slack" && secret !== undefined) {
      const why = "nothing that takes the slack form checks a signature";
      report([...path, "secret"], "key", `expected form events beside secret: ${why}`);
    }
    if (form === "events" && secret === undefined) {
      warn(path, "messages are not signed without secret, so its receiver cannot know the sender");
    }
  }
}

function checkNames(
  kind: "source" | "drain",
  names: unknown,
  known: readonly string[],
  path: ValuePath,
  report: Report,
): void {
  const isList = Array.isArray(names);
  for (const [index, name] of (isList ? (names as readonly unknown[]) : [names]).entries()) {
    if (typeof name !== "string" || known.includes(name)) continue;
    report(isList ? [...path, index] : path, "value", unknownName(kind, name, known));
  }
}

/** Only an address that is written in the document; others are checked when they are called. */
function checkAddress({ url, allowPrivate }: Raw, path: ValuePath, report: Report): void {
  const parsed = parseNotifyUrl(url);
  if (!parsed.ok || allowPrivate === true) return;
  const { protocol, hostname } = new URL(parsed.value);
  if (isPrivateHost(hostname)) {
    report(path, "value", "expected a public address, or allowPrivate: true");
  } else if (protocol !== "https:") {
    report(path, "value", "expected an https address, or allowPrivate: true");
  }
}
