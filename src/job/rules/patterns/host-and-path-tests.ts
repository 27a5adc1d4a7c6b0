import { parseUrl } from "../../message/destination-url.ts";
import { hostText, parseHost, spellPath, withoutDot, type HostForms } from "../../message/host-and-path.ts";
import { compileText, textOf, type Matching } from "./compile-text.ts";

/**
 * Tests a host. One with a port, such as `a.example:443`, is compared with host and port, also with the usual one,
 * which URLs do not write. A part of a host that is not ASCII is compared with the host as people read it.
 */
export function compileHost(pattern: Matching): (host: HostForms) => boolean {
  if (pattern.kind === "regex") {
    const matches = compileText(pattern);
    return ({ written }) => written.some(matches);
  }
  if (pattern.kind === "exact") {
    const wanted = parseHost(pattern.value);
    if (wanted === null) return () => false;
    return ({ hostname, port }) =>
      hostname === wanted.hostname && (wanted.port === "" || wanted.port === port);
  }
  const spell = (text: string) => {
    const lower = text.normalize("NFKC").toLowerCase();
    return pattern.kind === "prefix" ? lower : withoutDot(lower);
  };
  const matches = compileText(pattern, spell);
  const hasPort = /(?:^[^:]*|\]):\d{1,5}$/.test(textOf(pattern));
  return (host) => (hasPort && matches(hostText(host))) || host.written.some(matches);
}

export interface PathForms {
  readonly spelled: string;
  readonly written: readonly string[];
}

export function compilePath(pattern: Matching): (path: PathForms) => boolean {
  const matches = compileText(pattern, (text) => {
    const isWhole = pattern.kind === "exact" && text.startsWith("/");
    return spellPath(
      (isWhole ? parseUrl(`http://a${text}`)?.pathname : undefined) ?? text.replaceAll("\\", "/"),
    );
  });
  return pattern.kind === "regex"
    ? ({ spelled, written }) => matches(spelled) || written.some(matches)
    : ({ spelled }) => matches(spelled);
}
