/** A path of this console; anything else would send the person somewhere else. */
export function toLocalPath(path: string | undefined): string {
  return path !== undefined && /^\/(?![/\\])[!-[\]-~]*$/.test(path) ? path : "/";
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
