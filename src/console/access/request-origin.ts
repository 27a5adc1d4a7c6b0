/** What a browser says about where a request comes from. */
interface AskingPage {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** Sec-Fetch-Site. */
  readonly site: string | undefined;
}

/** False if a browser says that a page of somebody else made the request. Programs say nothing. */
export function isOfOwnPage({ host, origin, site }: AskingPage): boolean {
  if (origin !== undefined) return originHost(origin) === host?.toLowerCase();
  return site === undefined || site === "same-origin" || site === "none";
}

function originHost(origin: string): string | null {
  return /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase() ?? null;
}
