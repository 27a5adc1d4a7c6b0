/**
 * What it costs to count one dead letter by its kind of failure: CPU of this process, µs per message, warm.
 * `failureKindOf`, and the counts of a page whose records wait, are decided by a rule and published. Node 20
 * runs no TypeScript, so it is compiled first: `npm run bench -- failures [<messages>]`.
 */
import type { DeadLetter } from "../../src/job/message/dead-letter.ts";
import { createFailureTally } from "../../src/job/failures/count-failures.ts";
import { failureKindOf } from "../../src/job/message/failure-kind.ts";
import { letterOf } from "../support/letters.ts";

const messages = Number(process.argv[2] ?? 200_000);
const pageSize = 100;
const enteredAt = 1_760_000_000_000;

/** How the answers of receivers differ from message to message. */
const toId = (n: number): string =>
  Math.imul(n + 1, 0x9e3779b1)
    .toString(16)
    .replace("-", "b")
    .padStart(12, "3a7");
const answers: Readonly<Record<string, (n: number) => string>> = {
  "the same answer": () => "upstream connect error or disconnect/reset before headers",
  "one of 20 answers": (n) => `upstream ${n % 20} is not there`,
  "JSON with an id of its own": (n) => `{"error":"order ${n} is locked","requestId":"req-${n * 7919}"}`,
  "text with a UUID and a time": (n) =>
    `${new Date(enteredAt + n * 977).toISOString()} order 9f8c2d8e-1111-4222-8333-${toId(n)} is locked`,
  "JSON with code and trace": (n) =>
    `{"error":{"code":"E1001","message":"no stock"},"trace_id":"4bf9${toId(n)}","timestamp":${enteredAt + n}}`,
  "JSON of 3 KB with an id": (n) =>
    `{"message":"order ${n} is locked","items":[${'{"name":"a thing","count":7},'.repeat(100)}{}]}`,
  "HTML of 4 KB with an id": (n) =>
    `<html><head><title>503 Service ${n}</title></head><body>${"<p>down</p>".repeat(360)}${n}</body></html>`,
};

function lettersOf(answer: (n: number) => string, first: number): readonly DeadLetter[] {
  return Array.from({ length: pageSize }, (_, index) => {
    const n = first + index;
    const given = { url: `https://api-${n % 4}.example.com/orders`, responseStatus: 503 };
    // As from a page: a text that nothing has hashed yet.
    const responseBody = JSON.parse(JSON.stringify(answer(n))) as string;
    return letterOf({ ...given, responseBody, dlqId: `${enteredAt + n}-0` });
  });
}

/** As a page counts each record, and its window the page. */
function count(letters: readonly DeadLetter[], window: ReturnType<typeof createFailureTally>): void {
  const page = createFailureTally();
  for (const letter of letters) {
    const kind = failureKindOf(letter);
    page.add(kind, letter.dlqId, "seen");
    page.byHour(kind, letter.dlqId, letter.enteredAt, "arrived");
    page.named(kind, letter.dlqId, "ruled", "republish outage");
    page.add(kind, letter.dlqId, "published");
    page.byHour(kind, letter.dlqId, letter.enteredAt, "arrivedDone");
  }
  window.merge(page);
}

function microsecondsFor(answer: (n: number) => string): number {
  let window = createFailureTally();
  let spent = 0;
  for (let n = -20 * pageSize; n < messages; n += pageSize) {
    const letters = lettersOf(answer, n + 20 * pageSize);
    if (n % (20 * pageSize) === 0) window = createFailureTally();
    const before = process.cpuUsage();
    count(letters, window);
    const { user, system } = process.cpuUsage(before);
    if (n >= 0) spent += user + system;
  }
  return spent / messages;
}

for (const [name, answer] of Object.entries(answers)) {
  process.stdout.write(`${name.padEnd(28)} ${microsecondsFor(answer).toFixed(2).padStart(6)} µs\n`);
}
