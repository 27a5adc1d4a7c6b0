import { compileGlob } from "./glob.ts";

/**
 * Tests a host as people ask for it: in any case, with its port or without, as an origin too, `*` for any part.
 * Records name a host without the port that is usual for its scheme.
 */
export function compileHostGlob(pattern: string): (host: string) => boolean {
  const named = pattern
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .replace(/\/$/, "");
  const isLike = compileGlob(named);
  const isUsual = /:(?:80|443)$/.test(named) ? compileGlob(named.replace(/:\d+$/, "")) : () => false;
  return (host) => isLike(host) || isLike(host.replace(/:\d+$/, "")) || isUsual(host);
}
