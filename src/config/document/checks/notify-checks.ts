import { isPrivateHost } from "../../../job/message/private-host.ts";
import { unknownName } from "../../problem.ts";
import { parseNotifyUrl } from "../../service-and-callback-urls.ts";
import { asMap, below, mapsIn, type Raw, type Report, type Warn } from "./raw-document.ts";

export function checkNotify(document: Raw, report: Report, warn: Warn): void {
  for (const [name, target] of mapsIn(document["notify"])) {
    const at = below(report, "notify", name);
    for (const kind of ["source", "drain"] as const) {
      checkNames(kind, target[`${kind}s`], Object.keys(asMap(document[`${kind}s`])), below(at, `${kind}s`));
    }
    const misfit = misfitOfUrl(target);
    if (misfit !== null) at(["url"], "value", `expected ${misfit}, or allowPrivate: true`);
    const { form, secret, digest, timezone } = target;
    if (timezone !== undefined && digest === undefined) {
      at(["timezone"], "key", "expected a cron pattern in digest beside timezone");
    }
    if (form === "slack" && secret !== undefined) {
      const why = "nothing that takes the slack form checks a signature";
      at(["secret"], "key", `expected form events beside secret: ${why}`);
    }
    if (form === "events" && secret === undefined) {
      const why = "messages are not signed without secret, so its receiver cannot know the sender";
      warn(["notify", name], why);
    }
  }
}

function checkNames(kind: string, names: unknown, known: readonly string[], report: Report): void {
  for (const [index, name] of [names].flat().entries()) {
    if (typeof name !== "string" || known.includes(name)) continue;
    report(Array.isArray(names) ? [index] : [], "value", unknownName(kind, name, known));
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
