import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { readTextFile } from "../../../../src/config/text/read-text-file.ts";
import { createFolder } from "../../../support/command.ts";

let folder: string;
beforeEach(() => {
  folder = createFolder().path;
});
const at = (name: string): string => join(folder, name);
const whyNot = (path: string): string => {
  const file = readTextFile(path, 100);
  return file.ok ? "" : file.why;
};

it("a regular file is read, also through symbolic links as Kubernetes mounts it", () => {
  mkdirSync(at("..data-1"));
  writeFileSync(join(at("..data-1"), "token"), "s3cret");
  symlinkSync("..data-1", at("..data"));
  symlinkSync("..data/token", at("token"));
  expect(readTextFile(at("token"), 100)).toEqual({ ok: true, text: "s3cret" });
});

it("anything else is named and not waited for", async () => {
  execFileSync("mkfifo", [at("fifo")]);
  symlinkSync("fifo", at("link"));
  const server = createServer().listen(at("socket"));
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    expect(whyNot(at("fifo"))).toBe("expected a regular file, got a FIFO");
    expect(whyNot(at("link"))).toBe("expected a regular file, got a FIFO");
    expect(whyNot(at("socket"))).toBe("expected a regular file, got a socket");
    expect(whyNot(folder)).toBe("expected a regular file, got a directory");
    expect(whyNot("-")).toBe("stdin is not read here; a file of that name is ./-");
    expect(whyNot("/dev/zero")).toBe("expected a regular file, got a device");
  } finally {
    server.close();
  }
});

it("nor is one that is too large, or not there", () => {
  writeFileSync(at("large"), "x".repeat(101));
  expect(whyNot(at("large"))).toBe("it is larger than 100 bytes");
  expect(whyNot(at("missing"))).toBe("it does not exist");
});
