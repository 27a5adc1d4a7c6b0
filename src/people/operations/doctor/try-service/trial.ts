/**
 * Finds out on the user's own account what the service's documents leave open. It publishes, lists, rebuilds and
 * deletes by the daemon's own code. It deletes nothing but what a trial made.
 */
import { sleptFully } from "../../../../job/contracts/clock.ts";
import { isRedriverError, RedriverError } from "../../../../job/contracts/errors.ts";
import type { ListQuery } from "../../../../job/contracts/service.ts";
import type { BuiltSource, ListingSignals } from "../../../../job/door.ts";
import type { BatchItem, DeadLetter, DlqId, RawRecord } from "../../../../job/message/dead-letter.ts";
import { encodeItem } from "../../../../job/message/encode-item.ts";
import { valuesOf } from "../../../../job/message/headers.ts";
import { hashBody, nextLineage, readLineage, signLineage } from "../../../../job/message/lineage.ts";
import { compareDlqIds, toDeduplicationId } from "../../../../job/message/message-ids.ts";
import { rebuildItem } from "../../../../job/message/rebuild-item.ts";
import * as own from "./own-messages.ts";

const diesWithinMs = 180_000;
const lookEveryMs = 500;
/** What is still on its way dies within this time, so two looks that far apart see it. */
const calmMs = 3_000;
const pageSize = 4;
const maxTries = 6;

/** `as-assumed`: redriver works with this as it is. Else `set` is what to change; null: no setting helps. */
type Answer = Readonly<{ verdict: "as-assumed" | "differs" | "not-seen"; seen: string; set: string | null }>;
const asAssumed = (seen: string): Answer => ({ verdict: "as-assumed", seen, set: null });
const differs = (seen: string, set: string | null = null): Answer => ({ verdict: "differs", seen, set });
const notSeen = (seen: string): Answer => ({ verdict: "not-seen", seen, set: null });
const either = (isSo: boolean, so: string, otherwise = so, set?: string): Answer =>
  isSo ? asAssumed(so) : differs(otherwise, set);
/** A question to the service. `find` may go on from what those before it have sent. */
const probe = (about: string, find: () => Answer | Promise<Answer>) => ({ about, find: async () => find() });

const inOrder = (numbers: readonly number[]): string => numbers.toSorted((a, b) => a - b).join();
const numbersOf = (letters: readonly own.OwnLetter[]): number[] => letters.map(({ number }) => number);

/** `say` tells a person what is looked at. */
export function createTrial(
  { service, runtime }: BuiltSource,
  given: Pick<own.Aim, "to" | "queue">,
  signals: ListingSignals,
  say: (what: string) => void,
) {
  const { clock, config, headerPrefix, identities, lineageKeys } = runtime;
  const aim = { ...given, headerPrefix, run: identities.token().slice(0, 8) };
  /** A cleaning goes on when a person stops the run. */
  let { signal } = signals;
  const url = own.addressesOf(aim.to);
  let calls = 0;
  /** Answers of 429, and those that came though the time of the one before was over. */
  let [limited, early] = [0, 0];
  /** The number of each message that will die, if the answers to our POSTs are true. */
  const promised: number[] = [];
  let dead: readonly own.OwnLetter[] = [];
  const toItem = (number: number) => own.toOwnItem(aim, number);
  const pause = async (ms: number): Promise<void> => {
    if (!(await sleptFully(clock, ms, signal))) throw new RedriverError("stopped", "the trial was stopped");
  };

  /** Makes a call again when the service says that it may. */
  async function patiently<Value>(call: () => Promise<Value>, tries = 1): Promise<Value> {
    calls += 1;
    try {
      return await call();
    } catch (error) {
      if (!isRedriverError(error) || error.retryAt === undefined || tries === maxTries) throw error;
      if (error.status === 429) [limited, early] = [limited + 1, early + Number(tries > 1)];
      await pause(Math.max(0, error.retryAt - clock.now()));
      return patiently(call, tries + 1);
    }
  }
  /** By their addresses: a wrong prefix loses their label. */
  const list = (query: Partial<ListQuery>) =>
    patiently(() => service.list({ select: { url }, count: 100, ...query }, signal));
  async function listAll(query: Partial<ListQuery>, pages = 100): Promise<readonly RawRecord[]> {
    const { records, cursor } = await list(query);
    if (cursor === undefined || pages === 1) return records;
    return [...records, ...(await listAll({ ...query, cursor }, pages - 1))];
  }
  const listOwn = async (query: Partial<ListQuery>) => own.readAll(await listAll(query), aim);
  const idsOf = async (query: Partial<ListQuery>) => own.idsIn(await listAll(query));
  const remove = async ([first, ...more]: readonly DlqId[]): Promise<number> =>
    first === undefined ? 0 : (await patiently(() => service.remove([first, ...more], signal))).deleted;

  /** Ends when as many are dead as were promised, or after a while. */
  async function post(items: readonly BatchItem[]) {
    const numbers = items.map(({ destination }) => Number(own.numberIn(destination)));
    const endTurn = await runtime.takeBatchTurn(signal);
    const bodies = items.map((item) => encodeItem(item).json);
    const outcome = await patiently(() => service.publish(bodies, () => true, signal)).finally(endTurn);
    const proofs = outcome.kind === "answered" ? outcome.items : [];
    const isHit = proofs.map((proof) => proof.kind === "accepted" && proof.deduplicated);
    promised.push(...numbers.filter((_, at) => proofs[at]?.kind === "accepted" && !isHit[at]));
    for (const until = clock.monotonic() + diesWithinMs; ; await pause(lookEveryMs)) {
      const known = [...dead, ...(await listOwn({}))];
      dead = [...new Map(known.map((letter) => [letter.dlqId, letter])).values()];
      if (dead.length >= promised.length || clock.monotonic() >= until) break;
    }
    return { outcome, hits: isHit.filter(Boolean).length };
  }

  /** As the redrive of `parent`, which it is itself, or came back from. */
  function rebuild(letter: DeadLetter, parent = letter) {
    const lineage = nextLineage(parent, { kind: "none" }, 0);
    const [deduplicationId, destination] = [toDeduplicationId(parent.dlqId, 1), letter.url];
    const sign = (body: string) => signLineage(lineage, hashBody(body), lineageKeys()[0]);
    const plain = { attempt: 0, retries: 0, delayMs: null, headerPrefix, destination, deduplicationId };
    const rebuilt = rebuildItem(letter, {}, { ...plain, rootId: lineage.rootId, signLineage: sign });
    if (rebuilt.kind === "item") return rebuilt.item;
    throw new RedriverError("request-refused", `it would be parked: ${rebuilt.reason}`, { status: 200 });
  }
  /** Of those with headers, labels and flow control of their own. */
  let parents: readonly own.OwnLetter[] = [];
  const redrive = () => post(parents.map((parent) => rebuild(parent)));
  const isRedriven = (parent: own.OwnLetter) =>
    dead.some((letter) => {
      const reading = readLineage(letter, lineageKeys());
      const isComeBack = reading.kind === "come-back" && reading.lineage.parentDlqId === parent.dlqId;
      return isComeBack && encodeItem(rebuild(letter, parent)).json === encodeItem(rebuild(parent)).json;
    });

  /** Lists a page, acts, and judges the pages behind it. `act` answers how many of the page it deleted. */
  async function across(act: (page: readonly DlqId[]) => Promise<number>): Promise<Answer> {
    const all = await idsOf({});
    const { records, cursor } = await list({ count: pageSize });
    const page = own.idsIn(records);
    const deleted = await act(page);
    const rest = cursor === undefined ? [] : await idsOf({ count: pageSize, cursor });
    const missing = all.filter((id) => !page.includes(id) && !rest.includes(id)).length;
    if (missing === 0) return asAssumed("it goes on where it was");
    if (missing === deleted) return asAssumed("it skips as many; the next pass lists them");
    return differs(`it skips ${missing} of ${all.length - page.length}`);
  }

  let refused: number[] = [];
  let removal = notSeen("nothing was deleted");
  /** In turn, and in the order of the report. */
  const probes = {
    mark: probe("label and header of a message", async () => {
      const { outcome } = await post([toItem(0)]);
      const [letter] = dead;
      if (promised.length === 0) return differs(`none is accepted for this address: ${outcome.kind}`, "--to");
      if (!letter) return differs("it does not die within 3 min", "service.headerPrefix, or --to");
      const isWhole = letter.labels.includes(own.mark) && JSON.stringify(letter.header).includes(aim.run);
      return either(isWhole, "they come back", "they are lost", "service.headerPrefix");
    }),
    settings: probe("headers of settings in a record", async () => {
      await post(Array.from({ length: own.fit - 1 }, (_, at) => toItem(at + 1)));
      const isThere = dead.some(({ header }) => valuesOf(header, `${headerPrefix}Retries`).length > 0);
      return asAssumed(isThere ? "there; a rebuild leaves them out" : "not there");
    }),
    bodies: probe("bodies of records", () => {
      const changed = dead.filter(({ body, number }) => body !== toItem(number).body);
      return either(changed.length === 0, "whole, up to 20 KB", `changed: ${numbersOf(changed).join()}`);
    }),
    flowControl: probe("flow control of a message", () => {
      const letter = dead.find(({ number }) => number === own.steered);
      const flow = [letter?.flowControlKey, letter?.parallelism, letter?.rate, letter?.period].join();
      const seen = "it is listed with its limits; whether they hold, no record tells";
      return either(flow === `${own.mark},2,100,60`, seen, `it is listed as ${flow}`);
    }),
    silence: probe("responseStatus without an answer", () => {
      const status = dead.find(({ responseStatus }) => responseStatus)?.responseStatus;
      return status === undefined ? asAssumed("0 or absent") : notSeen(`the address answers ${status}`);
    }),
    dates: probe("what fromDate and toDate compare", async () => {
      const late = dead.find(({ number }) => number === own.delayed);
      if (late === undefined || late.enteredAt - late.createdAt < 1_000) return notSeen("no delay");
      const isAt = async (at: number) => (await idsOf({ fromDate: at, toDate: at })).includes(late.dlqId);
      const [atDeath, atCreation] = [await isAt(late.enteredAt), await isAt(late.createdAt)];
      if (atDeath === atCreation) return differs(`${atDeath ? "both" : "none"} of two that are 2 s apart`);
      return asAssumed(atDeath ? "the time of death" : "createdAt; each pass lists everything");
    }),
    order: probe("order of a listing", async () => {
      const ids = (await idsOf({ count: pageSize })).join();
      const earliestFirst = dead.map(({ dlqId }) => dlqId).toSorted(compareDlqIds);
      if (ids === earliestFirst.join()) return asAssumed("earliest first");
      if (ids === earliestFirst.toReversed().join()) return asAssumed("latest first; none is needed");
      return differs("it changes, repeats or misses, although nothing arrives or goes");
    }),
    filters: probe("filters of a listing", async () => {
      const [label, some] = [[own.secondLabel], url.slice(5, 7)];
      const queue = aim.queue === undefined ? [] : [{ url, queueName: [aim.queue] }];
      const found: own.OwnLetter[] = [];
      for (const select of [{ label }, { url: some }, { label, url: some }, ...queue])
        found.push(...(await listOwn({ select })));
      const numbers = inOrder(numbersOf(found));
      const wanted = inOrder([3, 5, 6, ...queue.map(() => own.queued)]);
      return either(numbers === wanted, "as they say", `${numbers}, not ${wanted}`);
    }),
    refusal: probe("a call with an unfit item", async () => {
      const bad = { ...toItem(own.unfit), destination: `${own.mark} unfit?${own.mark}=${own.unfit}` };
      const { outcome } = await post([toItem(own.fit), bad]);
      refused = outcome.kind === "refused" ? [own.fit, own.unfit] : [own.unfit];
      if (outcome.kind === "refused") return asAssumed("it is refused whole");
      if (outcome.kind !== "answered") return differs(`its end is not clear: ${outcome.error}`);
      const [fit, unfit] = outcome.items;
      const isApart = fit?.kind === "accepted" && unfit?.kind === "refused";
      const otherwise = unfit?.kind === "in-doubt" ? unfit.why : "not the unfit item is refused";
      return either(isApart, "its item has an error, others go", otherwise, "unknownOutcome");
    }),
    refusedIds: probe("deduplication ids of what was refused", async () => {
      const { outcome, hits } = await post(refused.map(toItem));
      const isFree = hits === 0 ? "free" : `${hits} are taken; a new series begins`;
      return either(outcome.kind === "answered", isFree, "it is refused, although it is fit now");
    }),
    arrivals: probe("a cursor while records arrive", () => {
      parents = dead.filter(({ number }) => [2, 3, own.steered].includes(number));
      return across(() => redrive().then(() => 0));
    }),
    redrive: probe("a rebuilt message that dies again", () => {
      const changed = numbersOf(parents.filter((parent) => !isRedriven(parent))).join();
      return either(changed === "", "the same, with its lineage", `not the same: ${changed}`);
    }),
    hit: probe("a second POST of an id", async () => {
      const { hits } = await redrive();
      return either(hits === parents.length, `${hits} of ${parents.length} are hits`);
    }),
    acceptance: probe("messages that were accepted, and that died", () => {
      const [said, died] = [inOrder(promised), inOrder(numbersOf(dead))];
      return either(said === died, "the same", `${said}; ${died}`);
    }),
    deletes: probe("a cursor while records are deleted", () =>
      across(async (page) => {
        const [all, first, then] = [page.length, await remove(page), await remove(page)];
        removal = either(first === all && then === 0, `${first} of ${all}, then ${then}`);
        return page.length;
      }),
    ),
    removal: probe("what a delete counts", () => removal),
    limits: probe("rate limits", () => {
      const when = early === 0 ? "each over when it said" : `${early} of them later than it said`;
      return limited === 0 ? notSeen("no 429") : either(early === 0, `${limited} times 429, ${when}`);
    }),
    manyIds: probe("more than 100 ids in a delete", () => notSeen("redriver never sends more")),
    waiting: probe("order of what waits for the account's parallelism", () => notSeen("redriver needs none")),
  };

  /** Deletes what any trial left, until two looks in a row show nothing. */
  async function clean(): Promise<void> {
    ({ signal } = signals);
    say("what is left of trials");
    for (let empty = 0; empty < 2;) {
      const byLabel = await idsOf({ select: { label: [own.mark] } });
      const ids = [...new Set([...byLabel, ...(await idsOf({}))])];
      await remove(ids.slice(0, 100));
      empty = ids.length === 0 ? empty + 1 : 0;
      if (empty < 2) await pause(ids.length === 0 ? calmMs : lookEveryMs);
    }
  }

  /** Leaves nothing, however it ends. Without a first message that comes back, nothing else is asked. */
  async function run() {
    await clean();
    const answers = [];
    try {
      signal = signals.stopping;
      for (const [question, { about, find }] of Object.entries(probes)) {
        say(about);
        const answer = await find().catch((error: unknown) => {
          // A call that the service refuses is an answer too.
          if (!isRedriverError(error) || ![200, 400, 404, 422].includes(error.status ?? 0)) throw error;
          return differs(error.message);
        });
        answers.push({ question, about, ...answer });
        if (question === "mark" && answer.verdict === "differs") break;
      }
    } finally {
      await clean();
    }
    const left = Math.max(0, promised.length - dead.length);
    const ok = left === 0 && answers.every(({ verdict }) => verdict !== "differs");
    const of = { source: config.name, at: new Date(clock.now()).toISOString(), headerPrefix };
    return { ok, ...of, messages: promised.length, calls, left, answers };
  }
  return { run, clean };
}
