import { cpSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runChild } from "../../support/child.ts";
import { createFolder, startProgram } from "../../support/command.ts";
import { createDrainStage } from "../../support/drain-stage.ts";
import { readDoc, root } from "../../support/markdown.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();
const dockerfile = readDoc("Dockerfile");

/** The program as the runtime stage copies it. */
function copyProgram(): string {
  const folder = createFolder().path;
  cpSync(path.join(root, "dist"), path.join(folder, "dist"), { recursive: true });
  cpSync(path.join(root, "package.json"), path.join(folder, "package.json"));
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  return path.join(folder, "dist/main.js");
}

describe("the production image", () => {
  it("has neither emulator nor demo, and the development image has both", () => {
    const [, dev = "", runtime = ""] = dockerfile.split(/^FROM .* AS /m).slice(1);
    expect(dev).toMatch(/^dev\n[^]*^COPY --from=build \/app\/dist-dev \.\/dist-dev$/m);
    expect(runtime).toMatch(/^runtime\n/);
    expect(runtime).not.toContain("dist-dev");
  });

  it("drains, plans, reports and explains itself without them", async () => {
    const program = copyProgram();
    const { setup, seed, emptied, deliveredOnce } = await createDrainStage({
      url: redis.url(),
      env: { REDRIVER_SOCKET_PATH: "none" },
    });
    const ask = (...args: readonly string[]) =>
      runChild(process.execPath, [program, ...args], { cwd: root, env: setup.env });
    const bodies = seed(20);
    expect(await ask("plan", "--all")).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/^ +now +20 republish$/m),
    });
    const { child, ended, line } = startProgram(program, ["run"], setup.env);
    await line(({ event }) => event === "daemon:started");
    await emptied(30_000);
    deliveredOnce(bodies);
    expect(await ask("status")).toMatchObject({ exitCode: 0, out: expect.stringContaining("main") });
    child.kill("SIGTERM");
    expect((await ended).exitCode).toBe(0);
    const help = await ask("--help");
    expect(help).toMatchObject({ exitCode: 0, out: expect.stringContaining("status") });
    expect(help.out).not.toMatch(/emulator|demo/);
    // Four commands one after the other, each of which takes seconds on a busy machine.
  }, 180_000);

  it.each([
    ["emulator", "emulator"],
    ["emulator --port 0", "emulator"],
    ["demo --keep", "demo"],
  ])("says of redriver %s in one line which image has it", async (command, part) => {
    expect(await runChild(process.execPath, [copyProgram(), ...command.split(" ")], { cwd: root })).toEqual({
      exitCode: 2,
      out: "",
      err: `redriver: command-misused: expected a checkout or the development image (--target dev), which have the ${part}; this program has not\n`,
    });
  });
});
