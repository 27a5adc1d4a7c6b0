/**
 * Finds out on the user's own account what the service's documents leave open. It publishes, lists, rebuilds and
 * deletes by the daemon's own code. It deletes nothing but what a trial made.
 */
import { sleptFully } from "../../../../job/contracts/clock.ts";
import { isRedriverError, RedriverError } from "../../../../job/contracts/errors.ts";
import type { ItemOutcome, ListPage, ListQuery } from "../../../../job/contracts/service.ts";
import type { BuiltSource, ListingSignals } from "../../../../job/door.ts";
import type { BatchItem, DeadLetter, DlqId, RawRecord } from "../../../../job/message/dead-letter.ts";
import { valuesOf } from "../../../../job/message/headers.ts";
import { hashBody, nextLineage, readLineage, signLineage } from "../../../../job/message/lineage.ts";
import { compareDlqIds, toDeduplicationId } from "../../../../job/message/message-ids.ts";
import { rebuildItem } from "../../../../job/message/rebuild-item.ts";
import * as own from "./own-messages.ts";

const diesWithinMs = 180_000;
const lookEveryMs = 500;
/** What is still on its way dies within this time, so two looks that far apart see it. */
const calmMs = 3_000;
const pageSize = 2;
const maxTries = 6;

/** A text: redriver works with this as it is. Else `set` is what to change; null: no setting helps. */
type Answer = string | Readonly<{ verdict: "differs" | "not-seen"; seen: string; set: string | null }>;
const differs = (seen: string, set: string | null = null): Answer => ({ verdict: "differs", seen, set });
const notSeen = (seen: string): Answer => ({ verdict: "not-seen", seen, set: null });
const compare = (seen: string, assumed: string, toSay = seen): Answer =>
  seen === assumed ? toSay : differs(`${seen}, not ${assumed}`);
/** A question to the service. `find` may go on from what those before it have sent. */
const probe = (about: string, find: () => Answer | Promise<Answer>) => ({ about, find: async () => find() });

const toId = ({ dlqId }: RawRecord) => dlqId as DlqId;
const toText = (item: BatchItem): string => JSON.stringify(item);
const toWord = (proof: ItemOutcome) => (proof.kind === "accepted" && proof.deduplicated ? "hit" : proof.kind);
const inOrder = (names: readonly string[]): string => names.toSorted().join();
const namesOf = (letters: readonly DeadLetter[]): string => inOrder(letters.map(own.nameOf));

type Say = (what: string) => void;

export function createTrial({ service, runtime }: BuiltSource, to: string, stop: ListingSignals, say: Say) {
  const { clock, config, headerPrefix, identities, lineageKeys } = runtime;
  const ofRun = identities.token().slice(0, 8);
  const toItem = (name: string) => own.toItem(name, to, headerPrefix, ofRun);
  const url = own.names.map((name) => toItem(name).destination);
  /** A cleaning goes on when a person stops the run. */
  let { signal } = stop;
  let calls = 0;
  /** For each answer of 429: it came though the time of the one before was over. */
  const limits: boolean[] = [];
  /** The name of each message that will die, if the answers to our POSTs are true. */
  const promised: string[] = [];
  let dead: readonly DeadLetter[] = [];

  /** Each pause is before a call, which ends if a person has stopped the run. */
  const pause = (ms: number) => sleptFully(clock, ms, signal);

  /** Makes a call again when the service says that it may. */
  function patiently<Value>(call: () => Promise<Value>, tries = 1): Promise<Value> {
    calls += 1;
    return call().catch(async (error: unknown) => {
      if (!isRedriverError(error) || error.retryAt === undefined || tries === maxTries) throw error;
      if (error.status === 429) limits.push(tries > 1);
      await pause(Math.max(0, error.retryAt - clock.now()));
      return patiently(call, tries + 1);
    });
  }
  /** What a trial made, by its addresses: a wrong prefix loses labels. */
  async function list(query: Partial<ListQuery>, pages = 100): Promise<ListPage> {
    const page = await patiently(() => service.list({ select: { url }, count: 100, ...query }, signal));
    const records = page.records.filter((record) => own.nameOf(record) !== "");
    if (page.cursor === undefined || pages === 1) return { ...page, records };
    const rest = await list({ ...query, cursor: page.cursor }, pages - 1);
    return { records: [...records, ...rest.records] };
  }
  const listOwn = async (query: Partial<ListQuery>) => own.lettersOf(ofRun, (await list(query)).records);
  const idsOf = async (query: Partial<ListQuery>) => (await list(query)).records.map(toId);
  const remove = async ([first, ...more]: readonly DlqId[]): Promise<number> =>
    first === undefined ? 0 : (await patiently(() => service.remove([first, ...more], signal))).deleted;

  /** What the answer says of each item, or of the call. Ends when as many are dead as were promised, or after a while. */
  async function post(items: readonly BatchItem[]): Promise<readonly string[]> {
    const endTurn = await runtime.takeBatchTurn(signal);
    const bodies = items.map(toText);
    const outcome = await patiently(() => service.publish(bodies, () => true, signal)).finally(endTurn);
    const said = outcome.kind === "answered" ? outcome.items.map(toWord) : [outcome.kind];
    const accepted = items.filter((_, at) => said[at] === "accepted");
    promised.push(...accepted.map(({ destination: url }) => own.nameOf({ url })));
    const until = clock.monotonic() + diesWithinMs;
    do {
      await pause(lookEveryMs);
      dead = await listOwn({});
    } while (dead.length < promised.length && clock.monotonic() < until);
    return said;
  }

  /** As the redrive of `parent`, which it is itself, or came back from. */
  function rebuild(letter: DeadLetter, parent = letter): BatchItem {
    const lineage = nextLineage(parent, { kind: "none" }, 0);
    const sign = (body: string) => signLineage(lineage, hashBody(body), lineageKeys()[0]);
    const [deduplicationId, destination] = [toDeduplicationId(parent.dlqId, 1), letter.url];
    const plain = { attempt: 0, retries: 0, delayMs: null, headerPrefix, destination, deduplicationId };
    const rebuilt = rebuildItem(letter, {}, { ...plain, rootId: lineage.rootId, signLineage: sign });
    if (rebuilt.kind === "item") return rebuilt.item;
    throw new RedriverError("request-refused", `it would be parked: ${rebuilt.reason}`, { status: 200 });
  }
  const isComeBack = (letter: DeadLetter) => readLineage(letter, lineageKeys()).kind === "come-back";
  const parents = () => dead.filter((letter) => !isComeBack(letter));
  const redrive = () => post(parents().map((parent) => rebuild(parent)));
  /** It came back, and would be redriven as before. */
  const isKept = (parent: DeadLetter) =>
    dead.some((one) => isComeBack(one) && toText(rebuild(one, parent)) === toText(rebuild(parent)));

  /** Lists a page, acts, and judges the pages behind it. `act` answers how many of the page it deleted. */
  async function across(act: (page: readonly DlqId[]) => Promise<number>): Promise<Answer> {
    const all = await idsOf({});
    const { records, cursor } = await list({ count: pageSize }, 1);
    const page = records.map(toId);
    const deleted = await act(page);
    const rest = cursor === undefined ? [] : await idsOf({ count: pageSize, cursor });
    const missing = all.filter((id) => !page.includes(id) && !rest.includes(id)).length;
    if (missing === 0) return "it goes on where it was";
    if (missing === deleted) return "it skips as many; the next pass lists them";
    return differs(`it skips ${missing} of ${all.length - page.length}`);
  }

  /** In turn, and in the order of the report. */
  const probes = {
    mark: probe("label and header of a message", async () => {
      const said = await post([toItem("text")]);
      const [letter] = dead;
      if (!letter) return differs(`it is ${said.join()}, and has not died`, "service.headerPrefix, or --to");
      const isWhole = letter.labels.includes(own.mark) && JSON.stringify(letter.header).includes(ofRun);
      return isWhole ? "they come back" : differs("they are lost", "service.headerPrefix");
    }),
    settings: probe("headers of settings in a record", async () => {
      await post(["plain", "flow", "delayed"].map(toItem));
      const isThere = dead.some(({ header }) => valuesOf(header, `${headerPrefix}Retries`).length > 0);
      return isThere ? "there; a rebuild leaves them out" : "not there";
    }),
    bodies: probe("bodies of records", () => {
      const whole = dead.filter((letter) => letter.body === toItem(own.nameOf(letter)).body);
      return compare(namesOf(whole), namesOf(dead), "whole, up to 20 KB");
    }),
    flowControl: probe("flow control of a message", () => {
      const letter = dead.find((one) => own.nameOf(one) === "flow");
      const flow = [letter?.flowControlKey, letter?.parallelism, letter?.rate, letter?.period].join();
      return compare(flow, `${own.mark},2,100,60`, "listed with its limits; no record tells if they hold");
    }),
    silence: probe("responseStatus without an answer", () => {
      const status = dead.find(({ responseStatus }) => responseStatus)?.responseStatus;
      return status === undefined ? "0 or absent" : notSeen(`the address answers ${status}`);
    }),
    dates: probe("what fromDate and toDate compare", async () => {
      const late = dead.find((one) => own.nameOf(one) === "delayed");
      if (late === undefined || late.enteredAt - late.createdAt < 1_000) return notSeen("no delay");
      const isAt = async (at: number) => (await idsOf({ fromDate: at, toDate: at })).includes(late.dlqId);
      const [atDeath, atCreation] = [await isAt(late.enteredAt), await isAt(late.createdAt)];
      if (atDeath === atCreation) return differs(`${atDeath ? "both" : "none"} of two that are 2 s apart`);
      return atDeath ? "the time of death" : "createdAt; each pass lists everything";
    }),
    order: probe("order of a listing", async () => {
      const ids = (await idsOf({ count: pageSize })).join();
      const earliestFirst = dead.map(({ dlqId }) => dlqId).toSorted(compareDlqIds);
      if (ids === earliestFirst.join()) return "earliest first";
      if (ids === earliestFirst.toReversed().join()) return "latest first; none is needed";
      return differs("it changes, repeats or misses, although nothing arrives or goes");
    }),
    filters: probe("filters of a listing", async () => {
      const byLabel = await listOwn({ select: { label: [`${own.mark}-flow`] } });
      const byAddress = await listOwn({ select: { url: url.slice(0, 2) } });
      const byBoth = await listOwn({ select: { label: [`${own.mark}-flow`], url: url.slice(0, 2) } });
      return compare(namesOf([...byLabel, ...byAddress, ...byBoth]), "flow,plain,text", "as they say");
    }),
    refusal: probe("a call with an unfit item", async () => {
      const unfit = { ...toItem("unfit"), destination: `${own.mark} ?${own.mark}=unfit` };
      const said = (await post([toItem("fit"), unfit])).join();
      if (said === "refused") return "it is refused whole";
      if (said === "accepted,refused") return "its item has an error, others go";
      return differs(`a fit item and it are ${said}`, "unknownOutcome");
    }),
    refusedIds: probe("deduplication ids of what was refused", async () => {
      const refused = ["fit", "unfit"].filter((name) => !promised.includes(name));
      const said = await post(refused.map(toItem));
      const hits = said.filter((word) => word === "hit").length;
      if (said.length < refused.length) return differs("it is refused, although it is fit now");
      return hits === 0 ? "free" : `${hits} are taken; a new series begins`;
    }),
    arrivals: probe("a cursor while records arrive", () => across(() => redrive().then(() => 0))),
    redrive: probe("a rebuilt message that dies again", () =>
      compare(namesOf(parents().filter(isKept)), namesOf(parents()), "the same, with its lineage"),
    ),
    hit: probe("a second POST of an id", async () => {
      const hits = (await redrive()).filter((word) => word === "hit");
      return compare(`${hits.length} are hits`, `${parents().length} are hits`);
    }),
    acceptance: probe("messages that were accepted, and that died", () =>
      compare(namesOf(dead), inOrder(promised), "the same"),
    ),
    deletes: probe("a cursor while records are deleted", () => across(remove)),
    removal: probe("what a delete counts", async () => {
      const some = (await idsOf({})).slice(0, pageSize);
      const [first, then] = [await remove(some), await remove(some)];
      return compare(`${first}, then ${then}`, `${some.length}, then 0`);
    }),
    limits: probe("rate limits", () => {
      if (limits.length === 0) return notSeen("no 429");
      if (limits.includes(true)) return differs("429 again when it should be over");
      return `${limits.length} times 429, each over when it said`;
    }),
    manyIds: probe("more than 100 ids in a delete", () => notSeen("redriver never sends more")),
    waiting: probe("order of what waits for the account's parallelism", () => notSeen("redriver needs none")),
  };

  /** Deletes what any trial left, until a second look shows nothing. */
  async function clean(): Promise<void> {
    ({ signal } = stop);
    say("what is left of trials");
    let ids: readonly DlqId[] = [];
    for (let looks = 0; looks < 2 || ids.length > 0; looks += 1) {
      if (looks > 0) await pause(calmMs);
      const byLabel = await idsOf({ select: { label: [own.mark] } });
      ids = [...new Set([...byLabel, ...(await idsOf({}))])];
      await remove(ids.slice(0, 100));
    }
  }

  /** Leaves nothing, however it ends. Without a first message that comes back, nothing else is asked. */
  async function run() {
    await clean();
    const answers = [];
    try {
      signal = stop.stopping;
      for (const [question, { about, find }] of Object.entries(probes)) {
        say(about);
        const answer = await find().catch((error: unknown) => {
          // A call that the service refuses is an answer too.
          if (!isRedriverError(error) || ![200, 400, 404, 422].includes(error.status ?? 0)) throw error;
          return differs(error.message);
        });
        const so = typeof answer === "string" ? { verdict: "as-assumed", seen: answer, set: null } : answer;
        answers.push({ question, about, ...so });
        if (question === "mark" && so.verdict === "differs") break;
      }
    } finally {
      await clean();
    }
    const at = new Date(clock.now()).toISOString();
    const ok = answers.every(({ verdict }) => verdict !== "differs");
    const left = Math.max(0, promised.length - dead.length);
    return { ok, source: config.name, at, headerPrefix, messages: promised.length, calls, left, answers };
  }
  return { run, clean };
}
