import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { systemDisk } from "../../../../src/job/archive/disk.ts";
import { silentVolume } from "../../../../src/job/compose/open-archive.ts";
import type { ArchiveVolume, DeclaredVolume } from "../../../../src/job/contracts/archive.ts";
import { judgeVolume } from "../../../../src/job/archive/judge-volume.ts";
import { archiveEntry, archiveFiles, createStand } from "../../../support/archives.ts";
import { createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const inMemory: ArchiveVolume = { kind: "memory", fileSystem: "tmpfs" };
const inContainer: ArchiveVolume = { kind: "container", fileSystem: "overlay" };
const other: ArchiveVolume = { kind: "other", fileSystem: "0xef53" };

/** A directory in memory that this machine has, or null. */
const memory = ["/dev/shm", "/run"].find(
  (dir) => process.platform === "linux" && existsSync(dir) && statfsSync(dir).type === 0x01_02_19_94,
);

describe("a volume", () => {
  it.each<[ArchiveVolume, Record<DeclaredVolume, ReturnType<typeof judgeVolume>>]>([
    [inMemory, { undeclared: "unfit", durable: "unfit", ephemeral: "fit" }],
    [inContainer, { undeclared: "doubtful", durable: "unfit", ephemeral: "fit" }],
    [other, { undeclared: "fit", durable: "fit", ephemeral: "fit" }],
  ])("%o is judged by what is declared", (found, verdicts) => {
    for (const declared of ["undeclared", "durable", "ephemeral"] as const) {
      expect(judgeVolume(found, declared), declared).toBe(verdicts[declared]);
    }
  });

  it("that is lost while the archive is open is noticed with the next file", async () => {
    let found = other;
    const disk = { ...systemDisk, volume: () => Promise.resolve(found) };
    const { archive, dir } = createStand({ disk, volume: "durable", maxFileBytes: 1 });
    await archive.write([archiveEntry(1)]);
    found = inContainer;
    await expect(archive.write([archiveEntry(2)])).rejects.toMatchObject({ code: "archive-unavailable" });
    expect(archiveFiles(dir)).toHaveLength(1);
  });
});

it.skipIf(memory === undefined)(
  "an archive in memory holds what would be dropped, and says which key accepts it",
  async () => {
    const dir = mkdtempSync(join(memory ?? "", "redriver-test-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const document = `archive: { dir: ${join(dir, "kept")} }\n`;
    const drain = "\n    rules: [{ name: too-old, when: { responseStatus: 503 }, then: drop }]\n";
    const rig = await createRig({ redisUrl: redis.url(), drain, document });
    rig.seed(3);
    expect(await rig.pass()).toMatchObject({ outcome: "complete", tally: { deleted: 0, due: 3 } });
    expect(rig.emulator.dlq.size).toBe(3);
    expect(readdirSync(dir)).toEqual([]);
    expect(rig.eventsOf("archive:volume-seen")).toEqual([
      { type: "archive:volume-seen", verdict: "unfit", complaint: expect.stringContaining("tmpfs") },
    ]);
    expect(rig.eventsOf("archive:failed")[0]?.message).toContain("archive.volume: ephemeral");
  },
);

it("a volume of which nothing is said has to last in a pod, and only there", () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("KUBERNETES_SERVICE_HOST", undefined);
  expect(judgeVolume(inContainer, silentVolume())).toBe("doubtful");
  vi.stubEnv("KUBERNETES_SERVICE_HOST", "192.0.2.1");
  expect(judgeVolume(inContainer, silentVolume())).toBe("unfit");
  expect(judgeVolume(other, silentVolume())).toBe("fit");
});
