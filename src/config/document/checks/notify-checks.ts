import { isPrivateHost } from "../../../job/message/private-host.ts";
import { unknownName, type ValuePath } from "../../problem.ts";
import { parseNotifyUrl } from "../../service-and-callback-urls.ts";
import { asMap, mapsIn, type Raw, type Report, type Warn } from "./raw-document.ts";

export function checkNotify(document: Raw, report: Report, warn: Warn): void {
  for (const [name, target] of mapsIn(document["notify"])) {
    const path = ["notify", name];
    for (const kind of ["source", "drain"] as const) {
      checkNames(kind, target, Object.keys(asMap(document[`${kind}s`])), path, report);
    }
    const misfit = misfitOfUrl(target);
    if (misfit !== null) report([...path, "url"], "value", `expected ${misfit}, or allowPrivate: true`);
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
  target: Raw,
  known: readonly string[],
  path: ValuePath,
  report: Report,
): void {
  const names = target[`${kind}s`];
  for (const [index, name] of [names].flat().entries()) {
    if (typeof name !== "string" || known.includes(name)) continue;
    const place = Array.isArray(names) ? [...path, `${kind}s`, index] : [...path, `${kind}s`];
    report(place, "value", unknownName(kind, name, known));
  }
}

/** Only of an address that is written in the document; others are checked when they are called. */
function misfitOfUrl({ url, allowPrivate }: Raw): string | null {
  const parsed = parseNotifyUrl(url);
  if (!parsed.ok || allowPrivate === true) return null;
  const { protocol, hostname } = new URL(parsed.value);
  if (isPrivateHost(hostname)) return "a public address";
  return protocol === "https:" ? null : "an https address";
}
