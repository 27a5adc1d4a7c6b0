import { readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import type { Archive } from "../../../../src/job/contracts/archive.ts";
import type { CopyBook } from "../../../../src/job/contracts/copy-book.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import { runPassInProcess } from "../../../../src/job/pass/drain-in-process.ts";
import { archiveFiles, readArchive } from "../../../support/archives.ts";
import { runHere } from "../../../support/cli.ts";
import { createFolder } from "../../../support/command.ts";
import { useRedis } from "../../../support/redis.ts";
import { createRig, hourMs, never, type Rig } from "../../../support/rig.ts";

const redis = useRedis();
const signals = { signal: never, stopping: never };

const holding = `
    beforeExpiry: { within: 12h, then: archive }
    rules: [{ name: all, when: any, then: hold }]
`;

type Stand = Awaited<ReturnType<typeof stand>>;

async function stand(count: number) {
  const dir = join(createFolder().path, "archive");
  const options = {
    redisUrl: redis.url(),
    drain: holding,
    source: "{ retention: 3d }",
    document: `archive: { dir: ${dir}, keep: 30d }\n`,
  };
  const rig = await createRig(options);
  return {
    rig,
    dir,
    /** Near their expiry. */
    ids: rig.seed(count, {}, 71 * hourMs),
    /** The process that comes after the cut: files of its own, the same Redis. */
    restart: () => createRig({ ...options, twinOf: rig }),
    run: (...argv: readonly string[]) => runHere(["archive", ...argv, "--dir", dir], {}),
  };
}

/** A pass of a process that is cut off with these parts. */
async function cutOff(
  { drain, core }: Rig,
  parts: { readonly archive?: Archive; readonly copies?: CopyBook },
): Promise<void> {
  const { archive = drain.archive, copies = drain.source.copies } = parts;
  const cut = { ...drain, archive, source: { ...drain.source, copies } };
  const ended = await runPassInProcess(cut, core.settings.passes, signals, () => undefined);
  expect(ended).toMatchObject({ outcome: "partial", tally: { listed: 0 } });
}

const powerCut = (): Promise<never> => Promise.reject(new RedriverError("redis-unavailable", "power cut"));

const copiesOf = async ({ dir, ids }: Stand): Promise<readonly number[]> => {
  const found = (await readArchive(dir)).ids;
  return ids.map((id) => found.filter((dlqId) => dlqId === id).length);
};

/** As often as passes run, nothing more is copied. */
async function expectNoMore(on: Stand, rig: Rig, copies: readonly number[]): Promise<void> {
  for (let more = 0; more < 2; more += 1) {
    await rig.drain.source.passes.forceFull(rig.drain.config.name);
    await rig.pass();
    expect(await copiesOf(on)).toEqual(copies);
  }
}

describe("a power cut while copies are made", () => {
  it("between the archive and the note of it leaves two copies of each at the most, and both are shown", async () => {
    const on = await stand(2);
    const { missing } = on.rig.drain.source.copies;
    await cutOff(on.rig, { copies: { missing, copied: powerCut } });
    expect(await copiesOf(on)).toEqual([1, 1]);

    const after = await on.restart();
    await after.pass();
    expect(await copiesOf(on)).toEqual([2, 2]);
    await expectNoMore(on, after, [2, 2]);
    expect(on.rig.emulator.dlq.size).toBe(2);

    const [first = ""] = on.ids;
    const table = await on.run("show", first);
    expect(table).toMatchObject({ exitCode: 0, err: "" });
    expect(table.out.match(new RegExp(`near-expiry .*${first}`, "g"))).toHaveLength(2);
    const lines = (await on.run("show", first, "--json")).out.trimEnd().split("\n");
    const shown = lines.map((line) => JSON.parse(line) as { readonly dlqId: string; readonly file: string });
    expect(shown.map(({ dlqId }) => dlqId)).toEqual([first, first]);
    // Each in a file of the process that wrote it, so that nobody takes one for the other.
    expect(shown.map(({ file }) => file).toSorted()).toEqual(archiveFiles(on.dir));
    expect(new Set(shown.map(({ file }) => file)).size).toBe(2);
    const list = JSON.parse((await on.run("list", "--json")).out) as readonly { readonly entries: number }[];
    expect(list.map(({ entries }) => entries)).toEqual([2, 2]);
  });

  it("in the middle of a write leaves what was promised before, and the next process makes a whole one", async () => {
    const on = await stand(1);
    await on.rig.pass();
    expect(await copiesOf(on)).toEqual([1]);
    const [second = ""] = on.rig.seed(1, {}, 70 * hourMs);
    const archive = archiveOf(on.rig);
    await on.rig.drain.source.passes.forceFull(on.rig.drain.config.name);
    await cutOff(on.rig, {
      archive: {
        ...archive,
        write: async (entries) => {
          const { file } = await archive.write(entries);
          const path = join(on.dir, file);
          // The end of the member had not reached the disk.
          truncateSync(path, readFileSync(path).length - 20);
          return powerCut();
        },
      },
    });
    const after = await on.restart();
    await after.pass();
    const both = { ...on, ids: [...on.ids, second as DlqId] };
    await expectNoMore(both, after, [1, 1]);
    expect(await on.run("show", second)).toMatchObject({
      exitCode: 0,
      err: expect.stringContaining("warning:"),
    });
    const list = (await on.run("list")).out;
    expect(list).toMatch(/ torn$/m);
  });
});

function archiveOf({ drain }: Rig): Archive {
  if (drain.archive === null) throw new Error("the test's document has an archive");
  return drain.archive;
}
