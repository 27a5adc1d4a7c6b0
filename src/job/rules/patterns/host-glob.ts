import { hostFormsOf, hostText, parseHost } from "../../message/host-and-path.ts";
import { compileGlob } from "./glob.ts";
import { compileHost } from "./host-and-path-tests.ts";

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
