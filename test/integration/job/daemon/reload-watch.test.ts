import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDocumentFile } from "../../../../src/config/document/load-document.ts";
import { openLiveCore } from "../../../../src/job/compose/open-core.ts";
import { createTeardown } from "../../../../src/teardown.ts";
import { createDocumentWatch } from "../../../../src/job/daemon/watch-document.ts";
import { createFolder } from "../../../support/command.ts";
import { settingsOf } from "../../../support/loaded-document.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { recordEvents } from "../../../support/record-events.ts";
import { useRedis } from "../../../support/redis.ts";
import { waitFor } from "../../../support/wait-for.ts";

const redis = useRedis();

const documentWith = (then: string, more = ""): string => `version: 1
sources: { default: {} }
drains:
  main: { rules: [{ name: all, when: any, then: ${then} }] }
${more}`;

function setUp(prepare?: (folder: ReturnType<typeof createFolder>) => void) {
  const folder = createFolder(prepare === undefined ? { "drains.yaml": documentWith("hold") } : {});
  prepare?.(folder);
  const events = recordEvents();
  const adopted: string[] = [];
  const teardown = createTeardown();
  onTestFinished(async () => void (await teardown.run(2_000)));
  const settings = settingsOf({
    env: { REDRIVER_SERVICE_URL: "http://127.0.0.1:9", REDRIVER_SERVICE_TOKEN: "token-token" },
    flags: { "redis.url": redis.url(), "drains.file": join(folder.path, "drains.yaml") },
  });
  const file = createDocumentFile(settings);
  const reading = file.read();
  const text = reading.ok ? reading.text : "";
  const first = file.load(text, 0);
  if (!first.ok) throw new Error("the first document loads");
  const live = openLiveCore({ settings, document: first.document, env: {}, events, teardown });
  const clock = createManualClock();
  const watch = createDocumentWatch({
    documentFile: file,
    documentText: text,
    live,
    clock,
    events,
    onAdopted: ({ hash }) => void adopted.push(hash),
    stop: new AbortController().signal,
  });
  /** One look, in whose middle something happens, with all the time it wants. */
  const lookWhile = async (happens: () => void): Promise<"changed" | "unchanged"> => {
    let ended = false;
    const looking = watch.look().finally(() => (ended = true));
    await waitFor(() => expect(ended || clock.pending() > 0).toBe(true));
    happens();
    clock.advance(300);
    return looking;
  };
  const look = () => lookWhile(() => undefined);
  return { folder, live, watch, clock, adopted, look, lookWhile, told: events.of };
}

describe("the drains document's file", () => {
  it("that means something else is adopted, and what it warns of is told", async () => {
    const { folder, live, look, told, adopted, watch, clock } = setUp();
    const before = live.current().document.hash;
    await look();
    clock.advance(60_000);
    const late = "{ mode: plan, rules: [{ when: any, then: hold, ignoreAfter: 2001-01-01 }] }";
    const path = folder.write("drains.yaml", documentWith("park", `  late: ${late}\n`));
    expect(await look()).toBe("changed");
    const { hash } = live.current().document;
    expect(hash).not.toBe(before);
    expect(adopted).toEqual([hash]);
    const [adoption] = told("document:adopted");
    expect(adoption).toMatchObject({ hash, before, at: clock.now() });
    expect(adoption?.warnings.join("\n")).toContain(`${path}:5:`);
    expect(watch.state()).toEqual({ adoptedAt: clock.now(), rejected: null });
    expect(await look()).toBe("unchanged");
  });

  it("whose comments change is told of and changes nothing", async () => {
    const { folder, live, look, told, adopted, watch } = setUp();
    await look();
    const core = live.current();
    const { adoptedAt } = watch.state();
    folder.write("drains.yaml", `# nothing new\n${documentWith("hold")}`);
    expect(await look()).toBe("changed");
    expect(live.current()).toBe(core);
    expect(adopted).toEqual([]);
    const { hash } = core.document;
    expect(told("document:adopted")).toMatchObject([{ hash, before: hash }]);
    expect(watch.state().adoptedAt).toBe(adoptedAt);
  });

  it("with mistakes is told once, all of them with line and column, and the old rules stay", async () => {
    const { folder, live, look, told, watch } = setUp();
    const { hash } = live.current().document;
    const wrong = documentWith("hold")
      .replace("drains:", "drainz: {}\ndrains:")
      .replace("then: hold", "then: drop it");
    const path = folder.write("drains.yaml", wrong);
    expect(await look()).toBe("changed");
    for (let n = 0; n < 3; n += 1) expect(await look()).toBe("unchanged");
    const [rejected, ...more] = told("document:rejected");
    expect(more).toEqual([]);
    expect(rejected?.hash).toBe(hash);
    expect(rejected?.problems.map((problem) => /:(\d+:\d+)/.exec(problem.replace(path, ""))?.[1])).toEqual([
      "3:1",
      "5:49",
    ]);
    expect(watch.state().rejected).toBe(rejected?.problems.join("\n"));
    expect(live.current().document.hash).toBe(hash);
    folder.write("drains.yaml", documentWith("hold"));
    expect(await look()).toBe("changed");
    expect(watch.state().rejected).toBeNull();
    expect(told("document:adopted")).toMatchObject([{ hash, before: hash }]);
  });

  it("is not taken while it is being written, also where the half of it is a document", async () => {
    const { folder, live, look, lookWhile, told } = setUp();
    const whole = documentWith("park", "  late: { rules: [] }\n");
    folder.write("drains.yaml", whole.slice(0, whole.indexOf("  late")));
    expect(await lookWhile(() => void folder.write("drains.yaml", whole))).toBe("unchanged");
    expect(live.current().drains.size).toBe(1);
    expect(await look()).toBe("changed");
    expect(live.current().drains.size).toBe(2);
    expect(told("document:rejected")).toEqual([]);
  });

  it("that is away for a moment is not told of; away for longer, it is told once", async () => {
    const { folder, look, lookWhile, told, watch } = setUp();
    const path = join(folder.path, "drains.yaml");
    await look();
    rmSync(path);
    expect(await lookWhile(() => void folder.write("drains.yaml", documentWith("hold")))).toBe("unchanged");
    expect(await look()).toBe("unchanged");
    expect(told("document:rejected")).toEqual([]);
    rmSync(path);
    expect(await look()).toBe("changed");
    for (let n = 0; n < 3; n += 1) await look();
    expect(told("document:rejected")).toMatchObject([
      { problems: [`${path}: expected a readable drains document: it does not exist`] },
    ]);
    folder.write("drains.yaml", documentWith("hold"));
    expect(await look()).toBe("changed");
    expect(watch.state().rejected).toBeNull();
  });

  it("that refers to a token which comes later is adopted when the token has come", async () => {
    const { folder, live, look, told } = setUp();
    const token = join(folder.path, "token");
    folder.write(
      "drains.yaml",
      documentWith("park").replace("default: {}", `default: { token: { file: ${token} } }`),
    );
    expect(await look()).toBe("changed");
    expect(await look()).toBe("unchanged");
    expect(told("document:rejected")).toHaveLength(1);
    const before = live.current().document.hash;
    writeFileSync(token, "token-token\n");
    expect(await look()).toBe("changed");
    expect(live.current().document.hash).not.toBe(before);
  });

  it("is followed through the symlinks of a ConfigMap", async () => {
    const { folder, live, look } = setUp(({ path, write }) => {
      mkdirSync(join(path, "..1"));
      write("..1/drains.yaml", documentWith("hold"));
      symlinkSync("..1", join(path, "..data"));
      symlinkSync("..data/drains.yaml", join(path, "drains.yaml"));
    });
    await look();
    const before = live.current().document.hash;
    mkdirSync(join(folder.path, "..2"));
    folder.write("..2/drains.yaml", documentWith("park"));
    symlinkSync("..2", join(folder.path, "..data_tmp"));
    renameSync(join(folder.path, "..data_tmp"), join(folder.path, "..data"));
    rmSync(join(folder.path, "..1"), { recursive: true });
    expect(await look()).toBe("changed");
    expect(live.current().document.hash).not.toBe(before);
  });
});
