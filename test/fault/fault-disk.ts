import { truncateSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import { systemDisk, type Disk, type DiskFile } from "../../src/job/archive/disk.ts";
import type { Failpoints } from "./failpoints.ts";
import { wrapPort } from "./wrap-port.ts";

/** The disk of one archive, and what a power cut leaves of it. */
export interface FaultDisk {
  readonly disk: Disk;
  /** Takes away what was never synced: bytes of files, and names in directories. Works at once. */
  cutPower(): void;
}

interface Known {
  readonly path: string;
  syncedBytes: number;
  isNameSynced: boolean;
}

export function createFaultDisk(failpoints: Failpoints): FaultDisk {
  const files: Known[] = [];
  const disk: Disk = {
    ...systemDisk,
    async create(path) {
      const file = await systemDisk.create(path);
      const known: Known = { path, syncedBytes: 0, isNameSynced: false };
      files.push(known);
      return wrapPort("diskFile", toTorn(file, known, failpoints), failpoints);
    },
    async syncDirectory(dir) {
      await systemDisk.syncDirectory(dir);
      for (const known of files) if (dirname(known.path) === dir) known.isNameSynced = true;
    },
  };
  return {
    disk: wrapPort("disk", disk, failpoints),
    cutPower() {
      for (const { path, syncedBytes, isNameSynced } of files) {
        if (isNameSynced) truncateSync(path, syncedBytes);
        else unlinkSync(path);
      }
    },
  };
}

function toTorn(file: DiskFile, known: Known, failpoints: Failpoints): DiskFile {
  let written = 0;
  return {
    async write(bytes, position) {
      const half = bytes.subarray(0, Math.ceil(bytes.length / 2));
      const taken = await file.write(half, position);
      failpoints.pass("diskFile.write:half");
      const rest = taken < half.length ? 0 : await file.write(bytes.subarray(taken), position + taken);
      written = position + taken + rest;
      return taken + rest;
    },
    async sync() {
      const upTo = written;
      await file.sync();
      known.syncedBytes = upTo;
    },
    truncate: (bytes) => file.truncate(bytes),
    identity: () => file.identity(),
    changedAt: () => file.changedAt(),
    close: () => file.close(),
  };
}
