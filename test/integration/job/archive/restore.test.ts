import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { archiveEntry, createStand } from "../../../support/archives.ts";
import { createFolder } from "../../../support/command.ts";
import { rawRecord } from "../../../support/letters.ts";
import { codeBlocks, readDoc } from "../../../support/markdown.ts";
import { startService } from "../../../support/service.ts";
import { isHere } from "../../../support/tools.ts";

const run = promisify(execFile);
const command = `${process.execPath} ${resolve(import.meta.dirname, "../../../../dist/main.js")}`;

describe("what docs/archive.md says of publishing again by hand", () => {
  it.skipIf(!isHere("jq"))("delivers the message with its method, headers and body", async () => {
    const [script = ""] = codeBlocks(readDoc("docs/archive.md"))
      .filter(({ heading, language }) => heading === "Publishing again by hand" && language === "sh")
      .map(({ text }) => text);
    const { emulator, receiver } = await startService();
    const { archive, dir } = createStand();
    const dlqId = "1725323658779-0" as ReturnType<typeof archiveEntry>["dlqId"];
    const record = rawRecord({
      dlqId,
      url: `${receiver.url}/orders?a=1`,
      method: "PUT",
      body: '{"order":"ä\\n"}',
      header: {
        "Content-Type": ["application/json"],
        "X-Many": ["one", "two"],
        "X-Redriver": ["v1.old"],
        "Upstash-Message-Id": ["msg_1"],
        Host: ["old.example.com"],
        "Content-Length": ["1"],
      },
    });
    const entry = archiveEntry(1, { dlqId, record });
    // Twice in the archive is once in the batch.
    await archive.write([entry, entry, archiveEntry(2)]);

    const redriver = `redriver() { if [ "$1" = archive ]; then shift; sub=$1; shift; ${command} archive "$sub" --dir "${dir}" "$@"; fi; }`;
    const { stderr } = await run("/bin/sh", ["-euc", `${redriver}\n${script}`], {
      cwd: createFolder().path,
      env: {
        PATH: process.env["PATH"],
        REDRIVER_SERVICE_URL: emulator.url,
        REDRIVER_SERVICE_TOKEN: emulator.token,
      },
    });
    expect(stderr).toBe("");
    await emulator.idle();
    expect(receiver.deliveries).toHaveLength(1);
    const [delivery] = receiver.deliveries;
    expect(delivery).toMatchObject({ method: "PUT", path: "/orders?a=1", body: record["body"] });
    expect(delivery?.headers).toMatchObject({ "content-type": "application/json", "x-many": "one, two" });
    expect(delivery?.headers).not.toHaveProperty("x-redriver");
  });
});
