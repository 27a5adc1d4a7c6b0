import { parseUrl } from "../../message/destination-url.ts";
import {
  hostFormsOf,
  hostText,
  parseHost,
  spellPath,
  withoutDot,
  type HostForms,
} from "../../message/host-and-path.ts";
import { compileText, textOf, type Matching } from "./compile-text.ts";
import { compileGlob } from "./glob.ts";

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

/**
 * In any spelling, with a port or without, as an origin too, `*` for any part. Records name a host without the
 * usual port, so either usual one means it. A queue (`queue:<name>`) is compared as it is.
 */
export function compileHostGlob(pattern: string): (host: string) => boolean {
  const named = pattern.replace(/^https?:\/\//i, "").replace(/\/$/, "");
  const isLike = compileGlob(named.startsWith("queue:") ? named : named.toLowerCase());
  const isHost = compileHost(
    named.includes("*") ? { kind: "glob", pattern: named } : { kind: "exact", value: named },
  );
  return (host) => {
    const known = parseHost(host);
    if (known === null || host.startsWith("queue:")) return isLike(host);
    return ["http:", "https:"].some((scheme) => isHost(hostFormsOf(`${scheme}//${hostText(known)}`)));
  };
}
