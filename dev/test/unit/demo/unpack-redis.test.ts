import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { askRedis } from "../../../demo/ask-redis.ts";
import { findRedisServer } from "../../../demo/find-or-start-redis.ts";
import { createFolder } from "../../../../test/support/command.ts";
import { isHere } from "../../../../test/support/tools.ts";

/** A package of one program, as a source of packages describes it. */
function pack(folder: string, name: string, program: string): string {
  const file = path.join(folder, name, "usr/bin", name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, program, { mode: 0o755 });
  const control = `Package: ${name}\nVersion: 1\nArchitecture: all\nMaintainer: nobody\nDescription: none\n`;
  mkdirSync(path.join(folder, name, "DEBIAN"));
  writeFileSync(path.join(folder, name, "DEBIAN/control"), control);
  execFileSync("dpkg-deb", ["--build", path.join(folder, name)]);
  const bytes = readFileSync(path.join(folder, `${name}.deb`));
  const sum = createHash("sha256").update(bytes).digest("hex");
  return `${control}Filename: ./${name}.deb\nSize: ${bytes.length}\nSHA256: ${sum}\n`;
}

/** Until the test ends, apt has this source alone, and for its own state a place where nothing can be. */
function useSource(line: string): void {
  const { write, path: folder } = createFolder();
  const settings = {
    "Dir::Etc::SourceList": write("sources.list", line),
    "Dir::Etc::SourceParts": "/dev/null",
    "Dir::State": "/dev/null",
    "Dir::State::status": write("status", ""),
    "Dir::Cache": folder,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}";\n`);
  const before = process.env["APT_CONFIG"];
  process.env["APT_CONFIG"] = write("apt.conf", lines.join(""));
  onTestFinished(() => {
    delete process.env["APT_CONFIG"];
    if (before !== undefined) process.env["APT_CONFIG"] = before;
  });
}

/** A machine with apt-get and without a server. */
function bareMachine() {
  const bin = createFolder({ "apt-get": "" });
  execFileSync("chmod", ["+x", path.join(bin.path, "apt-get")]);
  const said: string[] = [];
  const cacheDir = path.join(createFolder().path, "a folder");
  return { env: { PATH: bin.path }, cacheDir, say: (line: string) => void said.push(line), said };
}

describe.skipIf(!isHere("apt-get"))("Debian's server, unpacked", () => {
  it("needs none of apt's own lists, and five searches at once do not meet", async () => {
    const real = execFileSync("/bin/sh", ["-c", "command -v redis-server"]).toString().trim();
    const { path: folder, write } = createFolder();
    const packages = ["redis-server", "redis-tools"].map((name) =>
      pack(folder, name, `#!/bin/sh\nexec ${real} "$@"\n`),
    );
    write("Packages", packages.join("\n"));
    useSource(`deb [trusted=yes] copy:${folder} ./\n`);
    const machine = bareMachine();
    const all = await Promise.all(Array.from({ length: 5 }, () => findRedisServer(machine)));
    onTestFinished(async () => void (await Promise.all(all.map((found) => found.stop()))));
    for (const { url } of all) expect(await askRedis(url, ["PING"], 1_000)).toBe("+PONG");
    expect(readdirSync(machine.cacheDir)).toEqual(["root"]);
  });

  it("that no source has is told in one line of apt's own", async () => {
    useSource("");
    const machine = bareMachine();
    await expect(findRedisServer(machine)).rejects.toThrow("sudo apt-get install redis-server");
    expect(machine.said).toEqual([
      `downloading Debian's redis-server into ${machine.cacheDir}`,
      "could not download or unpack redis-server: E: Unable to locate package redis-tools",
    ]);
    expect(readdirSync(machine.cacheDir)).toEqual([]);
  });
});
