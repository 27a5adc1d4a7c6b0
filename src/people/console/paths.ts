/** A path of this console; anything else would send the person somewhere else. */
export function toLocalPath(path: string | undefined): string {
  return path !== undefined && /^\/(?![/\\])[!-[\]-~]*$/.test(path) ? path : "/";
}

/** As browsers reach it: below `console.basePath`. What is no path stays as it is. Inside, all paths begin at `/`. */
export function toPublicPath(base: string, path: string): string {
  return /^\/(?!\/)/.test(path) ? `${base}${path}` : path;
}

/** A proxy may have taken the base away, and probes never had it. */
export function toOwnPath(base: string, path: string): string {
  if (path === base) return "/";
  return path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}

/** Every path that HTML of ours names. In texts and values of strangers each `"` is escaped, so none of them matches. */
export function toPublicHtml(base: string, html: string): string {
  if (base === "") return html;
  return html.replaceAll(
    /( (?:href|src|action|data-live)=")([^"]+)/g,
    (_, name: string, path: string) => `${name}${toPublicPath(base, path)}`,
  );
}

/** Before the path of a screen: its live sections. */
export const livePath = "/live";
