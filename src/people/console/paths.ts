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

/** The parts of `path` by their names in `pattern` (`/failures/:id`); null: it is another path. */
export function matchPath(pattern: string, path: string): Record<string, string> | null {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (!part.startsWith(":")) {
      if (part !== value) return null;
      continue;
    }
    try {
      params[part.slice(1)] = decodeURIComponent(value);
    } catch {
      return null;
    }
  }
  return params;
}
