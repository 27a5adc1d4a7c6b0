import { cpSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runChild } from "../../support/child.ts";
import { createFolder, startProgram } from "../../support/command.ts";
import { createDrainStage } from "../../support/drain-stage.ts";
import { readDoc, root } from "../../support/markdown.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();
const dockerfile = readDoc("Dockerfile");

/** The folders that the Dockerfile takes out of the program, and only its target `dev` gets back. */
const [, moved = ""] = /&& mv ((?:dist\/\w+ )+)dev\/$/m.exec(dockerfile) ?? [];
const left = moved.trim().split(" ");

/** The program as the runtime stage copies it. */
function copyProgram(): string {
  const folder = createFolder().path;
  cpSync(path.join(root, "dist"), path.join(folder, "dist"), { recursive: true });
  cpSync(path.join(root, "package.json"), path.join(folder, "package.json"));
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  for (const part of left) rmSync(path.join(folder, part), { recursive: true });
  return path.join(folder, "dist/main.js");
}

describe("the production image", () => {
  it("has neither emulator nor demo, and the development image has both", () => {
    expect(left).toEqual(["dist/emulator", "dist/demo"]);
    const [, dev = "", runtime = ""] = dockerfile.split(/^FROM .* AS /m).slice(1);
    expect(dev).toMatch(/^dev\n[^]*^COPY --from=build \/app\/dev \.\/dist$/m);
    expect(runtime).toMatch(/^runtime\n/);
    expect(runtime).not.toContain("/app/dev");
  });

  it("drains, plans, reports and explains itself without them", async () => {
    const program = copyProgram();
    const { setup, seed, emptied, deliveredOnce } = await createDrainStage({ url: redis.url() });
    const ask = (...args: readonly string[]) =>
      runChild(process.execPath, [program, ...args], { cwd: root, env: setup.env });
    const bodies = seed(20);
    const plan = await ask("plan", "--all");
    expect(plan).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^ +now +20 republish$/m) });
    const { child, ended, line } = startProgram(program, ["run"], setup.env);
    await line(({ event }) => event === "daemon:started");
    await emptied(30_000);
    deliveredOnce(bodies);
    expect(await ask("status")).toMatchObject({ exitCode: 0, out: expect.stringContaining("main") });
    child.kill("SIGTERM");
    expect((await ended).exitCode).toBe(0);
    expect(await ask("--help")).toMatchObject({ exitCode: 0, out: expect.stringContaining("emulator") });
    // Four commands one after the other, each of which takes seconds on a busy machine.
  }, 180_000);

  it.each([
    ["emulator", "emulator"],
    ["demo", "demo"],
    ["demo --outage", "demo"],
  ])("says of redriver %s in one line which image has it", async (command, part) => {
    const answer = await runChild(process.execPath, [copyProgram(), ...command.split(" ")], { cwd: root });
    expect(answer).toEqual({
      exitCode: 2,
      out: "",
      err: `redriver: command-misused: expected the development image (--target dev), which has the ${part}; this production image has not\n`,
    });
  });
});
