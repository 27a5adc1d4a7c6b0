/** What others call it, in lower case: other tools, older pages, the service's own headers. The first that is known is meant. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  status: ["responseStatus"],
  statuscode: ["responseStatus"],
  code: ["responseStatus"],
  response: ["responseBody"],
  error: ["responseBody"],
  topic: ["topicName"],
  group: ["topicName"],
  urlgroup: ["topicName"],
  endpoint: ["endpointName"],
  queue: ["queueName"],
  queuename: ["queue"],
  schedule: ["scheduleId"],
  headers: ["header"],
  header: ["headers"],
  responseheaders: ["responseHeader"],
  destination: ["url"],
  address: ["url"],
  domain: ["host"],
  hostname: ["host"],
  ip: ["callerIp"],
  tag: ["label"],
  tags: ["labels"],
  key: ["flowControlKey"],
  flowcontrol: ["flowControlKey"],
  retries: ["maxRetries", "attempt"],
  maxretries: ["retries"],
  attempts: ["attempt"],
  tries: ["attempt"],
  payload: ["body"],
  json: ["body"],
  id: ["messageId"],
  verb: ["method"],
  httpmethod: ["method"],
  ttl: ["timeLeft"],
  expires: ["timeLeft"],
  created: ["createdAt"],
  action: ["then"],
  do: ["then"],
  if: ["when"],
  match: ["when"],
  where: ["when", "select"],
  filter: ["select"],
  transform: ["set"],
  change: ["set"],
  ratelimit: ["limit", "limits"],
  rate: ["limit"],
  until: ["ignoreAfter"],
  default: ["otherwise", "defaults"],
  or: ["any"],
  and: ["all"],
};

/** The known name that goes by another name elsewhere; undefined if there is none. */
export function aliasOf(word: string, known: readonly string[]): string | undefined {
  const plain = word.toLowerCase().replaceAll(/[-_]/g, "");
  if (!Object.hasOwn(aliases, plain)) return undefined;
  return aliases[plain]?.find((name) => known.includes(name));
}

/** Longer words are not typing mistakes of a name, and comparing them costs time that a hostile file could ask for. */
const maxCompared = 48;

/** The known name that differs least from `word`, when a third of its letters or fewer differ; else undefined. */
export function nearestName(word: string, known: readonly string[]): string | undefined {
  if (word.length > maxCompared) return undefined;
  const wanted = word.toLowerCase();
  let nearest: string | undefined;
  let smallest = Infinity;
  for (const name of known) {
    const allowed = Math.max(1, Math.floor(Math.max(name.length, wanted.length) / 3));
    if (Math.abs(name.length - wanted.length) > allowed) continue;
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance <= allowed && distance < smallest) {
      nearest = name;
      smallest = distance;
    }
  }
  return nearest;
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn one text into the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      let best = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (row > 1 && column > 1 && swapped) best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1);
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
