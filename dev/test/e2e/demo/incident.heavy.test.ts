/** What docs/incident.md is played on. test/docs/incident.heavy.test.ts plays it. */
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isAlive, toPids, useDemos } from "../../../../test/support/demo.ts";

const startDemo = useDemos();

describe("redriver demo --incident", () => {
  it("has failed messages, a halted lane and a page to the person on call, and ends with 0 on Ctrl-C", async () => {
    const demo = startDemo(["--incident", "--messages", "40", "--receiver-port", "0"]);
    await demo.said("The console is at http");
    expect(demo.stderr()).toMatch(/^PAGER {2}http:\/\/orders\.localhost:\d+ is halted \(drain webhooks\)/m);
    demo.process.kill("SIGINT");
    const run = await demo.finished;
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toMatch(/^published +56$/m);
    expect(toPids(run.stderr).filter(isAlive)).toEqual([]);
    expect(await readdir(run.tmpDir)).toEqual([".cache"]);
    expect(await readdir(path.join(run.tmpDir, ".cache"))).toEqual([]);
  }, 120_000);

  it("names the port of the receiver if it is taken", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const run = await startDemo(["--incident", "--receiver-port", String(port)]).finished;
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain(`--receiver-port ${port}: `);
    expect(await readdir(run.tmpDir)).toEqual([]);
  });

  it.each([
    [["--receiver-port", "0"], "only with --incident"],
    [["--incident", "--messages", "19"], "expected a whole number from 20 to 5000"],
    [["--incident", "--receiver-port", "x"], "--receiver-port"],
  ])("refuses %j", async (flags, why) => {
    const { code, stderr } = await startDemo(flags).finished;
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) });
  });
});
