import { hostOf, parseUrl } from "../../job/message/destination-url.ts";
import type { FailureBook } from "../../job/contracts/failures.ts";

/**
 * Hosts of the kinds of failure that a source has recorded, by their ids: for records that nobody has listed.
 * A kind of a queue, and one that stands for several destinations, has none. Throws `redis-unavailable`.
 */
export async function readHostsOfKinds({
  failures,
}: Readonly<{ failures: Pick<FailureBook, "all"> }>): Promise<ReadonlyMap<string, string>> {
  const kinds = await failures.all();
  const known = kinds.filter(({ origin }) => /^https?:/.test(origin) && parseUrl(origin) !== null);
  return new Map(known.map(({ id, origin }) => [id, hostOf(origin)]));
}
