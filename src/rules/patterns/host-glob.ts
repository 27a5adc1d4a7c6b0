import { compileGlob } from "./glob.ts";

/** Tests a host as people ask for it: in any case, with its port or without, `*` for any part. */
export function compileHostGlob(pattern: string): (host: string) => boolean {
  const isLike = compileGlob(pattern.toLowerCase());
  return (host) => isLike(host) || isLike(host.replace(/:\d+$/, ""));
}
