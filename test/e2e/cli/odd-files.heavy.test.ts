import { execFileSync, spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { createFolder } from "../../support/command.ts";

const main = new URL("../../../dist/main.js", import.meta.url).pathname;

const document =
  "version: 1\nsources: { default: {} }\ndrains: { a: { rules: [{ when: any, then: hold }] } }\n";

it.each([
  ["a token", ["config", "check"], "tokenFile (REDRIVER_SERVICE_TOKEN_FILE)", "token", 78],
  ["people of the console", ["config", "check"], "console.tokenFile", "people", 78],
  ["a drains document", ["config", "check"], "drains.file", "drains", 78],
  ["a document to be checked", ["rules", "check", "odd"], "odd", null, 78],
  ["a settings file", ["config", "show", "--config", "odd"], "odd", null, 78],
  ["a plan to be applied", ["apply", "odd", "--yes", "--reason", "r", "--by", "b"], "odd", null, 2],
  ["a plan to be shown", ["plan", "--show", "odd"], "odd", null, 2],
  ["a record to be explained", ["rules", "explain", "odd"], "odd", null, 2],
])(
  "a FIFO or a directory as %s ends the command with what was expected",
  (_what, args, named, variable, exit) => {
    for (const kind of ["FIFO", "directory"]) {
      const folder = createFolder({ "drains.yaml": document, token: "s3cret\n" });
      execFileSync(kind === "FIFO" ? "mkfifo" : "mkdir", [`${folder.path}/odd`]);
      const { status, signal, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
        cwd: folder.path,
        encoding: "utf8",
        timeout: 15_000,
        killSignal: "SIGKILL",
        env: {
          PATH: process.env["PATH"],
          HOME: folder.path,
          REDRIVER_SERVICE_URL: "http://127.0.0.1:1",
          REDRIVER_SERVICE_TOKEN_FILE: variable === "token" ? "odd" : "token",
          ...(variable === "people" && {
            REDRIVER_CONSOLE_TOKEN_FILE: "odd",
            REDRIVER_CONSOLE_PORT: "0",
            REDRIVER_CONSOLE_AUTH: "token",
          }),
          REDRIVER_DRAINS_FILE: variable === "drains" ? "odd" : "drains.yaml",
        },
      });
      const said = stdout + stderr;
      expect({ status: status ?? signal, said }).toEqual({
        status: exit,
        said: expect.stringMatching(new RegExp(`expected a regular file.*got a ${kind}`)),
      });
      expect(said).toContain(named);
      expect(said).not.toContain("s3cret");
    }
  },
  120_000,
);
