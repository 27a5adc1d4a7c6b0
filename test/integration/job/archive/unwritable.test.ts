import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { seeVolume } from "../../../../src/job/archive/judge-volume.ts";
import { runHere } from "../../../support/cli.ts";
import { createFolder } from "../../../support/command.ts";

const checkWith = (dir: string) => {
  const folder = createFolder({
    "drains.yaml": `version: 1
sources: { default: {} }
archive: { dir: ${dir}, volume: ephemeral }
drains:
  main:
    rules:
      - { name: old, when: { responseStatus: 410 }, then: drop }
`,
  });
  return runHere(["config", "check", "--drains", join(folder.path, "drains.yaml")], {
    REDRIVER_SERVICE_URL: "http://127.0.0.1:9",
    REDRIVER_SERVICE_TOKEN: "token-of-a-test",
  });
};

describe("a directory of the archive", () => {
  it("can be written, or made where it is missing", async () => {
    const { path } = createFolder();
    expect(await seeVolume(path, "ephemeral")).toMatchObject({ verdict: "fit" });
    expect(await seeVolume(join(path, "a/b"), "ephemeral")).toMatchObject({ verdict: "fit" });
    expect(existsSync(join(path, "a"))).toBe(false);
  });

  it.each(["file", "file/below/it"])("cannot be where a file is: %s; that is certain", async (below) => {
    const folder = createFolder({ file: "" });
    const dir = join(folder.path, below);
    const message = `expected to write to the archive in ${dir}, got something on the path that is not a directory (ENOTDIR); see archive.dir`;
    expect(await seeVolume(dir, "ephemeral")).toEqual({
      verdict: "unfit",
      complaint: message,
      isCertain: true,
    });
    const { exitCode, out, err } = await checkWith(dir);
    expect({ exitCode, out }).toEqual({ exitCode: 78, out: "" });
    expect(err).toContain(message);
  });

  // Of which no user may make a directory.
  it.skipIf(!existsSync("/proc/sys"))(
    "that may not be written is told, though another machine may see it otherwise",
    async () => {
      const dir = "/proc/sys/archive";
      const found = await seeVolume(dir, "ephemeral");
      expect(found).toMatchObject({ verdict: "unfit", isCertain: false });
      const message = found?.complaint ?? "";
      expect(message).toMatch(
        /^expected to write to the archive in \/proc\/sys\/archive, got .* \(E[A-Z]+\)/,
      );
      const { exitCode, err } = await checkWith(dir);
      expect(exitCode).toBe(0);
      expect(err).toContain(`warning: ${message}\n`);
    },
  );
});
