import { lateCheckMs } from "../../ports/lanes.ts";

/** A lane that has published nothing for this long is new: what it has now are failures alone. */
export const idleMs = 3_600_000;
/**
 * What has no attempts left is kept for a halted lane for so long after its last publish: daemons may be down
 * or paused for hours. Where nothing is left to be tried it is parked then.
 */
export const suspectMs = 24 * 3_600_000;
/** Listing checks are asked for every 15 s: several in a row have failed. */
export const blindAfterMs = 60_000;
export const forgetAfterMs = 7 * 86_400_000;
/** Whatever the limits: the come-backs of a larger step would be too many to remember. */
export const maxStep = 10_000;
/** If a replica dies before its listing check, another is asked after a sweep's interval. */
export const checkEveryMs = lateCheckMs;
/** Minutes that a lane remembers: the windows of one pass, and about 150 bytes. */
export const maxResumeMinutes = 12;
/** Minutes for a probe: one message is enough, and what was in one minute may be gone. */
export const probeMinutes = 2;
/**
 * How long the drain that was handed minutes has for asking. What it gave back may be held by something else
 * that holds others too.
 */
export const callAgainMs = 60_000;
/** So long a probe waits for a message that was no canary lately. */
export const repeatAfterMs = 60_000;
export const rememberedRoots = 10;
/** Open for so many watches, a lane that halts has forgotten how late its probes were. */
export const steadyWatches = 10;
/** Probes are at most this times `probeEvery` apart. */
export const maxProbe = 3;
/** Lanes that one `due` reads. */
export const maxDue = 200;
/** A client sends a call again within seconds or not at all. */
export const markLifeMs = 60_000;
