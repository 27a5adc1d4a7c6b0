import { execFileSync } from "node:child_process";
import { lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openNamedOutput } from "../../../../../src/people/cli/output/named-output.ts";
import { processIo } from "../../../../../src/people/cli/io.ts";
import { createFolder } from "../../../../support/command.ts";

describe("the file of a plan", () => {
  it("is where a link points to, and the link stays", async () => {
    const { path } = createFolder();
    writeFileSync(join(path, "real"), "old");
    symlinkSync("real", join(path, "link"));
    const output = await openNamedOutput(join(path, "link"), processIo);
    await output.write("new\n");
    await output.commit();
    expect(lstatSync(join(path, "link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(path, "real"), "utf8")).toBe("new\n");
  });

  it("takes no pipe's or device's place", async () => {
    const pipe = join(createFolder().path, "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const named of [pipe, "/dev/null", "", join(pipe, "../none/")]) {
      await expect(openNamedOutput(named, processIo)).rejects.toMatchObject({ code: "command-misused" });
    }
    expect(lstatSync(pipe).isFIFO()).toBe(true);
  });
});
