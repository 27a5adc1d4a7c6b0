/** What other tools, older pages and the service's headers call it, in lower case. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  responseStatus: ["status", "statuscode", "code"],
  responseBody: ["response", "error"],
  topicName: ["topic", "group", "urlgroup"],
  endpointName: ["endpoint"],
  queueName: ["queue"],
  queue: ["queuename"],
  scheduleId: ["schedule"],
  header: ["headers"],
  headers: ["header"],
  responseHeader: ["responseheaders"],
  url: ["destination", "address"],
  host: ["domain", "hostname"],
  callerIp: ["ip"],
  label: ["tag"],
  labels: ["tags"],
  flowControlKey: ["key", "flowcontrol"],
  maxRetries: ["retries"],
  attempt: ["retries", "attempts", "tries"],
  retries: ["maxretries"],
  body: ["payload", "json"],
  messageId: ["id"],
  method: ["verb", "httpmethod"],
  timeLeft: ["ttl", "expires"],
  createdAt: ["created"],
  then: ["action", "do"],
  when: ["if", "match", "where"],
  select: ["where", "filter"],
  set: ["transform", "change"],
  limit: ["ratelimit", "rate"],
  limits: ["ratelimit"],
  ignoreAfter: ["until"],
  otherwise: ["default"],
  defaults: ["default"],
  any: ["or"],
  all: ["and"],
};

export function aliasOf(word: string, known: readonly string[]): string | undefined {
  const plain = word.toLowerCase().replaceAll(/[-_]/g, "");
  const isMeant = (name: string): boolean =>
    otherNames[name]?.includes(plain) === true && known.includes(name);
  return Object.keys(otherNames).find(isMeant);
}

/** Longer words are not typing mistakes of a name, and comparing them costs time that a hostile file could ask for. */
const maxCompared = 48;

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
