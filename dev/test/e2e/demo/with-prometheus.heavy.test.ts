import { mkdtempSync } from "node:fs";
import { readdir } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { toPids, isAlive, useDemos } from "../../../../test/support/demo.ts";
import { readRules } from "../../../../test/support/prometheus.ts";
import { isHere } from "../../../../test/support/tools.ts";

const startDemo = useDemos();

interface Rules {
  readonly data: { readonly groups: readonly { readonly rules: readonly { readonly name: string }[] }[] };
}
interface Targets {
  readonly data: { readonly activeTargets: readonly { readonly health: string }[] };
}

describe("redriver demo --with-prometheus", () => {
  it.skipIf(!isHere("prometheus"))(
    "has a Prometheus that scrapes the daemon by the shipped alerts, and takes it along",
    async () => {
      const demo = startDemo(["--messages", "40", "--keep", "--with-prometheus"]);
      await demo.said("Everything keeps running until Ctrl-C");
      const [, url = ""] = /Prometheus has the shipped alerts: (\S+)/.exec(demo.stderr()) ?? [];
      const get = async (at: string): Promise<unknown> => (await fetch(`${url}${at}`)).json();
      const { data } = (await get("/api/v1/rules")) as Rules;
      expect(data.groups.flatMap(({ rules }) => rules.map(({ name }) => name))).toEqual(
        readRules().groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)),
      );
      const healths = async (): Promise<readonly string[]> =>
        ((await get("/api/v1/targets")) as Targets).data.activeTargets.map(({ health }) => health);
      await expect.poll(healths, { timeout: 20_000, interval: 200 }).toEqual(["up"]);
      demo.process.kill("SIGINT");
      const { stderr, tmpDir } = await demo.finished;
      await expect(fetch(url)).rejects.toThrow("fetch failed");
      expect(toPids(stderr).filter(isAlive)).toEqual([]);
      expect(await readdir(tmpDir)).toEqual([]);
    },
    120_000,
  );

  it("says what is missing, and starts nothing", async () => {
    const empty = mkdtempSync(path.join(os.tmpdir(), "redriver-test-path-"));
    const { code, stderr } = await startDemo(["--with-prometheus"], { PATH: empty }).finished;
    expect(code).toBe(1);
    expect(stderr).toContain("--with-prometheus: expected prometheus on PATH");
    expect(toPids(stderr)).toEqual([]);
  });
});
