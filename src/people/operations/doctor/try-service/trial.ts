/**
 * Finds out on the user's own account what the service's documents leave open. It publishes, lists, rebuilds and
 * deletes by the daemon's own code. It deletes nothing but what a trial made.
 */
import { sleptFully } from "../../../../job/contracts/clock.ts";
import { isRedriverError, RedriverError } from "../../../../job/contracts/errors.ts";
import type { ListQuery } from "../../../../job/contracts/service.ts";
import type { BuiltSource } from "../../../../job/door.ts";
import type { BatchItem, DeadLetter, DlqId, MessageId } from "../../../../job/message/dead-letter.ts";
import { toDeduplicationId } from "../../../../job/message/message-ids.ts";
import { encodeItem } from "../../../../job/message/encode-item.ts";
import { hashBody, nextLineage, readLineage, signLineage } from "../../../../job/message/lineage.ts";
import { parseRecord } from "../../../../job/message/parse-record.ts";
import { rebuildItem } from "../../../../job/message/rebuild-item.ts";
import type { Select } from "../../../../job/message/select.ts";
import * as judge from "./answers.ts";
import { asAssumed, differs, notSeen, type Answer, type Question } from "./answers.ts";
import * as own from "./own-messages.ts";

const diesWithinMs = 180_000;
const lookEveryMs = 500;
/** What is still on its way dies within this time, so two looks that far apart see it. */
const calmMs = 3_000;
const pageSize = 4;
const maxTries = 6;
const maxPages = 100;

const inOrder = (numbers: readonly number[]): string => numbers.toSorted((a, b) => a - b).join();

/** `say` tells a person what is looked at. */
export function createTrial({ service, runtime }: BuiltSource, aim: own.Aim, say: (what: string) => void) {
  const { clock, lineageKeys } = runtime;
  /** Of the run or the cleaning that is under way. */
  let signal = AbortSignal.abort();
  const addresses = own.addressesOf(aim.to);
  const marked: Select = { label: [own.mark], url: addresses };
  const answers: Partial<Record<Question, Answer>> = {
    manyIds: notSeen("redriver never sends more"),
    waiting: notSeen("redriver needs none"),
  };
  /** `early`: answers of 429 after the time that the one before had named. */
  const counts = { calls: 0, limited: 0, early: 0 };
  /** The number of each message that will die, if the answers to our POSTs are true. */
  const promised: number[] = [];
  const dead = new Map<DlqId, DeadLetter>();
  const numberOf = (letter: DeadLetter): number => own.numberOf(letter, aim)!;
  const pause = async (ms: number): Promise<void> => {
    if (!(await sleptFully(clock, ms, signal))) throw new RedriverError("stopped", "the trial was stopped");
  };

  /** Makes a call again when the service says that it may. */
  async function patiently<Value>(call: () => Promise<Value>): Promise<Value> {
    for (let [tries, end] = [1, Infinity]; ; tries += 1) {
      counts.calls += 1;
      try {
        return await call();
      } catch (error) {
        if (!isRedriverError(error) || error.retryAt === undefined || tries === maxTries) throw error;
        if (error.status === 429) counts.limited += 1;
        if (error.status === 429 && clock.now() >= end) counts.early += 1;
        end = error.retryAt;
        await pause(Math.max(0, end - clock.now()));
      }
    }
  }
  const list = (query: Partial<ListQuery>) =>
    patiently(() => service.list({ select: marked, count: 100, ...query }, signal));
  async function listAll(query: Partial<ListQuery>) {
    const pages = [await list(query)];
    for (let cursor; pages.length < maxPages && (cursor = pages.at(-1)!.cursor) !== undefined;) {
      pages.push(await list({ ...query, cursor }));
    }
    return pages.flatMap(({ records }) => records);
  }
  const idsOf = async (query: Partial<ListQuery>) => (await listAll(query)).map(({ dlqId }) => String(dlqId));
  const remove = async ([first, ...more]: readonly DlqId[]): Promise<number> =>
    first === undefined ? 0 : (await patiently(() => service.remove([first, ...more], signal))).deleted;

  async function post(numbers: readonly number[], items?: readonly BatchItem[]) {
    const given = items ?? numbers.map((number) => own.toOwnItem(aim, number));
    counts.calls += 1;
    const endTurn = await runtime.takeBatchTurn(signal);
    const bodies = given.map((item) => encodeItem(item).json);
    const outcome = await service.publish(bodies, () => true, signal).finally(endTurn);
    const proofs = outcome.kind === "answered" ? outcome.items : [];
    const isHit = proofs.map((proof) => proof.kind === "accepted" && proof.deduplicated);
    promised.push(...numbers.filter((_, at) => proofs[at]?.kind === "accepted" && !isHit[at]));
    return { outcome, hits: isHit.filter(Boolean).length };
  }

  /** Until as many are dead as were promised, or for a while. */
  async function awaitDeaths(): Promise<void> {
    for (const until = clock.monotonic() + diesWithinMs; ; await pause(lookEveryMs)) {
      // A wrong prefix loses their label.
      for (const parsed of (await listAll({ select: { url: addresses } })).map((raw) => parseRecord(raw))) {
        const isOf = parsed.kind !== "unusable" && own.numberOf(parsed.letter, aim) !== null;
        if (isOf) dead.set(parsed.letter.dlqId, parsed.letter);
      }
      if (dead.size >= promised.length || clock.monotonic() >= until) return;
    }
  }

  /** A call that the service refuses is an answer too. */
  async function ask(question: Question, find: () => Promise<Answer>): Promise<void> {
    say(judge.questions[question]);
    answers[question] = await find().catch((error: unknown) => {
      const isAnswer = isRedriverError(error) && [200, 400, 404, 422].includes(error.status ?? 0);
      if (isAnswer) return differs(error.message);
      throw error;
    });
  }

  async function first(): Promise<Answer> {
    const { outcome } = await post([0]);
    if (promised.length === 0) return differs(`none is accepted for this address: ${outcome.kind}`, "--to");
    await awaitDeaths();
    const [letter] = dead.values();
    if (letter === undefined) return differs("it does not die within 3 min", "service.headerPrefix, or --to");
    const isWhole = letter.labels.includes(own.mark) && JSON.stringify(letter.header).includes(aim.run);
    return isWhole ? asAssumed("they come back") : differs("they are lost", "service.headerPrefix");
  }

  async function read(): Promise<void> {
    const all = [...dead.values()];
    const statuses = all.map(({ responseStatus }) => responseStatus ?? "0 or absent");
    const isSilent = statuses.includes("0 or absent");
    answers.silence = isSilent ? asAssumed("0 or absent") : notSeen(`the address answers ${statuses[0]}`);
    const headers = JSON.stringify(all.map(({ header }) => header)).toLowerCase();
    const hasSettings = headers.includes(`"${aim.headerPrefix}retries"`.toLowerCase());
    answers.settings = asAssumed(hasSettings ? "there; a rebuild leaves them out" : "not there");
    const isChanged = (letter: DeadLetter) => letter.body !== own.toOwnItem(aim, numberOf(letter)).body;
    const changed = all.filter(isChanged).map(numberOf).join();
    const toNumber = new Map<string, number>(all.map((letter) => [letter.dlqId, numberOf(letter)]));
    answers.bodies = judge.either(changed === "", "whole, up to 20 KB", `changed: ${changed}`);
    const steered = all.find((letter) => numberOf(letter) === own.steered);
    const { flowControlKey, parallelism, rate, period } = steered ?? {};
    const flow = [flowControlKey, parallelism, rate, period].join();
    const seen = "it is listed with its limits; whether they hold, no record tells";
    answers.flowControl = judge.either(flow === `${own.mark},2,100,60`, seen, `it is listed as ${flow}`);
    const late = all.find((letter) => numberOf(letter) === own.delayed);
    if (late !== undefined && late.enteredAt - late.createdAt >= 1_000) {
      const { dlqId, enteredAt, createdAt } = late;
      const isAt = async (at: number) => (await idsOf({ fromDate: at, toDate: at })).includes(dlqId);
      await ask("dates", async () => judge.judgeDates(await isAt(enteredAt), await isAt(createdAt)));
    }
    await ask("order", async () => judge.judgeOrder(await idsOf({ count: pageSize }), [...dead.keys()]));
    await ask("filters", async () => {
      const [label, url] = [[own.secondLabel], addresses.slice(5, 7)];
      const queue = aim.queue === undefined ? [] : [{ ...marked, queueName: [aim.queue] }];
      const found: number[] = [];
      for (const select of [{ label }, { url }, { label, url }, ...queue]) {
        for (const id of await idsOf({ select })) found.push(toNumber.get(id) ?? -1);
      }
      const [numbers, wanted] = [inOrder(found), inOrder([3, 5, 6, ...queue.map(() => own.queued)])];
      return judge.either(numbers === wanted, "as they say", `${numbers}, not ${wanted}`);
    });
  }

  /** A call with a fit and an unfit item; then what it refused once more, all of it fit. */
  async function refuse(): Promise<Answer> {
    const bad = { ...own.toOwnItem(aim, own.unfit), destination: `${own.mark} unfit` };
    const { outcome } = await post([own.fit, own.unfit], [own.toOwnItem(aim, own.fit), bad]);
    const again = await post(outcome.kind === "refused" ? [own.fit, own.unfit] : [own.unfit]);
    const isFree = again.hits === 0 ? "free" : `${again.hits} are taken; a new series begins`;
    const isTaken = again.outcome.kind === "answered";
    answers.refusedIds = judge.either(isTaken, isFree, "it is refused, although it is fit now");
    return judge.judgeRefusal(outcome);
  }

  /** `parent` is named in the lineage. Without one, what is the same for the same message. */
  function rebuild(letter: DeadLetter, parent: DeadLetter | null): BatchItem {
    const lineage = parent && nextLineage(parent, { kind: "none" }, 0);
    const sign = (body: string) => (lineage ? signLineage(lineage, hashBody(body), lineageKeys()[0]) : "");
    const rootId = parent?.messageId ?? ("" as MessageId);
    const deduplicationId = toDeduplicationId(parent?.dlqId ?? "0-0", 1);
    const { url: destination } = letter;
    const plain = { attempt: 0, retries: 0, delayMs: null, headerPrefix: aim.headerPrefix, destination };
    const rebuilt = rebuildItem(letter, {}, { ...plain, rootId, deduplicationId, signLineage: sign });
    if (rebuilt.kind === "item") return rebuilt.item;
    throw new RedriverError("request-refused", `it would be parked: ${rebuilt.reason}`, { status: 200 });
  }

  const toText = (letter: DeadLetter | undefined) => letter && encodeItem(rebuild(letter, null)).json;

  /** Lists a page, acts, and judges what follows. `act` answers how many of the page it deleted. */
  async function across(act: (page: readonly DlqId[]) => Promise<number>): Promise<Answer> {
    const all = await idsOf({});
    const { records, cursor } = await list({ count: pageSize });
    const page = records.filter(own.isOurs).map(({ dlqId }) => dlqId as DlqId);
    const deleted = await act(page);
    const rest = cursor === undefined ? [] : await idsOf({ count: pageSize, cursor });
    const expected = all.filter((id) => !page.includes(id as DlqId));
    return judge.judgeRest(rest, expected, deleted);
  }

  /** Those with headers, labels and flow control of their own. */
  async function redrive(): Promise<Answer> {
    const parents = [...dead.values()].filter((letter) => [2, 3, 4].includes(numberOf(letter)));
    const items = parents.map((letter) => rebuild(letter, letter));
    const sendAgain = async () => {
      await post(parents.map(numberOf), items);
      await awaitDeaths();
      return 0;
    };
    await ask("arrivals", () => across(sendAgain));
    const { hits } = await post(parents.map(numberOf), items);
    answers.hit = judge.either(hits === parents.length, `${hits} of ${parents.length} are hits`);
    const comeBacks = new Map<DlqId, DeadLetter>();
    for (const letter of dead.values()) {
      const reading = readLineage(letter, lineageKeys());
      if (reading.kind === "come-back") comeBacks.set(reading.lineage.parentDlqId, letter);
    }
    const changed = parents.filter((parent) => toText(parent) !== toText(comeBacks.get(parent.dlqId)));
    const numbers = changed.map(numberOf).join();
    return judge.either(numbers === "", "the same, with its lineage", `not the same: ${numbers}`);
  }

  async function removeTwice(page: readonly DlqId[]): Promise<number> {
    const [deleted, again] = [await remove(page), await remove(page)];
    const isExact = deleted === page.length && again === 0;
    answers.removal = judge.either(isExact, `${deleted} of ${page.length}, then ${again}`);
    return page.length;
  }

  return {
    async run(until: AbortSignal): Promise<void> {
      signal = until;
      await ask("mark", first);
      if (answers.mark?.verdict !== "as-assumed") return;
      await post(Array.from({ length: own.fit - 1 }, (_, at) => at + 1));
      await ask("refusal", refuse);
      await awaitDeaths();
      await read();
      await ask("redrive", redrive);
      await awaitDeaths();
      const [said, died] = [inOrder(promised), inOrder([...dead.values()].map(numberOf))];
      answers.acceptance = judge.either(said === died, "the same", `${said}; ${died}`);
      await ask("deletes", () => across(removeTwice));
      const [many, early] = [`${counts.limited} times 429`, `${counts.early} of them before it was over`];
      const limits = judge.either(counts.early === 0, `${many}, each over when it said`, `${many}, ${early}`);
      answers.limits = counts.limited === 0 ? notSeen("no 429") : limits;
    },
    /** Deletes what any trial left, until two looks in a row show nothing. */
    async clean(until: AbortSignal): Promise<void> {
      signal = until;
      say("what is left of trials");
      for (let empty = 0; empty < 2;) {
        const byLabel = await listAll({ select: { label: [own.mark] } });
        const found = [...byLabel, ...(await listAll({ select: { url: addresses } }))].filter(own.isOurs);
        const ids = new Set(found.map(({ dlqId }) => dlqId as DlqId));
        await remove([...ids].slice(0, 100));
        empty = ids.size === 0 ? empty + 1 : 0;
        if (empty < 2) await pause(ids.size === 0 ? calmMs : lookEveryMs);
      }
    },
    result() {
      const left = Math.max(0, promised.length - dead.size);
      return { answers, messages: promised.length, calls: counts.calls, left };
    },
  };
}
