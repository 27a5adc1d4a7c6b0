interface AskingPage {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** Sec-Fetch-Site. */
  readonly site: string | undefined;
  /** True: a proxy of ours says that the browser came by https. The console itself speaks http alone. */
  readonly isHttps: boolean;
}

/**
 * False if a browser says that a page of somebody else made the request. Programs say nothing.
 *
 * Host says no scheme, and somebody on the way may answer for this host by http. A browser compares schemes
 * for Sec-Fetch-Site, so both have to agree.
 */
export function isOfOwnPage({ host, origin, site, isHttps }: AskingPage): boolean {
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  if (origin === undefined) return true;
  const [scheme, name] = partsOf(origin);
  return name !== null && name === host?.toLowerCase() && (scheme === "https" || !isHttps);
}

function partsOf(origin: string): readonly [scheme: string | null, host: string | null] {
  const [, scheme, host] = /^(https?):\/\/([^/]+)$/i.exec(origin) ?? [];
  return [scheme?.toLowerCase() ?? null, host?.toLowerCase() ?? null];
}
